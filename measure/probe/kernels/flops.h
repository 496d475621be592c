// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_KERNELS_FLOPS_H
#define MW_MEASURE_KERNELS_FLOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Multiply-add from registers: each chain holds two numbers and does a = a b + b; b = b a + a, so that two operations
 * a chain wait for each other and `chains` of them fill the pipes (at least latency x units in flight: 4 x 2).
 * From a = b in (-1, 0) the values stay there for ever: x (1 + x) is negative, smaller in size than x, and falls off only
 * as 1 / n, so that they neither overflow nor become subnormal. NEON has no such instruction without a copy and does
 * a = a + c b; b = b - c a with c = MW_FLOPS_ROTATION instead, which stays in (-1, 1).
 */
#define MW_FLOPS_ROTATION 0.0625

struct mw_flops_kernel {
    const char *variant;   /* "scalar", "scalar-fma", "sse2", "avx2-fma", "avx512-fma", "neon-fma" */
    const char *precision; /* "fp32", "fp64" */
    size_t chains, lanes;  /* numbers: chains x lanes in a, as many in b */
    size_t unroll;         /* a-and-b pairs a chain in a round: flops of a round = 4 x chains x lanes x unroll */
    bool (*supported)(void);
    /* a and b: chains x lanes elements of the precision, read before and written after the rounds */
    void (*run)(void *a, void *b, uint64_t rounds);
};

extern const struct mw_flops_kernel mw_flops_kernels[];
extern const size_t mw_flops_kernel_count;

#endif
