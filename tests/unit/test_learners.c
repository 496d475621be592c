// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/compare/learners_internal.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

enum { P = 8, F = 4, N = P * F };

static double surface(double p, double f)
{
    return log(.05 + 1 / p) - .7 * log(f);
}

static void grid(double (*x)[2], double *y)
{
    for (size_t i = 0; i < N; i++) {
        double p = (double)(1 + i % P), f = 1 + .3 * (double)(i / P);
        x[i][0] = log(p);
        x[i][1] = log(f);
        y[i] = surface(p, f);
    }
}

/* Mean absolute error between the training points. */
static double error_of(enum mw_learner learner)
{
    double x[N][2], y[N], query[P - 1][2], out[P - 1], sum = 0;
    grid(x, y);
    for (size_t i = 0; i < P - 1; i++) {
        query[i][0] = log(1.5 + (double)i);
        query[i][1] = log(1.15);
    }
    assert_int_equal(
        mw_learner_predict(learner, (const double(*)[2])x, y, N, (const double(*)[2])query, P - 1, out, NULL), MW_OK);
    for (size_t i = 0; i < P - 1; i++)
        sum += fabs(out[i] - surface(1.5 + (double)i, 1.15)) / (P - 1);
    return sum;
}

static void smooth_ones_interpolate(void **state)
{
    (void)state;
    assert_true(error_of(MW_LEARNER_RIDGE) < .01);
    assert_true(error_of(MW_LEARNER_GAUSSIAN_PROCESS) < .01);
    assert_true(error_of(MW_LEARNER_SVR) < .03);
}

static void tree_makes_steps(void **state)
{
    (void)state;
    double error = error_of(MW_LEARNER_TREE);
    assert_true(error > .01 && error < .3);
    /* a step function is what it holds exactly */
    double x[20][2], y[20], query[][2] = {{.21, 0}, {.79, 0}}, out[2];
    for (size_t i = 0; i < 20; i++) {
        x[i][0] = .05 * (double)i;
        x[i][1] = 0;
        y[i] = i < 10 ? 1 : 3;
    }
    assert_int_equal(
        mw_learner_predict(MW_LEARNER_TREE, (const double(*)[2])x, y, 20, (const double(*)[2])query, 2, out, NULL),
        MW_OK);
    assert_near(out[0], 1, 1e-12);
    assert_near(out[1], 3, 1e-12);
}

/* Leave-one-out in closed form is why ridge needs no folds: a constant is predicted as that constant by all. */
static void constants_stay(void **state)
{
    (void)state;
    double x[6][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}}, y[6] = {2, 2, 2, 2, 2, 2}, out[1];
    double query[1][2] = {{7, 3}};
    for (int learner = 0; learner < MW_LEARNER_COUNT; learner++) {
        assert_int_equal(mw_learner_predict((enum mw_learner)learner, (const double(*)[2])x, y, 6,
                                            (const double(*)[2])query, 1, out, NULL),
                         MW_OK);
        assert_near(out[0], 2, .02);
    }
}

/* The grid of the figures below, its features scaled to unit variance as scikit-learn's StandardScaler does. */
struct reference {
    double x[N][2], y[N], query[P - 1][2];
};

static void reference_grid(struct reference *r)
{
    double mean[2] = {0}, sd[2] = {0};
    for (size_t i = 0; i < N; i++) {
        double p = (double)(1 + i % P), f = 1 + .3 * (double)(i / P);
        r->x[i][0] = log(p);
        r->x[i][1] = log(f);
        r->y[i] = surface(p, f) + .02 * sin(5 * p + 3 * f);
        for (size_t j = 0; j < 2; j++)
            mean[j] += r->x[i][j] / N;
    }
    for (size_t i = 0; i < P - 1; i++) {
        r->query[i][0] = log(1.5 + (double)i);
        r->query[i][1] = log(1.15);
    }
    for (size_t j = 0; j < 2; j++) {
        for (size_t i = 0; i < N; i++)
            sd[j] += (r->x[i][j] - mean[j]) * (r->x[i][j] - mean[j]) / N;
        for (size_t i = 0; i < N; i++)
            r->x[i][j] = (r->x[i][j] - mean[j]) / sqrt(sd[j]);
        for (size_t i = 0; i < P - 1; i++)
            r->query[i][j] = (r->query[i][j] - mean[j]) / sqrt(sd[j]);
    }
}

/*
 * scikit-learn 1.2.1 on the same rows, by bench/learners_sklearn.py: KernelRidge(alpha=.01, gamma=.5), SVR(C=10, gamma=.5,
 * epsilon=.01), DecisionTreeRegressor(min_samples_leaf=2), GaussianProcessRegressor(RBF([1.5, 2]) + WhiteKernel(1e-4)).
 */
static const double sklearn_ridge[P - 1] = {-0.289207216066, -0.885045962133, -1.19361552788, -1.39876986879,
                                            -1.56372405647,  -1.70028076348,  -1.8089159115},
                                      sklearn_svr[P - 1] = {-0.315313186, -0.888816345, -1.20723265, -1.41271094,
                                                            -1.57118093,  -1.7067028,   -1.82377755},
                                      sklearn_tree[P - 1] = {-0.675742747937, -1.05768348445, -1.31369651575,
                                                             -1.64124459,     -1.64124459,    -1.86954085331,
                                                             -1.86954085331},
                                      sklearn_process[P - 1] = {-0.390790683448, -0.895034292601, -1.2053033089,
                                                                -1.40694329021,  -1.55429786674,  -1.67787986674,
                                                                -1.79212218604},
                                      sklearn_likelihood = 51.9711993038;

static void as_scikit_learn(void **state)
{
    (void)state;
    struct reference r;
    reference_grid(&r);
    const double(*x)[2] = (const double(*)[2])r.x, (*query)[2] = (const double(*)[2])r.query;
    double work[2 * N * N + 3 * N], centred[N], out[P - 1], mean = 0;
    struct mw_kernel_fit fit;
    for (size_t i = 0; i < N; i++)
        mean += r.y[i] / N;
    for (size_t i = 0; i < N; i++)
        centred[i] = r.y[i] - mean;
    const struct mw_kernel ridge = {1, {1, 1}, .1}, process = {1, {1.5, 2}, .01};
    assert_true(mw_kernel_solve(&ridge, x, centred, N, query, P - 1, out, work, &fit));
    for (size_t i = 0; i < P - 1; i++)
        assert_near(out[i] + mean, sklearn_ridge[i], 1e-6);
    assert_true(mw_kernel_solve(&process, x, centred, N, query, P - 1, out, work, &fit));
    for (size_t i = 0; i < P - 1; i++)
        assert_near(out[i] + mean, sklearn_process[i], 1e-6);
    assert_near(fit.log_likelihood, sklearn_likelihood, 1e-4); /* it adds 1e-10 to the diagonal */
    assert_int_equal(mw_learn_tree(x, r.y, N, query, P - 1, 1, out, NULL), MW_OK);
    for (size_t i = 0; i < P - 1; i++)
        assert_near(out[i], sklearn_tree[i], 1e-6);
    if (!mw_learner_present(MW_LEARNER_SVR))
        return;
    assert_int_equal(mw_learn_svr(x, r.y, N, query, P - 1, 4, out, NULL), MW_OK);
    for (size_t i = 0; i < P - 1; i++)
        assert_near(out[i], sklearn_svr[i], 1e-3);
}

/* The closed form against leaving each point out and solving again. */
static void left_out_is_left_out(void **state)
{
    (void)state;
    struct reference r;
    reference_grid(&r);
    double work[2 * N * N + 3 * N], x[N][2], y[N], out[1], sum = 0;
    const struct mw_kernel kernel = {1, {1, 1}, .1};
    struct mw_kernel_fit fit, ignored;
    for (size_t i = 0; i < N; i++) {
        memcpy(x, r.x, sizeof x);
        memcpy(y, r.y, sizeof y);
        memcpy(x[i], r.x[N - 1], sizeof x[i]);
        y[i] = r.y[N - 1];
        assert_true(mw_kernel_solve(&kernel, (const double(*)[2])x, y, N - 1, (const double(*)[2]) & r.x[i], 1, out,
                                    work, &ignored));
        sum += (out[0] - r.y[i]) * (out[0] - r.y[i]);
    }
    assert_true(mw_kernel_solve(&kernel, (const double(*)[2])r.x, r.y, N, NULL, 0, NULL, work, &fit));
    assert_near(fit.left_out, sum, 1e-9 * sum);
}

/* Targets that belong to other points cannot be learnt: nobody does better than their mean by more than chance. */
static void shuffled_targets_give_no_skill(void **state)
{
    (void)state;
    enum { SHUFFLES = 20, TRAIN = 24 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    double x[N][2], y[N], out[N], squared[MW_LEARNER_COUNT] = {0}, of_mean = 0;
    for (size_t s = 0; s < SHUFFLES; s++) {
        size_t index[N];
        double values[N], mean = 0;
        grid(x, values);
        for (size_t i = 0; i < N; i++)
            index[i] = i;
        gsl_ran_shuffle(rng, index, N, sizeof *index);
        double rows[N][2];
        for (size_t i = 0; i < N; i++) {
            memcpy(rows[i], x[index[i]], sizeof rows[i]);
            y[i] = values[i];
        }
        gsl_ran_shuffle(rng, y, N, sizeof *y);
        for (size_t i = 0; i < TRAIN; i++)
            mean += y[i] / TRAIN;
        for (size_t i = TRAIN; i < N; i++)
            of_mean += (y[i] - mean) * (y[i] - mean);
        for (int learner = 0; learner < MW_LEARNER_COUNT; learner++) {
            if (!mw_learner_present((enum mw_learner)learner))
                continue;
            assert_int_equal(mw_learner_predict((enum mw_learner)learner, (const double(*)[2])rows, y, TRAIN,
                                                (const double(*)[2])rows + TRAIN, N - TRAIN, out, NULL),
                             MW_OK);
            for (size_t i = TRAIN; i < N; i++)
                squared[learner] += (out[i - TRAIN] - y[i]) * (out[i - TRAIN] - y[i]);
        }
    }
    for (int learner = 0; learner < MW_LEARNER_COUNT; learner++)
        if (mw_learner_present((enum mw_learner)learner))
            assert_true(squared[learner] > .95 * of_mean);
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_ones_interpolate), cmocka_unit_test(tree_makes_steps),
        cmocka_unit_test(constants_stay),          cmocka_unit_test(as_scikit_learn),
        cmocka_unit_test(left_out_is_left_out),    cmocka_unit_test(shuffled_targets_give_no_skill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
