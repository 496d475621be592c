// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/likelihood.h"

#include "fit/numeric/hot_residual.h"
#include "fit/numeric/panel.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative noise of a run, log-uniform: from the best clocks and quietest machines to nearly useless. */
static const double sigma_low = 0.003, sigma_high = 0.3;
/* Degrees of freedom of the noise: heavy enough for a run that something disturbed, with a variance. */
static const double student_nu = 4;
/* Half-width in ln of the flat prior on a time's scale about the value that fits best on the mean. */
static const double scale_half_width = 1;
/* A set's speedups share an error of their one-core runs: sd in ln. */
static const double speedup_scale_sd = 0.2;
/* Keeps the normal quantile finite. */
static const double probability_least = 1e-9;

/* Sites are sorted by frequency, so those of one stand in a row. */
static void find_runs(struct mw_whitener *w)
{
    w->run_count = 0;
    for (size_t i = 0; i < w->n; i++)
        if (i == 0 || w->phi[i] != w->phi[i - 1]) {
            w->run_phi[w->run_count] = w->phi[i];
            w->ones[w->run_count] = 1;
            w->run_start[w->run_count++] = i;
        }
    w->run_start[w->run_count] = w->n;
}

static bool allocate(struct mw_whitener *w)
{
    size_t n = w->n;
    w->p = malloc(6 * n * sizeof *w->p);
    w->run_start = malloc((n + 1) * sizeof *w->run_start);
    w->w = calloc(w->kernel_count, sizeof *w->w);
    w->log_det = calloc(w->kernel_count, sizeof *w->log_det);
    if (!w->p || !w->run_start || !w->w || !w->log_det)
        return false;
    w->phi = w->p + n;
    w->lifted = w->phi + n;
    w->ones = w->lifted + n;
    w->run_phi = w->ones + n;
    w->inverse_root_noise = w->run_phi + n;
    return true;
}

static enum mw_err whiten_all(struct mw_whitener *w, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    size_t n = w->n;
    double *parts = malloc(5 * n * n * sizeof *parts), *scratch = parts + 3 * n * n, *inverse = scratch + n * n;
    if (!parts)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
    mw_kernel_parts(w->quantity, w->sites, n, w->sites, n, parts);
    for (size_t k = 0; k < w->kernel_count && !err; k++) {
        const struct mw_kernel *kernel = &mw_kernels[w->kernels[k]];
        if (!(mw_kernel_variance(kernel) > 0)) {
            for (size_t i = 0; i < n; i++)
                w->log_det[k] += log(w->sites[i].noise);
            continue;
        }
        w->w[k] = mw_panel_alloc(mw_panel_size(n));
        if (!w->w[k])
            err = mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
        else if (!mw_kernel_whiten(kernel, parts, w->sites, n, scratch, inverse, &w->log_det[k]))
            err = mw_fail(error, MW_NOFIT, "the noise of the points spans too many orders of magnitude");
        else
            mw_panel_pack(inverse, n, w->w[k]);
    }
    free(parts);
    return err;
}

enum mw_err mw_whitener_init(struct mw_whitener *whitener, const struct mw_site *sites, size_t n,
                             enum mw_quantity quantity, bool independent, struct mw_error *error)
{
    struct mw_whitener w = {
        .quantity = quantity, .n = n, .sites = sites, .ln_sigma_low = log(sigma_low), .ln_sigma_high = log(sigma_high)};
    w.kernel_count = mw_kernel_choices(independent, &w.kernels);
    if (!allocate(&w)) {
        mw_whitener_release(&w);
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
    }
    for (size_t i = 0; i < n; i++) {
        w.p[i] = sites[i].p;
        w.phi[i] = sites[i].phi;
        w.lifted[i] = sites[i].ln_value + (quantity == MW_SPEEDUP ? 0 : sites[i].ln_clock);
        w.inverse_root_noise[i] = 1 / sqrt(sites[i].noise);
    }
    find_runs(&w);
    enum mw_err err = whiten_all(&w, error);
    if (err)
        mw_whitener_release(&w);
    else
        *whitener = w;
    return err;
}

void mw_whitener_release(struct mw_whitener *w)
{
    for (size_t k = 0; w->w && k < w->kernel_count; k++)
        free(w->w[k]);
    free(w->w);
    free(w->log_det);
    free(w->p);
    free(w->run_start);
    *w = (struct mw_whitener){0};
}

enum mw_err mw_likelihood_init(struct mw_likelihood *likelihood, const struct mw_whitener *whitener,
                               struct mw_error *error)
{
    double *scratch = mw_panel_alloc(4 * mw_panel_pad(whitener->n));
    if (!scratch)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", whitener->n);
    *likelihood = (struct mw_likelihood){.whitener = whitener, .scratch = scratch};
    return MW_OK;
}

void mw_likelihood_release(struct mw_likelihood *likelihood)
{
    free(likelihood->scratch);
    likelihood->scratch = NULL;
}

size_t mw_likelihood_dims(const struct mw_law *law)
{
    return law->param_count + 3;
}

/* What is left of the data when the law without its scale is taken off, in r; returns the mean of times. */
static double take_off_law(const struct mw_likelihood *l, const double *params, double *r)
{
    const struct mw_whitener *w = l->whitener;
    const struct mw_law *law = l->prior.law;
    double *h = l->scratch + 2 * mw_panel_pad(w->n);
    law->eval(params, w->n, w->p, w->phi, h);
    if (w->quantity != MW_SPEEDUP)
        return mw_hot_residuals(w->lifted, -1, h, w->n, r) / (double)w->n;
    mw_hot_residuals(w->lifted, 1, h, w->n, r);
    law->eval(params, w->run_count, w->ones, w->run_phi, h);
    for (size_t k = 0; k < w->run_count; k++)
        mw_hot_shift(log(h[k]), w->run_start[k + 1] - w->run_start[k], r + w->run_start[k]);
    return 0;
}

static double scale_of(const struct mw_whitener *w, double mean, double u)
{
    if (w->quantity != MW_SPEEDUP)
        return mean + scale_half_width * (2 * u - 1);
    return speedup_scale_sd * gsl_cdf_ugaussian_Pinv(fmin(fmax(u, probability_least), 1 - probability_least));
}

static size_t kernel_of(const struct mw_whitener *w, double u)
{
    size_t k = (size_t)(u * (double)w->kernel_count);
    return k < w->kernel_count ? k : w->kernel_count - 1;
}

static double ln_sigma_of(const struct mw_whitener *w, double u)
{
    return w->ln_sigma_low + u * (w->ln_sigma_high - w->ln_sigma_low);
}

double mw_likelihood_log(const double *u, void *context)
{
    static const double half = 0.5 * (student_nu + 1);
    const struct mw_likelihood *l = context;
    const struct mw_whitener *w = l->whitener;
    double params[MW_LAW_MAX_PARAMS], *r = l->scratch, *z = r + mw_panel_pad(w->n);
    double ln_ratio = mw_prior_apply(&l->prior, u, params);
    double mean = take_off_law(l, params, r);
    const double *rest = u + l->prior.law->param_count;
    double ln_sigma = ln_sigma_of(w, rest[1]), sigma = exp(ln_sigma);
    size_t k = kernel_of(w, rest[2]);
    mw_hot_shift(scale_of(w, mean, rest[0]), w->n, r);
    if (w->w[k])
        mw_panel_multiply(w->w[k], w->n, r, z);
    else
        for (size_t i = 0; i < w->n; i++)
            z[i] = r[i] * w->inverse_root_noise[i];
    /* ln of the t density at 0: ln Gamma(5/2) - ln Gamma(2) - ln(4 pi)/2 = ln(3/8) */
    double tails = mw_hot_student(z, 1 / (sigma * sigma * student_nu), mw_panel_pad(w->n));
    return (double)w->n * (log(0.375) - ln_sigma) - half * tails - w->log_det[k] / 2 + ln_ratio;
}

void mw_likelihood_particle(struct mw_likelihood *l, const double *u, struct mw_particle *particle)
{
    const struct mw_whitener *w = l->whitener;
    const double *rest = u + l->prior.law->param_count;
    mw_prior_apply(&l->prior, u, particle->params);
    double mean = take_off_law(l, particle->params, l->scratch);
    particle->scale = scale_of(w, mean, rest[0]);
    particle->sigma = exp(ln_sigma_of(w, rest[1]));
    particle->kernel = w->kernels[kernel_of(w, rest[2])];
}
