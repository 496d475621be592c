// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/run/sequence.h"

enum { CORES = 5, FREQS = 2, N = CORES * FREQS, ROUNDS = 6 };
static const double cores[CORES] = {1, 2, 4, 8, 16}, freqs[FREQS] = {1.2e9, 2.4e9};

/* The order of `rounds` rounds as indices into configs. */
static void run_all(enum mw_sequence_kind kind, unsigned long seed, size_t order[ROUNDS][N])
{
    struct mw_sequence sequence;
    const struct mw_sequence_plan plan = {.cores = cores,
                                          .freqs_hz = freqs,
                                          .core_count = CORES,
                                          .freq_count = FREQS,
                                          .kind = kind,
                                          .seed = seed,
                                          .min_runs = ROUNDS,
                                          .max_runs = ROUNDS};
    assert_int_equal(mw_sequence_init(&sequence, &plan, NULL), MW_OK);
    for (size_t i = 0; i < ROUNDS * N; i++) {
        struct mw_sequence_entry *next = mw_sequence_next(&sequence);
        assert_non_null(next);
        order[i / N][i % N] = (size_t)(next - sequence.configs);
        mw_sequence_record(next, true, 1);
    }
    assert_null(mw_sequence_next(&sequence));
    mw_sequence_release(&sequence);
}

/* Each round holds each configuration once; every second one is the one before, backwards, so that a linear drift gives all
   configurations the same mean over the two. */
static void balanced_rounds_mirror(void **state)
{
    (void)state;
    size_t order[ROUNDS][N];
    bool differs = false;
    run_all(MW_SEQUENCE_BALANCED, 3, order);
    for (size_t r = 0; r < ROUNDS; r += 2) {
        double drift[N] = {0};
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(order[r][i], order[r + 1][N - 1 - i]);
            drift[order[r][i]] += (double)(r * N + i);
            drift[order[r + 1][i]] += (double)((r + 1) * N + i);
            differs |= r > 0 && order[r][i] != order[0][i];
        }
        for (size_t i = 1; i < N; i++)
            assert_near(drift[i], drift[0], 0);
    }
    assert_true(differs);
}

/* The first two rounds begin and end with all cores at the highest frequency: what lies behind a boundary is then known early. */
static void the_largest_comes_first(void **state)
{
    (void)state;
    size_t order[ROUNDS][N];
    for (unsigned long seed = 1; seed <= 5; seed++) {
        run_all(MW_SEQUENCE_BALANCED, seed, order);
        assert_int_equal(order[0][0], N - 1);
        assert_int_equal(order[1][N - 1], N - 1);
    }
}

static void random_rounds_differ(void **state)
{
    (void)state;
    size_t order[ROUNDS][N], again[ROUNDS][N], other[ROUNDS][N];
    run_all(MW_SEQUENCE_RANDOM, 3, order);
    run_all(MW_SEQUENCE_RANDOM, 3, again);
    run_all(MW_SEQUENCE_RANDOM, 4, other);
    assert_memory_equal(order, again, sizeof order);
    assert_memory_not_equal(order, other, sizeof order);
    for (size_t r = 1; r < ROUNDS; r++)
        assert_memory_not_equal(order[0], order[r], sizeof order[0]);
}

/* Every core count at each frequency, those at each number of devices: the one that is asked for is found. */
static void configurations_are_the_product(void **state)
{
    (void)state;
    static const double devices[] = {1, 2, 4};
    struct mw_sequence sequence;
    const struct mw_sequence_plan plan = {.cores = cores,
                                          .freqs_hz = freqs,
                                          .devices = devices,
                                          .core_count = CORES,
                                          .freq_count = FREQS,
                                          .device_count = 3,
                                          .min_runs = 1,
                                          .max_runs = 1};
    assert_int_equal(mw_sequence_init(&sequence, &plan, NULL), MW_OK);
    assert_int_equal(sequence.count, 3 * N);
    for (size_t d = 0, i = 0; d < 3; d++)
        for (size_t f = 0; f < FREQS; f++)
            for (size_t c = 0; c < CORES; c++, i++) {
                assert_int_equal(sequence.configs[i].cores, (unsigned)cores[c]);
                assert_near(sequence.configs[i].freq_hz, freqs[f], 0);
                assert_near(sequence.configs[i].device, devices[d], 0);
                assert_ptr_equal(mw_sequence_find(&sequence, (unsigned)cores[c], freqs[f], devices[d]),
                                 &sequence.configs[i]);
            }
    assert_null(mw_sequence_find(&sequence, 1, 1.3e9, 1));
    assert_null(mw_sequence_find(&sequence, 1, 1.2e9, 3));
    mw_sequence_release(&sequence);
}

static void listed_is_as_given(void **state)
{
    (void)state;
    size_t order[ROUNDS][N];
    run_all(MW_SEQUENCE_LISTED, 3, order);
    for (size_t i = 0; i < ROUNDS * N; i++)
        assert_int_equal(order[i / N][i % N], i % N);
}

/* A configuration is done once the interval of its median is tight, not before min_runs, and after max_runs in any case. */
static void precision_ends_runs(void **state)
{
    (void)state;
    struct mw_sequence sequence;
    const struct mw_sequence_plan plan = {
        .cores = cores, .core_count = 2, .kind = MW_SEQUENCE_LISTED, .min_runs = 3, .max_runs = 12, .precision = .01};
    assert_int_equal(mw_sequence_init(&sequence, &plan, NULL), MW_OK);
    struct mw_sequence_entry *quiet = mw_sequence_find(&sequence, 1, 0, 0),
                             *noisy = mw_sequence_find(&sequence, 2, 0, 0), *next;
    assert_null(mw_sequence_find(&sequence, 3, 0, 0));
    unsigned runs = 0;
    for (; (next = mw_sequence_next(&sequence)); runs++)
        mw_sequence_record(next, true, next == quiet ? 1 + 1e-4 * next->done : 1 + .5 * (next->done % 2));
    assert_int_equal(noisy->done, 12);
    assert_in_range(quiet->done, 3, 8);
    size_t done, left;
    mw_sequence_progress(&sequence, &done, &left);
    assert_int_equal(done, runs);
    assert_int_equal(left, 0);
    mw_sequence_release(&sequence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balanced_rounds_mirror),  cmocka_unit_test(random_rounds_differ),
        cmocka_unit_test(the_largest_comes_first), cmocka_unit_test(configurations_are_the_product),
        cmocka_unit_test(listed_is_as_given),      cmocka_unit_test(precision_ends_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
