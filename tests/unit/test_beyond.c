// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/predict/beyond.h"
#include "fit/predict/mixture.h"
#include "fit/predict/predict.h"

enum { MOST = 12 };
static struct mw_model model;
static unsigned after[2];
static enum mw_boundary_kind kinds[2];

/* A program that scales well, on the cores given; slower by `psi` behind `boundary` cores. */
static void fit_model(const unsigned *cores, size_t n, size_t boundaries, double psi)
{
    model = (struct mw_model){.quantity = MW_TIME, .memory_freq_hz = 2.133e9, .seed = 1};
    model.points = (struct mw_points){.items = calloc(n, sizeof *model.points.items), .count = n, .quantity = MW_TIME};
    for (size_t i = 0; i < n; i++) {
        double t = 100 * (.02 + .98 / cores[i]) * (boundaries && cores[i] > after[0] ? exp(psi) : 1);
        model.points.items[i] = (struct mw_point){.cores = cores[i], .value = t, .count = 1, .noise_factor = 1};
    }
    model.boundaries = after;
    model.boundary_kinds = kinds;
    model.boundary_count = boundaries;
    assert_int_equal(mw_mixture_fit(&model, NULL), MW_OK);
}

static struct mw_prediction predict(double cores)
{
    struct mw_config at = {cores, 0};
    struct mw_prediction p;
    assert_int_equal(mw_predict(&model, &at, 1, &p, NULL), MW_OK);
    return p;
}

static void done(void)
{
    model.boundaries = NULL;
    model.boundary_kinds = NULL;
    mw_model_release(&model);
}

static double up(const struct mw_prediction *p)
{
    return log(p->high / p->value);
}

/* What a boundary is known to be changes the numbers: shifted, and opened upwards by what is in the table. */
static void a_boundary_shifts_and_opens(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 3, 4, 6, 8};
    after[0] = 8;
    static const enum mw_boundary_kind of[] = {MW_BOUNDARY_SOCKET, MW_BOUNDARY_SMT, MW_BOUNDARY_KIND};
    static const double shift[] = {0, .05, .1}, high[] = {.23, .43, .94}, low[] = {.15, .28, .51};
    struct mw_prediction plain[2], p;
    after[1] = 64; /* known, and not crossed */
    fit_model(cores, 6, 0, 0);
    model.cores_per_socket = 64;
    plain[0] = predict(12);
    model.cores_per_socket = 0;
    plain[1] = predict(12); /* not known whether there is one: opens upwards alone */
    done();
    assert_near(plain[1].value, plain[0].value, 1e-9);
    assert_near(plain[1].low, plain[0].low, 1e-9);
    assert_near(up(&plain[1]), hypot(up(&plain[0]), .25), 1e-9);
    for (size_t k = 0; k < 3; k++) {
        kinds[0] = of[k];
        fit_model(cores, 6, 1, 0);
        p = predict(12);
        assert_near(log(p.value / plain[0].value), shift[k], 1e-9);
        assert_near(up(&p), hypot(up(&plain[0]), high[k]), 1e-9);
        assert_near(log(p.value / p.low), hypot(log(plain[0].value / plain[0].low), low[k]), 1e-9);
        struct mw_prediction before = predict(7);
        assert_true(before.value < p.value * 2 && !before.extrapolated_cores);
        done();
    }
}

/* A list by hand need not be in order: what is crossed counts, and the first of it is named. */
static void any_order(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 3, 4, 6, 8};
    double at = 0;
    enum mw_boundary_kind kind = MW_BOUNDARY_UNNAMED;
    after[0] = 12;
    after[1] = 8;
    kinds[0] = MW_BOUNDARY_SOCKET;
    kinds[1] = MW_BOUNDARY_SMT;
    fit_model(cores, 6, 2, 0);
    struct mw_prediction far = predict(16);
    assert_true(mw_boundary_between(&model, 8, 16, &at, &kind));
    assert_near(at, 8, 0);
    assert_int_equal(kind, MW_BOUNDARY_SMT);
    assert_false(mw_boundary_between(&model, 13, 16, &at, &kind));
    model.boundaries = (unsigned[]){8, 12};
    model.boundary_kinds = (enum mw_boundary_kind[]){MW_BOUNDARY_SMT, MW_BOUNDARY_SOCKET};
    struct mw_prediction same = predict(16);
    assert_memory_equal(&far, &same, sizeof far);
    done();
}

/* Inside one kind of core and with nothing to cross, a program that scales is predicted narrowly. */
static void narrow_where_nothing_is_crossed(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 3, 4, 6, 8};
    fit_model(cores, 6, 0, 0);
    model.cores_per_socket = 64;
    struct mw_prediction p = predict(16);
    double truth = 100 * (.02 + .98 / 16);
    assert_true(p.low < truth && truth < p.high);
    assert_true(log(p.high / p.low) / 2 < .25);
    done();
}

/* One run behind a boundary: the slope from before it goes through the run, which the laws are not fitted to. */
static void one_run_behind(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 3, 4, 6, 8, 16};
    after[0] = 8;
    kinds[0] = MW_BOUNDARY_KIND;
    fit_model(cores, 7, 1, .5);
    assert_near(mw_beyond_fitted(&model), 8, 0);
    struct mw_prediction at_run = predict(16), between = predict(12), before = predict(6);
    double run = 100 * (.02 + .98 / 16) * exp(.5), truth = 100 * (.02 + .98 / 12) * exp(.5);
    assert_near(at_run.value, run, 1e-6 * run);
    assert_near(log(at_run.high / at_run.value), .5 * .04, .02);
    assert_near(between.value, truth, .03 * truth);
    assert_true(between.low < truth && truth < between.high);
    assert_false(at_run.extrapolated_cores || between.extrapolated_cores);
    assert_near(before.value, 100 * (.02 + .98 / 6), 1); /* the step does not leak to this side */
    assert_near(between.speedup, 100 / truth, .05 * 100 / truth);
    struct mw_prediction further = predict(24);
    assert_true(further.extrapolated_cores && further.value < at_run.value);
    done();
}

/* With three core counts behind it the laws have all; with two before it there is no slope to keep. */
static void enough_on_both_sides(void **state)
{
    (void)state;
    static const unsigned many[] = {1, 2, 3, 4, 5, 6, 8}, few[] = {1, 2, 4};
    after[0] = 4;
    kinds[0] = MW_BOUNDARY_SMT;
    fit_model(many, 7, 1, .2);
    assert_true(isinf(mw_beyond_fitted(&model)));
    done();
    after[0] = 2;
    fit_model(few, 3, 1, .2);
    assert_true(isinf(mw_beyond_fitted(&model)));
    done();
}

/* Two runs behind: the mean of what each says. */
static void several_runs_behind(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 3, 4, 6, 8, 12, 16};
    after[0] = 8;
    kinds[0] = MW_BOUNDARY_SOCKET;
    fit_model(cores, 8, 1, .2);
    model.points.items[7].value *= exp(.1);
    struct mw_prediction p = predict(14);
    double truth = 100 * (.02 + .98 / 14) * exp(.25);
    assert_near(p.value, truth, .03 * truth);
    done();
}

/* A curve without a floor in sight: the low end reaches the power law, the value stays. */
static void the_low_end_reaches_the_power(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 2, 4, 8};
    fit_model(cores, 4, 0, 0);
    for (size_t i = 0; i < 4; i++)
        model.points.items[i].value = 100 * pow(cores[i], -.6);
    mw_mixture_release(&model.ensemble);
    assert_int_equal(mw_mixture_fit(&model, NULL), MW_OK);
    model.cores_per_socket = 64;
    struct mw_prediction p = predict(32);
    assert_true(p.power_value > 0);
    assert_near(p.power_value, 100 * pow(32, -.6), 1);
    assert_true(p.low <= p.power_value * exp(-.05) * (1 + 1e-9));
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_boundary_shifts_and_opens),
        cmocka_unit_test(any_order),
        cmocka_unit_test(narrow_where_nothing_is_crossed),
        cmocka_unit_test(one_run_behind),
        cmocka_unit_test(enough_on_both_sides),
        cmocka_unit_test(several_runs_behind),
        cmocka_unit_test(the_low_end_reaches_the_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
