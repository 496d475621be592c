// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/compare/compare.h"

#include "data/clock.h"
#include "fit/compare/learners.h"
#include "fit/predict/mixture.h"
#include "fit/predict/predict.h"
#include "model/laws.h"
#include "model/time.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAWS_MAX = 32, METHODS_MAX = LAWS_MAX + 1 + MW_LEARNER_COUNT };

void mw_compare_release(struct mw_compare *comparison)
{
    free(comparison->entries);
    *comparison = (struct mw_compare){0};
}

/* One split: points to train on (sorted as mw_points are) and to judge by. */
struct split {
    struct mw_points train;
    struct mw_point *test;
    size_t test_count;
    double *predicted; /* ln value at the test points */
};

struct batch {
    const struct mw_compare_options *options;
    struct mw_points usable;
    struct mw_score scores[LAWS_MAX];
    size_t law_count;
    gsl_rng *rng;
    bool *pool;    /* of each usable point: may be trained on */
    size_t *order; /* of the pool, as indices of usable points: shuffled, or the plan's */
    size_t order_count;
    struct split split;
    double error_percent[METHODS_MAX];
};

static void batch_release(struct batch *s)
{
    free(s->usable.items);
    free(s->order);
    free(s->pool);
    free(s->split.train.items);
    free(s->split.test);
    free(s->split.predicted);
    if (s->rng)
        gsl_rng_free(s->rng);
}

void mw_compare_pool(const struct mw_points *points, enum mw_compare_split split, bool *pool)
{
    double cores = 0, low_hz = HUGE_VAL, high_hz = 0;
    for (size_t i = 0; i < points->count; i++) {
        cores = fmax(cores, points->items[i].cores);
        low_hz = fmin(low_hz, points->items[i].freq_hz);
        high_hz = fmax(high_hz, points->items[i].freq_hz);
    }
    for (size_t i = 0; i < points->count; i++)
        pool[i] = split == MW_SPLIT_INTERPOLATE ||
                  (split == MW_SPLIT_CORES ? 2 * points->items[i].cores <= cores
                                           : 2 * points->items[i].freq_hz <= low_hz + high_hz && low_hz < high_hz);
}

/* What may be trained on, in the order of the plan where there is one. */
static void fill_pool(struct batch *s, const struct mw_points *points, const size_t *usable_of)
{
    const struct mw_compare_options *o = s->options;
    size_t n = o->order ? o->order_count : points->count;
    mw_compare_pool(&s->usable, o->split, s->pool);
    for (size_t i = 0; i < n; i++) {
        size_t at = o->order ? o->order[i] : i;
        if (at < points->count && usable_of[at] < s->usable.count && s->pool[usable_of[at]])
            s->order[s->order_count++] = usable_of[at];
    }
}

static enum mw_err batch_init(struct batch *s, const struct mw_points *points, const struct mw_compare_options *options,
                              struct mw_error *error)
{
    size_t n = points->count;
    *s = (struct batch){.options = options, .usable = {.quantity = points->quantity}};
    s->usable.items = malloc((n + 1) * sizeof *s->usable.items);
    s->order = malloc((n + 1) * sizeof *s->order);
    s->split.train =
        (struct mw_points){.items = malloc((n + 1) * sizeof *s->split.train.items), .quantity = points->quantity};
    s->pool = malloc((n + 1) * sizeof *s->pool);
    size_t *usable_of = malloc((n + 1) * sizeof *usable_of);
    s->split.test = malloc((n + 1) * sizeof *s->split.test);
    s->split.predicted = malloc((n + 1) * sizeof *s->split.predicted);
    s->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!s->usable.items || !s->order || !s->pool || !usable_of || !s->split.train.items || !s->split.test ||
        !s->split.predicted || !s->rng) {
        free(usable_of);
        batch_release(s);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        usable_of[i] = n; /* none */
        if (points->quantity == MW_TIME || points->items[i].cores > 1) {
            usable_of[i] = s->usable.count;
            s->usable.items[s->usable.count++] = points->items[i];
        }
    }
    fill_pool(s, points, usable_of);
    free(usable_of);
    for (const struct mw_law *const *law = mw_laws; *law && s->law_count < LAWS_MAX; law++)
        if (!(*law)->weak_scaling)
            s->scores[s->law_count++].law = *law;
    gsl_rng_set(s->rng, options->seed);
    return MW_OK;
}

static void draw_split(struct batch *s, size_t train)
{
    bool *chosen = (bool *)s->split.predicted; /* free until predictions are made */
    if (!s->options->order)
        gsl_ran_shuffle(s->rng, s->order, s->order_count, sizeof *s->order);
    memset(chosen, 0, s->usable.count * sizeof *chosen);
    for (size_t i = 0; i < train; i++)
        chosen[s->order[i]] = true;
    s->split.train.count = s->split.test_count = 0;
    for (size_t i = 0; i < s->usable.count; i++) {
        if (chosen[i])
            s->split.train.items[s->split.train.count++] = s->usable.items[i];
        else if (s->options->split == MW_SPLIT_INTERPOLATE || !s->pool[i])
            s->split.test[s->split.test_count++] = s->usable.items[i];
    }
}

static double mean_error(const struct split *split)
{
    double sum = 0;
    for (size_t i = 0; i < split->test_count; i++)
        sum += fabs(exp(split->predicted[i]) / split->test[i].value - 1);
    return 100 * sum / (double)split->test_count;
}

static enum mw_err judge_laws(struct batch *s, double *percent, struct mw_error *error)
{
    double memory_freq_hz = s->options->knowledge->memory_freq_hz;
    bool by_clock = s->usable.quantity == MW_TIME && mw_clock_known(&s->usable);
    struct mw_score_options options = {MW_LOSS_ROBUST, MW_METHOD_CSA, 0, s->options->seed, s->options->knowledge, NULL};
    enum mw_err err = mw_robust_scale(&options.robust_scale, &s->split.train, &mw_law_vls, &options, error);
    if (!err)
        err = mw_score_laws(s->scores, s->law_count, &s->split.train, &options, error);
    for (size_t l = 0; l < s->law_count && !err; l++) {
        const struct mw_optimum *best = &s->scores[l].optimum;
        for (size_t i = 0; i < s->split.test_count; i++) {
            const struct mw_point *at = &s->split.test[i];
            double clock_hz = by_clock ? at->freq_effective_hz : at->freq_hz, phi = mw_phi(clock_hz, memory_freq_hz);
            s->split.predicted[i] =
                s->usable.quantity == MW_TIME
                    ? log(mw_time_s(s->scores[l].law, best->params, exp(best->b), at->cores, clock_hz, memory_freq_hz))
                    : log(mw_speedup_same(s->scores[l].law, best->params, at->cores, phi)) - best->b;
        }
        percent[l] = mean_error(&s->split);
    }
    return err;
}

static enum mw_err judge_mixture(struct batch *s, double *percent, struct mw_error *error)
{
    struct mw_model model = {.law = "mixture",
                             .quantity = s->usable.quantity,
                             .memory_freq_hz = s->options->knowledge->memory_freq_hz,
                             .k_max = s->options->knowledge->limits.k_max,
                             .r_max = s->options->knowledge->limits.r_max,
                             .seed = s->options->seed,
                             .points = s->split.train};
    size_t n = s->split.test_count;
    struct mw_config *query = malloc(n * sizeof *query);
    struct mw_prediction *out = malloc(n * sizeof *out);
    enum mw_err err = query && out ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_mixture_fit(&model, error);
    for (size_t i = 0; i < n && !err; i++)
        query[i] = (struct mw_config){s->split.test[i].cores, s->split.test[i].freq_hz};
    if (!err)
        err = mw_predict(&model, query, n, out, error);
    for (size_t i = 0; i < n && !err; i++)
        s->split.predicted[i] = log(out[i].value);
    if (!err)
        *percent = mean_error(&s->split);
    free(query);
    free(out);
    model.points = (struct mw_points){0}; /* the split's */
    mw_model_release(&model);
    return err;
}

static void features(const struct mw_point *point, double *x)
{
    x[0] = log(point->cores);
    x[1] = point->freq_hz > 0 ? log(point->freq_hz) : 0;
}

static enum mw_err judge_learners(struct batch *s, double *percent, struct mw_error *error)
{
    size_t n = s->split.train.count, m = s->split.test_count;
    double(*x)[2] = malloc((n + m) * sizeof *x), *y = malloc(n * sizeof *y);
    enum mw_err err = x && y ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n && !err; i++) {
        features(&s->split.train.items[i], x[i]);
        y[i] = log(s->split.train.items[i].value);
    }
    for (size_t i = 0; i < m && !err; i++)
        features(&s->split.test[i], x[n + i]);
    for (int learner = 0; learner < MW_LEARNER_COUNT && !err; learner++) {
        if (!mw_learner_present((enum mw_learner)learner))
            continue;
        const double(*rows)[2] = (const double(*)[2])x;
        err = mw_learner_predict((enum mw_learner)learner, rows, y, n, rows + n, m, s->split.predicted, error);
        *percent++ = mean_error(&s->split);
    }
    free(x);
    free(y);
    return err;
}

static enum mw_err judge_split(struct batch *s, size_t train, struct mw_error *error)
{
    draw_split(s, train);
    enum mw_err err = judge_mixture(s, s->error_percent, error);
    if (!err)
        err = judge_laws(s, s->error_percent + 1, error);
    return err ? err : judge_learners(s, s->error_percent + 1 + s->law_count, error);
}

static void name_entries(const struct batch *s, struct mw_compare_entry *entries, size_t train)
{
    size_t at = 0;
    snprintf(entries[at++].name, sizeof entries->name, "mixture");
    for (size_t l = 0; l < s->law_count; l++)
        snprintf(entries[at++].name, sizeof entries->name, "%s", s->scores[l].law->name);
    for (int learner = 0; learner < MW_LEARNER_COUNT; learner++)
        if (mw_learner_present((enum mw_learner)learner))
            snprintf(entries[at++].name, sizeof entries->name, "%s", mw_learner_name((enum mw_learner)learner));
    for (size_t i = 0; i < at; i++)
        entries[i].train = train;
}

enum mw_err mw_compare_run(struct mw_compare *comparison, const struct mw_points *points,
                           const struct mw_compare_options *options, struct mw_error *error)
{
    struct batch s;
    struct mw_compare made = {0};
    enum mw_err err = batch_init(&s, points, options, error);
    if (err)
        return err;
    made.methods = 1 + s.law_count;
    for (int learner = 0; learner < MW_LEARNER_COUNT; learner++)
        made.methods += mw_learner_present((enum mw_learner)learner);
    made.count = made.methods * options->size_count;
    made.entries = calloc(made.count + 1, sizeof *made.entries);
    if (!made.entries)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t k = 0; k < options->size_count && !err; k++) {
        struct mw_compare_entry *entries = made.entries + k * made.methods;
        if (options->sizes[k] < 2 || options->sizes[k] > s.order_count || options->sizes[k] >= s.usable.count)
            err = mw_fail(
                error, MW_NOFIT,
                "%zu points can't be trained on with some left to judge by: there are %zu, %zu of them to train on",
                options->sizes[k], s.usable.count, s.order_count);
        name_entries(&s, entries, options->sizes[k]);
        for (size_t r = 0; r < options->repeats && !err; r++) {
            if (options->progress)
                options->progress(options->context, k * options->repeats + r, options->size_count * options->repeats);
            err = judge_split(&s, options->sizes[k], error);
            for (size_t i = 0; i < made.methods && !err; i++) {
                double e = s.error_percent[i];
                entries[i].mean_percent += e / (double)options->repeats;
                entries[i].low_percent = r ? fmin(entries[i].low_percent, e) : e;
                entries[i].high_percent = fmax(entries[i].high_percent, e);
            }
        }
    }
    batch_release(&s);
    if (err)
        mw_compare_release(&made);
    else
        *comparison = made;
    return err;
}
