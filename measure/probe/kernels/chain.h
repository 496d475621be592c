// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_KERNELS_CHAIN_H
#define MW_MEASURE_KERNELS_CHAIN_H

#include <stdint.h>

/* Additions that each wait for the one before, in one call with `blocks` blocks of this many. */
#define MW_CHAIN_BLOCK 256

/*
 * x + step added blocks * MW_CHAIN_BLOCK times. The added value is in a register: additions of a small constant are
 * done in the renamer of recent Intel cores and take no cycle.
 */
uint64_t mw_kernel_add_chain(uint64_t x, uint64_t step, uint64_t blocks);

#endif
