// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/predict_internal.h"

#include "data/stats.h"
#include "fit/predict/answer_internal.h"
#include "fit/search/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The noise quantiles of a draw lie this far apart from those of the one before: coprime with their number. */
enum { NOISE_STRIDE = 37 };

enum mw_err mw_predict_check(const struct mw_model *model, const struct mw_config *config, size_t n,
                             double baseline_freq_hz, struct mw_error *error)
{
    if (model->ensemble.count == 0)
        return mw_fail(error, MW_NOFIT, "the model has no ensemble to predict from");
    for (size_t i = 0; i < n; i++) {
        if (!(config[i].cores >= 1) || !isfinite(config[i].cores) || !(config[i].freq_hz >= 0) ||
            !isfinite(config[i].freq_hz))
            return mw_fail(error, MW_USAGE, "cannot predict %g cores at %g GHz", config[i].cores,
                           config[i].freq_hz / 1e9);
        if (model->quantity == MW_SPEEDUP && baseline_freq_hz > 0 && baseline_freq_hz != config[i].freq_hz)
            return mw_fail(error, MW_NOFIT, "speedups alone do not tell how the time of one core depends on frequency");
    }
    return MW_OK;
}

static bool any_beyond(const struct mw_sites *data, const struct mw_config *config, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (mw_predict_is_beyond(data, config[i].cores))
            return true;
    return false;
}

/* The model's fits, joined by independent ones for queries beyond the measured cores. */
static enum mw_err gather(struct mw_predict_context *context, const struct mw_config *config, size_t n,
                          struct mw_error *error)
{
    const struct mw_model *model = context->model;
    enum mw_err err = MW_OK;
    if (any_beyond(&context->data, config, n))
        err = mw_mixture_independent(&context->independent, model, error);
    size_t joint = model->ensemble.count, more = context->independent.count;
    if (!err && !(context->ensemble.fits = malloc((joint + more) * sizeof *context->ensemble.fits)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        return err;
    for (size_t f = 0; f < joint + more; f++) {
        const struct mw_ensemble_fit *fit =
            f < joint ? &model->ensemble.fits[f] : &context->independent.fits[f - joint];
        context->ensemble.fits[context->ensemble.count++] = *fit;
        context->draw_count += fit->draw_count;
        if (fit->independent) {
            context->independent_count++;
            context->independent_top = fmax(context->independent_top, fit->log_evidence);
        } else {
            context->joint_count++;
            context->joint_top = fmax(context->joint_top, fit->log_evidence);
        }
    }
    return MW_OK;
}

static void context_release(struct mw_predict_context *context)
{
    free(context->behind);
    context->behind = NULL;
    free(context->ensemble.fits); /* the fits are the model's and those of the next line */
    context->ensemble.fits = NULL;
    mw_mixture_release(&context->independent);
    mw_sites_release(&context->data);
}

static void deal_noise(double noise[MW_NOISE_STRATA][MW_NOISE_PER_DRAW])
{
    double quantile[MW_NOISE_STRATA];
    mw_noise_quantiles(quantile);
    for (size_t turn = 0; turn < MW_NOISE_STRATA; turn++)
        for (size_t q = 0; q < MW_NOISE_PER_DRAW; q++)
            noise[turn][q] =
                quantile[(turn * NOISE_STRIDE + q * (MW_NOISE_STRATA / MW_NOISE_PER_DRAW)) % MW_NOISE_STRATA];
}

/* What the runs behind the boundary took over what the laws before it say there. */
static enum mw_err look_behind(struct mw_predict_context *context, struct mw_error *error)
{
    const struct mw_points *points = &context->model->points;
    double sign = context->model->quantity == MW_SPEEDUP ? -1 : 1;
    struct mw_config *config = malloc((points->count + 1) * sizeof *config);
    struct mw_prediction *before = malloc((points->count + 1) * sizeof *before);
    context->behind = malloc((points->count + 1) * sizeof *context->behind);
    enum mw_err err = config && before && context->behind ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    size_t n = 0;
    for (size_t i = 0; !err && i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!(p->cores > context->beyond.fitted))
            continue;
        config[n] = (struct mw_config){p->cores, p->freq_hz};
        context->behind[n].site = mw_sites_at(&context->data, p->cores, p->freq_hz);
        context->behind[n++].psi = sign * log(p->value);
    }
    context->raw = true;
    if (!err)
        err = mw_predict_answer(context, config, n, before, error);
    context->raw = false;
    for (size_t i = 0; !err && i < n; i++)
        context->behind[i].psi -= sign * log(before[i].value);
    context->behind_count = err ? 0 : n;
    free(config);
    free(before);
    return err;
}

static enum mw_err look_beyond(struct mw_predict_context *context, struct mw_error *error)
{
    const struct mw_model *model = context->model;
    struct mw_sites sites = {0};
    enum mw_err err =
        mw_sites_init(&sites, &model->points, context->memory_freq_hz, MW_SITES_SAMPLE, mw_beyond_fitted(model), error);
    if (!err)
        err = mw_beyond_init(&context->beyond, model, &sites, error);
    mw_sites_release(&sites);
    return !err && isfinite(context->beyond.fitted) ? look_behind(context, error) : err;
}

static enum mw_err context_init(struct mw_predict_context *context, const struct mw_model *model,
                                const struct mw_config *config, size_t n, struct mw_error *error)
{
    *context = (struct mw_predict_context){.model = model, .memory_freq_hz = model->memory_freq_hz};
    context->joint_top = context->independent_top = -INFINITY;
    deal_noise(context->noise);
    enum mw_err err = mw_sites_init(&context->data, &model->points, context->memory_freq_hz, MW_SITES_CONDITION,
                                    mw_beyond_fitted(model), error);
    for (size_t i = 0; i < model->points.count; i++)
        context->measured_most = fmax(context->measured_most, model->points.items[i].cores);
    if (!err)
        err = gather(context, config, n, error);
    if (!err && any_beyond(&context->data, config, n))
        err = look_beyond(context, error);
    if (err)
        context_release(context);
    return err;
}

static bool has_energy(const struct mw_model *model)
{
    return model->power.present && model->quantity == MW_TIME;
}

/* Energy is power times time; their errors count as independent. */
static enum mw_err add_energy(const struct mw_power_view *view, const struct mw_config *config, size_t n,
                              struct mw_prediction *out, struct mw_error *error)
{
    double *power_w = malloc(2 * n * sizeof *power_w), *ln_sd = power_w + n;
    if (!power_w)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    enum mw_err err = mw_power_view_predict(view, config, n, power_w, ln_sd, error);
    for (size_t i = 0; i < n && !err; i++) {
        double power_half = MW_NORMAL_90 * ln_sd[i];
        out[i].has_energy = true;
        out[i].power_w = power_w[i];
        out[i].ln_power_sd = ln_sd[i];
        out[i].energy_j = power_w[i] * out[i].value;
        out[i].energy_low_j = out[i].energy_j * exp(-hypot(log(out[i].value / out[i].low), power_half));
        out[i].energy_high_j = out[i].energy_j * exp(hypot(log(out[i].high / out[i].value), power_half));
    }
    free(power_w);
    return err;
}

enum mw_err mw_predict(const struct mw_model *model, const struct mw_config *config, size_t n,
                       struct mw_prediction *out, struct mw_error *error)
{
    return mw_predict_over(model, config, n, 0, out, error);
}

enum mw_err mw_predict_over(const struct mw_model *model, const struct mw_config *config, size_t n,
                            double baseline_freq_hz, struct mw_prediction *out, struct mw_error *error)
{
    struct mw_predict_context context;
    struct mw_power_view *view = NULL;
    enum mw_err err = mw_predict_check(model, config, n, baseline_freq_hz, error);
    if (err || n == 0)
        return err;
    err = context_init(&context, model, config, n, error);
    if (err)
        return err;
    context.baseline_freq_hz = baseline_freq_hz;
    struct mw_prediction *made = malloc(n * sizeof *made);
    if (!made)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    else
        err = mw_predict_answer(&context, config, n, made, error);
    if (!err && has_energy(model))
        err = mw_power_view_alloc(&view, &model->power, &model->points, error);
    if (!err && view)
        err = add_energy(view, config, n, made, error);
    mw_power_view_free(view);
    if (!err)
        memcpy(out, made, n * sizeof *out);
    free(made);
    context_release(&context);
    return err;
}

struct mw_prepared {
    struct mw_predict_context context;
    struct mw_power_view *power; /* NULL: the model has none */
};

enum mw_err mw_prepared_alloc(struct mw_prepared **prepared, const struct mw_model *model, double baseline_freq_hz,
                              bool without_speedup, struct mw_error *error)
{
    enum mw_err err = mw_predict_check(model, NULL, 0, baseline_freq_hz, error);
    if (err)
        return err;
    struct mw_prepared *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory for predictions");
    struct mw_predict_context *p = &made->context;
    err = context_init(p, model, NULL, 0, error);
    p->baseline_freq_hz = baseline_freq_hz;
    p->without_speedup = without_speedup;
    if (!err)
        err = mw_cells_alloc(&p->cells, &p->ensemble, &p->data, model->quantity, baseline_freq_hz, p->memory_freq_hz,
                             error);
    if (!err) {
        double *weight = malloc((p->ensemble.count + 1) * sizeof *weight);
        if (weight)
            mw_predict_weigh_inside(p, weight);
        else
            err = mw_fail(error, MW_NOMEM, "out of memory for predictions");
        p->inside = weight;
    }
    if (!err && has_energy(model))
        err = mw_power_view_alloc(&made->power, &model->power, &model->points, error);
    if (err)
        mw_prepared_free(made);
    else
        *prepared = made;
    return err;
}

void mw_prepared_free(struct mw_prepared *prepared)
{
    if (!prepared)
        return;
    mw_power_view_free(prepared->power);
    mw_cells_free(prepared->context.cells);
    free(prepared->context.inside);
    context_release(&prepared->context);
    free(prepared);
}

bool mw_prepared_covers(const struct mw_prepared *prepared, const struct mw_config *config)
{
    const struct mw_predict_context *p = &prepared->context;
    struct mw_site site = mw_site_at(config->cores, config->freq_hz, p->memory_freq_hz);
    return p->cells && mw_predict_doublings(site.p, p->data.p_min, p->data.p_max) <= 0 &&
           mw_predict_doublings(site.freq_hz, p->data.freq_min_hz, p->data.freq_max_hz) <= 0;
}

enum mw_err mw_prepared_predict(const struct mw_prepared *prepared, const struct mw_config *config, size_t n,
                                struct mw_prediction *out, struct mw_error *error)
{
    return mw_predict_answer(&prepared->context, config, n, out, error);
}

enum mw_err mw_prepared_energy(const struct mw_prepared *prepared, const struct mw_config *config, size_t n,
                               struct mw_prediction *out, struct mw_error *error)
{
    return prepared->power && n ? add_energy(prepared->power, config, n, out, error) : MW_OK;
}
