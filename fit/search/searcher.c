// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/searcher.h"

#include "fit/numeric/hot_normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = MW_LAW_MAX_PARAMS };

void mw_searcher_release(struct mw_searcher *s)
{
    mw_scratch_release(&s->scratch);
    mw_polish_scratch_release(&s->polish);
    free(s->branches);
    free(s->gradient);
    *s = (struct mw_searcher){0}; /* released at a failure by _init too */
}

enum mw_err mw_searcher_init(struct mw_searcher *s, const struct mw_problem *problem, struct mw_error *error)
{
    *s = (struct mw_searcher){.problem = *problem};
    enum mw_err err = mw_scratch_init(&s->scratch, problem, error);
    if (!err)
        err = mw_polish_scratch_init(&s->polish, problem->n + MW_SEARCHER_TIES, problem->law->param_count + 1, error);
    s->branches = malloc(problem->n + problem->base_n);
    if (problem->law->gradient)
        s->gradient = malloc(problem->law->param_count * (problem->n + problem->base_n) * sizeof *s->gradient);
    if (!err && (!s->branches || (problem->law->gradient && !s->gradient)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        mw_searcher_release(s);
    return err;
}

double mw_searcher_loss(void *context, const double *params)
{
    struct mw_searcher *s = context;
    s->evaluations++;
    double loss = mw_problem_loss(&s->problem, params, NULL, &s->scratch);
    return isfinite(loss) ? loss : HUGE_VAL;
}

/* The residuals of the law's parameters and b, as the polish asks for them. */
void mw_searcher_residuals(void *context, const double *x, double *r)
{
    struct mw_searcher *s = context;
    struct mw_scratch scratch = s->scratch;
    scratch.residual = r;
    s->evaluations++;
    mw_problem_residuals(&s->problem, x, x[s->problem.law->param_count], &scratch);
}

/* The derivatives of mw_searcher_residuals, from those of the law. */
static void jacobian_at(void *context, const double *x, double *columns)
{
    struct mw_searcher *s = context;
    const struct mw_problem *pr = &s->problem;
    size_t all = pr->n + pr->base_n, d = pr->law->param_count;
    double *h = s->scratch.h;
    s->evaluations++;
    pr->law->gradient(x, all, pr->p, pr->phi, pr->held, h, s->gradient);
    double *factor = s->scratch.sorted;
    for (size_t i = 0; i < pr->n; i++)
        factor[i] = pr->loss == MW_LOSS_SPEEDUP_MSE ? -h[pr->base[i]] / h[i] : pr->root_weight[i];
    for (size_t i = 0; i < all; i++)
        h[i] = 1 / h[i];
    mw_hot_scale(s->gradient, h, all, d); /* d ln h */
    for (size_t j = 0; j < d; j++) {
        const double *dh = s->gradient + j * all;
        double *column = columns + j * pr->n;
        if (pr->base_n)
            for (size_t i = 0; i < pr->n; i++)
                column[i] = factor[i] * (dh[pr->base[i]] - dh[i]);
        else
            for (size_t i = 0; i < pr->n; i++)
                column[i] = -factor[i] * dh[i];
    }
    for (size_t i = 0; i < pr->n && pr->loss != MW_LOSS_SPEEDUP_MSE; i++)
        columns[d * pr->n + i] = -pr->root_weight[i];
}

/* Polishes by other residuals than the points' alone: `penalties` more of them. */
void mw_search_point_polish_with(struct mw_searcher *s, struct mw_search_point *c,
                                 void (*residuals)(void *context, const double *x, double *r), void *context,
                                 size_t penalties, unsigned iterations, bool central)
{
    const struct mw_problem *pr = &s->problem;
    size_t d = pr->law->param_count;
    double x[MAX + 1], low[MAX + 1], high[MAX + 1];
    memcpy(x, c->params, d * sizeof *x);
    memcpy(low, pr->low, d * sizeof *low);
    memcpy(high, pr->high, d * sizeof *high);
    for (size_t j = 0; j < d; j++)
        if (pr->law->whole & 1u << j)
            low[j] = high[j] = x[j];
    x[d] = c->b;
    low[d] = -HUGE_VAL;
    high[d] = HUGE_VAL;
    struct mw_least_squares ls = {.n = pr->n + penalties,
                                  .d = d + (pr->loss != MW_LOSS_SPEEDUP_MSE),
                                  .low = low,
                                  .high = high,
                                  .cauchy_scale = pr->loss == MW_LOSS_ROBUST ? pr->robust_scale : 0,
                                  .penalties = penalties,
                                  .residuals = residuals,
                                  .jacobian = pr->law->gradient && !penalties ? jacobian_at : NULL,
                                  .context = context};
    mw_polish_lm(&ls, x, iterations, central, &c->loss, &s->polish);
    memcpy(c->params, x, d * sizeof *x);
    c->b = x[d];
}

void mw_search_point_polish(struct mw_searcher *s, struct mw_search_point *c, unsigned iterations, bool central)
{
    mw_search_point_polish_with(s, c, mw_searcher_residuals, s, 0, iterations, central);
}

void mw_search_point_evaluate(struct mw_searcher *s, struct mw_search_point *c)
{
    s->evaluations++;
    c->loss = mw_problem_loss(&s->problem, c->params, &c->b, &s->scratch);
    if (!isfinite(c->loss))
        c->loss = HUGE_VAL;
}
