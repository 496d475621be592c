// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/run/noise.h"

enum { CONFIGS = 6, ROUNDS = 10, RUNS = CONFIGS * ROUNDS };

/* Uniform within ±half, the same on every machine. */
static double jitter(size_t i, double half)
{
    return half * (2 * fmod((double)(i + 1) * 0.6180339887498949, 1) - 1);
}

static void make(struct mw_noise_run *runs, double spread, double drift)
{
    for (size_t i = 0; i < RUNS; i++) {
        size_t config = i / CONFIGS % 2 ? CONFIGS - 1 - i % CONFIGS : i % CONFIGS;
        runs[i] = (struct mw_noise_run){.config = config, .good = true};
        runs[i].time_s = 10.0 / (double)(1 + config) * exp(jitter(i * 7, spread) + drift * (double)i / (RUNS - 1));
    }
}

static struct mw_noise found(const struct mw_noise_run *runs)
{
    struct mw_noise noise;
    assert_int_equal(mw_noise_find(runs, RUNS, CONFIGS, &noise, NULL), MW_OK);
    return noise;
}

static void quiet(void **state)
{
    (void)state;
    struct mw_noise_run runs[RUNS];
    make(runs, .01, 0);
    struct mw_noise n = found(runs);
    assert_false(n.first_slow);
    assert_false(n.drift);
    assert_int_equal(n.outliers, 0);
    assert_int_equal(n.disturbed, 0);
    make(runs, 0, 0); /* no spread at all: a replay */
    n = found(runs);
    assert_false(n.first_slow || n.drift || n.outliers);
}

static void first_and_outliers(void **state)
{
    (void)state;
    struct mw_noise_run runs[RUNS];
    make(runs, .01, 0);
    runs[0].time_s *= 1.4;
    runs[17].time_s *= 2;
    runs[30].time_s *= .8;
    runs[41].good = false;
    runs[41].time_s = 1e-3; /* failed at once: no outlier */
    struct mw_noise n = found(runs);
    assert_true(n.first_slow);
    assert_near(n.first_ratio, 1.4, .03);
    assert_int_equal(n.outliers, 2);
    assert_int_equal(n.farthest, 17);
    assert_near(n.farthest_ratio, 2, .05);
    assert_false(n.drift);
}

static void drift(void **state)
{
    (void)state;
    struct mw_noise_run runs[RUNS];
    make(runs, .02, .08);
    struct mw_noise n = found(runs);
    assert_true(n.drift);
    assert_near(n.drift_share, expm1(.08), .03);
    make(runs, .02, -.08);
    assert_true(found(runs).drift_share < -.05);
    make(runs, .02, .005); /* below what matters */
    assert_false(found(runs).drift);
}

static void disturbed(void **state)
{
    (void)state;
    struct mw_noise_run runs[RUNS];
    make(runs, .01, 0);
    runs[5].foreign_share = .3;
    runs[6].foreign_share = .04;
    struct mw_noise n = found(runs);
    assert_int_equal(n.disturbed, 1);
    assert_near(n.foreign_most, .3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quiet), cmocka_unit_test(first_and_outliers),
                                       cmocka_unit_test(drift), cmocka_unit_test(disturbed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
