// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/residual.h"

#include "fit/numeric/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Read off the measured tables (docs/advice.md); share .5 to .95 and length_cores .15 to .3 give the same tuner. */
const struct mw_residual_kernel mw_residual_time = {
    .share = .77, .same = .4, .length_cores = .15, .length_freq = 1, .prior_sd = .02, .prior_weight = 2};
const struct mw_residual_kernel mw_residual_power = {
    .share = .9, .same = .4, .length_cores = .5, .length_freq = .35, .prior_sd = .01, .prior_weight = 6};

static double correlation(const struct mw_residual_kernel *k, const struct mw_site *a, const struct mw_site *b)
{
    double dp = log(a->cores / b->cores) / k->length_cores, df = log(a->freq_ghz / b->freq_ghz) / k->length_freq;
    double cores = k->same * (a->cores == b->cores) + (1 - k->same) * exp(-.5 * dp * dp);
    return k->share * cores * exp(-.5 * df * df);
}

/* whiten and ones from the sites; `lower` is scratch of n x n. */
static void condition(struct mw_residual *r, const double *noise_factor, double *lower)
{
    size_t n = r->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
            lower[i * n + j] = correlation(&r->kernel, &r->sites[i], &r->sites[j]);
        lower[i * n + i] += (1 - r->kernel.share) * (noise_factor ? noise_factor[i] : 1);
    }
    /* K is positive definite by its independent part, so the factor exists. */
    (void)!mw_cholesky(lower, n);
    mw_lower_inverse(lower, n, r->whiten);
    for (size_t i = 0; i < n; i++)
        r->scratch[i] = 1;
    mw_lower_multiply(r->whiten, n, r->scratch, r->ones);
    r->ones_square = mw_dot(r->ones, r->ones, n);
}

enum mw_err mw_residual_init(struct mw_residual *residual, const struct mw_residual_kernel *kernel, size_t n,
                             const struct mw_site *sites, const double *noise_factor, struct mw_error *error)
{
    struct mw_residual r = {.kernel = *kernel, .n = n};
    r.sites = malloc(n * sizeof *r.sites);
    r.whiten = malloc(n * n * sizeof *r.whiten);
    r.ones = malloc(n * sizeof *r.ones);
    r.scratch = malloc(n * sizeof *r.scratch);
    double *lower = malloc(n * n * sizeof *lower);
    if (!r.sites || !r.whiten || !r.ones || !r.scratch || !lower) {
        free(lower);
        mw_residual_release(&r);
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
    }
    memcpy(r.sites, sites, n * sizeof *sites);
    condition(&r, noise_factor, lower);
    free(lower);
    *residual = r;
    return MW_OK;
}

void mw_residual_release(struct mw_residual *residual)
{
    free(residual->sites);
    free(residual->whiten);
    free(residual->ones);
    free(residual->scratch);
    memset(residual, 0, sizeof *residual);
}

double mw_residual_square(const struct mw_residual *residual, const double *r, double *offset)
{
    mw_lower_multiply(residual->whiten, residual->n, r, residual->scratch);
    double zz = mw_dot(residual->scratch, residual->scratch, residual->n);
    double oz = mw_dot(residual->ones, residual->scratch, residual->n);
    double a = oz / residual->ones_square;
    if (offset)
        *offset = a;
    return fmax(0, zz - a * oz);
}

/* Prior sum of squares and degrees of freedom; one is spent on the offset. */
static double prior_square(const struct mw_residual_kernel *k)
{
    return k->prior_weight * k->prior_sd * k->prior_sd;
}

double mw_residual_variance(const struct mw_residual *residual, double square)
{
    const struct mw_residual_kernel *k = &residual->kernel;
    return (square + prior_square(k)) / ((double)residual->n - 1 + k->prior_weight);
}

double mw_residual_log_likelihood(const struct mw_residual *residual, double square)
{
    const struct mw_residual_kernel *k = &residual->kernel;
    return -.5 * ((double)residual->n - 1 + k->prior_weight) * log(square + prior_square(k));
}

double mw_residual_gain(const struct mw_residual *residual, const struct mw_site *site, double *gain)
{
    size_t n = residual->n;
    for (size_t j = 0; j < n; j++)
        gain[j] = correlation(&residual->kernel, site, &residual->sites[j]);
    mw_lower_multiply(residual->whiten, n, gain, residual->scratch);
    double reduction = mw_dot(residual->scratch, residual->scratch, n);
    double seen = mw_dot(residual->scratch, residual->ones, n);
    mw_lower_multiply_transposed(residual->whiten, n, residual->scratch, gain);
    double rest = 1 - seen;
    /* rounding may leave a tiny negative rest where a site is known exactly */
    return fmax(1e-9, 1 - reduction + rest * rest / residual->ones_square);
}

double mw_residual_covariance(const struct mw_residual *residual, const struct mw_site *a, const double *gain_a,
                              const struct mw_site *b, const double *gain_b)
{
    double covariance = correlation(&residual->kernel, a, b), seen_a = 0, seen_b = 0;
    for (size_t j = 0; j < residual->n; j++) {
        covariance -= gain_a[j] * correlation(&residual->kernel, &residual->sites[j], b);
        seen_a += gain_a[j];
        seen_b += gain_b[j];
    }
    return covariance + (1 - seen_a) * (1 - seen_b) / residual->ones_square;
}
