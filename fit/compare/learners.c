// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/compare/learners_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *mw_learner_name(enum mw_learner learner)
{
    static const char *const names[] = {"kernel-ridge", "gaussian-process", "svr", "tree", "forest"};
    return names[learner];
}

/* Training rows without, and of, one fold. */
struct fold {
    double (*x)[2], *y, (*held)[2], *held_y, *predicted;
};

static enum mw_err fold_error(mw_learn *learn, const double (*x)[2], const double *y, size_t n, int setting,
                              struct fold *f, double *sum, struct mw_error *error)
{
    enum { FOLDS = 5 };
    enum mw_err err = MW_OK;
    *sum = 0;
    for (size_t fold = 0; fold < FOLDS && !err; fold++) {
        size_t kept = 0, held = 0;
        for (size_t i = 0; i < n; i++) {
            double *row = i % FOLDS == fold ? f->held[held] : f->x[kept];
            memcpy(row, x[i], sizeof x[i]);
            *(i % FOLDS == fold ? &f->held_y[held++] : &f->y[kept++]) = y[i];
        }
        if (held == 0 || kept == 0)
            continue;
        err = learn((const double(*)[2])f->x, f->y, kept, (const double(*)[2])f->held, held, setting, f->predicted,
                    error);
        for (size_t i = 0; i < held && !err; i++)
            *sum += (f->predicted[i] - f->held_y[i]) * (f->predicted[i] - f->held_y[i]);
    }
    return err;
}

/* The setting of least cross-validated error; the first where there are too few points to tell. */
static enum mw_err choose(mw_learn *learn, int settings, const double (*x)[2], const double *y, size_t n, int *chosen,
                          struct mw_error *error)
{
    struct fold f = {malloc(n * sizeof *f.x), malloc(n * sizeof *f.y), malloc(n * sizeof *f.held),
                     malloc(n * sizeof *f.held_y), malloc(n * sizeof *f.predicted)};
    enum mw_err err =
        f.x && f.y && f.held && f.held_y && f.predicted ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    double best = HUGE_VAL, sum;
    *chosen = 0;
    for (int setting = 0; setting < settings && !err; setting++) {
        err = fold_error(learn, x, y, n, setting, &f, &sum, error);
        if (!err && sum < best) {
            best = sum;
            *chosen = setting;
        }
    }
    free(f.x);
    free(f.y);
    free(f.held);
    free(f.held_y);
    free(f.predicted);
    return err;
}

/* Mean 0 and variance 1 on the training rows; a feature that does not vary is left at 0. */
static void scale(const double (*x)[2], size_t n, const double (*from)[2], size_t count, double (*to)[2])
{
    for (size_t j = 0; j < 2; j++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < n; i++)
            mean += x[i][j] / (double)n;
        for (size_t i = 0; i < n; i++)
            square += (x[i][j] - mean) * (x[i][j] - mean) / (double)n;
        double factor = square > 1e-12 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < count; i++)
            to[i][j] = (from[i][j] - mean) * factor;
    }
}

enum mw_err mw_learner_predict(enum mw_learner learner, const double (*x)[2], const double *y, size_t n,
                               const double (*query)[2], size_t m, double *out, struct mw_error *error)
{
    static const struct {
        mw_learn *learn;
        int settings;
    } table[] = {[MW_LEARNER_RIDGE] = {mw_learn_ridge, 1},
                 [MW_LEARNER_GAUSSIAN_PROCESS] = {mw_learn_gaussian_process, 1},
                 [MW_LEARNER_SVR] = {mw_learn_svr, MW_SVR_SETTINGS},
                 [MW_LEARNER_TREE] = {mw_learn_tree, MW_TREE_SETTINGS},
                 [MW_LEARNER_FOREST] = {mw_learn_forest, 1}};
    double(*train)[2] = malloc((n + m) * sizeof *train);
    if (!train)
        return mw_fail(error, MW_NOMEM, "out of memory");
    int setting = 0;
    enum mw_err err = MW_OK;
    scale(x, n, x, n, train);
    scale(x, n, query, m, train + n);
    const double(*scaled)[2] = (const double(*)[2])train;
    if (table[learner].settings > 1)
        err = choose(table[learner].learn, table[learner].settings, scaled, y, n, &setting, error);
    if (!err)
        err = table[learner].learn(scaled, y, n, scaled + n, m, setting, out, error);
    free(train);
    return err;
}
