// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/predict.h"

#include "fit/binding.h"
#include "fit/predict/weighted.h"
#include "fit/predict/mixture.h"
#include "fit/search/power.h"
#include "fit/predict/predictive.h"
#include "fit/predict/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inside the measured cores fits count by their evidence; in frequency beyond the data by a power of it, and so do
   independent fits beyond the cores (the sampler's evidence is good to some nats only, and there it says less). */
static const double temper_inside = 0.5, temper_freq = 0.3, temper_independent = 0.5;
/* Beyond the measured cores, fits with independent noise have this much of the mass: what the discrepancy explained
   inside may be the law's own bend. Joint fits have the rest, by mw_prior_beyond alone. */
static const double independent_share = 0.4;
/* A fit with less than this weight is not looked at. */
static const double weight_least = 1e-4;
/* Of the 64 noise quantiles each draw takes four, in strides that are coprime with 64 over the draws. */
enum { NOISE_PER_DRAW = 4, NOISE_STRIDE = 37 };
/* Intervals: quantiles of so few fits are a little narrow inside and, with so many opinions, wide beyond; a clock
   ticks; and what no data below can show (a second socket, a knee of the clock) drifts by so much of ln value per
   doubling beyond the data, at Student's 95 %. */
static const double widen = 1.1, widen_beyond = 0.8, half_width_least = 0.01;
static const double drift_cores = 0.085, drift_freq = 0.02, student_95 = 2.132, normal_95 = 1.645;
/* Queries this close to the edge are inside. */
static const double edge = 1e-6;
/* Small batches keep the draws of all queries out of memory. */
enum { BATCH = 512 };

struct engine {
    const struct mw_model *model;
    struct mw_ensemble ensemble;    /* the model's fits, and these: */
    struct mw_ensemble independent; /* sampled here where an answer needs them */
    struct mw_binder binder;
    double baseline_freq_hz;
    struct mw_sites data;
    double noise[MW_NOISE_STRATA];
    double memory_freq_hz;
    size_t joint_count, independent_count, draw_count;
    double joint_top, independent_top; /* largest evidences */
};

/* A query prepared: its site and its baseline's in the batch. */
struct place {
    size_t site, baseline;
    bool beyond; /* more cores than measured */
    double doublings_p, doublings_f, doublings_baseline;
};

static bool is_beyond(const struct mw_sites *data, double cores)
{
    return cores > data->p_max * (1 + edge);
}

static double doublings_beyond(double value, double low, double high)
{
    if (value > high * (1 + edge))
        return log2(value / high);
    return value < low * (1 - edge) ? log2(low / value) : 0;
}

/* Weight of a fit for a query: see the constants above. The sum over fits is 1. */
static void weigh(const struct engine *engine, const struct place *place, double *weight)
{
    bool beyond = place->beyond;
    const struct mw_ensemble *ensemble = &engine->ensemble;
    double sum[2] = {0, 0};
    double share[2] = {1, 0}; /* joint, independent */
    if (beyond && engine->independent_count && engine->joint_count) {
        share[0] = 1 - independent_share;
        share[1] = independent_share;
    } else if (!engine->joint_count) {
        share[0] = 0;
        share[1] = 1;
    }
    double temper = beyond ? 0 : place->doublings_f > 0 ? temper_freq : temper_inside;
    for (size_t f = 0; f < ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &ensemble->fits[f];
        weight[f] = fit->independent ? exp(temper_independent * (fit->log_evidence - engine->independent_top))
                                     : exp(temper * (fit->log_evidence - engine->joint_top));
        if (beyond)
            weight[f] *= mw_prior_beyond(fit->law, fit->prior);
        sum[fit->independent] += weight[f];
    }
    for (size_t f = 0; f < ensemble->count; f++) {
        int half = ensemble->fits[f].independent;
        weight[f] *= share[half] / sum[half];
    }
}

/* All noisy draws of ln value at a site, or of ln(baseline/site) where `difference`; of the joint fits (half 0), of the
   independent ones (1), or of both (2). */
static void draw_all(const struct engine *engine, const struct mw_predictive *predictive, const struct place *place,
                     const double *weight, bool difference, int half, struct mw_weighted *weighted)
{
    const struct mw_ensemble *ensemble = &engine->ensemble;
    size_t a = place->site, b = place->baseline, draw = 0, turn = 0;
    weighted->count = 0;
    for (size_t f = 0; f < ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &ensemble->fits[f];
        if (weight[f] < weight_least || (half < 2 && (int)fit->independent != half)) {
            draw += fit->draw_count;
            continue;
        }
        double each = weight[f] / (double)(fit->draw_count * NOISE_PER_DRAW);
        for (size_t s = 0; s < fit->draw_count; s++, draw++, turn++) {
            const double *mean = predictive->mean + draw * predictive->site_count;
            int k = predictive->kernel[draw];
            const double *reduced = predictive->reduced[k];
            double center = mean[a], variance = reduced[a] + 1;
            if (difference) {
                center = mean[b] - mean[a];
                variance = fmax(reduced[a] + reduced[b] - 2 * predictive->paired[k][a], 0) + 2;
            }
            double sd = predictive->sigma[draw] * sqrt(variance);
            for (size_t q = 0; q < NOISE_PER_DRAW; q++) {
                size_t stratum = (turn * NOISE_STRIDE + q * (MW_NOISE_STRATA / NOISE_PER_DRAW)) % MW_NOISE_STRATA;
                weighted->value[weighted->count] = center + sd * engine->noise[stratum];
                weighted->weight[weighted->count++] = each;
            }
        }
    }
}

/* quantile[0] and [2] moved outwards; returns the variance that the drift adds. */
static double spread_out(double quantile[3], double doublings_p, double doublings_f)
{
    double p = student_95 * drift_cores * doublings_p, f = student_95 * drift_freq * doublings_f;
    double extra = p * p + f * f;
    double times = doublings_p > 0 ? widen_beyond : widen;
    double down = times * (quantile[1] - quantile[0]), up = times * (quantile[2] - quantile[1]);
    double least = half_width_least * half_width_least;
    quantile[0] = quantile[1] - sqrt(down * down + extra + least);
    quantile[2] = quantile[1] + sqrt(up * up + extra + least);
    return extra / (normal_95 * normal_95);
}

static void answer_value(const struct engine *engine, const struct mw_predictive *predictive, const struct place *place,
                         const double *weight, struct mw_weighted *weighted, struct mw_prediction *out)
{
    double quantile[3], halves[2][3];
    if (out->extrapolated_cores && engine->independent_count && engine->joint_count) {
        for (int half = 0; half < 2; half++) {
            draw_all(engine, predictive, place, weight, false, half, weighted);
            if (weighted->count)
                mw_weighted_quantiles(weighted, halves[half]);
            else
                memset(halves[half], 0, sizeof halves[half]);
        }
        out->ln_halves = fabs(halves[0][1] - halves[1][1]);
    }
    draw_all(engine, predictive, place, weight, false, 2, weighted);
    mw_weighted_quantiles(weighted, quantile);
    out->ln_mean = mw_weighted_mean(weighted);
    out->ln_gap = fabs(quantile[1] - out->ln_mean);
    double variance = mw_weighted_variance(weighted, out->ln_mean);
    variance += spread_out(quantile, place->doublings_p, place->doublings_f);
    out->ln_sd = sqrt(variance);
    out->value = exp(quantile[1]);
    out->low = exp(quantile[0]);
    out->high = exp(quantile[2]);
}

static void answer_speedup(const struct engine *engine, const struct mw_predictive *predictive,
                           const struct place *place, const double *weight, struct mw_weighted *weighted,
                           struct mw_prediction *out)
{
    if (engine->model->quantity == MW_SPEEDUP) {
        out->speedup = out->value;
        out->speedup_low = out->low;
        out->speedup_high = out->high;
        return;
    }
    if (place->site == place->baseline) {
        out->speedup = out->speedup_low = out->speedup_high = 1;
        return;
    }
    double quantile[3];
    draw_all(engine, predictive, place, weight, true, 2, weighted);
    mw_weighted_quantiles(weighted, quantile);
    spread_out(quantile, place->doublings_p + place->doublings_baseline, place->doublings_f);
    out->speedup = exp(quantile[1]);
    out->speedup_low = exp(quantile[0]);
    out->speedup_high = exp(quantile[2]);
}

static void answer_one_core_speedup(struct mw_prediction *out)
{
    out->value = out->low = out->high = 1;
    out->speedup = out->speedup_low = out->speedup_high = 1;
    out->ln_mean = out->ln_sd = out->ln_gap = out->ln_halves = 0;
}

/* What one thread needs to mix draws. */
struct bench {
    double *weight;
    struct mw_weighted weighted;
};

static bool bench_init(struct bench *bench, const struct engine *engine)
{
    size_t draws = engine->draw_count * NOISE_PER_DRAW;
    bench->weight = malloc((engine->ensemble.count + 2 * draws + 1) * sizeof *bench->weight);
    if (!bench->weight)
        return false;
    bench->weighted.value = bench->weight + engine->ensemble.count;
    bench->weighted.weight = bench->weighted.value + draws;
    return true;
}

static void answer(const struct engine *engine, const struct mw_predictive *predictive, const struct place *place,
                   const struct mw_query *query, struct bench *bench, struct mw_prediction *out)
{
    *out = (struct mw_prediction){0};
    out->extrapolated_cores = place->doublings_p > 0;
    out->extrapolated_freq = place->doublings_f > 0;
    if (engine->model->quantity == MW_SPEEDUP && query->cores <= 1) {
        out->extrapolated_cores = false;
        answer_one_core_speedup(out);
        return;
    }
    weigh(engine, place, bench->weight);
    answer_value(engine, predictive, place, bench->weight, &bench->weighted, out);
    answer_speedup(engine, predictive, place, bench->weight, &bench->weighted, out);
    out->binding = mw_binding_at(&engine->binder, out, query->cores, query->freq_hz, engine->baseline_freq_hz);
}

/* Sites of a batch: the queries', then the baselines' (each once). Returns their number. */
static size_t lay_out(const struct engine *engine, const struct mw_query *query, size_t n, struct mw_site *sites,
                      size_t *partner, struct place *places)
{
    const struct mw_sites *data = &engine->data;
    size_t count = n;
    for (size_t i = 0; i < n; i++) {
        sites[i] = mw_site_at(query[i].cores, query[i].freq_hz, engine->memory_freq_hz);
        double base_hz = engine->baseline_freq_hz > 0 ? engine->baseline_freq_hz : query[i].freq_hz;
        struct mw_site base = mw_site_at(1, base_hz, engine->memory_freq_hz);
        size_t b = n;
        while (b < count && sites[b].freq_hz != base.freq_hz)
            b++;
        if (sites[i].p == 1 && sites[i].freq_hz == base.freq_hz)
            b = i;
        else if (b == count)
            sites[count++] = base;
        partner[i] = b;
        places[i] = (struct place){i,
                                   b,
                                   is_beyond(data, sites[i].p),
                                   doublings_beyond(sites[i].p, data->p_min, data->p_max),
                                   doublings_beyond(sites[i].freq_hz, data->freq_min_hz, data->freq_max_hz),
                                   doublings_beyond(1, data->p_min, data->p_max)};
    }
    for (size_t b = n; b < count; b++)
        partner[b] = b;
    return count;
}

/* Fits that have weight in one of the answers. */
static void find_needed(const struct engine *engine, const struct place *places, size_t n, double *weight, bool *needed)
{
    size_t count = engine->ensemble.count;
    memset(needed, 0, count * sizeof *needed);
    for (size_t i = 0; i < n; i++) {
        weigh(engine, &places[i], weight);
        for (size_t f = 0; f < count; f++)
            needed[f] |= weight[f] >= weight_least;
    }
}

static enum mw_err answer_batch(const struct engine *engine, const struct mw_query *query, size_t n,
                                struct mw_prediction *out, struct mw_error *error)
{
    struct mw_predictive predictive = {0};
    struct mw_site *sites = malloc(2 * n * sizeof *sites);
    size_t *partner = malloc(2 * n * sizeof *partner);
    struct place *places = malloc(n * sizeof *places);
    double *weight = malloc(engine->ensemble.count * sizeof *weight);
    bool *needed = malloc(engine->ensemble.count * sizeof *needed);
    enum mw_err err = MW_OK;
    if (!sites || !partner || !places || !weight || !needed) {
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
        goto out;
    }
    size_t count = lay_out(engine, query, n, sites, partner, places);
    find_needed(engine, places, n, weight, needed);
    err = mw_predictive_init(&predictive, &engine->ensemble, needed, &engine->data, engine->model->quantity, sites,
                             partner, count, error);
    if (err)
        goto out;
    bool starved = false;
#pragma omp parallel
    {
        struct bench bench;
        bool ready = bench_init(&bench, engine);
        if (!ready) {
#pragma omp atomic write
            starved = true;
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++)
            if (ready)
                answer(engine, &predictive, &places[i], &query[i], &bench, &out[i]);
        free(bench.weight);
    }
    if (starved)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
out:
    mw_predictive_release(&predictive);
    free(sites);
    free(partner);
    free(places);
    free(weight);
    free(needed);
    return err;
}

static enum mw_err check_queries(const struct mw_model *model, const struct mw_query *query, size_t n,
                                 double baseline_freq_hz, struct mw_error *error)
{
    if (model->ensemble.count == 0)
        return mw_fail(error, MW_NOFIT, "the model has no ensemble to predict from");
    for (size_t i = 0; i < n; i++) {
        if (!(query[i].cores >= 1) || !isfinite(query[i].cores) || !(query[i].freq_hz >= 0) ||
            !isfinite(query[i].freq_hz))
            return mw_fail(error, MW_USAGE, "cannot predict %g cores at %g GHz", query[i].cores,
                           query[i].freq_hz / 1e9);
        if (model->quantity == MW_SPEEDUP && baseline_freq_hz > 0 && baseline_freq_hz != query[i].freq_hz)
            return mw_fail(error, MW_NOFIT, "speedups alone do not tell how the time of one core depends on frequency");
    }
    return MW_OK;
}

static bool any_beyond(const struct mw_sites *data, const struct mw_query *query, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_beyond(data, query[i].cores))
            return true;
    return false;
}

/* The model's fits, joined by independent ones for queries beyond the measured cores. */
static enum mw_err gather(struct engine *engine, const struct mw_query *query, size_t n, struct mw_error *error)
{
    const struct mw_model *model = engine->model;
    enum mw_err err = MW_OK;
    if (any_beyond(&engine->data, query, n))
        err = mw_mixture_independent(&engine->independent, model, error);
    size_t joint = model->ensemble.count, more = engine->independent.count;
    if (!err && !(engine->ensemble.fits = malloc((joint + more) * sizeof *engine->ensemble.fits)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        return err;
    for (size_t f = 0; f < joint + more; f++) {
        const struct mw_ensemble_fit *fit = f < joint ? &model->ensemble.fits[f] : &engine->independent.fits[f - joint];
        engine->ensemble.fits[engine->ensemble.count++] = *fit;
        engine->draw_count += fit->draw_count;
        if (fit->independent) {
            engine->independent_count++;
            engine->independent_top = fmax(engine->independent_top, fit->log_evidence);
        } else {
            engine->joint_count++;
            engine->joint_top = fmax(engine->joint_top, fit->log_evidence);
        }
    }
    return MW_OK;
}

static void engine_release(struct engine *engine)
{
    free(engine->ensemble.fits); /* the fits are the model's and those of the next line */
    mw_mixture_release(&engine->independent);
    mw_sites_release(&engine->data);
}

static enum mw_err engine_init(struct engine *engine, const struct mw_model *model, const struct mw_query *query,
                               size_t n, struct mw_error *error)
{
    *engine = (struct engine){.model = model, .binder = mw_binder_of(model), .memory_freq_hz = model->memory_freq_hz};
    engine->joint_top = engine->independent_top = -INFINITY;
    mw_noise_quantiles(engine->noise);
    enum mw_err err = mw_sites_init(&engine->data, &model->points, engine->memory_freq_hz, MW_SPOTS_CONDITION, error);
    if (!err)
        err = gather(engine, query, n, error);
    if (err)
        engine_release(engine);
    return err;
}

/* Energy is power times time; their errors count as independent. */
static enum mw_err add_energy(const struct mw_model *model, const struct mw_query *query, size_t n,
                              struct mw_prediction *out, struct mw_error *error)
{
    if (!model->power.present || model->quantity != MW_TIME)
        return MW_OK;
    double *power_w = malloc(2 * n * sizeof *power_w), *ln_sd = power_w + n;
    if (!power_w)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    enum mw_err err = mw_power_predict(&model->power, &model->points, query, n, power_w, ln_sd, error);
    for (size_t i = 0; i < n && !err; i++) {
        double power_half = normal_95 * ln_sd[i];
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

enum mw_err mw_predict(const struct mw_model *model, const struct mw_query *query, size_t n, struct mw_prediction *out,
                       struct mw_error *error)
{
    return mw_predict_over(model, query, n, 0, out, error);
}

enum mw_err mw_predict_over(const struct mw_model *model, const struct mw_query *query, size_t n,
                            double baseline_freq_hz, struct mw_prediction *out, struct mw_error *error)
{
    struct engine engine;
    enum mw_err err = check_queries(model, query, n, baseline_freq_hz, error);
    if (err || n == 0)
        return err;
    err = engine_init(&engine, model, query, n, error);
    if (err)
        return err;
    engine.baseline_freq_hz = baseline_freq_hz;
    struct mw_prediction *made = malloc(n * sizeof *made);
    if (!made)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    for (size_t at = 0; at < n && !err; at += BATCH)
        err = answer_batch(&engine, query + at, n - at < BATCH ? n - at : BATCH, made + at, error);
    if (!err)
        err = add_energy(model, query, n, made, error);
    if (!err)
        memcpy(out, made, n * sizeof *out);
    free(made);
    engine_release(&engine);
    return err;
}
