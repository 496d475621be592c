// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_KERNELS_LOAD_H
#define MW_MEASURE_KERNELS_LOAD_H

#include <stddef.h>
#include <stdint.h>

#define MW_LOAD_LINE  64
#define MW_LOAD_BLOCK 16 /* lines between two delays */

/*
 * Traffic of a chosen mix and rate: reads each line of data in order and writes back `updates` of every four of them
 * (0, 1, 2 or 4), with a chain of `delay` dependent additions behind each block of MW_LOAD_BLOCK lines.
 * lines is a multiple of MW_LOAD_BLOCK. Returns a sum: use it.
 */
uint64_t mw_kernel_load(void *data, size_t lines, unsigned updates, unsigned delay);

#endif
