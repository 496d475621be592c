// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_BENCH_DIAGNOSE_TRUTH_H
#define MW_BENCH_DIAGNOSE_TRUTH_H

#include "advise/diagnose/diagnose.h"

#include <gsl/gsl_rng.h>

/*
 * Simulated programs whose verdict is known: a mechanism drawn until the rule of diagnosis, applied to the true curve, gives
 * the wanted class with a margin. Frequencies are 1.2 and 2.4 GHz; the boundary lies at half of the cores. Grains are at least
 * as many as cores: fewer are limited parallelism, which is serial work by another name.
 */
struct truth {
    struct mw_mechanism_draw draw;
    enum mw_verdict label;
    unsigned cores;
    double noise;        /* sd of ln T of one measurement */
    double misfit[1025]; /* ln factor of each core count */
};

void truth_draw(struct truth *truth, gsl_rng *rng, enum mw_verdict label, unsigned cores, double misfit_sd);
/* One measurement: true time, misfit of its core count, noise. */
struct mw_point truth_measure(const struct truth *truth, gsl_rng *rng, unsigned cores, double freq_hz);

#endif
