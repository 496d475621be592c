// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predictive.h"

#include "fit/linalg.h"
#include "model/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct mw_predictive *out;
    const struct mw_spots *data;
    enum mw_quantity quantity;
    const struct mw_spot *sites;
    const size_t *partner;
    double *law_at_data;  /* draw_count x data->count: residuals ln value - law */
    double *data_parts;   /* 3 n^2 + n^2 scratch */
    double *cross_parts;  /* 3 m n */
    double *w;            /* n^2 */
    double *v;            /* m n: w k* */
};

/* ln of the law with its scale at `count` sites. */
static void evaluate(const struct mw_law *law, const double *params, double scale, enum mw_quantity quantity,
                     const struct mw_spot *sites, size_t count, double *out)
{
    enum { BLOCK = 64 };
    double p[BLOCK], phi[BLOCK], ones[BLOCK], h[BLOCK], h1[BLOCK];
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t n = count - at < BLOCK ? count - at : BLOCK;
        for (size_t i = 0; i < n; i++) {
            p[i] = sites[at + i].p;
            phi[i] = sites[at + i].phi;
            ones[i] = 1;
        }
        law->eval(params, n, p, phi, h);
        if (quantity == MW_SPEEDUP)
            law->eval(params, n, ones, phi, h1);
        for (size_t i = 0; i < n; i++)
            out[at + i] = scale + (quantity == MW_SPEEDUP ? log(h1[i] / h[i]) : log(h[i]) - sites[at + i].ln_freq);
    }
}

static enum mw_err evaluate_all(struct work *work, struct mw_error *error)
{
    struct mw_predictive *out = work->out;
    size_t n = work->data->count, draw = 0;
    for (size_t f = 0; f < out->ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &out->ensemble->fits[f];
        const struct mw_law *law = mw_law_find(fit->law);
        if (!law || law->param_count != fit->param_count)
            return mw_fail(error, MW_NOFIT, "the model's ensemble has a law '%s' that is not known here", fit->law);
        for (size_t s = 0; s < fit->draw_count; s++, draw++) {
            out->sigma[draw] = fit->sigma[s];
            out->kernel[draw] = fit->kernel[s];
            if (fit->kernel[s] < 0 || fit->kernel[s] >= MW_KERNEL_COUNT)
                return mw_fail(error, MW_NOFIT, "the model's ensemble has an unknown kernel %d", fit->kernel[s]);
        }
    }
#pragma omp parallel for schedule(static)
    for (size_t d = 0; d < out->draw_count; d++) {
        size_t f = 0, s = d;
        while (s >= out->ensemble->fits[f].draw_count)
            s -= out->ensemble->fits[f++].draw_count;
        const struct mw_ensemble_fit *fit = &out->ensemble->fits[f];
        const struct mw_law *law = mw_law_find(fit->law);
        const double *params = fit->params + s * fit->param_count;
        double *residual = work->law_at_data + d * n;
        evaluate(law, params, fit->scale[s], work->quantity, work->sites, out->site_count,
                 out->mean + d * out->site_count);
        evaluate(law, params, fit->scale[s], work->quantity, work->data->items, n, residual);
        for (size_t i = 0; i < n; i++)
            residual[i] = work->data->items[i].ln_value - residual[i];
    }
    return MW_OK;
}

/* v = w k* and the variances that follow, for every site. */
static void reduce(struct work *work, int k)
{
    const struct mw_kernel *kernel = &mw_kernels[k];
    size_t n = work->data->count, m = work->out->site_count;
    double prior = mw_kernel_variance(kernel);
#pragma omp parallel
    {
        double row[MW_SPOTS_CONDITION + MW_SPOTS_SAMPLE];
#pragma omp for schedule(static)
        for (size_t i = 0; i < m; i++) {
            mw_kernel_row(kernel, work->cross_parts, m, n, i, row);
            mw_lower_multiply(work->w, n, row, work->v + i * n);
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < m; i++) {
            const double *vi = work->v + i * n, *vj = work->v + work->partner[i] * n;
            double parts[3], between;
            mw_kernel_parts(work->quantity, &work->sites[i], 1, &work->sites[work->partner[i]], 1, parts);
            mw_kernel_row(kernel, parts, 1, 1, 0, &between);
            work->out->reduced[k][i] = fmax(prior - mw_dot(vi, vi, n), 0);
            work->out->paired[k][i] = between - mw_dot(vi, vj, n);
        }
    }
}

/* Adds what the residuals of the points say to the means of the draws with this kernel. */
static void carry(struct work *work, int k, double *whitened)
{
    struct mw_predictive *out = work->out;
    size_t n = work->data->count, m = out->site_count;
#pragma omp parallel for schedule(static)
    for (size_t d = 0; d < out->draw_count; d++) {
        if (out->kernel[d] != k)
            continue;
        double *z = whitened + d * n;
        mw_lower_multiply(work->w, n, work->law_at_data + d * n, z);
        for (size_t i = 0; i < m; i++)
            out->mean[d * m + i] += mw_dot(work->v + i * n, z, n);
    }
}

static bool has_kernel(const struct mw_predictive *out, int k)
{
    for (size_t d = 0; d < out->draw_count; d++)
        if (out->kernel[d] == k)
            return true;
    return false;
}

static enum mw_err condition(struct work *work, struct mw_error *error)
{
    struct mw_predictive *out = work->out;
    size_t n = work->data->count, m = out->site_count;
    double log_det, *whitened = malloc(out->draw_count * n * sizeof *whitened);
    if (!whitened)
        return mw_fail(error, MW_NOMEM, "out of memory for predictions");
    mw_kernel_parts(work->quantity, work->data->items, n, work->data->items, n, work->data_parts);
    mw_kernel_parts(work->quantity, work->sites, m, work->data->items, n, work->cross_parts);
    enum mw_err err = MW_OK;
    for (int k = 0; k < MW_KERNEL_COUNT && !err; k++) {
        if (!has_kernel(out, k))
            continue;
        out->reduced[k] = calloc(2 * m, sizeof *out->reduced[k]);
        if (!out->reduced[k]) {
            err = mw_fail(error, MW_NOMEM, "out of memory for predictions");
            break;
        }
        out->paired[k] = out->reduced[k] + m;
        if (!(mw_kernel_variance(&mw_kernels[k]) > 0))
            continue; /* nothing is carried over */
        if (!mw_kernel_whiten(&mw_kernels[k], work->data_parts, work->data->items, n, work->data_parts + 3 * n * n,
                              work->w, &log_det)) {
            err = mw_fail(error, MW_NOFIT, "the noise of the points spans too many orders of magnitude");
            break;
        }
        reduce(work, k);
        carry(work, k, whitened);
    }
    free(whitened);
    return err;
}

static size_t count_draws(const struct mw_ensemble *ensemble)
{
    size_t count = 0;
    for (size_t f = 0; f < ensemble->count; f++)
        count += ensemble->fits[f].draw_count;
    return count;
}

enum mw_err mw_predictive_init(struct mw_predictive *predictive, const struct mw_ensemble *ensemble,
                               const struct mw_spots *data, enum mw_quantity quantity, const struct mw_spot *sites,
                               const size_t *partner, size_t site_count, struct mw_error *error)
{
    struct mw_predictive out = {.ensemble = ensemble, .site_count = site_count, .draw_count = count_draws(ensemble)};
    size_t n = data->count, m = site_count, d = out.draw_count;
    out.mean = malloc((d * m + 1) * sizeof *out.mean);
    out.sigma = malloc((d + 1) * sizeof *out.sigma);
    out.kernel = malloc((d + 1) * sizeof *out.kernel);
    double *buffer = malloc((d * n + 5 * n * n + 4 * m * n + 1) * sizeof *buffer);
    enum mw_err err = MW_OK;
    if (!out.mean || !out.sigma || !out.kernel || !buffer) {
        err = mw_fail(error, MW_NOMEM, "out of memory for predictions");
        goto out;
    }
    struct work work = {&out, data, quantity, sites, partner, buffer, NULL, NULL, NULL, NULL};
    work.data_parts = buffer + d * n;
    work.w = work.data_parts + 4 * n * n;
    work.cross_parts = work.w + n * n;
    work.v = work.cross_parts + 3 * m * n;
    err = evaluate_all(&work, error);
    if (!err)
        err = condition(&work, error);
out:
    free(buffer);
    if (err)
        mw_predictive_release(&out);
    else
        *predictive = out;
    return err;
}

void mw_predictive_release(struct mw_predictive *predictive)
{
    free(predictive->mean);
    free(predictive->sigma);
    free(predictive->kernel);
    for (int k = 0; k < MW_KERNEL_COUNT; k++)
        free(predictive->reduced[k]);
    *predictive = (struct mw_predictive){0};
}
