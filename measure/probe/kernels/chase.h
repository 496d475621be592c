// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_KERNELS_CHASE_H
#define MW_MEASURE_KERNELS_CHASE_H

#include <stdint.h>

/* As many as fit into the integer registers of x86-64 beside a counter: a chain in memory would be two loads a step. */
#define MW_CHASE_CHAINS_MAX 12

/*
 * Follows `chains` chains of pointers (1 … MW_CHASE_CHAINS_MAX) at once, `loads` steps in each; p[i] is the place of
 * chain i before and after. loads is rounded down to a multiple of MW_CHASE_UNROLL.
 */
#define MW_CHASE_UNROLL 4
void mw_kernel_chase(void **p, unsigned chains, uint64_t loads);

#endif
