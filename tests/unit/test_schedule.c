// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/schedule.h"

static const double cores[] = {1, 2, 4, 8}, freqs[] = {1.2e9, 2.4e9};

static struct mw_schedule made(enum mw_sequence sequence, unsigned min_runs, unsigned max_runs, double precision)
{
    struct mw_schedule s;
    struct mw_schedule_plan plan = {.cores = cores, .freqs_hz = freqs, .core_count = 4, .freq_count = 2,
                                    .sequence = sequence, .seed = 5, .min_runs = min_runs, .max_runs = max_runs,
                                    .precision = precision};
    assert_int_equal(mw_schedule_init(&s, &plan, NULL), MW_OK);
    return s;
}

static void each_point_its_runs(void **state)
{
    (void)state;
    for (int sequence = MW_SEQUENCE_BALANCED; sequence <= MW_SEQUENCE_LISTED; sequence++) {
        struct mw_schedule s = made((enum mw_sequence)sequence, 4, 4, 0);
        struct mw_config *config;
        double place[8] = {0}, position = 0;
        while ((config = mw_schedule_next(&s))) {
            place[config - s.configs] += position++;
            mw_schedule_record(config, true, 1);
        }
        assert_near(position, 32, 0);
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(s.configs[i].done, 4);
            if (sequence == MW_SEQUENCE_BALANCED) /* the same mean place: a linear drift cancels */
                assert_near(place[i] / 4, 15.5, 1e-12);
        }
        size_t done, left;
        mw_schedule_progress(&s, &done, &left);
        assert_int_equal(done, 32);
        assert_int_equal(left, 0);
        mw_schedule_release(&s);
    }
}

/* The order is the same wherever it was interrupted: a schedule that is told the first n runs goes on with run n + 1. */
static void goes_on(void **state)
{
    (void)state;
    struct mw_schedule whole = made(MW_SEQUENCE_BALANCED, 3, 3, 0);
    struct mw_config *config;
    size_t sequence[24], n = 0;
    while ((config = mw_schedule_next(&whole))) {
        sequence[n++] = (size_t)(config - whole.configs);
        mw_schedule_record(config, true, 1);
    }
    for (size_t cut = 0; cut < n; cut++) {
        struct mw_schedule s = made(MW_SEQUENCE_BALANCED, 3, 3, 0);
        for (size_t i = 0; i < cut; i++)
            mw_schedule_record(&s.configs[sequence[i]], i % 5 != 0, 1);
        for (size_t i = cut; i < n; i++) {
            config = mw_schedule_next(&s);
            assert_int_equal(config - s.configs, sequence[i]);
            mw_schedule_record(config, true, 1);
        }
        assert_null(mw_schedule_next(&s));
        mw_schedule_release(&s);
    }
    mw_schedule_release(&whole);
}

static void until_precise(void **state)
{
    (void)state;
    struct mw_schedule s = made(MW_SEQUENCE_LISTED, 5, 20, .02);
    struct mw_config *steady = &s.configs[0], *noisy = &s.configs[1], *broken = &s.configs[2];
    for (int i = 0; i < 5; i++) {
        mw_schedule_record(steady, true, 1 + .001 * i);
        mw_schedule_record(noisy, true, 1 + .1 * i);
        mw_schedule_record(broken, false, 0);
    }
    assert_true(mw_schedule_done(&s, steady));
    assert_false(mw_schedule_done(&s, noisy));
    assert_false(mw_schedule_done(&s, broken));
    while (noisy->done < 20)
        mw_schedule_record(noisy, true, noisy->done % 2 ? 1 : 1.5);
    assert_true(mw_schedule_done(&s, noisy));
    mw_schedule_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_point_its_runs), cmocka_unit_test(goes_on),
                                       cmocka_unit_test(until_precise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
