// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/quality/quality.h"

enum { CORES = 8, FREQS = 5, REPEATS = 3, ROWS = CORES * FREQS * REPEATS };
static const unsigned cores[CORES] = {1, 2, 4, 6, 8, 12, 16, 24};

static double good_time(unsigned p, double freq_ghz)
{
    return 60 / freq_ghz * (.03 + .97 / p) * (1 + .1 * freq_ghz);
}

/* Good runs, three of each configuration, a thousandth apart. */
static struct mw_dataset good(struct mw_row *rows)
{
    for (size_t i = 0; i < ROWS; i++) {
        unsigned p = cores[i / REPEATS % CORES];
        double freq_ghz = 1.2 + .3 * (double)(i / REPEATS / CORES);
        rows[i] = (struct mw_row){.has = MW_HAS_VALUE | MW_HAS_FREQ,
                                  .cores = p,
                                  .freq_hz = freq_ghz * 1e9,
                                  .repetition = (unsigned)(i % REPEATS) + 1,
                                  .line = (long)i + 2,
                                  .value = good_time(p, freq_ghz) * (1 + 1e-3 * (double)((i * 7) % 3))};
    }
    return (struct mw_dataset){.file = (char *)"good.csv", .rows = rows, .count = ROWS, .quantity = MW_TIME};
}

static struct mw_quality check(struct mw_dataset *dataset, bool keep_all)
{
    struct mw_quality quality;
    struct mw_points points;
    for (size_t i = 0; i < dataset->count; i++)
        dataset->rows[i].set_aside = NULL;
    assert_int_equal(mw_quality_check(&quality, dataset, keep_all, false, NULL), MW_OK);
    for (size_t i = 0; i < dataset->count; i++)
        dataset->rows[i].set_aside = quality.aside[i] ? "detector" : NULL;
    assert_int_equal(mw_points_from_dataset(&points, dataset, NULL), MW_OK);
    assert_int_equal(mw_quality_shape(&quality, &points, false, NULL), MW_OK);
    mw_points_release(&points);
    return quality;
}

static bool warns(const struct mw_quality *quality, const char *words)
{
    for (size_t i = 0; i < quality->warning_count; i++)
        if (strstr(quality->warnings[i], words))
            return true;
    return false;
}

#define EXPECT_WARNING(dataset, words)                                                                                 \
    do {                                                                                                               \
        struct mw_quality expected = check(dataset, false);                                                            \
        if (!warns(&expected, words))                                                                                  \
            fail_msg("no warning of '%s'; first: %s", words, expected.warning_count ? expected.warnings[0] : "none");  \
        mw_quality_release(&expected);                                                                                 \
    } while (0)

static void good_runs_pass(void **state)
{
    (void)state;
    struct mw_row rows[ROWS];
    struct mw_dataset d = good(rows);
    struct mw_quality q = check(&d, false);
    if (q.warning_count)
        fail_msg("warning: %s", q.warnings[0]);
    assert_int_equal(q.set_aside_count, 0);
    mw_quality_release(&q);
}

static void refused_core_count(void **state)
{
    (void)state;
    struct mw_row rows[ROWS];
    struct mw_dataset d = good(rows);
    for (size_t i = 0; i < ROWS; i++) /* most core counts are refused: the median time is that of a refusal */
        if (rows[i].cores > 4)
            rows[i].value = .05;
    struct mw_quality q = check(&d, false);
    assert_int_equal(q.set_aside_count, 5 * FREQS * REPEATS);
    assert_non_null(strstr(q.set_aside[0].reason, "refused"));
    assert_int_equal(q.set_aside[0].line, 11);
    mw_quality_release(&q);
    q = check(&d, true);
    assert_int_equal(q.set_aside_count, 0);
    assert_true(warns(&q, "--keep-all"));
    mw_quality_release(&q);
    d.quantity = MW_SPEEDUP;
    for (size_t i = 0; i < ROWS; i++)
        rows[i].value = rows[i].cores == 6 ? 900 : .8 * rows[i].cores;
    q = check(&d, false);
    assert_int_equal(q.set_aside_count, FREQS * REPEATS);
    mw_quality_release(&q);
}

static void only_first_core_slowed(void **state)
{
    (void)state;
    struct mw_row rows[ROWS];
    struct mw_dataset d = good(rows);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].cores > 1)
            rows[i].value = good_time(rows[i].cores, 1.2);
    EXPECT_WARNING(&d, "only the first core changed");
}

static void bad_baseline(void **state)
{
    (void)state;
    struct mw_row rows[ROWS];
    struct mw_dataset d = good(rows);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].cores == 1 && rows[i].freq_hz > 1.7e9 && rows[i].freq_hz < 1.9e9)
            rows[i].value *= 1.8;
    EXPECT_WARNING(&d, "at 1.8 GHz");
}

static void repetitions(void **state)
{
    (void)state;
    struct mw_row rows[ROWS];
    struct mw_dataset d = good(rows);
    rows[4].value *= 1.5;
    EXPECT_WARNING(&d, "by a factor of 1.50 at line 5");
    d = good(rows);
    for (size_t i = 0; i < ROWS; i += REPEATS)
        rows[i].value *= 1.2;
    EXPECT_WARNING(&d, "first repetition is slower");
    d = good(rows);
    for (size_t i = 0; i < ROWS; i++)
        rows[i].value *= 1 + .06 * (double)(i % REPEATS);
    EXPECT_WARNING(&d, "last repetition is slower");
}

static void shapes(void **state)
{
    (void)state;
    struct mw_row rows[ROWS];
    struct mw_dataset d = good(rows);
    for (size_t i = 0; i < ROWS; i++)
        rows[i].value = 20 + .01 * (double)(i % 7);
    EXPECT_WARNING(&d, "weak scaling");
    d = good(rows);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].cores == 1)
            rows[i].value *= 1.4;
    EXPECT_WARNING(&d, "another path with one thread");
    d = good(rows);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].cores > 12)
            rows[i].value *= 1.6;
    EXPECT_WARNING(&d, "after 12 cores");
    d = good(rows);
    for (size_t i = 0; i < ROWS; i++)
        rows[i].value = ceil(rows[i].value);
    EXPECT_WARNING(&d, "multiples of 1 s");
    d = good(rows);
    rows[9].has |= MW_HAS_FREQ_EFFECTIVE;
    rows[9].freq_effective_hz = rows[9].freq_hz * .8;
    EXPECT_WARNING(&d, "effective frequency");
}

/* Two runs that waited for a core: that which took 15 % longer, the wait taken off, held other threads' wait too. */
static void waited_for_a_core(void **state)
{
    (void)state;
    struct mw_row rows[ROWS];
    struct mw_dataset d = good(rows);
    rows[4].value *= 1.15;
    for (size_t i = 3; i < 5; i++)
        mw_usage_set(&rows[i].usage, MW_USAGE_MAIN_WAIT, rows[i].value);
    struct mw_quality quality = check(&d, false);
    assert_int_equal(quality.set_aside_count, 0); /* as measured */
    mw_quality_release(&quality);
    d.main_wait_taken = true;
    quality = check(&d, false);
    assert_int_equal(quality.set_aside_count, 1);
    assert_int_equal(quality.set_aside[0].line, rows[4].line);
    assert_non_null(strstr(quality.set_aside[0].reason, "waited for a core"));
    mw_quality_release(&quality);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_runs_pass),
        cmocka_unit_test(refused_core_count),
        cmocka_unit_test(only_first_core_slowed),
        cmocka_unit_test(bad_baseline),
        cmocka_unit_test(repetitions),
        cmocka_unit_test(shapes),
        cmocka_unit_test(waited_for_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
