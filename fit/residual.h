// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_RESIDUAL_H
#define MW_FIT_RESIDUAL_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A configuration as the laws see it. */
struct mw_site {
    double cores;    /* >= 1 */
    double freq_ghz; /* > 0 */
    double phi;      /* freq over the memory frequency */
    double x;        /* freq over the reference frequency of the power law */
    double sockets;  /* >= 1 */
};

/*
 * What a law leaves over, as a Gaussian process with variance sigma^2 and correlation
 *
 *   K(a, b) = share [same 1(p_a = p_b) + (1 - same) exp(-(d ln p / length_cores)^2 / 2)] exp(-(d ln F / length_freq)^2 / 2)
 *             + (1 - share) 1(a is b)
 *
 * On measured tables the misfit belongs to the core count, not to the frequency: at one core count it correlates at .77
 * between neighbouring frequencies and still at .61 from end to end, between core counts .45 at d ln p < .12 and nothing
 * beyond .3. The scale of the law (ln A) and sigma are marginalised: flat prior and inverse chi squared with `prior_weight`
 * degrees of freedom at prior_sd.
 */
struct mw_residual_kernel {
    double share, same, length_cores, length_freq;
    double prior_sd, prior_weight;
};
extern const struct mw_residual_kernel mw_residual_time, mw_residual_power;

struct mw_residual {
    struct mw_residual_kernel kernel;
    size_t n;
    struct mw_site *sites;
    double *whiten;  /* n x n: inverse of the Cholesky factor of K */
    double *ones;    /* whiten times a vector of ones */
    double *scratch; /* n */
    double ones_square;
};

/*
 * Conditions on n >= 1 sites (copied). noise_factor[i] >= 1 multiplies the independent part of the variance of site i,
 * NULL: all 1. MW_NOMEM.
 */
enum mw_err mw_residual_init(struct mw_residual *residual, const struct mw_residual_kernel *kernel, size_t n,
                             const struct mw_site *sites, const double *noise_factor,
                             struct mw_error *error) MW_CHECKED;
void mw_residual_release(struct mw_residual *residual);

/* r[n] = y - law -> generalised sum of squares about the best offset, which goes to *offset where it is given. */
double mw_residual_square(const struct mw_residual *residual, const double *r, double *offset);

/* sigma^2, posterior mean for a sum of squares. */
double mw_residual_variance(const struct mw_residual *residual, double square);

/* ln of the likelihood, scale and sigma marginalised, up to a constant. */
double mw_residual_log_likelihood(const struct mw_residual *residual, double square);

/*
 * Universal kriging at one site: gain[n] such that the predicted misfit is sum gain_i (r_i - offset), and the variance of
 * the prediction of a new reading in units of sigma^2, uncertainty of the offset included. Uses the scratch of `residual`:
 * one thread at a time.
 */
double mw_residual_gain(const struct mw_residual *residual, const struct mw_site *site, double *gain);

/*
 * Covariance of the true values at two sites in units of sigma^2, given the points; gain_a, gain_b from mw_residual_gain at
 * the same sites. The independent part of a new reading is not in it.
 */
double mw_residual_covariance(const struct mw_residual *residual, const struct mw_site *a, const double *gain_a,
                              const struct mw_site *b, const double *gain_b);

#endif
