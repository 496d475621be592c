// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/score.h"

#include "data/stats.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mw_knowledge_apply(const struct mw_knowledge *knowledge, struct mw_problem *problem)
{
    const struct mw_law *law = problem->law;
    mw_law_limit(law, &knowledge->limits, problem->high);
    for (size_t j = 0; j < law->param_count; j++) {
        /* a node larger than all measured core counts is no step, as is one of all of them */
        if (law == &mw_law_socket && !strcmp(law->params[j].name, "b") && knowledge->boundary_count)
            problem->low[j] = problem->high[j] = fmin(knowledge->boundaries[0], problem->p_max);
    }
}

/* Residuals without their weights: of ln value, or of speedup. */
static void plain_residuals(const struct mw_problem *problem, const struct mw_optimum *at, struct mw_scratch *scratch)
{
    mw_problem_residuals(problem, at->params, at->b, scratch);
    for (size_t i = 0; i < problem->n; i++)
        scratch->residual[i] /= problem->root_weight[i];
}

/* predicted/measured of point i */
static double ratio(const struct mw_problem *problem, const struct mw_scratch *scratch, size_t i)
{
    double r = scratch->residual[i];
    if (problem->loss == MW_LOSS_SPEEDUP_MSE)
        return 1 - r / problem->y[i];
    return exp(problem->base_n ? r : -r);
}

/* Refits without each fold in turn, from the optimum; fold of point i: i mod folds, in the order (frequency, cores). */
static enum mw_err cross_validate_on(struct mw_score *score, const struct mw_problem *problem, struct mw_error *error)
{
    enum { FOLDS = 10, ITERATIONS = 8 };
    size_t folds = problem->n < FOLDS ? problem->n : FOLDS, largest = (problem->n + folds - 1) / folds, counted = 0;
    score->has_cv = problem->n >= largest + score->law->param_count + 2;
    if (!score->has_cv)
        return MW_OK;
    double sum = 0;
    struct mw_scratch scratch = {0};
    size_t *keep = malloc(problem->n * sizeof *keep);
    enum mw_err err = keep ? mw_scratch_init(&scratch, problem, error) : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t fold = 0; fold < folds && !err; fold++) {
        struct mw_problem rest = {0};
        struct mw_optimum refit = score->optimum;
        size_t n = 0;
        for (size_t i = 0; i < problem->n; i++)
            if (i % folds != fold)
                keep[n++] = i;
        err = mw_problem_subset(&rest, problem, keep, n, error);
        if (!err)
            err = mw_search_near(&refit, &rest, ITERATIONS, error);
        mw_problem_release(&rest);
        if (err)
            break;
        plain_residuals(problem, &refit, &scratch);
        for (size_t i = fold; i < problem->n; i += folds) {
            if (problem->loss == MW_LOSS_SPEEDUP_MSE && problem->p[i] <= 1) /* one by definition */
                continue;
            sum += fabs(ratio(problem, &scratch, i) - 1);
            counted++;
        }
    }
    free(keep);
    mw_scratch_release(&scratch);
    score->has_cv = counted > 0;
    score->cv_mape_percent = counted ? 100 * sum / (double)counted : 0;
    return err;
}

/* On an even selection where there are many points: more would not change the mean error by what is printed. */
static enum mw_err cross_validate(struct mw_score *score, const struct mw_problem *problem, struct mw_error *error)
{
    struct mw_problem fewer = {0};
    if (problem->n <= MW_SEARCH_POINTS)
        return cross_validate_on(score, problem, error);
    enum mw_err err = mw_problem_thin(&fewer, problem, MW_SEARCH_POINTS, error);
    if (!err)
        err = cross_validate_on(score, &fewer, error);
    mw_problem_release(&fewer);
    return err;
}

/* The loss of the optimum's parameters under another loss; false where the points don't have what that needs. */
static enum mw_err loss_under(double *value, bool *has, const struct mw_score *score, const struct mw_points *points,
                              enum mw_loss loss, const struct mw_knowledge *knowledge, struct mw_error *error)
{
    struct mw_problem problem = {0};
    struct mw_scratch scratch = {0};
    struct mw_error none;
    *has = false;
    enum mw_err err = mw_problem_init(&problem, points, loss, knowledge->memory_freq_hz, &none);
    if (err == MW_NOFIT)
        return MW_OK;
    if (err)
        return mw_fail(error, err, "%s", none.message);
    for (size_t i = 0; i < problem.n; i++)
        problem.root_weight[i] = 1;
    problem.law = score->law;
    err = mw_scratch_init(&scratch, &problem, error);
    if (!err) {
        *value = mw_problem_loss(&problem, score->optimum.params, NULL, &scratch);
        *has = isfinite(*value);
    }
    mw_scratch_release(&scratch);
    mw_problem_release(&problem);
    return err;
}

/* Laws of the variable-latency family start from its optimum too, at the further parameter's "no effect". */
static enum mw_err search_beside(struct mw_score *score, const struct mw_problem *problem,
                                 const struct mw_score *reported, const struct mw_score_options *options,
                                 struct mw_error *error)
{
    struct mw_optimum near = reported->optimum;
    bool nested = reported->law == &mw_law_vls && score->law->branch;
    if (nested)
        near.params[mw_law_vls.param_count] = score->law == &mw_law_vls_onecore ? 1 : 0;
    return mw_search_compare(&score->optimum, problem, nested ? &near : NULL, options->method, options->seed, error);
}

/* reported: the score of the reported law, if that is another one */
static enum mw_err score_law(struct mw_score *score, const struct mw_score *reported, const struct mw_problem *shared,
                             const struct mw_points *points, const struct mw_score_options *options,
                             struct mw_error *error)
{
    struct mw_problem problem = *shared; /* the arrays are only read */
    mw_problem_law(&problem, score->law);
    mw_knowledge_apply(options->knowledge, &problem);
    enum mw_err err = reported ? search_beside(score, &problem, reported, options, error)
                               : mw_search(&score->optimum, &problem, options->method, options->seed, error);
    bool has_log = false;
    double mean_square = 0;
    if (!err)
        err = loss_under(&mean_square, &has_log, score, points, MW_LOSS_LOG, options->knowledge, error);
    if (!err)
        err = loss_under(&score->mse_speedup, &score->has_mse_speedup, score, points, MW_LOSS_SPEEDUP_MSE,
                         options->knowledge, error);
    score->rmse_log = has_log ? sqrt(mean_square) : 0;
    return err ? err : cross_validate(score, &problem, error);
}

enum mw_err mw_robust_scale(double *scale, const struct mw_points *points, const struct mw_law *law,
                            const struct mw_score_options *options, struct mw_error *error)
{
    enum { SEED = 1 }; /* of its own: the loss must not depend on the fit's */
    struct mw_problem problem = {0}, few = {0};
    struct mw_scratch scratch = {0};
    struct mw_optimum found;
    enum mw_err err = mw_problem_init(&problem, points, MW_LOSS_ROBUST, options->knowledge->memory_freq_hz, error);
    if (err)
        return err;
    mw_problem_law(&problem, law);
    mw_knowledge_apply(options->knowledge, &problem);
    problem.robust_scale = 2 * MW_ROBUST_SCALE_MIN;
    err = mw_problem_thin(&few, &problem, MW_SEARCH_FEW, error);
    if (!err)
        err = mw_search_compare(&found, &few, NULL, options->method, SEED, error);
    if (!err)
        err = mw_scratch_init(&scratch, &problem, error);
    if (!err) {
        mw_problem_residuals(&problem, found.params, found.b, &scratch);
        for (size_t i = 0; i < problem.n; i++)
            scratch.residual[i] = fabs(scratch.residual[i]);
        *scale = fmax(MW_ROBUST_SCALE_MIN, 1.5 * mw_median(scratch.residual, problem.n));
    }
    mw_scratch_release(&scratch);
    mw_problem_release(&few);
    mw_problem_release(&problem);
    return err;
}

enum mw_err mw_score_laws(struct mw_score *scores, size_t count, const struct mw_points *points,
                          const struct mw_score_options *options, struct mw_error *error)
{
    struct mw_problem problem = {0};
    enum mw_err err = mw_problem_init(&problem, points, options->loss, options->knowledge->memory_freq_hz, error);
    if (err)
        return err;
    problem.robust_scale = options->robust_scale;
    struct {
        enum mw_err err;
        struct mw_error error;
    } *outcome = calloc(count, sizeof *outcome);
    if (!outcome) {
        mw_problem_release(&problem);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    const struct mw_score *reported = NULL;
    for (size_t i = 0; i < count && !reported; i++)
        if (scores[i].law == options->reported) {
            outcome[i].err = score_law(&scores[i], NULL, &problem, points, options, &outcome[i].error);
            reported = &scores[i];
        }
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t i = 0; i < count; i++)
        if (&scores[i] != reported)
            outcome[i].err = score_law(&scores[i], reported, &problem, points, options, &outcome[i].error);
    for (size_t i = 0; i < count && !err; i++) {
        err = outcome[i].err;
        if (err && error)
            *error = outcome[i].error;
    }
    free(outcome);
    mw_problem_release(&problem);
    return err;
}
