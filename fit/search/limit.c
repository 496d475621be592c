// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/limit.h"

#include "data/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void mw_limit_release(struct mw_limit *limit)
{
    free(limit->group);
    free(limit->residual);
    free(limit->sums);
    mw_scratch_release(&limit->scratch);
    *limit = (struct mw_limit){0};
}

static size_t free_params(const struct mw_problem *problem)
{
    size_t d = problem->loss != MW_LOSS_SPEEDUP_MSE; /* b */
    for (size_t j = 0; j < problem->law->param_count; j++)
        d += problem->low[j] < problem->high[j];
    return d;
}

/* A speedup of one core over one core is one by definition. */
static bool says_something(const struct mw_problem *problem, size_t i)
{
    return problem->loss != MW_LOSS_SPEEDUP_MSE || problem->p[i] > 1;
}

static void find_groups(struct mw_limit *limit, const struct mw_problem *problem)
{
    double *counts = limit->sums; /* they are long enough */
    size_t n = 0;
    for (size_t i = 0; i < problem->n; i++)
        if (says_something(problem, i))
            counts[n++] = problem->p[i];
    mw_sort(counts, n);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || counts[i] > counts[limit->groups - 1])
            counts[limit->groups++] = counts[i];
    for (size_t i = 0; i < problem->n; i++) {
        size_t low = 0, high = limit->groups;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            *(problem->p[i] < counts[middle] ? &high : &low) = middle;
        }
        limit->group[i] = says_something(problem, i) ? low : limit->groups;
    }
}

/* The sum of squares of the means of core counts, each as often as it has points. */
static double square_between(const struct mw_limit *limit, const double *r)
{
    double square = 0;
    memset(limit->sums, 0, 2 * limit->groups * sizeof *limit->sums);
    for (size_t i = 0; i < limit->n; i++)
        if (limit->group[i] < limit->groups) {
            limit->sums[2 * limit->group[i]] += r[i];
            limit->sums[2 * limit->group[i] + 1]++;
        }
    for (size_t g = 0; g < limit->groups; g++)
        square += limit->sums[2 * g] * limit->sums[2 * g] / limit->sums[2 * g + 1];
    return square;
}

static double square(const double *r, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += r[i] * r[i];
    return sum;
}

static double t_square(double freedom)
{
    double t = gsl_cdf_tdist_Pinv(.95, freedom);
    return t * t;
}

/* From the residuals, or their psi, and the mean slope of that: independent or not, and the variances. */
static void judge(struct mw_limit *limit, const double *psi, double slope, size_t counted, size_t d)
{
    /* Below what measured times can resolve: keeps intervals of exact data from having no width at all. */
    const double exact = 1e-6, chance = .01;
    double all = square(psi, limit->n), between = square_between(limit, psi), n = (double)limit->n;
    double variance = fmax(all / (double)(counted - d) / slope, exact * exact);
    limit->step = t_square((double)(counted - d)) * variance / n;
    if (limit->groups <= d || counted <= limit->groups + 1)
        return;
    /* one parameter at least is told by the frequencies: for the test between has one degree of freedom more */
    double test_between = (double)(limit->groups - d + 1), test_within = (double)(counted - limit->groups - 1);
    double ratio = between / test_between / fmax((all - between) / test_within, 1e-300);
    limit->freedom_between = (double)(limit->groups - d);
    limit->freedom_within = test_within;
    limit->between = between / limit->freedom_between / slope;
    limit->within = (all - between) / test_within / slope;
    limit->shared = variance > exact * exact && gsl_cdf_fdist_Q(ratio, test_between, test_within) < chance;
    if (limit->shared)
        limit->step = t_square(limit->freedom_between) * limit->between / n;
}

enum mw_err mw_limit_init(struct mw_limit *limit, const struct mw_problem *problem, const struct mw_optimum *optimum,
                          struct mw_error *error)
{
    size_t n = problem->n, d = free_params(problem), counted = 0;
    struct mw_limit made = {.loss_min = optimum->loss,
                            .n = n,
                            .group = malloc(n * sizeof *made.group),
                            .residual = malloc(n * sizeof *made.residual),
                            .sums = malloc(2 * n * sizeof *made.sums)};
    enum mw_err err = made.group && made.residual && made.sums ? mw_scratch_init(&made.scratch, problem, error)
                                                               : mw_fail(error, MW_NOMEM, "out of memory");
    if (err) {
        mw_limit_release(&made);
        return err;
    }
    bool robust = problem->loss == MW_LOSS_ROBUST;
    double inverse = 1 / (problem->robust_scale * problem->robust_scale), slope = 0;
    mw_problem_residuals(problem, optimum->params, optimum->b, &made.scratch);
    memcpy(made.residual, made.scratch.residual, n * sizeof *made.residual);
    for (size_t i = 0; i < n; i++) {
        double *psi = &made.scratch.residual[i], x = robust ? *psi * *psi * inverse : 0;
        *psi /= 1 + x;
        slope += (1 - x) / ((1 + x) * (1 + x)) / (double)n;
        counted += says_something(problem, i);
    }
    made.informative = counted > d;
    find_groups(&made, problem);
    if (made.informative)
        judge(&made, made.scratch.residual, fmax(slope, .1), counted, d);
    *limit = made;
    return MW_OK;
}

double mw_limit_towards(const struct mw_limit *limit, const struct mw_problem *problem, const struct mw_optimum *at)
{
    if (!limit->informative)
        return HUGE_VAL;
    if (!limit->shared)
        return limit->loss_min + limit->step;
    struct mw_scratch scratch = limit->scratch;
    double *r = scratch.residual;
    mw_problem_residuals(problem, at->params, at->b, &scratch);
    for (size_t i = 0; i < limit->n; i++)
        r[i] -= limit->residual[i];
    double all = square(r, limit->n);
    double beta = all > 0 ? fmin(square_between(limit, r) / all, 1) : 1;
    double between = beta * limit->between, within = (1 - beta) * limit->within, variance = between + within;
    double freedom =
        variance * variance / (between * between / limit->freedom_between + within * within / limit->freedom_within);
    return limit->loss_min + fmin(t_square(freedom) * variance / (double)limit->n, limit->step);
}
