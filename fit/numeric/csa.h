// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_CSA_H
#define MW_FIT_CSA_H

#include "data/error.h"

#include <stddef.h>

/*
 * Coupled simulated annealing with modified acceptance and variance control (Xavier-de-Souza, Suykens, Vandewalle,
 * Bolle, IEEE Trans. SMC-B 40 (2010), doi 10.1109/TSMCB.2009.2020435, sections III and IV), on the unit cube.
 *
 * m annealers at u_i of energy E_i share one acceptance: a probe that is worse is taken with probability
 *   A_i = exp((E_i - max E)/T_ac) / sum_j exp((E_j - max E)/T_ac),
 * so the worst annealer moves most freely. After each sweep T_ac falls by `alpha` where the variance of the A_i is below
 * desired_variance (m - 1)/m^2 and rises by it otherwise. Probes are Cauchy steps of width T_gen, T_gen = T_0/(1 + k).
 * Departures from the paper: energies are logarithms of the loss, so that no result depends on the data's scale;
 * probes beyond the cube are reflected, not wrapped.
 */
struct mw_anneal {
    size_t d;
    double (*energy)(void *context, const double *u); /* finite on the whole cube */
    void *context;
    unsigned long seed;
};

enum { MW_CSA_ANNEALERS = 5 };

/*
 * u: MW_CSA_ANNEALERS rows of d, in and out; each comes back as the best point of its annealer, energy[i] its energy.
 * `sweeps` probes for each annealer. Deterministic for a seed. *variance (may be NULL): of the A_i, mean over the last
 * half, as a share of (m - 1)/m^2. Returns MW_NOMEM only. Test: tests/unit/test_csa.c.
 */
enum mw_err mw_csa_run(const struct mw_anneal *anneal, unsigned sweeps, double *u, double *energy, double *variance,
                       struct mw_error *error) MW_CHECKED;

/* The same interface by gsl_siman: plain annealing from each row in turn, with as many probes. */
enum mw_err mw_siman_run(const struct mw_anneal *anneal, unsigned sweeps, double *u, double *energy,
                         struct mw_error *error) MW_CHECKED;

#endif
