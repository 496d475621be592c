// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/predictive.h"

#include "fit/numeric/linalg.h"
#include "fit/numeric/panel.h"
#include "fit/predict/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct draw {
    size_t index; /* among the draws of all fits */
    const struct mw_law *law;
    const double *params;
    double scale;
};

struct work {
    struct mw_predictive *out;
    const bool *needed;
    const struct mw_sites *data;
    enum mw_quantity quantity;
    const struct mw_site *sites;
    const size_t *partner;
    struct draw *draws; /* of the needed fits */
    size_t draw_count;
    size_t width;        /* of a padded row of the data */
    double *data_parts;  /* 3 n^2, then two n^2 of scratch */
    double *cross_parts; /* 3 m n */
    double *panel;
    double *v;        /* m x width: w k* */
    double *residual; /* draws x width: ln value - law at the data */
    double *whitened; /* draws x width */
};

static enum mw_err list_draws(struct work *work, struct mw_error *error)
{
    struct mw_predictive *out = work->out;
    size_t draw = 0;
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
            if (work->needed[f])
                work->draws[work->draw_count++] =
                    (struct draw){draw, law, fit->params + s * fit->param_count, fit->scale[s]};
        }
    }
    return MW_OK;
}

/* The law at all sites, and what it leaves at the data. */
static void evaluate_all(struct work *work)
{
    struct mw_predictive *out = work->out;
    size_t n = work->data->count;
#pragma omp parallel for schedule(static)
    for (size_t d = 0; d < work->draw_count; d++) {
        const struct draw *draw = &work->draws[d];
        double *residual = work->residual + d * work->width;
        mw_evaluate(draw->law, draw->params, draw->scale, work->quantity, work->sites, out->site_count,
                    out->mean + draw->index * out->site_count);
        mw_evaluate(draw->law, draw->params, draw->scale, work->quantity, work->data->items, n, residual);
        for (size_t i = 0; i < n; i++)
            residual[i] = work->data->items[i].ln_value - residual[i];
    }
}

/* v = w k* and the variances that follow, for every site. */
static void reduce(struct work *work, int k)
{
    const struct mw_kernel *kernel = &mw_kernels[k];
    size_t n = work->data->count, m = work->out->site_count, width = work->width;
    double prior = mw_kernel_variance(kernel);
#pragma omp parallel
    {
        double row[MW_SITES_CONDITION + MW_PANEL] = {0};
#pragma omp for schedule(static)
        for (size_t i = 0; i < m; i++) {
            mw_kernel_row(kernel, work->cross_parts, m, n, i, row);
            mw_panel_multiply(work->panel, n, row, work->v + i * width);
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < m; i++) {
            const double *vi = work->v + i * width, *vj = work->v + work->partner[i] * width;
            double parts[3], between;
            mw_kernel_parts(work->quantity, &work->sites[i], 1, &work->sites[work->partner[i]], 1, parts);
            mw_kernel_row(kernel, parts, 1, 1, 0, &between);
            work->out->reduced[k][i] = fmax(prior - mw_dot(vi, vi, width), 0);
            work->out->paired[k][i] = between - mw_dot(vi, vj, width);
        }
    }
}

/* Adds what the residuals of the points say to the means of the draws with this kernel. */
static void carry(struct work *work, int k)
{
    struct mw_predictive *out = work->out;
    size_t n = work->data->count, m = out->site_count, width = work->width;
#pragma omp parallel for schedule(static)
    for (size_t d = 0; d < work->draw_count; d++) {
        size_t index = work->draws[d].index;
        if (out->kernel[index] != k)
            continue;
        double *z = work->whitened + d * width;
        mw_panel_multiply(work->panel, n, work->residual + d * width, z);
        mw_panel_add_products(work->v, m, n, z, out->mean + index * m);
    }
}

static bool has_kernel(const struct work *work, int k)
{
    for (size_t d = 0; d < work->draw_count; d++)
        if (work->out->kernel[work->draws[d].index] == k)
            return true;
    return false;
}

static enum mw_err condition(struct work *work, struct mw_error *error)
{
    struct mw_predictive *out = work->out;
    size_t n = work->data->count, m = out->site_count;
    double log_det, *scratch = work->data_parts + 3 * n * n, *inverse = scratch + n * n;
    mw_kernel_parts(work->quantity, work->data->items, n, work->data->items, n, work->data_parts);
    mw_kernel_parts(work->quantity, work->sites, m, work->data->items, n, work->cross_parts);
    for (int k = 0; k < MW_KERNEL_COUNT; k++) {
        if (!has_kernel(work, k))
            continue;
        out->reduced[k] = calloc(2 * m, sizeof *out->reduced[k]);
        if (!out->reduced[k])
            return mw_fail(error, MW_NOMEM, "out of memory for predictions");
        out->paired[k] = out->reduced[k] + m;
        if (!(mw_kernel_variance(&mw_kernels[k]) > 0))
            continue; /* nothing is carried over */
        if (!mw_kernel_whiten(&mw_kernels[k], work->data_parts, work->data->items, n, scratch, inverse, &log_det))
            return mw_fail(error, MW_NOFIT, "the noise of the points spans too many orders of magnitude");
        mw_panel_pack(inverse, n, work->panel);
        reduce(work, k);
        carry(work, k);
    }
    return MW_OK;
}

static size_t count_draws(const struct mw_ensemble *ensemble)
{
    size_t count = 0;
    for (size_t f = 0; f < ensemble->count; f++)
        count += ensemble->fits[f].draw_count;
    return count;
}

static bool allocate(struct work *work)
{
    size_t n = work->data->count, m = work->out->site_count, d = work->out->draw_count;
    work->width = mw_panel_pad(n);
    work->draws = malloc((d + 1) * sizeof *work->draws);
    work->data_parts = malloc((5 * n * n + 3 * m * n + 1) * sizeof *work->data_parts);
    work->panel = mw_panel_alloc(mw_panel_size(n));
    work->v = mw_panel_alloc(m * work->width);
    work->residual = mw_panel_alloc(d * work->width);
    work->whitened = mw_panel_alloc(d * work->width);
    work->cross_parts = work->data_parts + 5 * n * n;
    return work->draws && work->data_parts && work->panel && work->v && work->residual && work->whitened;
}

enum mw_err mw_predictive_init(struct mw_predictive *predictive, const struct mw_ensemble *ensemble, const bool *needed,
                               const struct mw_sites *data, enum mw_quantity quantity, const struct mw_site *sites,
                               const size_t *partner, size_t site_count, struct mw_error *error)
{
    struct mw_predictive out = {.ensemble = ensemble,
                                .site_count = site_count,
                                .draw_count = count_draws(ensemble),
                                .draw_step = site_count,
                                .site_step = 1};
    struct work work = {&out, needed, data, quantity, sites, partner, .draw_count = 0};
    out.mean = malloc((out.draw_count * site_count + 1) * sizeof *out.mean);
    out.sigma = malloc((out.draw_count + 1) * sizeof *out.sigma);
    out.kernel = malloc((out.draw_count + 1) * sizeof *out.kernel);
    enum mw_err err = MW_OK;
    if (!allocate(&work) || !out.mean || !out.sigma || !out.kernel)
        err = mw_fail(error, MW_NOMEM, "out of memory for predictions");
    if (!err)
        err = list_draws(&work, error);
    if (!err) {
        evaluate_all(&work);
        err = condition(&work, error);
    }
    free(work.draws);
    free(work.data_parts);
    free(work.panel);
    free(work.v);
    free(work.residual);
    free(work.whitened);
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
