// SPDX-License-Identifier: GPL-3.0-or-later
// Host and device by two terms: known times, coverage of the interval, and tables from which nothing can be told.
#include "tests/unit/unit.h"

#include "fit/device/device.h"

enum { RUNS = 3 };

/* Normal deviates by the sum of twelve uniform ones, from a state of our own: the same on every machine. */
static double noise(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

/* Times of three runs each at x, h + d x0 / x + c log2(x / x0), with relative noise. */
static struct mw_device_split split_of(const double *x, size_t count, double h, double d, double c, double relative,
                                       uint64_t *state)
{
    double xs[64], times[64];
    size_t n = 0;
    struct mw_device_split split;
    struct mw_error error;
    for (size_t i = 0; i < count; i++)
        for (int r = 0; r < RUNS; r++, n++) {
            xs[n] = x[i];
            times[n] = (h + d * x[0] / x[i] + c * log2(x[i] / x[0])) * (1 + relative * noise(state));
        }
    assert_int_equal(mw_device_split(xs, times, n, &split, &error), MW_OK);
    return split;
}

static const double gpus[] = {1, 2, 4, 8}, clocks[] = {0.3e9, 0.6e9, 0.9e9, 1.2e9};

static void exact_times_give_their_terms(void **state)
{
    (void)state;
    uint64_t seed = 1;
    struct mw_device_split s = split_of(gpus, 4, 3, 7, 0, 1e-9, &seed);
    assert_true(s.told);
    assert_near(s.host_s, 3, 1e-6);
    assert_near(s.device_s, 7, 1e-6);
    assert_near(s.share, 0.7, 1e-6);
    assert_near(mw_device_time(&s, 16), 3 + 7. / 16, 1e-6);
    s = split_of(clocks, 4, 0, 5, 0, 1e-3, &seed);
    assert_true(s.told);
    assert_true(s.low > 0.98);
    s = split_of(clocks, 4, 5, 0, 0, 1e-3, &seed);
    assert_true(s.told);
    assert_true(s.high < 0.02);
}

static void the_interval_holds_the_share(void **state)
{
    (void)state;
    enum { TRIALS = 1000 };
    uint64_t seed = 7;
    size_t held = 0, told = 0;
    for (int i = 0; i < TRIALS; i++) {
        struct mw_device_split s = split_of(gpus, 4, 4, 6, 0, 0.01, &seed);
        told += s.told;
        held += s.told && s.low <= 0.6 && s.high >= 0.6;
    }
    assert_true(told > 0.95 * TRIALS);
    assert_true((double)held > 0.85 * (double)told);
}

/* One further run inside the data and one on twice the devices, the law right, and with communication that it hasn't. */
static void the_interval_holds_a_run(void **state)
{
    (void)state;
    enum { TRIALS = 1000 };
    static const double rising[] = {0, .03, .08};
    uint64_t seed = 11;
    for (size_t c = 0; c < 3; c++) {
        size_t told = 0, held[2] = {0};
        for (int i = 0; i < TRIALS; i++) {
            struct mw_device_split s = split_of(gpus, 4, 4, 6, rising[c], 0.01, &seed);
            told += s.told;
            for (size_t k = 0; k < 2 && s.told; k++) {
                double low, high, x = k ? 16 : 4;
                double run = (4 + 6 / x + rising[c] * log2(x)) * (1 + 0.01 * noise(&seed));
                mw_device_interval(&s, x, &low, &high);
                held[k] += low <= run && run <= high;
            }
        }
        assert_true(told > TRIALS / 2);
        assert_true(held[0] > .85 * (double)told && held[0] < .97 * (double)told);
        assert_true(held[1] > .85 * (double)told);
    }
}

static void what_cannot_be_told_is_not(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct mw_device_split s = split_of(gpus, 2, 3, 7, 0, 1e-3, &seed);
    assert_false(s.told);
    assert_non_null(strstr(s.why, "a third"));
    s = split_of(gpus, 4, 1, 7, 0.8, 1e-3, &seed); /* communication that grows */
    assert_false(s.told);
    assert_non_null(strstr(s.why, "something else"));
    static const double near[] = {1.00e9, 1.05e9, 1.10e9};
    s = split_of(near, 3, 5, 5, 0, 0.03, &seed);
    assert_false(s.told);
    static const double x[] = {1, 2, 4}, times[] = {10, 6, 4}, faster[] = {16, 16, 4, 4, 1, 1},
                        twice[] = {1, 1, 2, 2, 4, 4};
    struct mw_error error;
    assert_int_equal(mw_device_split(x, times, 3, &s, &error), MW_OK);
    assert_false(s.told);
    assert_non_null(strstr(s.why, "two runs"));
    assert_int_equal(mw_device_split(twice, faster, 6, &s, &error), MW_OK);
    assert_false(s.told);
    assert_int_equal(mw_device_split(x, times, 0, &s, &error), MW_DATA);
    static const double bad[] = {1, -2, 4};
    assert_int_equal(mw_device_split(bad, times, 3, &s, &error), MW_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_times_give_their_terms),
        cmocka_unit_test(the_interval_holds_the_share),
        cmocka_unit_test(the_interval_holds_a_run),
        cmocka_unit_test(what_cannot_be_told_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
