// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/recommend/recommend_internal.h"
#include "data/stats.h"
#include "fit/predict/predict.h"
#include "fit/surrogate.h"
#include "model/time.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The step between the clocks of nearly every server processor (the bus clock of 100 MHz times a ratio). */
static const double clock_step_hz = 1e8;
/* Measured frequencies this far from a multiple are multiples. */
static const double clock_slack_hz = 1e6;

struct lists {
    double *cores, *freqs_hz;
    size_t core_count, freq_count;
};

static bool on_clock_steps(const struct mw_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        double f = points->items[i].freq_hz;
        if (!(f > 0) || fabs(f - clock_step_hz * round(f / clock_step_hz)) > clock_slack_hz)
            return false;
    }
    return true;
}

enum mw_err mw_supposed_freqs(const struct mw_points *points, double **freqs_hz, size_t *count, struct mw_error *error)
{
    double low = INFINITY, high = 0;
    bool steps = on_clock_steps(points);
    for (size_t i = 0; i < points->count; i++) {
        low = fmin(low, points->items[i].freq_hz);
        high = fmax(high, points->items[i].freq_hz);
    }
    size_t room = steps ? (size_t)lround((high - low) / clock_step_hz) + 1 : points->count, n = 0;
    double *list = malloc((room + 1) * sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; steps && i < room; i++)
        list[n++] = clock_step_hz * round(low / clock_step_hz + (double)i);
    for (size_t i = 0; !steps && i < points->count; i++) { /* points are sorted by frequency */
        double f = points->items[i].freq_hz;
        if (!n || f > list[n - 1])
            list[n++] = f;
    }
    *freqs_hz = list;
    *count = n;
    return MW_OK;
}

static enum mw_err make_lists(struct lists *lists, const struct mw_model *model,
                              const struct mw_recommend_options *options, struct mw_error *error)
{
    unsigned most = 1;
    for (size_t i = 0; i < model->points.count; i++)
        most = model->points.items[i].cores > most ? model->points.items[i].cores : most;
    lists->core_count = options->core_count ? options->core_count : most;
    lists->cores = malloc(lists->core_count * sizeof *lists->cores);
    if (!lists->cores)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < lists->core_count; i++)
        lists->cores[i] = options->core_count ? options->cores[i] : (double)(i + 1);
    if (!options->freq_count)
        return mw_supposed_freqs(&model->points, &lists->freqs_hz, &lists->freq_count, error);
    lists->freqs_hz = malloc(options->freq_count * sizeof *lists->freqs_hz);
    if (!lists->freqs_hz)
        return mw_fail(error, MW_NOMEM, "out of memory");
    memcpy(lists->freqs_hz, options->freqs_hz, options->freq_count * sizeof *lists->freqs_hz);
    lists->freq_count = options->freq_count;
    return MW_OK;
}

/* Whether a configuration was measured (energy: its energy, too), by a point that is no outlier. */
static bool was_measured(const struct mw_model *model, const struct mw_config *c, bool energy)
{
    for (size_t i = 0; i < model->points.count; i++) {
        const struct mw_point *p = &model->points.items[i];
        if (p->cores == c->cores && mw_freq_same(p->freq_hz, c->freq_hz) && p->noise_factor <= 1)
            return p->has_energy || !energy;
    }
    return false;
}

static struct mw_spread spread_of(double ln_value, double variance)
{
    double half = MW_NORMAL_90 * sqrt(variance);
    return (struct mw_spread){exp(ln_value), exp(ln_value - half), exp(ln_value + half)};
}

static double variance_of(double low, double high)
{
    double sd = log(high / low) / (2 * MW_NORMAL_90);
    return sd * sd;
}

/* ln time, power and efficiency of one option, and the intervals that predict prints of it. */
static void look_at(struct mw_option *o, const struct mw_model *model, const struct mw_prediction *p)
{
    struct mw_outlook *look = &o->outlook;
    bool speedups = model->quantity == MW_SPEEDUP;
    o->measured = was_measured(model, &o->candidate, false);
    o->baseline_measured = speedups || was_measured(model, &(struct mw_config){1, o->candidate.freq_hz}, false);
    o->has_time = model->quantity == MW_TIME;
    o->has_energy = p->has_energy;
    o->extrapolated = p->extrapolated_cores || p->extrapolated_freq;
    look->ln_work = model->weak && !speedups ? log(o->candidate.cores) : 0;
    look->ln_time = speedups ? -p->ln_mean : p->ln_mean - look->ln_work;
    look->time_variance = p->ln_sd * p->ln_sd;
    look->ln_power = p->has_energy ? log(p->power_w) : 0;
    look->power_variance = p->has_energy ? p->ln_power_sd * p->ln_power_sd : 0;
    if (o->candidate.cores > 1) {
        look->ln_efficiency = log(p->speedup / o->candidate.cores);
        look->efficiency_variance = variance_of(p->speedup_low, p->speedup_high);
    }
    double cores = o->candidate.cores;
    o->time_s = (struct mw_spread){p->value, p->low, p->high};
    o->energy_j = (struct mw_spread){p->energy_j, p->energy_low_j, p->energy_high_j};
    o->power_w = spread_of(look->ln_power, look->power_variance);
    o->efficiency = (struct mw_spread){p->speedup / cores, p->speedup_low / cores, p->speedup_high / cores};
}

static void judge(struct mw_option *o, const struct mw_goal *goal)
{
    double variance, value = mw_goal_value(goal, &o->outlook, &variance);
    o->objective = spread_of(value, variance);
    o->expected = exp(value + variance / 2);
    o->gain_kept = true;
}

/* A table of speedups with energies beside them: energies go by the tuner's law of energies, since there are no times. */
static enum mw_err look_at_energies(struct mw_recommendation *r, const struct mw_model *model, struct mw_error *error)
{
    size_t n = r->count + 1, points = 0;
    struct mw_site *sites = calloc(n + model->points.count, sizeof *sites), *given = sites + n;
    double *values = calloc(2 * n + model->points.count, sizeof *values), *mean = values + model->points.count;
    struct mw_surrogate *surrogate = NULL;
    double memory = model->memory_freq_hz > 0 ? model->memory_freq_hz : MW_MEMORY_FREQ_ASSUMED_HZ, high = 0;
    enum mw_err err = sites && values ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < model->points.count; i++)
        high = fmax(high, model->points.items[i].freq_hz);
    for (size_t i = 0; !err && i < n + model->points.count; i++) {
        const struct mw_point *p = i < n ? NULL : &model->points.items[i - n];
        struct mw_config c = p              ? (struct mw_config){p->cores, p->freq_hz}
                             : i < r->count ? r->options[i].candidate
                                            : r->reference.candidate;
        double f = c.freq_hz > 0 ? c.freq_hz : memory, sockets = 1;
        for (size_t b = 0; b < model->boundary_count; b++)
            sockets += c.cores > model->boundaries[b];
        struct mw_site site = {c.cores, f / 1e9, f / memory, high > 0 ? f / high : 1, sockets};
        if (!p)
            sites[i] = site;
        else if (p->has_energy && p->energy_j > 0) {
            given[points] = site;
            values[points++] = log(p->energy_j);
        }
    }
    if (!err)
        err = mw_surrogate_alloc(&surrogate, MW_SURROGATE_ENERGY, 0, 1, error);
    if (!err)
        err = mw_surrogate_fit(surrogate, points, given, values, NULL, error);
    if (!err)
        err = mw_surrogate_predict(surrogate, n, sites, mean, mean + n, error);
    for (size_t i = 0; !err && i < n; i++) {
        struct mw_option *o = i < r->count ? &r->options[i] : &r->reference;
        o->has_energy = true;
        o->outlook.ln_time = o->outlook.time_variance = 0;
        o->outlook.ln_power = mean[i];
        o->outlook.power_variance = mean[n + i];
        o->energy_j = spread_of(mean[i], mean[n + i]);
    }
    mw_surrogate_free(surrogate);
    free(sites);
    free(values);
    return err;
}

static size_t points_with_energy(const struct mw_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < model->points.count; i++)
        count += model->points.items[i].has_energy;
    return count;
}

static enum mw_err check_goal(const struct mw_model *model, const struct mw_goal *goal, bool *energies,
                              struct mw_error *error)
{
    enum { LEAST_ENERGIES = 3 };
    *energies = false;
    if (model->quantity == MW_SPEEDUP && !mw_goal_needs_time(goal) && points_with_energy(model) >= LEAST_ENERGIES) {
        *energies = true;
        return MW_OK;
    }
    if (model->quantity == MW_SPEEDUP && (goal->deadline_s > 0 || mw_goal_needs_power(goal))) {
        mw_fail(error, MW_NOFIT, "the model knows speedups and no times");
        return mw_hint(error, "fit a file with times for deadlines, power and energy");
    }
    if (model->quantity == MW_TIME && mw_goal_needs_power(goal) && !model->power.present) {
        mw_fail(error, MW_NOFIT, "no power is known, and the %s needs it",
                goal->power_cap_w > 0 ? "power cap" : "objective");
        return mw_hint(error, "fit runs with energy_j or power_w at three points or more, or give --power-model FILE");
    }
    return MW_OK;
}

/*
 * A law over cores holds a scale and, at the least, one way to stop scaling: one core count says nothing about others, and
 * two say nothing beyond them. Speedups are over one core, which is then a count more.
 */
static enum mw_err check_counts(const struct mw_model *model, const struct lists *lists, struct mw_error *error)
{
    bool speedups = model->quantity == MW_SPEEDUP;
    unsigned high = 0;
    size_t counts = speedups;
    for (size_t i = 0; i < model->points.count; i++) {
        unsigned cores = model->points.items[i].cores;
        bool seen = speedups && cores == 1;
        for (size_t k = 0; k < i && !seen; k++)
            seen = model->points.items[k].cores == cores;
        counts += !seen;
        high = cores > high ? cores : high;
    }
    double first = lists->cores[0], last = lists->cores[lists->core_count - 1], quarter = fmax(floor(last / 4), 2);
    if (counts < 1 || counts > 2 || (last <= high && (counts == 2 || first >= high)))
        return MW_OK;
    mw_fail(error, MW_NOFIT, "undetermined: runs on %s say nothing about %.0f cores",
            counts < 2 ? "one core count" : "two core counts", last > high ? last : first);
    if (last <= high)
        return mw_hint(error, "measure 1 and %.0f cores and fit again, or choose among frequencies with --cores %u",
                       quarter, high);
    return mw_hint(error,
                   quarter < last ? "measure 1, %.0f and %.0f cores, and fit again"
                                  : "measure 1 and %.0f cores, and fit again",
                   quarter, last);
}

/* Speedups over one core at the same frequency do not compare between frequencies. */
static void keep_highest(struct lists *lists)
{
    lists->freqs_hz[0] = lists->freqs_hz[lists->freq_count - 1];
    lists->freq_count = 1;
}

static struct mw_config default_reference(const struct lists *lists)
{
    return (struct mw_config){(unsigned)lists->cores[lists->core_count - 1], lists->freqs_hz[lists->freq_count - 1]};
}

/* What was predicted for the same candidates already. */
static bool take_over(struct mw_recommendation *r, const struct mw_recommendation *looked)
{
    if (!looked || looked->count != r->count)
        return false;
    for (size_t i = 0; i <= r->count; i++) {
        const struct mw_option *from = i < r->count ? &looked->options[i] : &looked->reference;
        struct mw_option *to = i < r->count ? &r->options[i] : &r->reference;
        if (from->candidate.cores != to->candidate.cores || from->candidate.freq_hz != to->candidate.freq_hz)
            return false;
        *to = *from;
    }
    return true;
}

static enum mw_err predict_all(struct mw_recommendation *r, const struct mw_model *model, struct mw_error *error)
{
    size_t n = r->count + 1;
    struct mw_config *query = malloc(n * sizeof *query);
    struct mw_prediction *predictions = malloc(n * sizeof *predictions);
    enum mw_err err = query && predictions ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    for (size_t i = 0; !err && i < n; i++) {
        const struct mw_config *c = i < r->count ? &r->options[i].candidate : &r->reference.candidate;
        query[i] = (struct mw_config){c->cores, c->freq_hz};
    }
    if (!err)
        err = mw_predict(model, query, n, predictions, error);
    for (size_t i = 0; !err && i < n; i++)
        look_at(i < r->count ? &r->options[i] : &r->reference, model, &predictions[i]);
    free(query);
    free(predictions);
    return err;
}

enum mw_err mw_recommend_look(struct mw_recommendation *r, const struct mw_model *model, const struct mw_goal *goal,
                              const struct mw_recommend_options *options, const struct mw_recommendation *looked,
                              struct mw_error *error)
{
    struct lists lists = {0};
    bool energies;
    enum mw_err err = check_goal(model, goal, &energies, error);
    if (!err)
        err = make_lists(&lists, model, options, error);
    if (!err)
        err = check_counts(model, &lists, error);
    if (err)
        goto out;
    r->relative = model->quantity == MW_SPEEDUP && !energies;
    if (r->relative)
        keep_highest(&lists);
    r->options = calloc(lists.core_count * lists.freq_count, sizeof *r->options);
    if (!r->options) {
        err = mw_fail(error, MW_NOMEM, "out of memory");
        goto out;
    }
    for (size_t f = 0; f < lists.freq_count; f++)
        for (size_t p = 0; p < lists.core_count; p++)
            r->options[r->count++].candidate = (struct mw_config){(unsigned)lists.cores[p], lists.freqs_hz[f]};
    r->reference.candidate = goal->has_reference ? goal->reference : default_reference(&lists);
    if (goal->has_reference && !(goal->reference.freq_hz > 0)) /* cores alone: at the highest frequency */
        r->reference.candidate.freq_hz = lists.freqs_hz[lists.freq_count - 1];
    if (!take_over(r, looked))
        err = predict_all(r, model, error);
    if (!err && energies)
        err = look_at_energies(r, model, error);
    bool by_energy = mw_goal_needs_power(goal) && points_with_energy(model) > 0;
    for (size_t i = 0; !err && i <= r->count; i++) {
        struct mw_option *o = i < r->count ? &r->options[i] : &r->reference;
        o->measured = was_measured(model, &o->candidate, by_energy); /* a run without its energy tells half of it */
        judge(o, goal);
    }
out:
    free(lists.cores);
    free(lists.freqs_hz);
    return err;
}
