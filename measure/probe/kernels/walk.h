// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_KERNELS_WALK_H
#define MW_MEASURE_KERNELS_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Follows `loads` pointers, each load waiting for the one before: p = *(void **)p. Returns the last: use it. */
void *mw_kernel_walk(void *p, uint64_t loads);

/* Reads one word of each line, in order: brings size_bytes into the caches as far as they hold it. */
void mw_kernel_sweep(const void *data, size_t size_bytes, size_t line_bytes);

/*
 * Reads one word of every line exactly once, stride_bytes (a multiple of a line) from load to load: as many passes as a
 * stride has lines, those that begin at an even line first. So each stride touches the same lines, and the neighbour that
 * a prefetcher brings along with a line is met half of the memory later.
 */
void mw_kernel_sweep_strided(const void *data, size_t size_bytes, size_t line_bytes, size_t stride_bytes);

/* Reads one word of each of the first 2^line_bits lines, independent of one another, in an order no prefetcher follows. */
void mw_kernel_sweep_random(const void *data, unsigned line_bits, size_t line_bytes);

/*
 * Removes from all caches the line that holds p; mw_kernel_fence waits for it. False where user programs have no
 * such instruction (anything but x86-64 and AArch64): nothing is done then.
 */
bool mw_kernel_flush(const void *p);
void mw_kernel_fence(void);

#endif
