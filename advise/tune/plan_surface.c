// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/tune/plan_internal.h"
#include "fit/surrogate.h"
#include "fit/thin.h"
#include "model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    GRID = 200,  /* candidates that the variance is summed over: the covariance of all takes their square */
    FITTED = 64, /* points that the surrogate is fitted to */
};

static struct mw_site site_of(const struct mw_plan_options *o, double cores, double freq_hz, double high_hz)
{
    double memory = o->memory_freq_hz > 0 ? o->memory_freq_hz : MW_MEMORY_FREQ_ASSUMED_HZ, sockets = 1;
    double freq = freq_hz > 0 ? freq_hz : memory;
    for (size_t b = 0; b < o->boundary_count; b++)
        sockets += cores > o->boundaries[b];
    return (struct mw_site){cores, freq / 1e9, freq / memory, high_hz > 0 ? freq / high_hz : 1, sockets};
}

struct surface {
    struct mw_site *grid;
    size_t *kept; /* candidate of each grid site */
    double *mean, *variance, *covariance, nugget;
    size_t count;
};

static void surface_release(struct surface *s)
{
    free(s->grid);
    free(s->kept);
    free(s->mean);
    free(s->covariance);
}

/* Surrogate of the points' values, predicted on a thinned grid of the candidates. */
static enum mw_err prepare(struct surface *s, const struct mw_points *points, const struct mw_plan_options *o,
                           struct mw_error *error)
{
    struct mw_surrogate *surrogate = NULL;
    double high = 0, ln_value[FITTED];
    struct mw_site *all = calloc(points->count + o->candidate_count, sizeof *all), *candidates = all + points->count,
                   fitted[FITTED];
    size_t kept[FITTED];
    s->kept = calloc(GRID, sizeof *s->kept);
    s->grid = calloc(GRID, sizeof *s->grid);
    s->mean = calloc(2 * GRID, sizeof *s->mean);
    s->covariance = calloc((size_t)GRID * GRID, sizeof *s->covariance);
    enum mw_err err =
        all && s->kept && s->grid && s->mean && s->covariance ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < o->candidate_count; i++)
        high = fmax(high, o->candidates[i].freq_hz);
    for (size_t i = 0; !err && i < points->count; i++)
        all[i] = site_of(o, points->items[i].cores, points->items[i].freq_hz, high);
    for (size_t i = 0; !err && i < o->candidate_count; i++)
        candidates[i] = site_of(o, o->candidates[i].cores, o->candidates[i].freq_hz, high);
    if (!err) {
        size_t n = mw_thin(all, points->count, FITTED, kept);
        for (size_t i = 0; i < n; i++) {
            fitted[i] = all[kept[i]];
            ln_value[i] = log(points->items[kept[i]].value);
        }
        s->variance = s->mean + GRID;
        s->count = mw_thin(candidates, o->candidate_count, GRID, s->kept);
        for (size_t i = 0; i < s->count; i++)
            s->grid[i] = candidates[s->kept[i]];
        err = mw_surrogate_alloc(&surrogate, points->quantity == MW_ENERGY ? MW_SURROGATE_ENERGY : MW_SURROGATE_TIME, 0,
                                 o->seed, error);
        if (!err)
            err = mw_surrogate_fit(surrogate, n, fitted, ln_value, NULL, error);
    }
    if (!err)
        err = mw_surrogate_predict(surrogate, s->count, s->grid, s->mean, s->variance, error);
    if (!err)
        err = mw_surrogate_covariance(surrogate, s->count, s->grid, s->covariance, &s->nugget, error);
    mw_surrogate_free(surrogate);
    free(all);
    return err;
}

/* By how much the sum of variances falls when grid site i is measured. */
static double reduction(const struct surface *s, size_t i)
{
    double sum = 0, own = s->covariance[i * s->count + i] + s->nugget;
    for (size_t k = 0; k < s->count; k++)
        sum += s->covariance[i * s->count + k] * s->covariance[i * s->count + k];
    return sum / own;
}

static double mean_sd(const struct surface *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += fmax(0, s->covariance[i * s->count + i]);
    return sqrt(sum / (double)s->count);
}

/* Gaussian conditioning on a reading at grid site i. */
static enum mw_err condition(struct surface *s, size_t i, struct mw_error *error)
{
    double own = s->covariance[i * s->count + i] + s->nugget, *row = malloc(s->count * sizeof *row);
    if (!row)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t k = 0; k < s->count; k++)
        row[k] = s->covariance[i * s->count + k];
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++)
            s->covariance[a * s->count + b] -= row[a] * row[b] / own;
    free(row);
    return MW_OK;
}

static bool is_measured(const struct mw_points *points, struct mw_config c)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].cores == c.cores && fabs(points->items[i].freq_hz - c.freq_hz) <= 1e-4 * c.freq_hz)
            return true;
    return false;
}

/* Of the configurations with the most cores the one with the highest frequency, in the grid; s->count for an empty grid. */
static size_t all_cores(const struct surface *s, const struct mw_plan_options *o)
{
    size_t best = s->count;
    for (size_t i = 0; i < s->count; i++) {
        const struct mw_config *c = &o->candidates[s->kept[i]];
        if (best == s->count || c->cores > o->candidates[s->kept[best]].cores ||
            (c->cores >= o->candidates[s->kept[best]].cores && c->freq_hz > o->candidates[s->kept[best]].freq_hz))
            best = i;
    }
    return best;
}

/*
 * All cores at the highest frequency come first where a boundary lies between what was measured and them, or half of the
 * cores: behind a boundary one run there and the slope from before predict the rest to 3 %, where no law alone is nearer than
 * 20 (docs/prediction.md). s->count where neither is so; else why in words.
 */
static size_t far_from_measured(const struct surface *s, const struct mw_points *points,
                                const struct mw_plan_options *o, char *why, size_t size)
{
    size_t best = all_cores(s, o);
    if (best == s->count)
        return best;
    double most = 0, cores = o->candidates[s->kept[best]].cores;
    for (size_t i = 0; i < points->count; i++)
        most = fmax(most, points->items[i].cores);
    for (size_t b = 0; b < o->boundary_count; b++)
        if (o->boundaries[b] >= most && o->boundaries[b] < cores) {
            snprintf(why, size, "behind the boundary after %u cores: one run there says more than any model",
                     o->boundaries[b]);
            return best;
        }
    if (2 * most > cores)
        return s->count;
    snprintf(why, size, "nothing was measured beyond %.0f of %.0f cores: one run on all says more than any model", most,
             cores);
    return best;
}

enum mw_err mw_plan_surface(struct mw_plan *plan, const struct mw_points *points, const struct mw_plan_options *o,
                            size_t wanted, struct mw_error *error)
{
    struct surface s = {0};
    bool *used = calloc(GRID, sizeof *used), times = points->quantity == MW_TIME;
    enum mw_err err = used ? prepare(&s, points, o, error) : mw_fail(error, MW_NOMEM, "out of memory");
    double before = err ? 0 : mean_sd(&s);
    for (size_t i = 0; !err && i < s.count; i++)
        used[i] = is_measured(points, o->candidates[s.kept[i]]);
    while (!err && plan->count < wanted) {
        char why[200] = "lowers the uncertainty of the whole surface most for its run time";
        size_t best = plan->count ? s.count : far_from_measured(&s, points, o, why, sizeof why), first = best;
        double best_score = 0, sd = mean_sd(&s);
        for (size_t i = 0; i < s.count && first == s.count; i++) {
            /* what a second of running buys; without times what a run buys */
            double score = used[i] ? 0 : reduction(&s, i) / (times ? exp(s.mean[i]) : 1);
            if (score > best_score) {
                best_score = score;
                best = i;
            }
        }
        if (best == s.count)
            break;
        struct mw_plan_point *p = mw_plan_add(plan, o->candidates[s.kept[best]]);
        p->has_time = times;
        p->time_s = times ? exp(s.mean[best]) : 0;
        double own = 100 * sqrt(s.variance[best]);
        used[best] = true;
        err = condition(&s, best, error);
        snprintf(p->reason, sizeof p->reason, "%s", why);
        snprintf(p->settles, sizeof p->settles,
                 "known to %.1f %% here; the mean over the surface falls from %.1f to %.1f %%", own, 100 * sd,
                 100 * mean_sd(&s));
    }
    if (!err) {
        plan->settled = plan->count == 0;
        snprintf(plan->state, sizeof plan->state, "%zu point%s measured; predictions are good to %.1f %% on average",
                 points->count, points->count == 1 ? "" : "s", 100 * before);
    }
    free(used);
    surface_release(&s);
    return err;
}
