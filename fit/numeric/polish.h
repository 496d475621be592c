// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_POLISH_H
#define MW_FIT_POLISH_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A sum of squares, or of Cauchy losses, of n residuals of d parameters inside bounds. */
struct mw_least_squares {
    size_t n, d;
    const double *low, *high; /* d each; infinite where there is no bound; equal: fixed */
    double cauchy_scale;      /* c of mean c^2 ln(1 + (r/c)^2); 0: mean r^2 */
    size_t penalties;         /* the last so many of the n residuals count as squares in any case */
    void (*residuals)(void *context, const double *x, double *r);
    void (*jacobian)(void *context, const double *x, double *columns); /* columns[j*n + i]; NULL: by differences */
    void *context;
};

/* mean c^2 ln(1 + (r/c)^2) over residuals r[0..n), or mean squares where c = 0 */
double mw_loss_mean(const double *r, size_t n, double c);

enum { MW_POLISH_MAX_PARAMS = 16 };

/* Scratch for residuals and Jacobian, reused from call to call. */
struct mw_polish_scratch {
    double *r, *trial, *jacobian;
};
enum mw_err mw_polish_scratch_init(struct mw_polish_scratch *scratch, size_t n, size_t d,
                                   struct mw_error *error) MW_CHECKED;
void mw_polish_scratch_release(struct mw_polish_scratch *scratch);

/*
 * Levenberg-Marquardt with Marquardt's scaling, projected on the bounds: a parameter on its bound whose gradient points
 * outwards is left there for the step (Kanzow, Yamashita, Fukushima 2004, doi 10.1016/j.cam.2004.02.013). Cauchy losses
 * by iterative reweighting. Where there is no jacobian: central differences if `central`, else forward ones.
 * x in and out; *value the mean loss at x. Never worse than the start. Ends when a step gains less than 1e-13 of the
 * value (1e-6 unless `central`: a search asks which of many starts is best), or after `iterations`. Returns the number of evaluations of all residuals.
 * Tests: NIST StRD in tests/unit/test_polish.c.
 */
unsigned long mw_polish_lm(const struct mw_least_squares *problem, double *x, unsigned iterations, bool central,
                           double *value, struct mw_polish_scratch *scratch);

/*
 * Nelder and Mead's simplex (GSL's nmsimplex2) on x = low + (high - low) sin^2 u, for the kinks where a max switches.
 * All bounds are finite. `step` is the first simplex's size in u. Never worse than the start. Returns the evaluations.
 */
unsigned long mw_polish_simplex(size_t d, const double *low, const double *high,
                                double (*value_of)(void *context, const double *x), void *context, double *x,
                                double step, unsigned iterations, double *value);

#endif
