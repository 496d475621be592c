// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/predict_internal.h"

#include "data/stats.h"
#include "fit/predict/beyond.h"
#include "fit/predict/cells.h"
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
/* How much of the noise of a measured configuration may be its own all the same: of what points scatter by where nothing
   was repeated, and of what a reading may be off where repetitions tell. Chosen on parsec-power with noise added (90 %
   intervals hold the chosen configuration's true time in 92 to 100 %), checked on multicores (88 to 96): bench-recommend. */
static const double unrepeated_doubt = 0.5, repeated_doubt = 0.2;
/* Queries this close to the edge are inside. */
static const double edge = 1e-6;
/* Small batches keep the draws of all queries out of memory. */
enum { BATCH = 512 };

struct predictor {
    const struct mw_model *model;
    struct mw_ensemble ensemble;    /* the model's fits, and these: */
    struct mw_ensemble independent; /* sampled here where an answer needs them */
    double baseline_freq_hz;
    bool without_speedup;
    struct mw_sites data;
    double noise[MW_NOISE_STRATA][NOISE_PER_DRAW]; /* of the draws in turn */
    double *inside;         /* weights of queries inside the data, once they are known; or NULL */
    struct mw_cells *cells; /* NULL: each batch is computed from the points */
    double memory_freq_hz;
    size_t joint_count, independent_count, draw_count;
    double joint_top, independent_top; /* largest evidences */
    double measured_most;              /* cores */
    struct mw_beyond beyond;           /* where a query is beyond the fitted cores */
    struct mw_behind *behind;          /* runs behind the boundary up to which the laws were fitted */
    size_t behind_count;
    bool raw; /* leave medians as the mixture has them */
};

/* A query prepared: its site and its baseline's in the batch, and the data measured at them (data->count: none). */
struct query {
    size_t site, baseline;
    size_t datum, baseline_datum;
    double cores, freq_hz;
    bool beyond; /* more cores than the laws were fitted to */
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
static void weigh(const struct predictor *predictor, const struct query *query, double *weight)
{
    bool beyond = query->beyond;
    const struct mw_ensemble *ensemble = &predictor->ensemble;
    if (predictor->inside && !beyond && query->doublings_f <= 0) {
        memcpy(weight, predictor->inside, ensemble->count * sizeof *weight);
        return;
    }
    double sum[2] = {0, 0};
    double share[2] = {1, 0}; /* joint, independent */
    if (beyond && predictor->independent_count && predictor->joint_count) {
        share[0] = 1 - independent_share;
        share[1] = independent_share;
    } else if (!predictor->joint_count) {
        share[0] = 0;
        share[1] = 1;
    }
    double temper = beyond ? 0 : query->doublings_f > 0 ? temper_freq : temper_inside;
    for (size_t f = 0; f < ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &ensemble->fits[f];
        weight[f] = fit->independent ? exp(temper_independent * (fit->log_evidence - predictor->independent_top))
                                     : exp(temper * (fit->log_evidence - predictor->joint_top));
        if (beyond)
            weight[f] *= mw_prior_beyond(fit->law, fit->prior);
        sum[fit->independent] += weight[f];
    }
    for (size_t f = 0; f < ensemble->count; f++) {
        int half = ensemble->fits[f].independent;
        weight[f] *= share[half] / sum[half];
    }
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
static struct belief believe(const struct predictor *predictor, size_t datum, double mean, double sigma)
{
    const struct mw_sites *data = &predictor->data;
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
static double center_of(const struct predictor *predictor, const struct mw_predictive *predictive,
                        const struct query *query, size_t draw, bool difference, double *variance)
{
    const double *mean = predictive->mean + draw * predictive->draw_step;
    const double *reduced = predictive->reduced[predictive->kernel[draw]];
    const double *paired = predictive->paired[predictive->kernel[draw]];
    double sigma = predictive->sigma[draw];
    size_t a = query->site, b = query->baseline, step = predictive->site_step;
    struct belief at = believe(predictor, query->datum, mean[a * step], sigma);
    *variance = at.keep * at.keep * reduced[a] + at.own;
    if (!difference)
        return at.center;
    struct belief base = believe(predictor, query->baseline_datum, mean[b * step], sigma);
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

/* All noisy draws of ln value at a site, or of ln(baseline/site) where `difference`; of the joint fits (half 0), of the
   independent ones (1), or of both (2). */
static void draw_all(const struct predictor *predictor, const struct mw_predictive *predictive,
                     const struct query *query, const double *weight, bool difference, int half,
                     struct mw_weighted *weighted)
{
    const struct mw_ensemble *ensemble = &predictor->ensemble;
    size_t draw = 0, turn = 0, none = predictor->data.count;
    bool measured = query->datum != none || (difference && query->baseline_datum != none);
    const double *mean = predictive->mean + query->site * predictive->site_step;
    const double *base = predictive->mean + query->baseline * predictive->site_step;
    double root[MW_KERNEL_COUNT], *value = weighted->value, *share = weighted->weight;
    if (!measured)
        roots_of(predictive, query, difference, root);
    for (size_t f = 0; f < ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &ensemble->fits[f];
        if (weight[f] < weight_least || (half < 2 && (int)fit->independent != half)) {
            draw += fit->draw_count;
            continue;
        }
        double each = weight[f] / (double)(fit->draw_count * NOISE_PER_DRAW);
        for (size_t s = 0; s < fit->draw_count; s++, draw++, turn++) {
            double variance, center, sd;
            if (measured) {
                center = center_of(predictor, predictive, query, draw, difference, &variance);
                sd = predictive->sigma[draw] * sqrt(variance);
            } else {
                double at = mean[draw * predictive->draw_step];
                center = difference ? base[draw * predictive->draw_step] - at : at;
                sd = predictive->sigma[draw] * root[predictive->kernel[draw]];
            }
            const double *noise = predictor->noise[turn % MW_NOISE_STRATA];
            for (size_t q = 0; q < NOISE_PER_DRAW; q++) {
                *value++ = center + sd * noise[q];
                *share++ = each;
            }
        }
    }
    weighted->count = (size_t)(value - weighted->value);
}

/* Beyond the fitted cores: shifted and opened by what lies there. */
static double open_beyond(const struct predictor *predictor, const struct query *query, bool inverse, double half,
                          double quantile[3])
{
    const struct mw_site site = mw_sites_at(&predictor->data, query->cores, query->freq_hz);
    if (predictor->raw)
        return 0;
    return mw_beyond_open(&predictor->beyond, &site, predictor->behind, predictor->behind_count, inverse,
                          hypot(half, mw_drift_freq(query->doublings_f)), quantile);
}

/* Where the data show no floor: what the power of the cores, going on, comes to. */
static double power_of(const struct predictor *predictor, const struct query *query)
{
    const struct mw_site site = mw_sites_at(&predictor->data, query->cores, query->freq_hz);
    bool open = query->beyond && predictor->beyond.stack.no_floor && !predictor->behind_count;
    return open ? exp(mw_stack_power(&predictor->beyond.stack, &site)) : 0;
}

static void answer_value(const struct predictor *predictor, const struct mw_predictive *predictive,
                         const struct query *query, const double *weight, struct mw_weighted *weighted,
                         struct mw_prediction *out)
{
    double quantile[3], halves[2][3];
    if (query->beyond && predictor->independent_count && predictor->joint_count) {
        for (int half = 0; half < 2; half++) {
            draw_all(predictor, predictive, query, weight, false, half, weighted);
            if (weighted->count)
                mw_weighted_quantiles(weighted, halves[half]);
            else
                memset(halves[half], 0, sizeof halves[half]);
        }
        out->ln_halves = fabs(halves[0][1] - halves[1][1]);
    }
    draw_all(predictor, predictive, query, weight, false, 2, weighted);
    mw_weighted_quantiles(weighted, quantile);
    out->ln_mean = mw_weighted_mean(weighted);
    out->ln_gap = fabs(quantile[1] - out->ln_mean);
    double variance = mw_weighted_variance(weighted, out->ln_mean);
    if (query->beyond) {
        out->ln_sd = open_beyond(predictor, query, predictor->model->quantity == MW_SPEEDUP, 0, quantile);
        out->ln_mean = quantile[1];
    } else {
        out->ln_sd = sqrt(variance + mw_interval_widen(quantile, query->doublings_p, query->doublings_f));
    }
    out->power_value = power_of(predictor, query);
    out->value = exp(quantile[1]);
    out->low = exp(quantile[0]);
    out->high = exp(quantile[2]);
}

static void answer_speedup(const struct predictor *predictor, const struct mw_predictive *predictive,
                           const struct query *query, const double *weight, struct mw_weighted *weighted,
                           struct mw_prediction *out)
{
    if (predictor->model->quantity == MW_SPEEDUP) {
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
    draw_all(predictor, predictive, query, weight, true, 2, weighted);
    mw_weighted_quantiles(weighted, quantile);
    if (query->beyond)
        open_beyond(predictor, query, true,
                    query->baseline_datum < predictor->data.count ? 0 : (quantile[2] - quantile[0]) / 2, quantile);
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

static bool scratch_init(struct scratch *scratch, const struct predictor *predictor)
{
    size_t draws = predictor->draw_count * NOISE_PER_DRAW;
    scratch->weight = malloc((predictor->ensemble.count + 2 * draws + 1) * sizeof *scratch->weight);
    if (!scratch->weight)
        return false;
    scratch->weighted.value = scratch->weight + predictor->ensemble.count;
    scratch->weighted.weight = scratch->weighted.value + draws;
    return true;
}

static void answer(const struct predictor *predictor, const struct mw_predictive *predictive, const struct query *query,
                   const struct mw_config *config, struct scratch *scratch, struct mw_prediction *out)
{
    *out = (struct mw_prediction){0};
    out->extrapolated_cores = query->doublings_p > 0 && config->cores > predictor->measured_most * (1 + edge);
    out->extrapolated_freq = query->doublings_f > 0;
    if (predictor->model->quantity == MW_SPEEDUP && config->cores <= 1) {
        out->extrapolated_cores = false;
        answer_one_core_speedup(out);
        return;
    }
    weigh(predictor, query, scratch->weight);
    answer_value(predictor, predictive, query, scratch->weight, &scratch->weighted, out);
    if (predictor->without_speedup)
        return;
    answer_speedup(predictor, predictive, query, scratch->weight, &scratch->weighted, out);
    if (predictor->model->weak) { /* scaled: what p cores do of the growing work, over one core's */
        double work = predictor->model->quantity == MW_TIME ? config->cores : 1;
        out->speedup *= work;
        out->speedup_low *= work;
        out->speedup_high *= work;
    }
}

/* Sites of a batch: the queries', then the baselines' (each once). Returns their number. */
static size_t lay_out(const struct predictor *predictor, const struct mw_config *config, size_t n,
                      struct mw_site *sites, size_t *partner, struct query *queries)
{
    const struct mw_sites *data = &predictor->data;
    size_t count = n;
    for (size_t i = 0; i < n; i++) {
        sites[i] = mw_sites_at(data, config[i].cores, config[i].freq_hz);
        double base_hz = predictor->baseline_freq_hz > 0 ? predictor->baseline_freq_hz : config[i].freq_hz;
        struct mw_site base = mw_sites_at(data, 1, base_hz);
        size_t b = n;
        while (b < count && sites[b].freq_hz != base.freq_hz)
            b++;
        if (predictor->without_speedup || (sites[i].p == 1 && sites[i].freq_hz == base.freq_hz))
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
                                    is_beyond(data, sites[i].p),
                                    doublings_beyond(sites[i].p, data->p_min, data->p_max),
                                    doublings_beyond(sites[i].freq_hz, data->freq_min_hz, data->freq_max_hz),
                                    doublings_beyond(1, data->p_min, data->p_max)};
    }
    for (size_t b = n; b < count; b++)
        partner[b] = b;
    return count;
}

/* Fits that have weight in one of the answers; false where a weight is no number (evidence that is not finite). */
static bool find_needed(const struct predictor *predictor, const struct query *queries, size_t n, double *weight,
                        bool *needed)
{
    size_t count = predictor->ensemble.count;
    memset(needed, 0, count * sizeof *needed);
    for (size_t i = 0; i < n; i++) {
        weigh(predictor, &queries[i], weight);
        for (size_t f = 0; f < count; f++) {
            if (!isfinite(weight[f]))
                return false;
            needed[f] |= weight[f] >= weight_least;
        }
    }
    return true;
}

static enum mw_err answer_batch(const struct predictor *predictor, const struct mw_config *config, size_t n,
                                struct mw_prediction *out, struct mw_error *error)
{
    struct mw_predictive predictive = {0};
    struct mw_site *sites = malloc(2 * n * sizeof *sites);
    size_t *partner = malloc(2 * n * sizeof *partner);
    struct query *queries = malloc(n * sizeof *queries);
    double *weight = malloc(predictor->ensemble.count * sizeof *weight);
    bool *needed = malloc(predictor->ensemble.count * sizeof *needed);
    enum mw_err err = MW_OK;
    if (!sites || !partner || !queries || !weight || !needed) {
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
        goto out;
    }
    size_t count = lay_out(predictor, config, n, sites, partner, queries);
    if (!find_needed(predictor, queries, n, weight, needed)) {
        err = mw_fail(error, MW_NOFIT, "the laws' evidence is not finite on these points");
        goto out;
    }
    err = predictor->cells ? mw_cells_predictive(predictor->cells, sites, partner, count, &predictive, error)
                           : mw_predictive_init(&predictive, &predictor->ensemble, needed, &predictor->data,
                                                predictor->model->quantity, sites, partner, count, error);
    if (err)
        goto out;
    bool starved = false;
#pragma omp parallel
    {
        struct scratch scratch;
        bool ready = scratch_init(&scratch, predictor);
        if (!ready) {
#pragma omp atomic write
            starved = true;
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++)
            if (ready)
                answer(predictor, &predictive, &queries[i], &config[i], &scratch, &out[i]);
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
        if (is_beyond(data, config[i].cores))
            return true;
    return false;
}

/* The model's fits, joined by independent ones for queries beyond the measured cores. */
static enum mw_err gather(struct predictor *predictor, const struct mw_config *config, size_t n, struct mw_error *error)
{
    const struct mw_model *model = predictor->model;
    enum mw_err err = MW_OK;
    if (any_beyond(&predictor->data, config, n))
        err = mw_mixture_independent(&predictor->independent, model, error);
    size_t joint = model->ensemble.count, more = predictor->independent.count;
    if (!err && !(predictor->ensemble.fits = malloc((joint + more) * sizeof *predictor->ensemble.fits)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        return err;
    for (size_t f = 0; f < joint + more; f++) {
        const struct mw_ensemble_fit *fit =
            f < joint ? &model->ensemble.fits[f] : &predictor->independent.fits[f - joint];
        predictor->ensemble.fits[predictor->ensemble.count++] = *fit;
        predictor->draw_count += fit->draw_count;
        if (fit->independent) {
            predictor->independent_count++;
            predictor->independent_top = fmax(predictor->independent_top, fit->log_evidence);
        } else {
            predictor->joint_count++;
            predictor->joint_top = fmax(predictor->joint_top, fit->log_evidence);
        }
    }
    return MW_OK;
}

static void predictor_release(struct predictor *predictor)
{
    free(predictor->behind);
    predictor->behind = NULL;
    free(predictor->ensemble.fits); /* the fits are the model's and those of the next line */
    predictor->ensemble.fits = NULL;
    mw_mixture_release(&predictor->independent);
    mw_sites_release(&predictor->data);
}

static void deal_noise(double noise[MW_NOISE_STRATA][NOISE_PER_DRAW])
{
    double quantile[MW_NOISE_STRATA];
    mw_noise_quantiles(quantile);
    for (size_t turn = 0; turn < MW_NOISE_STRATA; turn++)
        for (size_t q = 0; q < NOISE_PER_DRAW; q++)
            noise[turn][q] = quantile[(turn * NOISE_STRIDE + q * (MW_NOISE_STRATA / NOISE_PER_DRAW)) % MW_NOISE_STRATA];
}

/* What the runs behind the boundary took over what the laws before it say there. */
static enum mw_err look_behind(struct predictor *predictor, struct mw_error *error)
{
    const struct mw_points *points = &predictor->model->points;
    double sign = predictor->model->quantity == MW_SPEEDUP ? -1 : 1;
    struct mw_config *config = malloc((points->count + 1) * sizeof *config);
    struct mw_prediction *before = malloc((points->count + 1) * sizeof *before);
    predictor->behind = malloc((points->count + 1) * sizeof *predictor->behind);
    enum mw_err err = config && before && predictor->behind ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    size_t n = 0;
    for (size_t i = 0; !err && i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!(p->cores > predictor->beyond.fitted))
            continue;
        config[n] = (struct mw_config){p->cores, p->freq_hz};
        predictor->behind[n].site = mw_sites_at(&predictor->data, p->cores, p->freq_hz);
        predictor->behind[n++].psi = sign * log(p->value);
    }
    predictor->raw = true;
    if (!err)
        err = answer_batch(predictor, config, n, before, error);
    predictor->raw = false;
    for (size_t i = 0; !err && i < n; i++)
        predictor->behind[i].psi -= sign * log(before[i].value);
    predictor->behind_count = err ? 0 : n;
    free(config);
    free(before);
    return err;
}

static enum mw_err look_beyond(struct predictor *predictor, struct mw_error *error)
{
    const struct mw_model *model = predictor->model;
    struct mw_sites sites = {0};
    enum mw_err err = mw_sites_init(&sites, &model->points, predictor->memory_freq_hz, MW_SITES_SAMPLE,
                                    mw_beyond_fitted(model), error);
    if (!err)
        err = mw_beyond_init(&predictor->beyond, model, &sites, error);
    mw_sites_release(&sites);
    return !err && isfinite(predictor->beyond.fitted) ? look_behind(predictor, error) : err;
}

static enum mw_err predictor_init(struct predictor *predictor, const struct mw_model *model,
                                  const struct mw_config *config, size_t n, struct mw_error *error)
{
    *predictor = (struct predictor){.model = model, .memory_freq_hz = model->memory_freq_hz};
    predictor->joint_top = predictor->independent_top = -INFINITY;
    deal_noise(predictor->noise);
    enum mw_err err = mw_sites_init(&predictor->data, &model->points, predictor->memory_freq_hz, MW_SITES_CONDITION,
                                    mw_beyond_fitted(model), error);
    for (size_t i = 0; i < model->points.count; i++)
        predictor->measured_most = fmax(predictor->measured_most, model->points.items[i].cores);
    if (!err)
        err = gather(predictor, config, n, error);
    if (!err && any_beyond(&predictor->data, config, n))
        err = look_beyond(predictor, error);
    if (err)
        predictor_release(predictor);
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
    struct predictor predictor;
    struct mw_power_view *view = NULL;
    enum mw_err err = mw_predict_check(model, config, n, baseline_freq_hz, error);
    if (err || n == 0)
        return err;
    err = predictor_init(&predictor, model, config, n, error);
    if (err)
        return err;
    predictor.baseline_freq_hz = baseline_freq_hz;
    struct mw_prediction *made = malloc(n * sizeof *made);
    if (!made)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    for (size_t at = 0; at < n && !err; at += BATCH)
        err = answer_batch(&predictor, config + at, n - at < BATCH ? n - at : BATCH, made + at, error);
    if (!err && has_energy(model))
        err = mw_power_view_alloc(&view, &model->power, &model->points, error);
    if (!err && view)
        err = add_energy(view, config, n, made, error);
    mw_power_view_free(view);
    if (!err)
        memcpy(out, made, n * sizeof *out);
    free(made);
    predictor_release(&predictor);
    return err;
}

struct mw_prepared {
    struct predictor predictor;
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
    struct predictor *p = &made->predictor;
    err = predictor_init(p, model, NULL, 0, error);
    p->baseline_freq_hz = baseline_freq_hz;
    p->without_speedup = without_speedup;
    if (!err)
        err = mw_cells_alloc(&p->cells, &p->ensemble, &p->data, model->quantity, baseline_freq_hz, p->memory_freq_hz,
                             error);
    if (!err) {
        double *weight = malloc((p->ensemble.count + 1) * sizeof *weight);
        if (weight)
            weigh(p, &(struct query){0}, weight);
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
    mw_cells_free(prepared->predictor.cells);
    free(prepared->predictor.inside);
    predictor_release(&prepared->predictor);
    free(prepared);
}

bool mw_prepared_covers(const struct mw_prepared *prepared, const struct mw_config *config)
{
    const struct predictor *p = &prepared->predictor;
    struct mw_site site = mw_site_at(config->cores, config->freq_hz, p->memory_freq_hz);
    return p->cells && doublings_beyond(site.p, p->data.p_min, p->data.p_max) <= 0 &&
           doublings_beyond(site.freq_hz, p->data.freq_min_hz, p->data.freq_max_hz) <= 0;
}

enum mw_err mw_prepared_predict(const struct mw_prepared *prepared, const struct mw_config *config, size_t n,
                                struct mw_prediction *out, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (size_t at = 0; at < n && !err; at += BATCH)
        err = answer_batch(&prepared->predictor, config + at, n - at < BATCH ? n - at : BATCH, out + at, error);
    return err;
}

enum mw_err mw_prepared_energy(const struct mw_prepared *prepared, const struct mw_config *config, size_t n,
                               struct mw_prediction *out, struct mw_error *error)
{
    return prepared->power && n ? add_energy(prepared->power, config, n, out, error) : MW_OK;
}
