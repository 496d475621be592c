// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search.h"

#include "fit/csa.h"
#include "fit/hot_normal.h"
#include "fit/polish.h"
#include "fit/starts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX = MW_LAW_MAX_PARAMS,
    SHORT = 6,      /* iterations of Levenberg-Marquardt that tell a hopeless block from a good one */
    LONG = 60,      /* iterations to its end */
    SIMPLEX = 250,  /* iterations of the simplex */
    HANDFUL = 32,   /* points on which starts are screened */
    BLOCKS = 120,   /* blocks that are polished, on few points */
    SCREENED = 40,  /* of these, polished on all points */
    SWEEPS = 100,   /* probes of each annealer */
    FINALISTS = 12, /* candidates that get the long polish */
    WALK = 12,      /* iterations before and after a neighbouring pattern is let free */
    ROUNDS = 6,
    TIES = 3,   /* corners that an optimum is looked for along */
    KINKED = 5, /* of these, polished by the simplex too */
};

struct candidate {
    double params[MAX], b, loss;
};

/* One search: problem, room, the count of evaluations. */
struct searcher {
    struct mw_problem problem; /* the arrays are borrowed */
    unsigned char *branches;   /* n + base_n, to hold */
    double *gradient;          /* parameters x (n + base_n); NULL where the law has none */
    struct mw_scratch scratch;
    struct mw_polish_room room;
    unsigned long evaluations;
};

static void searcher_release(struct searcher *s)
{
    mw_scratch_release(&s->scratch);
    mw_polish_room_release(&s->room);
    free(s->branches);
    free(s->gradient);
}

static enum mw_err searcher_init(struct searcher *s, const struct mw_problem *problem, struct mw_error *error)
{
    *s = (struct searcher){.problem = *problem};
    enum mw_err err = mw_scratch_init(&s->scratch, problem, error);
    if (!err)
        err = mw_polish_room_init(&s->room, problem->n + TIES, problem->law->param_count + 1, error);
    s->branches = malloc(problem->n + problem->base_n);
    if (problem->law->gradient)
        s->gradient = malloc(problem->law->param_count * (problem->n + problem->base_n) * sizeof *s->gradient);
    if (!err && (!s->branches || (problem->law->gradient && !s->gradient)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        searcher_release(s);
    return err;
}

static double loss_at(void *context, const double *params)
{
    struct searcher *s = context;
    s->evaluations++;
    double loss = mw_problem_loss(&s->problem, params, NULL, &s->scratch);
    return isfinite(loss) ? loss : HUGE_VAL;
}

/* The residuals of the law's parameters and b, as the polish asks for them. */
static void residuals_at(void *context, const double *x, double *r)
{
    struct searcher *s = context;
    struct mw_scratch scratch = s->scratch;
    scratch.residual = r;
    s->evaluations++;
    mw_problem_residuals(&s->problem, x, x[s->problem.law->param_count], &scratch);
}

/* The derivatives of residuals_at, from those of the law. */
static void jacobian_at(void *context, const double *x, double *columns)
{
    struct searcher *s = context;
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
static void polish_with(struct searcher *s, struct candidate *c,
                        void (*residuals)(void *context, const double *x, double *r), void *context, size_t penalties,
                        unsigned iterations, bool central)
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
    mw_polish_lm(&ls, x, iterations, central, &c->loss, &s->room);
    memcpy(c->params, x, d * sizeof *x);
    c->b = x[d];
}

static void polish(struct searcher *s, struct candidate *c, unsigned iterations, bool central)
{
    polish_with(s, c, residuals_at, s, 0, iterations, central);
}

static void evaluate(struct searcher *s, struct candidate *c)
{
    s->evaluations++;
    c->loss = mw_problem_loss(&s->problem, c->params, &c->b, &s->scratch);
    if (!isfinite(c->loss))
        c->loss = HUGE_VAL;
}

/* Free, and again after a start with the branches of its pattern held, which is a smooth problem; the better stays. */
static void polish_pattern(struct searcher *s, struct candidate *c)
{
    struct mw_problem *pr = &s->problem;
    struct candidate held = *c;
    evaluate(s, c);
    polish(s, c, SHORT, false);
    if (!pr->law->branch)
        return;
    pr->law->branch(held.params, pr->n + pr->base_n, pr->p, pr->phi, s->branches);
    pr->held = s->branches;
    evaluate(s, &held);
    polish(s, &held, SHORT, false);
    pr->held = NULL;
    evaluate(s, &held);
    polish(s, &held, SHORT, false);
    if (held.loss < c->loss)
        *c = held;
}

/* Simplex, then derivatives again: the one crosses the kinks where a max switches, the other ends what it began. */
static void polish_kinks(struct searcher *s, struct candidate *c, double step)
{
    const struct mw_problem *pr = &s->problem;
    double low[MAX], high[MAX], loss, params[MAX];
    memcpy(low, pr->low, sizeof low);
    memcpy(high, pr->high, sizeof high);
    memcpy(params, c->params, sizeof params);
    for (size_t j = 0; j < pr->law->param_count; j++)
        if (pr->law->whole & 1u << j)
            low[j] = high[j] = params[j];
    mw_polish_simplex(pr->law->param_count, low, high, loss_at, s, params, step, SIMPLEX, &loss);
    struct candidate next = {0};
    memcpy(next.params, params, sizeof params);
    evaluate(s, &next);
    if (next.loss < c->loss)
        *c = next;
    polish(s, c, LONG, true);
}

/* Points where the two branches are equal, or nearly: the corners on which an optimum may sit. */
struct ties {
    double p[TIES], phi[TIES], gap[TIES]; /* gap: |ln(wall/parallel term)| */
    size_t count;
};

/* ln(second branch/first branch) at a point */
static double branch_gap(const struct mw_law *law, const double *params, double p, double phi)
{
    double h[2];
    for (unsigned char branch = 0; branch < 2; branch++)
        law->eval_branch(params, 1, &p, &phi, &branch, &h[branch]);
    return log(h[1] / h[0]);
}

static void find_ties(const struct mw_problem *pr, const double *params, struct ties *ties)
{
    const double near = 5e-3;
    ties->count = 0;
    for (size_t i = 0; i < pr->n; i++) {
        double gap = fabs(branch_gap(pr->law, params, pr->p[i], pr->phi[i]));
        bool full = ties->count == TIES;
        if (!(gap < near) || pr->p[i] <= 1 || (full && gap >= ties->gap[TIES - 1]))
            continue;
        size_t at = full ? TIES - 1 : ties->count++;
        for (; at > 0 && gap < ties->gap[at - 1]; at--) {
            ties->p[at] = ties->p[at - 1];
            ties->phi[at] = ties->phi[at - 1];
            ties->gap[at] = ties->gap[at - 1];
        }
        ties->p[at] = pr->p[i];
        ties->phi[at] = pr->phi[i];
        ties->gap[at] = gap;
    }
}

/* A search along corners: the residuals of the points, then one for each tie that is kept. */
struct slider {
    struct searcher *searcher;
    const struct ties *ties;
    size_t kept;
    double weight;
};

static void residuals_and_ties(void *context, const double *x, double *r)
{
    const struct slider *slider = context;
    const struct mw_problem *pr = &slider->searcher->problem;
    residuals_at(slider->searcher, x, r);
    for (size_t t = 0; t < slider->kept; t++)
        r[pr->n + t] = slider->weight * branch_gap(pr->law, x, slider->ties->p[t], slider->ties->phi[t]);
}

/*
 * Along the corner: the branches held, the closest ties kept equal by a penalty, so that what is minimised is smooth.
 * A simplex stops where two slopes meet; the optimum may lie further along the edge between them.
 */
static void slide(struct searcher *s, struct candidate *c)
{
    struct mw_problem *pr = &s->problem;
    struct ties ties;
    if (!pr->law->branch)
        return;
    find_ties(pr, c->params, &ties);
    for (size_t kept = 1; kept <= ties.count; kept++) {
        struct candidate next = *c;
        /* so heavy that what the penalty leaves of a gap changes the loss by about 1e-8 of itself */
        struct slider slider = {s, &ties, kept, 1e4 * sqrt((double)pr->n * c->loss)};
        pr->law->branch(c->params, pr->n + pr->base_n, pr->p, pr->phi, s->branches);
        pr->held = s->branches;
        polish_with(s, &next, residuals_and_ties, &slider, kept, LONG, true);
        pr->held = NULL;
        evaluate(s, &next);
        if (next.loss < c->loss)
            *c = next;
    }
}

static int by_loss(const void *a, const void *b)
{
    double x = ((const struct candidate *)a)->loss, y = ((const struct candidate *)b)->loss;
    return (x > y) - (x < y);
}

/* The measured core counts between which the wall binds at c, majority of the frequencies; none: from = HUGE_VAL. */
static void wall_range(struct searcher *s, const struct candidate *c, double *from, double *to)
{
    const struct mw_problem *pr = &s->problem;
    pr->law->branch(c->params, pr->n, pr->p, pr->phi, s->branches);
    *from = HUGE_VAL;
    *to = -HUGE_VAL;
    for (size_t i = 0; i < pr->n; i++) {
        if (s->branches[i] && pr->p[i] > 1) { /* on one core the two terms may be equal */
            *from = fmin(*from, pr->p[i]);
            *to = fmax(*to, pr->p[i]);
        }
    }
}

/* The next core count above p (below, for step < 0) among the points; p itself where there is none. */
static double neighbour(const struct mw_problem *pr, double p, int step)
{
    double found = step > 0 ? HUGE_VAL : -HUGE_VAL;
    for (size_t i = 0; i < pr->n; i++) {
        if (step > 0 && pr->p[i] > p)
            found = fmin(found, pr->p[i]);
        if (step < 0 && pr->p[i] < p)
            found = fmax(found, pr->p[i]);
    }
    return isfinite(found) ? found : step > 0 ? p + 1 : p;
}

/* c polished with the wall held on [from, to], then free. */
static struct candidate held_between(struct searcher *s, struct candidate c, double from, double to)
{
    struct mw_problem *pr = &s->problem;
    for (size_t i = 0; i < pr->n + pr->base_n; i++)
        s->branches[i] = pr->p[i] >= from && pr->p[i] <= to;
    pr->held = s->branches;
    evaluate(s, &c);
    polish(s, &c, WALK, false);
    pr->held = NULL;
    evaluate(s, &c);
    polish(s, &c, WALK, false);
    return c;
}

/* c polished with parameter j held at a multiple of its distance from the nearer bound, then free. */
static struct candidate with_param(struct searcher *s, struct candidate c, size_t j, double factor)
{
    struct mw_problem *pr = &s->problem;
    double low = pr->low[j], high = pr->high[j], value = c.params[j], least = 1e-3 * (high - low);
    if (value - low <= high - value)
        value = low + fmax(value - low, least) * factor;
    else
        value = high - fmax(high - value, least) * factor;
    c.params[j] = pr->low[j] = pr->high[j] = fmin(fmax(value, low), high);
    evaluate(s, &c);
    polish(s, &c, WALK, false);
    pr->low[j] = low;
    pr->high[j] = high;
    polish(s, &c, WALK, false);
    return c;
}

/*
 * From pattern to neighbouring pattern: the wall's first and last core count one or two further, parameters by factors, as long
 * as that helps. Local optima crowd where the max switches between two measured counts; these moves step over them.
 */
static void walk(struct searcher *s, struct candidate *c)
{
    static const double factors[] = {.1, .5, .9, 1.1, 2, 10};
    const struct mw_problem *pr = &s->problem;
    bool better = pr->law->branch != NULL;
    for (int round = 0; better && round < ROUNDS; round++) {
        struct candidate start = *c, next;
        double from, to;
        wall_range(s, c, &from, &to);
        for (int move = -2; move <= 2; move++) {
            double first = from, last = to;
            for (int i = 0; i < abs(move) && isfinite(from); i++) {
                first = neighbour(pr, first, move);
                last = neighbour(pr, last, move);
            }
            if (move == 0 || !isfinite(from))
                continue;
            next = held_between(s, start, first, to);
            if (next.loss < c->loss)
                *c = next;
            next = held_between(s, start, from, last);
            if (next.loss < c->loss)
                *c = next;
        }
        for (size_t j = 0; j < pr->law->param_count; j++) {
            for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
                next = with_param(s, start, j, factors[i]);
                if (next.loss < c->loss)
                    *c = next;
            }
        }
        better = c->loss < start.loss * (1 - 1e-9);
    }
}

static bool same_place(const struct mw_problem *pr, const struct candidate *a, const struct candidate *b)
{
    for (size_t j = 0; j < pr->law->param_count; j++)
        if (fabs(a->params[j] - b->params[j]) > 1e-5 * (pr->high[j] - pr->low[j]))
            return false;
    return true;
}

/* Keeps the best of candidates that have come together; sorted by loss. */
static size_t distinct(const struct mw_problem *pr, struct candidate *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, by_loss);
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t k = 0; k < kept && !seen; k++)
            seen = same_place(pr, &list[k], &list[i]);
        if (!seen)
            list[kept++] = list[i];
    }
    return kept;
}

/* The loss of every start on a handful of points, by squares: the cheapest that still ranks them. */
static enum mw_err screen(const struct searcher *s, const struct mw_starts *starts, struct candidate *found,
                          struct mw_error *error)
{
    struct mw_problem handful = {0};
    struct searcher fast = {0};
    enum mw_err err = mw_problem_thin(&handful, &s->problem, HANDFUL, error);
    if (handful.loss == MW_LOSS_ROBUST)
        handful.loss = MW_LOSS_LOG;
    if (!err)
        err = searcher_init(&fast, &handful, error);
    for (size_t i = 0; i < starts->block_count && !err; i++)
        found[i].loss = HUGE_VAL;
    for (size_t i = 0; i < starts->count && !err; i++) {
        struct candidate c = {0};
        memcpy(c.params, starts->params + i * MAX, sizeof c.params);
        evaluate(&fast, &c);
        if (c.loss < found[starts->block[i]].loss)
            found[starts->block[i]] = c;
    }
    searcher_release(&fast);
    mw_problem_release(&handful);
    return err;
}

/* The best start of every block, shortly polished, best first; at most `most` of them. */
static enum mw_err best_of_blocks(struct searcher *s, struct candidate *list, size_t *count, size_t most,
                                  struct mw_error *error)
{
    struct mw_starts starts;
    enum mw_err err = mw_starts_init(&starts, &s->problem, error);
    if (err)
        return err;
    struct candidate *found = calloc(starts.block_count, sizeof *found);
    if (!found) {
        mw_starts_release(&starts);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    err = screen(s, &starts, found, error);
    if (err)
        goto out;
    qsort(found, starts.block_count, sizeof *found, by_loss);
    for (*count = 0; *count < starts.block_count && *count < BLOCKS && isfinite(found[*count].loss); ++*count)
        polish_pattern(s, &found[*count]);
    *count = distinct(&s->problem, found, *count);
    if (*count > most)
        *count = most;
    memcpy(list, found, *count * sizeof *list);
out:
    free(found);
    mw_starts_release(&starts);
    return err;
}

static double energy_at(void *context, const double *u)
{
    struct searcher *s = context;
    double params[MAX];
    for (size_t j = 0; j < s->problem.law->param_count; j++)
        params[j] = mw_start_value(s->problem.low[j], s->problem.high[j], u[j]);
    const double smallest = 1e-30; /* below any measured loss; keeps the logarithm finite for exact data */
    return log(fmin(loss_at(s, params), 1e30) + smallest);
}

/* Annealing from the best blocks; its results join the list. */
static enum mw_err anneal(struct searcher *s, struct candidate *list, size_t *count, enum mw_method method,
                          unsigned long seed, struct mw_error *error)
{
    size_t d = s->problem.law->param_count;
    double u[MW_CSA_ANNEALERS * MAX], energy[MW_CSA_ANNEALERS];
    for (size_t i = 0; i < MW_CSA_ANNEALERS; i++)
        for (size_t j = 0; j < d; j++)
            u[i * d + j] = mw_start_unit(s->problem.low[j], s->problem.high[j], list[i % *count].params[j]);
    struct mw_anneal a = {d, energy_at, s, seed};
    enum mw_err err = method == MW_METHOD_CSA ? mw_csa_run(&a, SWEEPS, u, energy, NULL, error)
                                              : mw_siman_run(&a, SWEEPS, u, energy, error);
    for (size_t i = 0; i < MW_CSA_ANNEALERS && !err; i++) {
        struct candidate *c = &list[(*count)++];
        for (size_t j = 0; j < d; j++)
            c->params[j] = mw_start_value(s->problem.low[j], s->problem.high[j], u[i * d + j]);
        evaluate(s, c);
    }
    return err;
}

/* Laws without corners have few optima, and a simplex has nothing to add but the check that it finds no better. */
static void finish(struct searcher *s, struct candidate *list, size_t count)
{
    bool corners = s->problem.law->branch;
    size_t finalists = corners ? FINALISTS : FINALISTS / 3, kinked = corners ? KINKED : 1;
    count = distinct(&s->problem, list, count);
    if (count > finalists)
        count = finalists;
    for (size_t i = 0; i < count; i++)
        polish(s, &list[i], LONG, true);
    count = distinct(&s->problem, list, count);
    if (count > kinked)
        count = kinked;
    for (size_t i = 0; i < count; i++)
        walk(s, &list[i]);
    count = distinct(&s->problem, list, count);
    for (size_t i = 0; i < count; i++) {
        polish_kinks(s, &list[i], .1);
        slide(s, &list[i]);
    }
    qsort(list, count, sizeof *list, by_loss);
    for (double before = HUGE_VAL; list[0].loss < before * (1 - 1e-8);) {
        before = list[0].loss;
        polish_kinks(s, &list[0], .01);
        slide(s, &list[0]);
    }
}

/* `few`: the same problem on fewer points, where the starts are screened. */
static enum mw_err search_all(struct searcher *s, struct searcher *few, struct candidate *best, enum mw_method method,
                              unsigned long seed, struct mw_error *error)
{
    struct candidate list[SCREENED + MW_CSA_ANNEALERS];
    memset(list, 0, sizeof list);
    size_t count = 0;
    enum mw_err err = best_of_blocks(few, list, &count, SCREENED, error);
    for (size_t i = 0; i < count && !err; i++) {
        polish_pattern(s, &list[i]);
    }
    qsort(list, count, sizeof *list, by_loss);
    if (!err && !(count && isfinite(list[0].loss)))
        err = mw_fail(error, MW_NOFIT, "law %s gives no finite loss on these points", s->problem.law->name);
    if (!err)
        err = anneal(s, list, &count, method, seed, error);
    if (!err) {
        finish(s, list, count);
        *best = list[0];
    }
    return err;
}

/* Searches on `problem`, screening on fewer points where it has many. */
static enum mw_err search_on(struct mw_optimum *found, const struct mw_problem *problem, enum mw_method method,
                             unsigned long seed, struct mw_error *error)
{
    struct mw_problem fewer = {0};
    struct searcher all = {0}, few = {0};
    struct candidate best = {0};
    bool screen = problem->n > MW_SEARCH_FEW * 3 / 2;
    enum mw_err err = searcher_init(&all, problem, error);
    if (!err && screen)
        err = mw_problem_thin(&fewer, problem, MW_SEARCH_FEW, error);
    if (!err)
        err = searcher_init(&few, screen ? &fewer : problem, error);
    if (!err)
        err = search_all(&all, &few, &best, method, seed, error);
    *found = (struct mw_optimum){.b = best.b, .loss = best.loss, .evaluations = all.evaluations + few.evaluations};
    memcpy(found->params, best.params, sizeof found->params);
    searcher_release(&all);
    searcher_release(&few);
    mw_problem_release(&fewer);
    return err;
}

enum mw_err mw_search(struct mw_optimum *optimum, const struct mw_problem *problem, enum mw_method method,
                      unsigned long seed, struct mw_error *error)
{
    struct mw_problem subset = {0};
    struct mw_optimum found;
    bool select = problem->n > MW_SEARCH_POINTS;
    enum mw_err err = select ? mw_problem_thin(&subset, problem, MW_SEARCH_POINTS, error) : MW_OK;
    if (!err)
        err = search_on(&found, select ? &subset : problem, method, seed, error);
    if (!err && select)
        err = mw_search_near(&found, problem, SHORT, error);
    mw_problem_release(&subset);
    if (!err)
        *optimum = found;
    return err;
}

enum mw_err mw_search_near(struct mw_optimum *optimum, const struct mw_problem *problem, unsigned iterations,
                           struct mw_error *error)
{
    struct searcher s;
    enum mw_err err = searcher_init(&s, problem, error);
    if (err)
        return err;
    struct candidate c = {0};
    memcpy(c.params, optimum->params, sizeof c.params);
    evaluate(&s, &c);
    if (isfinite(c.loss))
        polish(&s, &c, iterations, false);
    memcpy(optimum->params, c.params, sizeof c.params);
    optimum->b = c.b;
    optimum->loss = c.loss;
    optimum->evaluations += s.evaluations;
    searcher_release(&s);
    return MW_OK;
}
