// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_POSTERIOR_H
#define MW_FIT_POSTERIOR_H

#include "data/error.h"
#include "model/mechanisms.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The posterior over the laws of model/mechanisms.h and their parameters, given wall times and, where there are, CPU times.
 * y = (ln T, ln C) with one level and one scale for both, marginalised (a Student-t process):
 *
 *   ln L = -(n - 1 + nu)/2 ln(SS + nu .03^2),  n = number of values, nu = max(3, n/3)
 *
 * SS by generalised least squares with [[1, .5], [.5, 1]] (x) Kt, Kt = .4 1(p = p') exp(-(d ln x)^2/2) + .6 1: what a law
 * misses is a function of p and hardly of x. nu: no law holds better than about 3 %, however many precise points there are.
 * Beside the laws stands a free one, any T(p) and any C(p): `other` is its chance.
 *
 * The reading is cautious. The bank of prior draws is weighted by the likelihood, and where fewer than thirty of them count
 * the likelihood is taken to the power .8, .64, …, so that an answer never rests on an information gain of more than about
 * ln(draws/30) nats. An exact posterior of the same laws is wrong and confident in a fifth of the programs that no law
 * describes (docs/diagnosis.md).
 */
enum { MW_POSTERIOR_POINTS = 64 };

struct mw_posterior_point {
    double cores, clock;    /* >= 1; relative to the highest, (0, 1] */
    double ln_time, ln_cpu; /* of ratios -ln speedup; ln_cpu only with has_cpu */
    double noise;           /* variance multiplier of an outlier, 1 for a good point */
};

struct mw_posterior_data {
    const struct mw_posterior_point *points; /* 1 <= count <= MW_POSTERIOR_POINTS */
    size_t count;
    bool has_cpu;
    bool ratio; /* values are T(p, x)/T(1, x): speedups without times */
};

struct mw_posterior_draw {
    const struct mw_mechanism *law;
    double q[MW_MECHANISM_PARAMS];
    double ln_level; /* ln value = ln_level + ln T */
    struct mw_class outcome;
};

struct mw_posterior {
    struct mw_posterior_draw *draws; /* equally likely, given that one of the laws holds */
    size_t count;
    double other;     /* chance that none of them does */
    double effective; /* sample size of the weights */
    double power;     /* of the likelihood */
    double sigma;     /* residual scale of the values */
};

/* Draws from the priors for one frame, which is borrowed and must outlive the bank; re-used for any number of data sets. */
struct mw_posterior_bank;
enum mw_err mw_posterior_bank_alloc(struct mw_posterior_bank **bank, const struct mw_frame *frame, size_t draws_per_law,
                                    unsigned long seed, struct mw_error *error) MW_CHECKED;
void mw_posterior_bank_free(struct mw_posterior_bank *bank);

/*
 * `count` draws of the cautious posterior, each with its outcome. Deterministic: same bank, same data, same bits. MW_USAGE
 * for too many points, MW_NOFIT where the covariance is singular, MW_NOMEM. About 60 ms for ten points and 15,000 draws a
 * law. Not for one bank in several threads at once. Tested by test_posterior.c.
 */
enum mw_err mw_posterior_infer(struct mw_posterior *posterior, const struct mw_posterior_bank *bank,
                               const struct mw_posterior_data *data, size_t count, struct mw_error *error) MW_CHECKED;
void mw_posterior_release(struct mw_posterior *posterior);

#endif
