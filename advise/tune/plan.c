// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/tune/plan.h"

#include "advise/diagnose/evidence.h"
#include "advise/tune/plan_internal.h"
#include "advise/tune/tune.h"
#include "data/stats.h"
#include "fit/surrogate.h"
#include "model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEXT_POINTS = 3 };

struct mw_plan_point *mw_plan_add(struct mw_plan *plan, struct mw_config candidate)
{
    struct mw_plan_point *p = &plan->points[plan->count++];
    *p = (struct mw_plan_point){.candidate = candidate};
    return p;
}

void mw_plan_name(struct mw_config c, char *text, size_t size)
{
    if (c.freq_hz > 0)
        snprintf(text, size, "%.0f core%s at %.4g GHz", c.cores, c.cores == 1 ? "" : "s", c.freq_hz / 1e9);
    else
        snprintf(text, size, "%.0f core%s", c.cores, c.cores == 1 ? "" : "s");
}

void mw_plan_release(struct mw_plan *plan)
{
    free(plan->points);
    memset(plan, 0, sizeof *plan);
}

/* Candidates and measured configurations, each once. */
struct choice {
    struct mw_config *items;
    size_t count;
    size_t *of_point;
    struct mw_reading *readings;
};

static void choice_release(struct choice *c)
{
    free(c->items);
    free(c->of_point);
    free(c->readings);
}

static enum mw_err choice_init(struct choice *c, const struct mw_points *points, const struct mw_plan_options *o,
                               struct mw_error *error)
{
    size_t n = o->candidate_count + points->count;
    *c = (struct choice){.items = calloc(n, sizeof *c->items),
                         .of_point = calloc(points->count + 1, sizeof *c->of_point),
                         .readings = calloc(points->count + 1, sizeof *c->readings),
                         .count = o->candidate_count};
    if (!c->items || !c->of_point || !c->readings) {
        choice_release(c);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    memcpy(c->items, o->candidates, o->candidate_count * sizeof *c->items);
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        struct mw_config at = {p->cores, p->freq_hz};
        bool energies = points->quantity == MW_ENERGY;
        size_t found = mw_config_find(c->items, c->count, at);
        if (found == c->count)
            c->items[c->count++] = at;
        c->of_point[i] = found;
        c->readings[i] =
            (struct mw_reading){.time_s = energies ? 0 : p->value,
                                .energy_j = energies        ? p->value
                                            : p->has_energy ? p->energy_j
                                                            : 0,
                                .spread = p->count > 1 ? p->spread * sqrt(fmin(1, M_PI / 2 / (double)p->count)) : 0,
                                .runs = p->count};
    }
    return MW_OK;
}

static void describe_best(struct mw_plan *plan, const struct mw_tuner *tuner, const struct choice *c,
                          const struct mw_plan_options *o)
{
    size_t best;
    char name[64];
    double left = 1 - mw_tuner_result(tuner).certainty;
    if (mw_tuner_best(tuner, &best)) {
        mw_plan_name(c->items[best], name, sizeof name);
        snprintf(plan->state, sizeof plan->state,
                 "best of %zu measured: %s; chance that something is better by %.3g %%: %.0f %%",
                 mw_tuner_result(tuner).count, name, 100 * o->tolerance, 100 * left);
    } else {
        snprintf(plan->state, sizeof plan->state,
                 "none of %zu measured keeps the limits; the best chance elsewhere is %.0f %%",
                 mw_tuner_result(tuner).count, 100 * left);
    }
}

/* One point by the tuner's rule, then taken to come out as predicted. */
static enum mw_err add_best(struct mw_plan *plan, struct mw_tuner *tuner, const struct choice *c,
                            const struct mw_plan_options *o, bool energies, size_t next, const char *reason,
                            struct mw_error *error)
{
    const struct mw_outlook look = mw_tuner_outlook(tuner)[next];
    struct mw_plan_point *p = mw_plan_add(plan, c->items[next]);
    size_t best;
    char name[64];
    double variance, value = mw_goal_value(&o->goal, &look, &variance), half = MW_NORMAL_90 * sqrt(variance);
    bool has_best = mw_tuner_best(tuner, &best);
    p->has_time = !energies;
    p->time_s = energies ? 0 : exp(look.ln_time);
    snprintf(p->reason, sizeof p->reason, "%s", reason);
    if (has_best) {
        double best_variance, best_value = mw_goal_value(&o->goal, &mw_tuner_outlook(tuner)[best], &best_variance);
        mw_plan_name(c->items[best], name, sizeof name);
        snprintf(p->settles, sizeof p->settles, "whether it beats %s: %s %+.1f to %+.1f %% of it expected", name,
                 mw_objective_name(o->goal.objective), 100 * expm1(value - half - best_value),
                 100 * expm1(value + half - best_value));
    } else {
        snprintf(p->settles, sizeof p->settles, "whether the limits can be kept here");
    }
    struct mw_reading as_predicted = {.time_s = energies ? 0 : exp(look.ln_time),
                                      .energy_j = exp(look.ln_time + look.ln_power)};
    return mw_tuner_observe(tuner, next, &as_predicted, NULL, error);
}

static enum mw_err plan_best(struct mw_plan *plan, const struct mw_points *points, const struct mw_plan_options *o,
                             size_t wanted, struct mw_error *error)
{
    struct choice c;
    struct mw_tuner *tuner = NULL;
    bool energies = points->quantity == MW_ENERGY;
    enum mw_err err = choice_init(&c, points, o, error);
    if (err)
        return err;
    struct mw_tune_options with = {.tolerance = o->tolerance,
                                   .max_points = c.count,
                                   .memory_freq_hz = o->memory_freq_hz,
                                   .boundaries = o->boundaries,
                                   .boundary_count = o->boundary_count,
                                   .energy_only = energies,
                                   .seed = o->seed};
    err = mw_tuner_alloc(&tuner, &o->goal, &with, c.items, c.count, error);
    if (!err)
        err = mw_tuner_preload(tuner, c.of_point, c.readings, points->count, error);
    if (!err)
        describe_best(plan, tuner, &c, o);
    while (!err && plan->count < wanted) {
        size_t next;
        char reason[160];
        if (mw_tuner_next(tuner, &next, reason, sizeof reason) != MW_TUNE_GOES_ON)
            break;
        err = add_best(plan, tuner, &c, o, energies, next, reason, error);
    }
    plan->settled = !err && !plan->count;
    mw_tuner_free(tuner);
    choice_release(&c);
    return err;
}

enum mw_err mw_plan_diagnosis(struct mw_plan *plan, const struct mw_points *points, const struct mw_plan_options *o,
                              size_t wanted, struct mw_error *error)
{
    struct mw_diagnose_options how = {
        .boundaries = o->boundaries, .boundary_count = o->boundary_count, .seed = o->seed};
    struct mw_points all = {.items = calloc(points->count + wanted + 1, sizeof *all.items),
                            .count = points->count,
                            .quantity = points->quantity};
    struct mw_diagnoser *diagnoser = NULL;
    enum mw_err err = all.items ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < o->candidate_count; i++) {
        how.cores = o->candidates[i].cores > how.cores ? (unsigned)o->candidates[i].cores : how.cores;
        how.freq_max_hz = fmax(how.freq_max_hz, o->candidates[i].freq_hz);
    }
    if (!err) {
        memcpy(all.items, points->items, points->count * sizeof *all.items);
        err = mw_diagnoser_alloc(&diagnoser, &how, error);
    }
    while (!err && plan->count < wanted) {
        struct mw_diagnose_step step;
        struct mw_diagnosis now = {0};
        err = mw_diagnoser_next(diagnoser, &step, &now, &all, o->candidates, o->candidate_count, error);
        if (!err && !plan->count)
            snprintf(plan->state, sizeof plan->state, "verdict so far: %s, %.0f %% sure", mw_verdict_name(now.verdict),
                     100 * now.confidence);
        if (!err && !plan->count)
            plan->memory_open = mw_diagnosis_memory_open(&now);
        if (err || step.done)
            break;
        struct mw_plan_point *p = mw_plan_add(plan, o->candidates[step.candidate]);
        snprintf(p->reason, sizeof p->reason, "%s", step.reason);
        if (step.information > 0)
            snprintf(p->settles, sizeof p->settles, "%s or %s", step.between[0], step.between[1]);
        else
            snprintf(p->settles, sizeof p->settles, "a point that every verdict rests on");
        all.items[all.count] = mw_diagnoser_expect(diagnoser, &p->candidate);
        p->has_time = points->quantity == MW_TIME;
        p->time_s = p->has_time ? all.items[all.count].value : 0;
        all.count++;
    }
    plan->settled = !err && !plan->count;
    mw_diagnoser_free(diagnoser);
    free(all.items);
    return err;
}

enum mw_err mw_plan_make(struct mw_plan *plan, const struct mw_points *points, const struct mw_plan_options *options,
                         struct mw_error *error)
{
    if (!options->candidate_count)
        return mw_fail(error, MW_USAGE, "there is no configuration to choose from");
    size_t wanted = options->count ? options->count : NEXT_POINTS;
    size_t room = wanted > MW_PLAN_DESIGN_MOST ? wanted : MW_PLAN_DESIGN_MOST;
    struct mw_plan result = {.points = calloc(room, sizeof *result.points)};
    enum mw_err err = MW_OK;
    if (!result.points)
        return mw_fail(error, MW_NOMEM, "out of memory");
    if (!points->count)
        mw_plan_first_design(&result, options);
    else if (options->purpose == MW_PLAN_SURFACE)
        err = mw_plan_surface(&result, points, options, wanted, error);
    else if (options->purpose == MW_PLAN_DIAGNOSIS)
        err = mw_plan_diagnosis(&result, points, options, wanted, error);
    else
        err = plan_best(&result, points, options, wanted, error);
    if (err)
        mw_plan_release(&result);
    else
        *plan = result;
    return err;
}
