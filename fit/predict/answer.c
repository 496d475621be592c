// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/answer_internal.h"

#include "data/stats.h"
#include "fit/numeric/hot_weighted.h"
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
/* How much of the noise of a measured configuration may be its own all the same: of what points scatter by where nothing
   was repeated, and of what a reading may be off where repetitions tell. Chosen on parsec-power with noise added (90 %
   intervals hold the chosen configuration's true time in 92 to 100 %), checked on multicores (88 to 96): bench-recommend. */
static const double unrepeated_doubt = 0.5, repeated_doubt = 0.2;
/* Queries this close to the edge are inside. */
static const double edge = 1e-6;
/* Small batches keep the draws of all queries out of memory. */
enum { BATCH = 512 };
/* A query prepared: its site and its baseline's in the batch, and the data measured at them (data->count: none). */
struct query {
    size_t site, baseline;
    size_t datum, baseline_datum;
    double cores, freq_hz;
    bool beyond; /* more cores than the laws were fitted to */
    double doublings_p, doublings_f, doublings_baseline;
};

bool mw_predict_is_beyond(const struct mw_sites *data, double cores)
{
    return cores > data->p_max * (1 + edge);
}

double mw_predict_doublings(double value, double low, double high)
{
    if (value > high * (1 + edge))
        return log2(value / high);
    return value < low * (1 - edge) ? log2(low / value) : 0;
}

/* Weight of a fit for a query: see the constants above. The sum over fits is 1. */
static void weigh(const struct mw_predict_context *context, const struct query *query, double *weight)
{
    bool beyond = query->beyond;
    const struct mw_ensemble *ensemble = &context->ensemble;
    if (context->inside && !beyond && query->doublings_f <= 0) {
        memcpy(weight, context->inside, ensemble->count * sizeof *weight);
        return;
    }
    double sum[2] = {0, 0};
    double share[2] = {1, 0}; /* joint, independent */
    if (beyond && context->independent_count && context->joint_count) {
        share[0] = 1 - independent_share;
        share[1] = independent_share;
    } else if (!context->joint_count) {
        share[0] = 0;
        share[1] = 1;
    }
    double temper = beyond ? 0 : query->doublings_f > 0 ? temper_freq : temper_inside;
    for (size_t f = 0; f < ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &ensemble->fits[f];
        weight[f] = fit->independent ? exp(temper_independent * (fit->log_evidence - context->independent_top))
                                     : exp(temper * (fit->log_evidence - context->joint_top));
        if (beyond)
            weight[f] *= mw_prior_beyond(fit->law, fit->prior);
        sum[fit->independent] += weight[f];
    }
    for (size_t f = 0; f < ensemble->count; f++) {
        int half = ensemble->fits[f].independent;
        weight[f] *= share[half] / sum[half];
    }
}

void mw_predict_weigh_inside(const struct mw_predict_context *context, double *weight)
{
    weigh(context, &(struct query){0}, weight);
}

/* What one draw believes of ln value at a site: center, how much of the discrepancy's uncertainty stays, and a variance of
   its own, both over sigma^2. */
struct belief {
    double center, keep, own;
};

/*
 * Where nothing was measured: law and discrepancy, and the noise of one more point. Where something was, y less law and
 * discrepancy is noise of the reading or belongs to the configuration, and repetitions tell which: with e^2 the variance of
 * the reading and sigma^2 that of both, 1 - e^2/sigma^2 of it stays with the configuration. Without repetitions all of it
 * counts as noise, and some doubt of that remains.
 */
static struct belief believe(const struct mw_predict_context *context, size_t datum, double mean, double sigma)
{
    const struct mw_sites *data = &context->data;
    if (datum == data->count)
        return (struct belief){mean, 1, 1};
    double noise = data->items[datum].noise, off = data->items[datum].ln_value - mean;
    double reading = data->reading[datum] / (sigma * sigma);
    if (!(reading > 0))
        return (struct belief){mean, 1, unrepeated_doubt * noise};
    double share = fmax(1 - reading / noise, 0);
    return (struct belief){mean + share * off, 1 - share, fmax(share, repeated_doubt) * reading};
}

/* The centre of one draw's ln value, or of ln(baseline/site), and its variance over sigma^2. */
static double center_of(const struct mw_predict_context *context, const struct mw_predictive *predictive,
                        const struct query *query, size_t draw, bool difference, double *variance)
{
    const double *mean = predictive->mean + draw * predictive->draw_step;
    const double *reduced = predictive->reduced[predictive->kernel[draw]];
    const double *paired = predictive->paired[predictive->kernel[draw]];
    double sigma = predictive->sigma[draw];
    size_t a = query->site, b = query->baseline, step = predictive->site_step;
    struct belief at = believe(context, query->datum, mean[a * step], sigma);
    *variance = at.keep * at.keep * reduced[a] + at.own;
    if (!difference)
        return at.center;
    struct belief base = believe(context, query->baseline_datum, mean[b * step], sigma);
    double shared =
        at.keep * at.keep * reduced[a] + base.keep * base.keep * reduced[b] - 2 * at.keep * base.keep * paired[a];
    *variance = fmax(shared, 0) + at.own + base.own;
    return base.center - at.center;
}

/* Variances over sigma^2 of unmeasured sites, which the kernels of the draws decide alone. */
static void roots_of(const struct mw_predictive *predictive, const struct query *query, bool difference,
                     double root[MW_KERNEL_COUNT])
{
    size_t a = query->site, b = query->baseline;
    for (int k = 0; k < MW_KERNEL_COUNT; k++) {
        const double *reduced = predictive->reduced[k];
        if (reduced)
            root[k] = difference ? sqrt(fmax(reduced[a] + reduced[b] - 2 * predictive->paired[k][a], 0) + 2)
                                 : sqrt(reduced[a] + 1);
    }
}

/* Centres and spreads of m draws from `draw` on, of ln value at a site or of ln(baseline/site) where `difference`. */
static void beliefs_of(const struct mw_predict_context *context, const struct mw_predictive *predictive,
                       const struct query *query, bool difference, const double *root, size_t draw, size_t m,
                       double *center, double *sd)
{
    size_t step = predictive->draw_step;
    const double *mean = predictive->mean + query->site * predictive->site_step + draw * step;
    const double *base = predictive->mean + query->baseline * predictive->site_step + draw * step;
    const double *sigma = predictive->sigma + draw;
    const int *kernel = predictive->kernel + draw;
    if (!root) {
        for (size_t s = 0; s < m; s++) {
            double variance;
            center[s] = center_of(context, predictive, query, draw + s, difference, &variance);
            sd[s] = sigma[s] * sqrt(variance);
        }
        return;
    }
    for (size_t s = 0; s < m; s++) {
        center[s] = difference ? base[s * step] - mean[s * step] : mean[s * step];
        sd[s] = sigma[s] * root[kernel[s]];
    }
}

/* All noisy draws of ln value at a site, or of ln(baseline/site) where `difference`; of the joint fits (half 0), of the
   independent ones (1), or of both (2). */
static void draw_all(const struct mw_predict_context *context, const struct mw_predictive *predictive,
                     const struct query *query, const double *weight, bool difference, int half,
                     struct mw_weighted *weighted)
{
    const struct mw_ensemble *ensemble = &context->ensemble;
    size_t draw = 0, turn = 0, none = context->data.count;
    bool measured = query->datum != none || (difference && query->baseline_datum != none);
    double root[MW_KERNEL_COUNT], center[MW_NOISE_STRATA], sd[MW_NOISE_STRATA];
    double *value = weighted->value, *share = weighted->weight;
    if (!measured)
        roots_of(predictive, query, difference, root);
    for (size_t f = 0; f < ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &ensemble->fits[f];
        size_t end = draw + fit->draw_count;
        if (weight[f] < weight_least || (half < 2 && (int)fit->independent != half)) {
            draw = end;
            continue;
        }
        double each = weight[f] / (double)(fit->draw_count * MW_NOISE_PER_DRAW);
        while (draw < end) { /* as far as the noise goes before it begins again */
            size_t left = MW_NOISE_STRATA - turn % MW_NOISE_STRATA, m = end - draw < left ? end - draw : left;
            beliefs_of(context, predictive, query, difference, measured ? NULL : root, draw, m, center, sd);
            mw_hot_readings(center, sd, context->noise[turn % MW_NOISE_STRATA], m, value);
            for (size_t i = 0; i < m * MW_NOISE_PER_DRAW; i++)
                share[i] = each;
            value += m * MW_NOISE_PER_DRAW;
            share += m * MW_NOISE_PER_DRAW;
            draw += m;
            turn += m;
        }
    }
    weighted->count = (size_t)(value - weighted->value);
}

/* Beyond the fitted cores: shifted and opened by what lies there. */
static double open_beyond(const struct mw_predict_context *context, const struct query *query, bool inverse,
                          double half, double quantile[3])
{
    const struct mw_site site = mw_sites_at(&context->data, query->cores, query->freq_hz);
    if (context->raw)
        return 0;
    return mw_beyond_open(&context->beyond, &site, context->behind, context->behind_count, inverse,
                          hypot(half, mw_drift_freq(query->doublings_f)), quantile);
}

/* Where the data show no floor: what the power of the cores, going on, comes to. */
static double power_of(const struct mw_predict_context *context, const struct query *query)
{
    const struct mw_site site = mw_sites_at(&context->data, query->cores, query->freq_hz);
    bool open = query->beyond && context->beyond.stack.no_floor && !context->behind_count;
    return open ? exp(mw_stack_power(&context->beyond.stack, &site)) : 0;
}

static void answer_value(const struct mw_predict_context *context, const struct mw_predictive *predictive,
                         const struct query *query, const double *weight, struct mw_weighted *weighted,
                         struct mw_prediction *out)
{
    double quantile[3], halves[2][3];
    if (query->beyond && context->independent_count && context->joint_count) {
        for (int half = 0; half < 2; half++) {
            draw_all(context, predictive, query, weight, false, half, weighted);
            if (weighted->count)
                mw_weighted_quantiles(weighted, halves[half]);
            else
                memset(halves[half], 0, sizeof halves[half]);
        }
        out->ln_halves = fabs(halves[0][1] - halves[1][1]);
    }
    draw_all(context, predictive, query, weight, false, 2, weighted);
    mw_weighted_quantiles(weighted, quantile);
    out->ln_mean = mw_weighted_mean(weighted);
    out->ln_gap = fabs(quantile[1] - out->ln_mean);
    double variance = mw_weighted_variance(weighted, out->ln_mean);
    if (query->beyond) {
        out->ln_sd = open_beyond(context, query, context->model->quantity == MW_SPEEDUP, 0, quantile);
        out->ln_mean = quantile[1];
    } else {
        out->ln_sd = sqrt(variance + mw_interval_widen(quantile, query->doublings_p, query->doublings_f));
    }
    out->power_value = power_of(context, query);
    out->value = exp(quantile[1]);
    out->low = exp(quantile[0]);
    out->high = exp(quantile[2]);
}

static void answer_speedup(const struct mw_predict_context *context, const struct mw_predictive *predictive,
                           const struct query *query, const double *weight, struct mw_weighted *weighted,
                           struct mw_prediction *out)
{
    if (context->model->quantity == MW_SPEEDUP) {
        out->speedup = out->value;
        out->speedup_low = out->low;
        out->speedup_high = out->high;
        return;
    }
    if (query->site == query->baseline) {
        out->speedup = out->speedup_low = out->speedup_high = 1;
        return;
    }
    double quantile[3];
    draw_all(context, predictive, query, weight, true, 2, weighted);
    mw_weighted_quantiles(weighted, quantile);
    if (query->beyond)
        open_beyond(context, query, true,
                    query->baseline_datum < context->data.count ? 0 : (quantile[2] - quantile[0]) / 2, quantile);
    else
        mw_interval_widen(quantile, query->doublings_p + query->doublings_baseline, query->doublings_f);
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
struct scratch {
    double *weight;
    struct mw_weighted weighted;
};

static bool scratch_init(struct scratch *scratch, const struct mw_predict_context *context)
{
    size_t draws = context->draw_count * MW_NOISE_PER_DRAW;
    scratch->weight = malloc((context->ensemble.count + 2 * draws + 1) * sizeof *scratch->weight);
    if (!scratch->weight)
        return false;
    scratch->weighted.value = scratch->weight + context->ensemble.count;
    scratch->weighted.weight = scratch->weighted.value + draws;
    return true;
}

static void answer(const struct mw_predict_context *context, const struct mw_predictive *predictive,
                   const struct query *query, const struct mw_config *config, struct scratch *scratch,
                   struct mw_prediction *out)
{
    *out = (struct mw_prediction){0};
    out->extrapolated_cores = query->doublings_p > 0 && config->cores > context->measured_most * (1 + edge);
    out->extrapolated_freq = query->doublings_f > 0;
    if (context->model->quantity == MW_SPEEDUP && config->cores <= 1) {
        out->extrapolated_cores = false;
        answer_one_core_speedup(out);
        return;
    }
    weigh(context, query, scratch->weight);
    answer_value(context, predictive, query, scratch->weight, &scratch->weighted, out);
    if (context->without_speedup)
        return;
    answer_speedup(context, predictive, query, scratch->weight, &scratch->weighted, out);
    if (context->model->weak) { /* scaled: what p cores do of the growing work, over one core's */
        double work = context->model->quantity == MW_TIME ? config->cores : 1;
        out->speedup *= work;
        out->speedup_low *= work;
        out->speedup_high *= work;
    }
}

/* Sites of a batch: the queries', then the baselines' (each once). Returns their number. */
static size_t lay_out(const struct mw_predict_context *context, const struct mw_config *config, size_t n,
                      struct mw_site *sites, size_t *partner, struct query *queries)
{
    const struct mw_sites *data = &context->data;
    size_t count = n;
    for (size_t i = 0; i < n; i++) {
        sites[i] = mw_sites_at(data, config[i].cores, config[i].freq_hz);
        double base_hz = context->baseline_freq_hz > 0 ? context->baseline_freq_hz : config[i].freq_hz;
        struct mw_site base = mw_sites_at(data, 1, base_hz);
        size_t b = n;
        while (b < count && sites[b].freq_hz != base.freq_hz)
            b++;
        if (context->without_speedup || (sites[i].p == 1 && sites[i].freq_hz == base.freq_hz))
            b = i;
        else if (b == count)
            sites[count++] = base;
        partner[i] = b;
        queries[i] = (struct query){i,
                                    b,
                                    mw_sites_find(data, &sites[i]),
                                    mw_sites_find(data, &sites[b]),
                                    config[i].cores,
                                    config[i].freq_hz,
                                    mw_predict_is_beyond(data, sites[i].p),
                                    mw_predict_doublings(sites[i].p, data->p_min, data->p_max),
                                    mw_predict_doublings(sites[i].freq_hz, data->freq_min_hz, data->freq_max_hz),
                                    mw_predict_doublings(1, data->p_min, data->p_max)};
    }
    for (size_t b = n; b < count; b++)
        partner[b] = b;
    return count;
}

/* Fits that have weight in one of the answers; false where a weight is no number (evidence that is not finite). */
static bool find_needed(const struct mw_predict_context *context, const struct query *queries, size_t n, double *weight,
                        bool *needed)
{
    size_t count = context->ensemble.count;
    memset(needed, 0, count * sizeof *needed);
    for (size_t i = 0; i < n; i++) {
        weigh(context, &queries[i], weight);
        for (size_t f = 0; f < count; f++) {
            if (!isfinite(weight[f]))
                return false;
            needed[f] |= weight[f] >= weight_least;
        }
    }
    return true;
}

static enum mw_err answer_batch(const struct mw_predict_context *context, const struct mw_config *config, size_t n,
                                struct mw_prediction *out, struct mw_error *error)
{
    struct mw_predictive predictive = {0};
    struct mw_site *sites = malloc(2 * n * sizeof *sites);
    size_t *partner = malloc(2 * n * sizeof *partner);
    struct query *queries = malloc(n * sizeof *queries);
    double *weight = malloc(context->ensemble.count * sizeof *weight);
    bool *needed = malloc(context->ensemble.count * sizeof *needed);
    enum mw_err err = MW_OK;
    if (!sites || !partner || !queries || !weight || !needed) {
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
        goto out;
    }
    size_t count = lay_out(context, config, n, sites, partner, queries);
    if (!find_needed(context, queries, n, weight, needed)) {
        err = mw_fail(error, MW_NOFIT, "the laws' evidence is not finite on these points");
        goto out;
    }
    err = context->cells ? mw_cells_predictive(context->cells, sites, partner, count, &predictive, error)
                         : mw_predictive_init(&predictive, &context->ensemble, needed, &context->data,
                                              context->model->quantity, sites, partner, count, error);
    if (err)
        goto out;
    bool starved = false;
#pragma omp parallel
    {
        struct scratch scratch;
        bool ready = scratch_init(&scratch, context);
        if (!ready) {
#pragma omp atomic write
            starved = true;
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++)
            if (ready)
                answer(context, &predictive, &queries[i], &config[i], &scratch, &out[i]);
        free(scratch.weight);
    }
    if (starved)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    for (size_t i = 0; i < n && !err; i++)
        if (!isfinite(out[i].ln_mean) || !(out[i].low > 0) || !isfinite(out[i].high))
            err = mw_fail(error, MW_NOFIT, "the model's laws give no number on %g cores at %g GHz", config[i].cores,
                          config[i].freq_hz / 1e9);
out:
    mw_predictive_release(&predictive);
    free(sites);
    free(partner);
    free(queries);
    free(weight);
    free(needed);
    return err;
}

enum mw_err mw_predict_answer(const struct mw_predict_context *context, const struct mw_config *config, size_t n,
                              struct mw_prediction *out, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (size_t at = 0; at < n && !err; at += BATCH)
        err = answer_batch(context, config + at, n - at < BATCH ? n - at : BATCH, out + at, error);
    return err;
}
