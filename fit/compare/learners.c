// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/compare/learners_internal.h"

#include "fit/numeric/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *mw_learner_name(enum mw_learner learner)
{
    static const char *const names[] = {"kernel-ridge", "svr", "tree"};
    return names[learner];
}

static double gaussian(const double *a, const double *b, double length)
{
    double d0 = a[0] - b[0], d1 = a[1] - b[1];
    return exp(-.5 * (d0 * d0 + d1 * d1) / (length * length));
}

/*
 * One setting of kernel ridge: (K + lambda I) alpha = y - mean. Leave-one-out errors are alpha_i/[(K + lambda I)^-1]_ii
 * (Rasmussen and Williams 2006, 5.4.2); their sum of squares is returned, HUGE_VAL where the system is singular.
 */
static double ridge_setting(const double (*x)[2], const double *centred, size_t n, double length, double lambda,
                            double *work, double *alpha)
{
    double *k = work, *inverse = work + n * n, *z = work + 2 * n * n, left_out = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            k[i * n + j] = gaussian(x[i], x[j], length) + (i == j ? lambda : 0);
    if (!mw_cholesky(k, n))
        return HUGE_VAL;
    mw_lower_inverse(k, n, inverse);
    mw_lower_multiply(inverse, n, centred, z);
    mw_lower_multiply_transposed(inverse, n, z, alpha);
    for (size_t i = 0; i < n; i++) {
        double diagonal = 0;
        for (size_t r = i; r < n; r++)
            diagonal += inverse[r * n + i] * inverse[r * n + i];
        double e = alpha[i] / diagonal;
        left_out += e * e;
    }
    return left_out;
}

enum mw_err mw_learn_ridge(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                           int setting, double *out, struct mw_error *error)
{
    static const double lengths[] = {.3, .6, 1, 2, 4, 8}, lambdas[] = {1e-4, 1e-3, 1e-2, 1e-1};
    (void)setting;
    double *work = malloc((2 * n * n + 4 * n) * sizeof *work);
    if (!work)
        return mw_fail(error, MW_NOMEM, "out of memory");
    double *centred = work + 2 * n * n + n, *alpha = centred + n, *best_alpha = alpha + n;
    double mean = 0, best = HUGE_VAL, best_length = 1;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        centred[i] = y[i] - mean;
    memset(best_alpha, 0, n * sizeof *best_alpha);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t r = 0; r < sizeof lambdas / sizeof *lambdas; r++) {
            double left_out = ridge_setting(x, centred, n, lengths[l], lambdas[r], work, alpha);
            if (left_out < best) {
                best = left_out;
                best_length = lengths[l];
                memcpy(best_alpha, alpha, n * sizeof *alpha);
            }
        }
    }
    for (size_t q = 0; q < m; q++) {
        out[q] = mean;
        for (size_t i = 0; i < n; i++)
            out[q] += best_alpha[i] * gaussian(query[q], x[i], best_length);
    }
    free(work);
    return MW_OK;
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
    } table[] = {{mw_learn_ridge, 1}, {mw_learn_svr, MW_SVR_SETTINGS}, {mw_learn_tree, MW_TREE_SETTINGS}};
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
