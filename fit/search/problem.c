// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/problem.h"

#include "data/clock.h"
#include "fit/numeric/hot_residual.h"
#include "fit/numeric/polish.h"
#include "fit/numeric/hot_normal.h"
#include "model/time.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const loss_names[] = {"robust", "log", "speedup-mse"};

const char *mw_loss_name(enum mw_loss loss)
{
    return loss_names[loss];
}

bool mw_loss_find(const char *name, enum mw_loss *loss)
{
    for (size_t i = 0; i < sizeof loss_names / sizeof *loss_names; i++) {
        if (!strcmp(loss_names[i], name)) {
            *loss = (enum mw_loss)i;
            return true;
        }
    }
    return false;
}

void mw_problem_release(struct mw_problem *problem)
{
    free(problem->p);
    free(problem->phi);
    free(problem->base);
    free(problem->y);
    free(problem->root_weight);
    *problem = (struct mw_problem){0};
}

static enum mw_err allocate(struct mw_problem *problem, size_t n, size_t base_n, struct mw_error *error)
{
    problem->p = malloc((n + base_n + 1) * sizeof *problem->p);
    problem->phi = malloc((n + base_n + 1) * sizeof *problem->phi);
    problem->base = malloc((n + 1) * sizeof *problem->base);
    problem->y = malloc((n + 1) * sizeof *problem->y);
    problem->root_weight = malloc((n + 1) * sizeof *problem->root_weight);
    if (problem->p && problem->phi && problem->base && problem->y && problem->root_weight)
        return MW_OK;
    mw_problem_release(problem);
    return mw_fail(error, MW_NOMEM, "out of memory");
}

/* The usual spread of ln value over repetitions; 0 where no point has any. */
static double common_spread(const struct mw_points *points, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].count > 1)
            scratch[n++] = points->items[i].spread;
    return n ? gsl_stats_median(scratch, 1, n) : 0;
}

/*
 * Variance of ln value that repetitions tell of, against the floor that the law's own misfit sets: a point measured
 * often weighs at most a little more than one measured once, a noisy one less. The median of n normal values has
 * pi/2 times the variance of their mean.
 */
static double root_weight(const struct mw_point *point, double usual_spread)
{
    double spread = fmax(point->spread, usual_spread), count = (double)point->count;
    double variance = spread * spread / count * (point->count > 2 ? M_PI_2 : 1);
    double floor2 = MW_ROBUST_SCALE_MIN * MW_ROBUST_SCALE_MIN;
    double outlier = point->noise_factor > 1 ? point->noise_factor : 1;
    return sqrt(floor2 / ((floor2 + variance) * outlier));
}

struct filler {
    struct mw_problem *problem;
    double memory_freq_hz, usual_spread;
    bool by_clock; /* the one that the cores were seen at; speedups have a base at the frequency asked for */
};

static double clock_of(const struct filler *f, const struct mw_point *point)
{
    return f->by_clock ? point->freq_effective_hz : point->freq_hz;
}

static void add(const struct filler *f, const struct mw_point *point, double y)
{
    struct mw_problem *pr = f->problem;
    pr->p[pr->n] = point->cores;
    pr->phi[pr->n] = mw_phi(clock_of(f, point), f->memory_freq_hz);
    pr->y[pr->n] = y;
    pr->root_weight[pr->n] = pr->loss == MW_LOSS_SPEEDUP_MSE ? 1 : root_weight(point, f->usual_spread);
    pr->p_max = fmax(pr->p_max, point->cores);
    pr->n++;
}

/* Points of one frequency, items[0..n), sorted by cores; one core, if measured, comes first. */
static void add_frequency(const struct filler *f, const struct mw_point *items, size_t n, enum mw_quantity quantity)
{
    bool mse = f->problem->loss == MW_LOSS_SPEEDUP_MSE, times = quantity == MW_TIME;
    bool has_one = items[0].cores == 1;
    if (mse && times && !has_one)
        return;
    for (size_t i = 0; i < n; i++) {
        double value = items[i].value, clock_hz = clock_of(f, &items[i]);
        if (mse)
            add(f, &items[i], times ? items[0].value / value : value);
        else if (times)
            add(f, &items[i], log(value * (clock_hz > 0 ? clock_hz : f->memory_freq_hz)));
        else if (items[i].cores > 1)
            add(f, &items[i], -log(value));
    }
}

/* One evaluation on one core for each frequency; points of one frequency stand together. */
static void add_bases(struct mw_problem *problem)
{
    for (size_t i = 0; i < problem->n; i++) {
        if (i == 0 || problem->phi[i] != problem->phi[i - 1]) {
            problem->p[problem->n + problem->base_n] = 1;
            problem->phi[problem->n + problem->base_n] = problem->phi[i];
            problem->base_n++;
        }
        problem->base[i] = problem->n + problem->base_n - 1;
    }
}

enum mw_err mw_problem_init(struct mw_problem *problem, const struct mw_points *points, enum mw_loss loss,
                            double memory_freq_hz, struct mw_error *error)
{
    struct mw_problem made = {.loss = loss, .robust_scale = MW_ROBUST_SCALE_MIN};
    size_t count = points->count;
    if (count == 0)
        return mw_fail(error, MW_NOFIT, "no points to fit");
    enum mw_err err = allocate(&made, count, count, error);
    if (err)
        return err;
    bool by_clock = points->quantity == MW_TIME && loss != MW_LOSS_SPEEDUP_MSE && mw_clock_known(points);
    struct filler f = {&made, memory_freq_hz, common_spread(points, made.p), by_clock};
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && points->items[j].freq_hz == points->items[i].freq_hz; j++)
            ;
        add_frequency(&f, points->items + i, j - i, points->quantity);
    }
    if (made.n == 0) {
        mw_problem_release(&made);
        mw_fail(error, MW_NOFIT,
                loss == MW_LOSS_SPEEDUP_MSE ? "no frequency has a one-core run to form speedups with"
                                            : "speedups of one core alone say nothing");
        return mw_hint(error, loss == MW_LOSS_SPEEDUP_MSE ? "--loss robust fits times and needs no one-core run"
                                                          : "add runs on two cores and more");
    }
    if (loss == MW_LOSS_SPEEDUP_MSE || points->quantity == MW_SPEEDUP)
        add_bases(&made);
    *problem = made;
    return MW_OK;
}

void mw_problem_law(struct mw_problem *problem, const struct mw_law *law)
{
    problem->law = law;
    for (size_t j = 0; j < law->param_count; j++) {
        problem->low[j] = law->params[j].low;
        problem->high[j] = law->params[j].high;
    }
    if (law->bound)
        law->bound(problem->low, problem->high, problem->p_max);
}

enum mw_err mw_problem_subset(struct mw_problem *subset, const struct mw_problem *problem, const size_t *keep, size_t n,
                              struct mw_error *error)
{
    struct mw_problem made = *problem;
    made.base_n = 0;
    enum mw_err err = allocate(&made, n, n, error);
    if (err)
        return err;
    made.n = n;
    for (size_t i = 0; i < n; i++) {
        made.p[i] = problem->p[keep[i]];
        made.phi[i] = problem->phi[keep[i]];
        made.y[i] = problem->y[keep[i]];
        made.root_weight[i] = problem->root_weight[keep[i]];
    }
    if (problem->base_n)
        add_bases(&made);
    *subset = made;
    return MW_OK;
}

enum mw_err mw_problem_thin(struct mw_problem *subset, const struct mw_problem *problem, size_t wanted,
                            struct mw_error *error)
{
    size_t *keep = malloc(problem->n * sizeof *keep), *start = malloc((problem->n + 1) * sizeof *start);
    size_t groups = 0, n = 0;
    wanted = wanted < problem->n ? wanted : problem->n;
    enum mw_err err = keep && start ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < problem->n && !err; i++)
        if (i == 0 || problem->phi[i] != problem->phi[i - 1])
            start[groups++] = i;
    if (!err) {
        start[groups] = problem->n;
        size_t take = wanted * groups / problem->n;
        if (take >= 2 && groups > 1) {
            for (size_t g = 0; g < take; g++) {
                size_t group = g * (groups - 1) / (take - 1);
                for (size_t i = start[group]; i < start[group + 1]; i++)
                    keep[n++] = i;
            }
        } else {
            for (; n < wanted; n++)
                keep[n] = wanted > 1 ? n * (problem->n - 1) / (wanted - 1) : 0;
        }
        err = mw_problem_subset(subset, problem, keep, n, error);
    }
    free(keep);
    free(start);
    return err;
}

enum mw_err mw_scratch_init(struct mw_scratch *scratch, const struct mw_problem *problem, struct mw_error *error)
{
    struct mw_scratch s;
    s.h = malloc((problem->n + problem->base_n) * sizeof *s.h);
    s.residual = malloc(problem->n * sizeof *s.residual);
    s.sorted = malloc(problem->n * sizeof *s.sorted);
    if (!s.h || !s.residual || !s.sorted) {
        mw_scratch_release(&s);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    *scratch = s;
    return MW_OK;
}

void mw_scratch_release(struct mw_scratch *scratch)
{
    free(scratch->h);
    free(scratch->residual);
    free(scratch->sorted);
    *scratch = (struct mw_scratch){0};
}

/* Residuals before b: y - ln h (+ ln h of one core), unweighted; or S - h1/h. */
static void raw_residuals(const struct mw_problem *pr, const double *params, struct mw_scratch *s)
{
    if (pr->held)
        pr->law->eval_branch(params, pr->n + pr->base_n, pr->p, pr->phi, pr->held, s->h);
    else
        pr->law->eval(params, pr->n + pr->base_n, pr->p, pr->phi, s->h);
    if (pr->loss == MW_LOSS_SPEEDUP_MSE) {
        for (size_t i = 0; i < pr->n; i++)
            s->residual[i] = pr->y[i] - s->h[pr->base[i]] / s->h[i];
        return;
    }
    mw_hot_residuals(pr->y, -1, s->h, pr->n, s->residual);
    if (!pr->base_n)
        return;
    /* points of one frequency stand together, and share a base */
    for (size_t i = 0, j; i < pr->n; i = j) {
        for (j = i + 1; j < pr->n && pr->base[j] == pr->base[i]; j++)
            ;
        mw_hot_shift(-log(s->h[pr->base[i]]), j - i, s->residual + i);
    }
}

static double weighted_mean(const struct mw_problem *pr, const double *r)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < pr->n; i++) {
        double w = pr->root_weight[i] * pr->root_weight[i];
        sum += w * r[i];
        weights += w;
    }
    return sum / weights;
}

/*
 * The best b from the median of a few residuals: Newton steps where the loss is convex enough, else reweighted ones, which always lower it.
 * An error of 1e-5 scales in b is one of 1e-10 in the loss.
 */
static double robust_center(const struct mw_problem *pr, struct mw_scratch *s)
{
    enum { STEPS_MAX = 40, SAMPLE = 15 };
    double sample[SAMPLE], inverse = 1 / (pr->robust_scale * pr->robust_scale);
    size_t taken = pr->n < SAMPLE ? pr->n : SAMPLE;
    for (size_t i = 0; i < taken; i++) {
        size_t at = i;
        double r = s->residual[i * pr->n / taken];
        for (; at > 0 && sample[at - 1] > r; at--)
            sample[at] = sample[at - 1];
        sample[at] = r;
    }
    double b = sample[taken / 2];
    for (int step = 0; step < STEPS_MAX; step++) {
        double sums[3];
        mw_hot_center(s->residual, pr->root_weight, pr->n, b, inverse, sums);
        double move = sums[0] / (sums[2] > sums[1] / 4 ? sums[2] : sums[1]);
        b += move;
        if (fabs(move) < 1e-5 * pr->robust_scale)
            break;
    }
    return b;
}

void mw_problem_residuals(const struct mw_problem *problem, const double *params, double b, struct mw_scratch *scratch)
{
    raw_residuals(problem, params, scratch);
    if (problem->loss != MW_LOSS_SPEEDUP_MSE)
        mw_hot_weigh(scratch->residual, problem->root_weight, problem->n, b);
}

double mw_problem_loss(const struct mw_problem *problem, const double *params, double *b, struct mw_scratch *scratch)
{
    double best_b = 0;
    raw_residuals(problem, params, scratch);
    if (problem->loss == MW_LOSS_LOG)
        best_b = weighted_mean(problem, scratch->residual);
    else if (problem->loss == MW_LOSS_ROBUST)
        best_b = robust_center(problem, scratch);
    if (problem->loss != MW_LOSS_SPEEDUP_MSE)
        mw_hot_weigh(scratch->residual, problem->root_weight, problem->n, best_b);
    if (b)
        *b = best_b;
    return mw_loss_mean(scratch->residual, problem->n, problem->loss == MW_LOSS_ROBUST ? problem->robust_scale : 0);
}
