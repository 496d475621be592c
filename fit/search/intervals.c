// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/intervals.h"

#include "fit/search/starts.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = MW_LAW_MAX_PARAMS };

void mw_region_release(struct mw_region *region)
{
    free(region->params);
    mw_limit_release(&region->limit);
    *region = (struct mw_region){0};
}

static enum mw_err keep(struct mw_region *region, const double *params, struct mw_error *error)
{
    if (region->count == region->capacity) {
        size_t more = region->capacity ? 2 * region->capacity : 64;
        double *grown = realloc(region->params, more * MAX * sizeof *grown);
        if (!grown)
            return mw_fail(error, MW_NOMEM, "out of memory");
        region->params = grown;
        region->capacity = more;
    }
    memcpy(region->params + MAX * region->count++, params, MAX * sizeof *params);
    return MW_OK;
}

/* One parameter's profile: the problem with it held, and the way from the optimum. */
struct profile {
    struct mw_problem problem;
    size_t j;
    double low, high;
    const double *bound;                /* upper bounds of all parameters */
    const struct mw_optimum *from;      /* where the way begins */
    const struct mw_optimum *wall_less; /* see hold */
    struct mw_region *region;
    struct mw_optimum *best; /* replaced where a better one is met */
    bool last, better;       /* last: better ones are left alone, so that the work ends */
};

/*
 * Along the ridge of the variable-latency family: where the wall is not seen, only k m1 and k m2 count, so a step in one of
 * k, m1 and m2 leaves the curve alone if the others follow. params: at the old value; false for other parameters.
 */
static bool follow_ridge(const struct profile *profile, double value, double *params)
{
    const struct mw_problem *pr = &profile->problem;
    if (!pr->law->branch || profile->j < MW_VLS_K || profile->j > MW_VLS_M2 || !(params[profile->j] > 0) ||
        !(value > 0))
        return false;
    double ratio = value / params[profile->j];
    for (size_t j = MW_VLS_K; j <= MW_VLS_M2; j++) {
        bool with = (profile->j == MW_VLS_K) == (j == MW_VLS_K); /* m1 and m2 go together, k against them */
        params[j] = fmin(fmax(with ? params[j] * ratio : params[j] / ratio, pr->law->params[j].low), profile->bound[j]);
    }
    return true;
}

/*
 * The best fit with the parameter at `value`: from *at (in and out) as it is, from *at along the ridge, and from the fit
 * without a wall along the ridge, because corners stop a fit that has to leave its pattern of branches.
 */
static enum mw_err hold(struct profile *profile, struct mw_optimum *at, double value, struct mw_error *error)
{
    enum { ITERATIONS = 12, STARTS = 3 };
    struct mw_optimum starts[STARTS] = {*at, *at, *profile->wall_less};
    bool use[STARTS] = {true, follow_ridge(profile, value, starts[1].params),
                        follow_ridge(profile, value, starts[2].params)};
    enum mw_err err = MW_OK;
    profile->problem.low[profile->j] = profile->problem.high[profile->j] = value;
    for (size_t i = 0; i < STARTS && !err; i++) {
        starts[i].params[profile->j] = value;
        if (use[i])
            err = mw_search_near(&starts[i], &profile->problem, ITERATIONS, error);
        if (use[i] && (i == 0 || starts[i].loss < at->loss))
            *at = starts[i];
    }
    if (!err && !profile->last && at->loss < profile->best->loss * (1 - 1e-7)) {
        *profile->best = *at;
        profile->better = true;
    }
    if (!err && at->loss <= mw_limit_towards(&profile->region->limit, &profile->problem, at))
        err = keep(profile->region, at->params, error);
    return err;
}

/* How far out a fit is: 0 at the optimum, 1 at the limit; about linear in the parameter. */
static double distance(const struct profile *profile, const struct mw_optimum *at)
{
    double rise = mw_limit_towards(&profile->region->limit, &profile->problem, at) - profile->best->loss;
    return sqrt(fmax(at->loss - profile->best->loss, 0) / rise);
}

/*
 * The end of the interval of a whole parameter on one side, from the bound inwards: values inside may lie far apart (a
 * staircase of 48 steps is much like one of 144), so that none is passed over.
 */
static enum mw_err whole_side(struct profile *profile, int direction, double *end, struct mw_error *error)
{
    enum { VALUES = 512 };
    double best = profile->from->params[profile->j], bound = floor(direction < 0 ? profile->low : profile->high);
    double step = fmax(1, floor(fabs(best - bound) / VALUES));
    enum mw_err err = MW_OK;
    *end = best;
    for (double value = bound; direction * (value - best) > 0 && !err && !profile->better; value -= direction * step) {
        struct mw_optimum at = *profile->from;
        err = hold(profile, &at, value, error);
        if (at.loss <= mw_limit_towards(&profile->region->limit, &profile->problem, &at)) {
            *end = value;
            break;
        }
    }
    return err;
}

/*
 * The end of the interval on one side. In u, the search's coordinate: growing steps until a fit is outside, then regula
 * falsi on the distance.
 */
static enum mw_err side(struct profile *profile, int direction, double *end, struct mw_error *error)
{
    enum { OUTWARD = 24, INWARD = 6 };
    size_t j = profile->j;
    double low = profile->low, high = profile->high;
    struct mw_optimum inside = *profile->from, at = inside;
    double u_in = mw_start_unit(low, high, inside.params[j]), u_out = u_in, q_in = distance(profile, &at);
    double q_out = q_in, step = 1e-3, value = inside.params[j];
    enum mw_err err = MW_OK;
    for (int i = 0; i < OUTWARD && q_out < 1 && !err && !profile->better; i++, step *= 2) {
        value = mw_start_value(low, high, fmin(fmax(u_in + direction * step, 0), 1));
        value = fmin(fmax(value, low), high);
        at = inside;
        err = hold(profile, &at, value, error);
        q_out = distance(profile, &at);
        u_out = mw_start_unit(low, high, value);
        if (q_out < 1) {
            inside = at;
            u_in = u_out;
            q_in = q_out;
            if (value <= low ? direction < 0 : value >= high && direction > 0) {
                *end = value;
                return err;
            }
        }
    }
    for (int i = 0; i < INWARD && !err && !profile->better && fabs(u_out - u_in) > 1e-5; i++) {
        double share = fmin(fmax((1 - q_in) / (q_out - q_in), .1), .9);
        double u = u_in + share * (u_out - u_in);
        value = mw_start_value(low, high, u);
        at = inside;
        err = hold(profile, &at, value, error);
        double q = distance(profile, &at);
        if (q < 1) {
            inside = at;
            u_in = u;
            q_in = q;
        } else {
            u_out = u;
            q_out = q;
        }
    }
    *end = mw_start_value(low, high, u_in);
    return err;
}

/* Fits inside the region at other values of a whole parameter than the best one's: one each, at most `most` of them. */
static enum mw_err other_values(struct mw_optimum *list, size_t most, size_t *count, const struct mw_region *region,
                                const struct mw_problem *problem, const struct mw_optimum *best, size_t whole,
                                struct mw_error *error)
{
    enum mw_err err = MW_OK;
    *count = 0;
    for (size_t i = 0; i < region->count && *count < most && !err; i++) {
        const double *params = region->params + i * MAX;
        bool seen = fabs(params[whole] - best->params[whole]) < .5;
        for (size_t k = 0; k < *count && !seen; k++)
            seen = fabs(params[whole] - list[k].params[whole]) < .5;
        if (seen)
            continue;
        list[*count] = *best;
        memcpy(list[*count].params, params, sizeof list[*count].params);
        err = mw_search_near(&list[(*count)++], problem, 12, error);
    }
    return err;
}

/* The interval of profile->j from all of `starts`, the first of them the best fit. */
static enum mw_err both_sides(struct mw_model_param *param, struct profile *profile, const struct mw_optimum *starts,
                              size_t count, struct mw_error *error)
{
    size_t j = profile->j;
    const struct mw_law *law = profile->problem.law;
    bool closed = profile->region->informative && profile->low < profile->high;
    double value = profile->best->params[j];
    enum mw_err err = MW_OK;
    snprintf(param->name, sizeof param->name, "%s", law->params[j].name);
    param->low = closed ? value : profile->low;
    param->high = closed ? value : profile->high;
    for (size_t i = 0; i < count && closed && !err && !profile->better; i++) {
        enum mw_err (*const end_of)(struct profile *, int, double *, struct mw_error *) =
            law->whole & 1u << j ? whole_side : side;
        double low = value, high = value;
        profile->from = i ? &starts[i] : profile->best;
        err = end_of(profile, -1, &low, error);
        if (!err && !profile->better)
            err = end_of(profile, 1, &high, error);
        param->low = fmin(param->low, low);
        param->high = fmax(param->high, high);
    }
    param->value = profile->best->params[j];
    param->low = fmin(param->low, param->value);
    param->high = fmax(param->high, param->value);
    return err;
}

/*
 * All parameters, or until a better fit is met. Whole ones come first: the others' intervals are then those from every
 * value of the whole one that is inside.
 */
static enum mw_err all_sides(struct mw_model_param *params, struct mw_region *region, struct mw_optimum *best,
                             const struct mw_optimum *wall_less, const struct mw_problem *problem, bool last,
                             bool *better, struct mw_error *error)
{
    enum { STARTS = 24 };
    struct mw_optimum starts[STARTS] = {*best};
    size_t count = 1, d = problem->law->param_count;
    enum mw_err err = MW_OK;
    *better = false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < d && !err && !*better; j++) {
            bool whole = problem->law->whole & 1u << j;
            if (whole != (pass == 0))
                continue;
            struct profile profile = {.problem = *problem,
                                      .j = j,
                                      .bound = problem->high,
                                      .wall_less = wall_less,
                                      .low = problem->low[j],
                                      .high = problem->high[j],
                                      .region = region,
                                      .best = best,
                                      .last = last};
            err = both_sides(&params[j], &profile, starts, count, error);
            *better = profile.better;
            size_t others = 0;
            if (whole && !err && !*better)
                err = other_values(starts + 1, STARTS - 1, &others, region, problem, best, j, error);
            count += others;
        }
    }
    return err;
}

/*
 * The best fit with the parallel term alone, from *at with k at its bound and m1, m2 so small that the wall is hardly
 * seen. Its loss is that without any wall.
 */
static enum mw_err without_wall(struct mw_optimum *at, const struct mw_problem *problem, struct mw_error *error)
{
    struct mw_problem held = *problem;
    unsigned char *parallel = calloc(problem->n + problem->base_n, 1);
    if (!parallel)
        return mw_fail(error, MW_NOMEM, "out of memory");
    double k = fmax(at->params[MW_VLS_K], 1e-3), high = problem->high[MW_VLS_K];
    held.low[MW_VLS_K] = at->params[MW_VLS_K] = high;
    at->params[MW_VLS_M1] *= k / high;
    at->params[MW_VLS_M2] *= k / high;
    held.held = parallel;
    enum mw_err err = mw_search_near(at, &held, 60, error);
    free(parallel);
    return err;
}

/*
 * Fits without a wall that are about as good belong to the interval, even if no way of good fits leads to them. About:
 * a wall may be placed anywhere, so the best of many fits to noise is twice the limit's distance better now and then.
 */
static void admit_no_wall(struct mw_model_param *params, struct mw_region *region, const struct mw_optimum *wall_less,
                          const struct mw_optimum *best, const struct mw_problem *problem)
{
    const double about = 2;
    region->no_wall = HUGE_VAL;
    if (!problem->law->branch || !region->informative)
        return;
    region->no_wall = sqrt(fmax(wall_less->loss - best->loss, 0) /
                           (mw_limit_towards(&region->limit, problem, wall_less) - best->loss));
    for (size_t j = 0; j < problem->law->param_count && region->no_wall <= about; j++) {
        params[j].low = fmin(params[j].low, wall_less->params[j]);
        params[j].high = fmax(params[j].high, wall_less->params[j]);
    }
}

enum mw_err mw_intervals(struct mw_model_param *params, struct mw_region *region, struct mw_optimum *optimum,
                         const struct mw_problem *problem, struct mw_error *error)
{
    enum { RESTARTS = 8 };
    struct mw_region made = {0};
    struct mw_optimum best = *optimum;
    enum mw_err err = MW_OK;
    bool better = true;
    struct mw_optimum wall_less = best;
    if (problem->law->branch)
        err = without_wall(&wall_less, problem, error);
    for (int restart = 0; better && restart <= RESTARTS && !err; restart++) {
        made.count = 0;
        better = false;
        mw_limit_release(&made.limit);
        err = mw_limit_init(&made.limit, problem, &best, error);
        made.informative = made.limit.informative;
        if (!err)
            err = keep(&made, best.params, error);
        if (!err)
            err = all_sides(params, &made, &best, &wall_less, problem, restart == RESTARTS, &better, error);
        if (!err && !better)
            admit_no_wall(params, &made, &wall_less, &best, problem);
        if (better && !err) /* to its end, with nothing held */
            err = mw_search_near(&best, problem, 60, error);
    }
    if (err) {
        mw_region_release(&made);
        return err;
    }
    *region = made;
    *optimum = best;
    return MW_OK;
}

/* A population of fits inside the region that climbs a functional. */
struct climb {
    const struct mw_problem *problem;
    const struct mw_functional *functional;
    const struct mw_limit *limit;
    double sign;
    struct mw_scratch scratch;
    gsl_rng *rng;
    double *x, *g;
    size_t count;
};

static void climb_once(struct climb *climb, size_t i)
{
    const struct mw_problem *pr = climb->problem;
    double next[MAX] = {0};
    const double *base = climb->x + i * MAX;
    const double *a = climb->x + MAX * gsl_rng_uniform_int(climb->rng, climb->count);
    const double *b = climb->x + MAX * gsl_rng_uniform_int(climb->rng, climb->count);
    double factor = 1.5 * gsl_rng_uniform(climb->rng);
    for (size_t j = 0; j < pr->law->param_count; j++) {
        double range = pr->high[j] - pr->low[j];
        next[j] = base[j] + factor * (a[j] - b[j]) + 1e-4 * range * (gsl_rng_uniform(climb->rng) - .5);
        next[j] = fmin(fmax(next[j], pr->low[j]), pr->high[j]);
    }
    double g = climb->sign * climb->functional->of(climb->functional->context, next);
    if (g <= climb->g[i])
        return;
    struct mw_optimum at = {.loss = 0};
    memcpy(at.params, next, sizeof at.params);
    at.loss = mw_problem_loss(pr, next, &at.b, &climb->scratch);
    if (at.loss <= mw_limit_towards(climb->limit, pr, &at)) {
        climb->g[i] = g;
        memcpy(climb->x + i * MAX, next, sizeof next);
    }
}

/* The largest value of sign x functional over the region. */
static double climb_to_end(struct climb *climb, const struct mw_region *region)
{
    enum { GENERATIONS = 30 };
    for (size_t i = 0; i < climb->count; i++) {
        memcpy(climb->x + i * MAX, region->params + i * region->count / climb->count * MAX, MAX * sizeof *climb->x);
        climb->g[i] = climb->sign * climb->functional->of(climb->functional->context, climb->x + i * MAX);
    }
    for (int generation = 0; generation < GENERATIONS; generation++)
        for (size_t i = 0; i < climb->count; i++)
            climb_once(climb, i);
    double best = climb->g[0];
    for (size_t i = 1; i < climb->count; i++)
        best = fmax(best, climb->g[i]);
    for (size_t i = 0; i < region->count; i++)
        best = fmax(best, climb->sign * climb->functional->of(climb->functional->context, region->params + i * MAX));
    return climb->sign * best;
}

enum mw_err mw_interval_of(double *low, double *high, const struct mw_functional *functional,
                           const struct mw_region *region, const struct mw_optimum *optimum,
                           const struct mw_problem *problem, unsigned long seed, struct mw_error *error)
{
    enum { POPULATION = 20 };
    struct climb climb = {.problem = problem, .functional = functional, .limit = &region->limit};
    climb.count = region->count < POPULATION ? region->count : POPULATION;
    climb.x = calloc(climb.count, MAX * sizeof *climb.x);
    climb.g = calloc(climb.count, sizeof *climb.g);
    climb.rng = gsl_rng_alloc(gsl_rng_taus2);
    enum mw_err err = climb.x && climb.g && climb.rng ? mw_scratch_init(&climb.scratch, problem, error)
                                                      : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err) {
        double value = functional->of(functional->context, optimum->params);
        gsl_rng_set(climb.rng, seed);
        climb.sign = -1;
        *low = fmin(climb_to_end(&climb, region), value);
        climb.sign = 1;
        *high = fmax(climb_to_end(&climb, region), value);
    }
    free(climb.x);
    free(climb.g);
    if (climb.rng)
        gsl_rng_free(climb.rng);
    mw_scratch_release(&climb.scratch);
    return err;
}
