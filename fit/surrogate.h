// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SURROGATE_H
#define MW_FIT_SURROGATE_H

#include "fit/surrogate_law.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The model of the tuner: a few laws of equal weight, each with a local Gaussian-process residual, sampled in
 * milliseconds so that it can be redone after every run. ln value = law + offset + residual; scale marginalised.
 * For decisions between measured and neighbouring points; for prediction far from the data there is fit/predict/mixture.h.
 * Deterministic for a seed and a sequence of fits. Test: test_surrogate.c; figures: make bench-advice.
 */
enum mw_surrogate_kind {
    MW_SURROGATE_TIME,   /* ln T by the five laws */
    MW_SURROGATE_POWER,  /* ln P by the power law */
    MW_SURROGATE_ENERGY, /* ln E where no time is known: each law of time times the power law */
};

struct mw_surrogate;

/*
 * noise_sd: standard deviation of ln of one reading, or how far readings are expected to lie from any law; 0 where unknown.
 * MW_NOMEM. The caller frees *surrogate.
 */
enum mw_err mw_surrogate_alloc(struct mw_surrogate **surrogate, enum mw_surrogate_kind kind, double noise_sd,
                               unsigned long seed, struct mw_error *error) MW_CHECKED;
void mw_surrogate_free(struct mw_surrogate *surrogate);

/*
 * Samples the posterior given ln_value[n] at sites[n], n >= 1. A later fit starts from the chains of the one before and
 * needs a third of its burn-in. noise_factor as in fit/residual.h, may be NULL. About n * .5 ms.
 */
enum mw_err mw_surrogate_fit(struct mw_surrogate *surrogate, size_t n, const struct mw_site *sites,
                             const double *ln_value, const double *noise_factor, struct mw_error *error) MW_CHECKED;

/* mean[i] and variance[i] of ln value at query[i]; laws' disagreement, residual and noise included. */
enum mw_err mw_surrogate_predict(const struct mw_surrogate *surrogate, size_t n, const struct mw_site *query,
                                 double *mean, double *variance, struct mw_error *error) MW_CHECKED;

/*
 * covariance (n x n) of the true ln values at the sites, laws' disagreement and residual; *nugget: variance that a new
 * reading has on top. For choosing points that shrink the whole surface. Cost n^2 (draws + points).
 */
enum mw_err mw_surrogate_covariance(const struct mw_surrogate *surrogate, size_t n, const struct mw_site *query,
                                    double *covariance, double *nugget, struct mw_error *error) MW_CHECKED;

/* Root of the mean sigma^2 over the draws: how far the points lie from the laws, in ln. */
double mw_surrogate_sigma(const struct mw_surrogate *surrogate);

/* The draws: theta (MW_SURROGATE_PARAMS + 4 wide) of draw i < mw_surrogate_draw_count, its offset. */
size_t mw_surrogate_draw_count(const struct mw_surrogate *surrogate);
const double *mw_surrogate_draw(const struct mw_surrogate *surrogate, size_t i, double *offset);

/* Starts one chain of the first law at u in [0, 1]^dimension. Before the first fit. */
void mw_surrogate_suggest(struct mw_surrogate *surrogate, const double *u);

#endif
