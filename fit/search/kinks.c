// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/searcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Optima of laws with a max: the loss has a corner wherever the max switches at a measured point, and local optima
 * crowd there. Moves that hold the branches make the problem smooth and lead from one pattern to the next.
 */
enum {
    MAX = MW_LAW_MAX_PARAMS,
    TIES = MW_SEARCHER_TIES,
    SHORT = 6,     /* iterations of Levenberg-Marquardt that tell a hopeless start from a good one */
    LONG = 60,     /* iterations to its end */
    SIMPLEX = 150, /* iterations of the simplex */
    WALK = 12,     /* iterations before and after a neighbouring pattern is let free */
    ROUNDS = 6,    /* of a walk */
};

/* Free, and again after a start with the branches of its pattern held, which is a smooth problem; the better stays. */
void mw_search_point_polish_pattern(struct mw_searcher *s, struct mw_search_point *c)
{
    struct mw_problem *pr = &s->problem;
    struct mw_search_point held = *c;
    mw_search_point_evaluate(s, c);
    mw_search_point_polish(s, c, SHORT, false);
    if (!pr->law->branch)
        return;
    pr->law->branch(held.params, pr->n + pr->base_n, pr->p, pr->phi, s->branches);
    pr->held = s->branches;
    mw_search_point_evaluate(s, &held);
    mw_search_point_polish(s, &held, SHORT, false);
    pr->held = NULL;
    mw_search_point_evaluate(s, &held);
    mw_search_point_polish(s, &held, SHORT, false);
    if (held.loss < c->loss)
        *c = held;
}

/* Simplex, then derivatives again: the one crosses the kinks where a max switches, the other ends what it began. */
void mw_search_point_polish_kinks(struct mw_searcher *s, struct mw_search_point *c, double step)
{
    const struct mw_problem *pr = &s->problem;
    double low[MAX], high[MAX], loss, params[MAX];
    memcpy(low, pr->low, sizeof low);
    memcpy(high, pr->high, sizeof high);
    memcpy(params, c->params, sizeof params);
    for (size_t j = 0; j < pr->law->param_count; j++)
        if (pr->law->whole & 1u << j)
            low[j] = high[j] = params[j];
    mw_polish_simplex(pr->law->param_count, low, high, mw_searcher_loss, s, params, step, SIMPLEX, &loss);
    struct mw_search_point next = {0};
    memcpy(next.params, params, sizeof params);
    mw_search_point_evaluate(s, &next);
    if (next.loss < c->loss)
        *c = next;
    mw_search_point_polish(s, c, LONG, true);
}

/*
 * Corners on which an optimum may sit: points where the two branches are equal, or nearly, or core counts at which the
 * law has a corner of its own (`which` of them).
 */
struct ties {
    double p[TIES], phi[TIES], gap[TIES]; /* gap: how far from equal, as a logarithm */
    size_t which[TIES], count;
};

/* ln(second branch/first branch) at a point, or ln(corner/p) */
static double tie_gap(const struct mw_law *law, const double *params, double p, double phi, size_t which)
{
    const double nowhere = 10; /* in ln p */
    double h[2], kinks[MW_LAW_CORNERS];
    if (law->kinks) {
        law->kinks(params, kinks);
        return fmin(log(kinks[which] / p), nowhere);
    }
    for (unsigned char branch = 0; branch < 2; branch++)
        law->eval_branch(params, 1, &p, &phi, &branch, &h[branch]);
    return log(h[1] / h[0]);
}

static void add_tie(struct ties *ties, double p, double phi, size_t which, double gap)
{
    bool full = ties->count == TIES;
    if (full && gap >= ties->gap[TIES - 1])
        return;
    size_t at = full ? TIES - 1 : ties->count++;
    for (; at > 0 && gap < ties->gap[at - 1]; at--) {
        ties->p[at] = ties->p[at - 1];
        ties->phi[at] = ties->phi[at - 1];
        ties->which[at] = ties->which[at - 1];
        ties->gap[at] = ties->gap[at - 1];
    }
    ties->p[at] = p;
    ties->phi[at] = phi;
    ties->which[at] = which;
    ties->gap[at] = gap;
}

/* Corners of the law itself lie at the same count for all frequencies: one tie each. */
static void find_ties(const struct mw_problem *pr, const double *params, struct ties *ties)
{
    const double near = 5e-3;
    ties->count = 0;
    for (size_t which = 0; which < (pr->law->kinks ? MW_LAW_CORNERS : 1); which++) {
        for (size_t i = 0; i < pr->n; i++) {
            double gap = fabs(tie_gap(pr->law, params, pr->p[i], pr->phi[i], which));
            if (!(gap < near) || pr->p[i] <= 1)
                continue;
            add_tie(ties, pr->p[i], pr->phi[i], which, gap);
            if (pr->law->kinks)
                break;
        }
    }
}

/* A search along corners: the residuals of the points, then one for each tie that is kept. */
struct slider {
    struct mw_searcher *searcher;
    const struct ties *ties;
    size_t kept;
    double weight;
};

static void residuals_and_ties(void *context, const double *x, double *r)
{
    const struct slider *slider = context;
    const struct mw_problem *pr = &slider->searcher->problem;
    mw_searcher_residuals(slider->searcher, x, r);
    for (size_t t = 0; t < slider->kept; t++)
        r[pr->n + t] =
            slider->weight * tie_gap(pr->law, x, slider->ties->p[t], slider->ties->phi[t], slider->ties->which[t]);
}

enum { NO_FLIP = TIES };

/*
 * c polished with the first `kept` ties held equal by a penalty, and the branches held, so that all is smooth; at the
 * point of tie `flip` the other branch.
 */
static struct mw_search_point on_ties(struct mw_searcher *s, const struct mw_search_point *c, const struct ties *ties,
                                      size_t kept, size_t flip, bool central)
{
    struct mw_problem *pr = &s->problem;
    struct mw_search_point next = *c;
    /* so heavy that what the penalty leaves of a gap changes the loss by about 1e-8 of itself */
    struct slider slider = {s, ties, kept, 1e4 * sqrt((double)pr->n * c->loss)};
    if (pr->law->branch) {
        pr->law->branch(c->params, pr->n + pr->base_n, pr->p, pr->phi, s->branches);
        pr->held = s->branches;
        for (size_t i = 0; i < pr->n && flip != NO_FLIP; i++)
            if (pr->p[i] == ties->p[flip] && pr->phi[i] == ties->phi[flip])
                s->branches[i] = !s->branches[i];
    }
    if (kept)
        mw_search_point_polish_with(s, &next, residuals_and_ties, &slider, kept, central ? LONG : WALK, central);
    else
        mw_search_point_polish(s, &next, LONG, central);
    pr->held = NULL;
    mw_search_point_evaluate(s, &next);
    return next;
}

/*
 * Along the corner: the branches held, the closest ties kept equal by a penalty, so that what is minimised is smooth.
 * A simplex stops where two slopes meet; the optimum may lie further along the edge between them, or along another edge
 * once a point near it has changed sides.
 */
void mw_search_point_slide(struct mw_searcher *s, struct mw_search_point *c)
{
    struct ties ties;
    if (!s->problem.law->branch && !s->problem.law->kinks)
        return;
    find_ties(&s->problem, c->params, &ties);
    for (size_t kept = 0; kept <= ties.count; kept++) {
        for (size_t flip = kept; flip <= ties.count; flip++) {
            bool last = flip == ties.count;
            if (last ? kept == 0 : !s->problem.law->branch)
                continue;
            struct mw_search_point next = on_ties(s, c, &ties, kept, last ? NO_FLIP : flip, true);
            if (next.loss < c->loss)
                *c = next;
        }
    }
}

/* The measured core counts between which the wall binds at c, majority of the frequencies; none: from = HUGE_VAL. */
static void wall_range(struct mw_searcher *s, const struct mw_search_point *c, double *from, double *to)
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
static struct mw_search_point held_between(struct mw_searcher *s, struct mw_search_point c, double from, double to)
{
    struct mw_problem *pr = &s->problem;
    for (size_t i = 0; i < pr->n + pr->base_n; i++)
        s->branches[i] = pr->p[i] >= from && pr->p[i] <= to;
    pr->held = s->branches;
    mw_search_point_evaluate(s, &c);
    mw_search_point_polish(s, &c, WALK, false);
    pr->held = NULL;
    mw_search_point_evaluate(s, &c);
    mw_search_point_polish(s, &c, WALK, false);
    return c;
}

/* c polished with parameter j held at a multiple of its distance from the nearer bound, then free. */
static struct mw_search_point with_param(struct mw_searcher *s, struct mw_search_point c, size_t j, double factor)
{
    struct mw_problem *pr = &s->problem;
    double low = pr->low[j], high = pr->high[j], value = c.params[j], least = 1e-3 * (high - low);
    if (value - low <= high - value)
        value = low + fmax(value - low, least) * factor;
    else
        value = high - fmax(high - value, least) * factor;
    c.params[j] = pr->low[j] = pr->high[j] = fmin(fmax(value, low), high);
    mw_search_point_evaluate(s, &c);
    mw_search_point_polish(s, &c, WALK, false);
    pr->low[j] = low;
    pr->high[j] = high;
    mw_search_point_polish(s, &c, WALK, false);
    return c;
}

/*
 * From pattern to neighbouring pattern: the wall's first and last core count one or two further, parameters by factors, as long
 * as that helps. Local optima crowd where the max switches between two measured counts; these moves step over them.
 */
void mw_search_point_walk(struct mw_searcher *s, struct mw_search_point *c)
{
    static const double factors[] = {.1, .5, .9, 1.1, 2, 10};
    const struct mw_problem *pr = &s->problem;
    bool better = pr->law->branch != NULL;
    for (int round = 0; better && round < ROUNDS; round++) {
        struct mw_search_point start = *c, next;
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

/* Every corner of the law in turn to every measured count, polished there and then free, as long as that helps. */
void mw_search_point_walk_kinks(struct mw_searcher *s, struct mw_search_point *c)
{
    const struct mw_problem *pr = &s->problem;
    bool better = pr->law->kinks != NULL;
    for (int round = 0; better && round < ROUNDS; round++) {
        struct mw_search_point start = *c;
        for (size_t which = 0; which < MW_LAW_CORNERS; which++) {
            for (double p = 1; isfinite(p) && p <= pr->p_max; p = neighbour(pr, p, 1)) {
                const struct ties ties = {.p = {p}, .phi = {pr->phi[0]}, .which = {which}, .count = 1};
                struct mw_search_point next = on_ties(s, &start, &ties, 1, NO_FLIP, false);
                if (next.loss < c->loss)
                    *c = next;
                mw_search_point_polish(s, &next, WALK, false);
                if (next.loss < c->loss)
                    *c = next;
            }
        }
        better = c->loss < start.loss * (1 - 1e-9);
    }
}
