// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/compare/learners.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_ones_interpolate),
        cmocka_unit_test(tree_makes_steps),
        cmocka_unit_test(constants_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
