// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts on rates whose truth is known: 200 drawn machines, best windows with up to 5 % of one-sided noise.
#include "tests/unit/unit.h"

#include "measure/probe/bandwidth_verdict.h"

static unsigned long state = 1;

static double between(double low, double high)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return low + (high - low) * (double)(state >> 33) / 2147483648.0;
}

/* Other work only takes away. */
static double noisy(double rate_bps)
{
    return rate_bps * (1 - between(0, 0.05));
}

#define MACHINES 200

static void test_offsets(void **unused)
{
    (void)unused;
    enum { OFFSETS = 24 };
    int wrong = 0;
    for (int k = 0; k < MACHINES; k++) {
        double rate[OFFSETS], cost = k % 2 ? between(0.16, 0.6) : 0;
        size_t bad = (size_t)between(0, OFFSETS - 0.01);
        for (size_t i = 0; i < OFFSETS; i++)
            rate[i] = noisy(20e9 * (i == bad ? 1 - cost : 1));
        struct mw_bw_offsets v = mw_bw_offsets(rate, OFFSETS);
        wrong += v.conflict != (cost > 0) || (v.conflict && (v.worst != bad || fabs(v.cost - cost) > 0.06));
    }
    assert_true(wrong <= MACHINES / 50);
}

static void test_gain(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (int k = 0; k < MACHINES; k++) {
        double gain = k % 3 == 0 ? 1 : k % 3 == 1 ? between(1.2, 2) : 1 / between(1.2, 2);
        enum mw_bw_gain want = k % 3 == 0 ? MW_BW_GAIN_NONE : k % 3 == 1 ? MW_BW_GAIN_FASTER : MW_BW_GAIN_SLOWER;
        wrong += mw_bw_gain(noisy(10e9 * gain), noisy(10e9)) != want;
    }
    assert_true(wrong <= MACHINES / 50);
    assert_int_equal(mw_bw_gain(0, 10e9), MW_BW_GAIN_NONE);
}

/* Streaming stores are slow inside the caches, and save the read of each line beyond. */
static void test_allocates(void **unused)
{
    (void)unused;
    enum { SIZES = 16 };
    int wrong = 0;
    for (int k = 0; k < MACHINES; k++) {
        double fill[SIZES], nt[SIZES], gain = k % 4 ? between(1.2, 2) : 1;
        size_t past = (size_t)between(4, 12);
        for (size_t i = 0; i < SIZES; i++) {
            fill[i] = noisy(i < past ? 60e9 : 12e9);
            nt[i] = noisy(12e9 * gain);
        }
        wrong += mw_bw_allocates_from(fill, nt, SIZES) != (gain > 1 ? past : SIZES);
    }
    assert_true(wrong <= MACHINES / 50);
}

static void test_bound(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (int k = 0; k < MACHINES; k++) {
        double one = between(5e9, 40e9), all = k % 2 ? between(1.8, 2) : between(1, 1.05);
        wrong += mw_bw_bound(1, noisy(one), 2, noisy(one * all)) != (k % 2 ? MW_BW_BOUND_CORE : MW_BW_BOUND_MEMORY);
    }
    assert_true(wrong <= MACHINES / 50);
    assert_int_equal(mw_bw_bound(4, 10e9, 8, 13e9), MW_BW_BOUND_BOTH);
}

/* The case that was believed: 75 GB/s at stride 384 where the same bytes in order give 31. */
static void test_cached(void **unused)
{
    (void)unused;
    assert_true(mw_bw_cached(75e9, 31e9, 0));
    assert_false(mw_bw_cached(31e9, 31e9, 0));
    assert_false(mw_bw_cached(9e9, 31e9, 38e9));
    assert_true(mw_bw_cached(45e9, 0, 38e9));
    assert_false(mw_bw_cached(45e9, 0, 0));
    int wrong = 0;
    for (int k = 0; k < MACHINES; k++)
        wrong += mw_bw_cached(noisy(30e9 * (k % 2 ? between(1.2, 3) : 1)), noisy(30e9), 100e9) != (k % 2 == 1);
    assert_true(wrong <= MACHINES / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets), cmocka_unit_test(test_gain),   cmocka_unit_test(test_allocates),
        cmocka_unit_test(test_bound),   cmocka_unit_test(test_cached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
