// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SMC_H
#define MW_FIT_SMC_H

#include "data/error.h"

#include <stddef.h>

/*
 * Tempered sequential Monte Carlo over the unit cube. Particles start uniform (the prior is in the mapping from the
 * cube to parameters) and follow prior x likelihood^b, b from 0 to 1 in steps that halve the effective sample size;
 * after each step they are resampled and moved by differential evolution, which needs no tuning of scales or
 * correlations. Del Moral, Doucet, Jasra, J. R. Stat. Soc. B 68 (2006); moves: ter Braak, Stat. Comput. 16 (2006).
 */
enum { MW_SMC_MAX_DIMS = 12 };

struct mw_smc {
    size_t dims;         /* 1 … MW_SMC_MAX_DIMS */
    size_t particles;    /* >= 3 */
    size_t sweeps;       /* moves of each particle at an intermediate temperature */
    size_t final_sweeps; /* moves at b = 1 */
    unsigned long seed;
    double (*log_likelihood)(const double *u, void *context); /* finite for every u in [0, 1]^dims */
    void *context;
};

/*
 * u: particles x dims, row-major, equally weighted draws from the posterior. log_evidence: ln of the integral of the
 * likelihood over the cube. MW_NOMEM leaves both unchanged. Deterministic for a seed; one thread, GSL's taus2.
 * Test: test_smc.c (integral and moments of Gaussians).
 */
enum mw_err mw_smc_sample(const struct mw_smc *smc, double *u, double *log_evidence, struct mw_error *error) MW_CHECKED;

#endif
