// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/search.h"

#include "fit/numeric/csa.h"
#include "fit/search/searcher.h"
#include "fit/search/starts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const method_names[] = {[MW_METHOD_CSA] = "csa", [MW_METHOD_SIMAN] = "siman"};

const char *mw_method_name(enum mw_method method)
{
    return method_names[method];
}

bool mw_method_find(const char *name, enum mw_method *method)
{
    for (unsigned i = 0; i < sizeof method_names / sizeof *method_names; i++)
        if (!strcmp(name, method_names[i])) {
            *method = (enum mw_method)i;
            return true;
        }
    return false;
}

enum {
    MAX = MW_LAW_MAX_PARAMS,
    SHORT = 6,     /* iterations of Levenberg-Marquardt that tell a hopeless start from a good one */
    LONG = 60,     /* iterations to its end */
    HANDFUL = 32,  /* points on which starts are screened */
    SCREENED = 30, /* blocks polished on all points, at most */
};

struct effort {
    size_t every;     /* of how many starts one is looked at */
    size_t blocks;    /* that are polished, on few points */
    size_t screened;  /* of these, polished on all points */
    size_t sweeps;    /* probes of each annealer */
    size_t finalists; /* candidates that get the long polish */
    size_t kinked;    /* of these, led over corners */
    size_t stepped;   /* of these, with the law's own corners tried at every measured count */
};
struct task {
    enum mw_method method;
    unsigned long seed;
    bool compare;
    const struct mw_optimum *near; /* or NULL: a start beside those of the sequence */
};

static const struct effort effort_kinks = {1, 100, SCREENED, 100, 12, 5, 2},
                           effort_smooth = {1, 100, SCREENED, 100, 4, 1, 0}, /* no corners, so few optima */
    effort_whole = {1, 512, SCREENED, 30, 12, 1, 0},                         /* every value on all points */
    effort_whole_compare = {1, 40, 15, 30, 4, 1, 0},                         /* values ranked on a handful */
    effort_alone = {1, 24, 10, 10, 4, 2, 0},  /* corners, a good optimum, found without a start near it */
    effort_compare = {4, 12, 4, 10, 2, 1, 0}; /* smooth, or with a start near the optimum */

static int by_loss(const void *a, const void *b)
{
    double x = ((const struct mw_search_point *)a)->loss, y = ((const struct mw_search_point *)b)->loss;
    return (x > y) - (x < y);
}

static bool same_place(const struct mw_problem *pr, const struct mw_search_point *a, const struct mw_search_point *b)
{
    for (size_t j = 0; j < pr->law->param_count; j++)
        if (fabs(a->params[j] - b->params[j]) > 1e-5 * (pr->high[j] - pr->low[j]))
            return false;
    return true;
}

/* Keeps the best of candidates that have come together; sorted by loss. */
static size_t distinct(const struct mw_problem *pr, struct mw_search_point *list, size_t count)
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

/*
 * The loss of every start on a handful of points, by squares: the cheapest that still ranks them. Blocks of whole
 * parameters are ranked by what the other parameters can make of them, since no later step leads from one to the next.
 */
static enum mw_err screen(const struct mw_searcher *s, const struct mw_starts *starts, size_t every,
                          struct mw_search_point *found, struct mw_error *error)
{
    struct mw_problem handful = {0};
    struct mw_searcher fast = {0};
    enum mw_err err = mw_problem_thin(&handful, &s->problem, HANDFUL, error);
    if (handful.loss == MW_LOSS_ROBUST)
        handful.loss = MW_LOSS_LOG;
    if (!err)
        err = mw_searcher_init(&fast, &handful, error);
    for (size_t i = 0; i < starts->block_count && !err; i++)
        found[i].loss = HUGE_VAL;
    for (size_t i = 0; i < starts->count && !err; i += every) {
        struct mw_search_point c = {0};
        memcpy(c.params, starts->params + i * MAX, sizeof c.params);
        mw_search_point_evaluate(&fast, &c);
        if (c.loss < found[starts->block[i]].loss)
            found[starts->block[i]] = c;
    }
    for (size_t i = 0; i < starts->block_count && !err && s->problem.law->whole; i++)
        if (isfinite(found[i].loss))
            mw_search_point_polish(&fast, &found[i], SHORT, false);
    mw_searcher_release(&fast);
    mw_problem_release(&handful);
    return err;
}

/* The best start of every block, shortly polished, best first; at most effort->screened of them. */
static enum mw_err best_of_blocks(struct mw_searcher *s, struct mw_search_point *list, size_t *count,
                                  const struct effort *effort, struct mw_error *error)
{
    struct mw_starts starts;
    enum mw_err err = mw_starts_init(&starts, &s->problem, error);
    if (err)
        return err;
    struct mw_search_point *found = calloc(starts.block_count, sizeof *found);
    if (!found) {
        mw_starts_release(&starts);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    err = screen(s, &starts, effort->every, found, error);
    if (err)
        goto out;
    qsort(found, starts.block_count, sizeof *found, by_loss);
    for (*count = 0; *count < starts.block_count && *count < effort->blocks && isfinite(found[*count].loss); ++*count)
        mw_search_point_polish_pattern(s, &found[*count]);
    *count = distinct(&s->problem, found, *count);
    if (*count > effort->screened)
        *count = effort->screened;
    memcpy(list, found, *count * sizeof *list);
out:
    free(found);
    mw_starts_release(&starts);
    return err;
}

/* A point of the annealers' cube as parameters; of whole ones the whole part. */
static void from_unit(const struct mw_problem *pr, const double *u, double *params)
{
    for (size_t j = 0; j < pr->law->param_count; j++) {
        params[j] = mw_start_value(pr->low[j], pr->high[j], u[j]);
        if (pr->law->whole & 1u << j)
            params[j] = floor(params[j]);
    }
}

static double energy_at(void *context, const double *u)
{
    struct mw_searcher *s = context;
    double params[MAX];
    from_unit(&s->problem, u, params);
    const double smallest = 1e-30; /* below any measured loss; keeps the logarithm finite for exact data */
    return log(fmin(mw_searcher_loss(s, params), 1e30) + smallest);
}

/* Annealing from the best blocks; its results join the list. */
static enum mw_err anneal(struct mw_searcher *s, struct mw_search_point *list, size_t *count,
                          const struct effort *effort, const struct task *task, struct mw_error *error)
{
    size_t d = s->problem.law->param_count;
    double u[MW_CSA_ANNEALERS * MAX], energy[MW_CSA_ANNEALERS];
    for (size_t i = 0; i < MW_CSA_ANNEALERS; i++)
        for (size_t j = 0; j < d; j++)
            u[i * d + j] = mw_start_unit(s->problem.low[j], s->problem.high[j], list[i % *count].params[j]);
    struct mw_anneal a = {d, energy_at, s, task->seed};
    enum mw_err err = task->method == MW_METHOD_CSA ? mw_csa_run(&a, (unsigned)effort->sweeps, u, energy, NULL, error)
                                                    : mw_siman_run(&a, (unsigned)effort->sweeps, u, energy, error);
    for (size_t i = 0; i < MW_CSA_ANNEALERS && !err; i++) {
        struct mw_search_point *c = &list[(*count)++];
        from_unit(&s->problem, u + i * d, c->params);
        mw_search_point_evaluate(s, c);
    }
    return err;
}

/* Laws without corners have few optima, and a simplex has nothing to add but the check that it finds no better. */
static void finish(struct mw_searcher *s, struct mw_search_point *list, size_t count, const struct effort *effort)
{
    const double hopeless = 1.2; /* corners have not been seen to matter by more */
    count = distinct(&s->problem, list, count);
    if (count > effort->finalists)
        count = effort->finalists;
    for (size_t i = 0; i < count; i++)
        mw_search_point_polish(s, &list[i], LONG, true);
    count = distinct(&s->problem, list, count);
    if (count > effort->kinked)
        count = effort->kinked;
    while (count > 1 && list[count - 1].loss > hopeless * list[0].loss)
        count--;
    for (size_t i = 0; i < count; i++) {
        mw_search_point_walk(s, &list[i]);
        if (i < effort->stepped)
            mw_search_point_walk_kinks(s, &list[i]);
    }
    count = distinct(&s->problem, list, count);
    for (size_t i = 0; i < count; i++) {
        mw_search_point_polish_kinks(s, &list[i], .1);
        mw_search_point_slide(s, &list[i]);
    }
    qsort(list, count, sizeof *list, by_loss);
    for (double before = HUGE_VAL; list[0].loss < before * (1 - 1e-8);) {
        before = list[0].loss;
        mw_search_point_polish_kinks(s, &list[0], .01);
        mw_search_point_slide(s, &list[0]);
    }
}

static const struct effort *effort_of(const struct mw_law *law, const struct task *task)
{
    if (law->whole)
        return task->compare ? &effort_whole_compare : &effort_whole;
    if (!task->compare)
        return law->branch || law->kinks ? &effort_kinks : &effort_smooth;
    return law->branch && !task->near ? &effort_alone : &effort_compare;
}

/* `few`: the same problem on fewer points, where the starts are screened. */
static enum mw_err search_all(struct mw_searcher *s, struct mw_searcher *few, struct mw_search_point *best,
                              const struct task *task, struct mw_error *error)
{
    const struct effort *effort = effort_of(s->problem.law, task);
    struct mw_search_point list[SCREENED + 1 + MW_CSA_ANNEALERS];
    memset(list, 0, sizeof list);
    size_t count = 0;
    enum mw_err err = best_of_blocks(few, list, &count, effort, error);
    if (task->near)
        memcpy(list[count++].params, task->near->params, sizeof task->near->params);
    for (size_t i = 0; i < count && !err; i++)
        mw_search_point_polish_pattern(s, &list[i]);
    qsort(list, count, sizeof *list, by_loss);
    if (!err && !(count && isfinite(list[0].loss)))
        err = mw_fail(error, MW_NOFIT, "law %s gives no finite loss on these points", s->problem.law->name);
    if (!err)
        err = anneal(s, list, &count, effort, task, error);
    if (!err) {
        finish(s, list, count, effort);
        *best = list[0];
    }
    return err;
}

/* Searches on `problem`, screening on fewer points where it has many. */
static enum mw_err search_on(struct mw_optimum *found, const struct mw_problem *problem, const struct task *task,
                             struct mw_error *error)
{
    struct mw_problem fewer = {0};
    struct mw_searcher all = {0}, few = {0};
    struct mw_search_point best = {0};
    bool whole = problem->law->whole && !task->compare; /* few points rank values of whole parameters wrongly */
    bool screen = problem->n > MW_SEARCH_FEW * 3 / 2 && !whole;
    enum mw_err err = mw_searcher_init(&all, problem, error);
    if (!err && screen)
        err = mw_problem_thin(&fewer, problem, MW_SEARCH_FEW, error);
    if (!err)
        err = mw_searcher_init(&few, screen ? &fewer : problem, error);
    if (!err)
        err = search_all(&all, &few, &best, task, error);
    *found = (struct mw_optimum){.b = best.b, .loss = best.loss, .evaluations = all.evaluations + few.evaluations};
    memcpy(found->params, best.params, sizeof found->params);
    mw_searcher_release(&all);
    mw_searcher_release(&few);
    mw_problem_release(&fewer);
    return err;
}

static enum mw_err search(struct mw_optimum *optimum, const struct mw_problem *problem, const struct task *task,
                          struct mw_error *error)
{
    struct mw_problem subset = {0};
    struct mw_optimum found;
    bool select = problem->n > MW_SEARCH_POINTS;
    enum mw_err err = select ? mw_problem_thin(&subset, problem, MW_SEARCH_POINTS, error) : MW_OK;
    if (!err)
        err = search_on(&found, select ? &subset : problem, task, error);
    if (!err && select)
        err = mw_search_near(&found, problem, SHORT, error);
    mw_problem_release(&subset);
    if (!err)
        *optimum = found;
    return err;
}

enum mw_err mw_search(struct mw_optimum *optimum, const struct mw_problem *problem, enum mw_method method,
                      unsigned long seed, struct mw_error *error)
{
    return search(optimum, problem, &(struct task){method, seed, false, NULL}, error);
}

enum mw_err mw_search_compare(struct mw_optimum *optimum, const struct mw_problem *problem,
                              const struct mw_optimum *near, enum mw_method method, unsigned long seed,
                              struct mw_error *error)
{
    return search(optimum, problem, &(struct task){method, seed, true, near}, error);
}

enum mw_err mw_search_near(struct mw_optimum *optimum, const struct mw_problem *problem, unsigned iterations,
                           struct mw_error *error)
{
    struct mw_searcher s;
    enum mw_err err = mw_searcher_init(&s, problem, error);
    if (err)
        return err;
    struct mw_search_point c = {0};
    memcpy(c.params, optimum->params, sizeof c.params);
    mw_search_point_evaluate(&s, &c);
    if (isfinite(c.loss))
        mw_search_point_polish(&s, &c, iterations, false);
    memcpy(optimum->params, c.params, sizeof c.params);
    optimum->b = c.b;
    optimum->loss = c.loss;
    optimum->evaluations += s.evaluations;
    mw_searcher_release(&s);
    return MW_OK;
}
