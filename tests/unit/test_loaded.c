// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic kernel does what its mix says; the curve has its points in order.
#include "tests/unit/unit.h"

#include "measure/probe/kernels/load.h"
#include "measure/probe/loaded.h"

#include <limits.h>
#include <stdbool.h>

static void test_mixes(void **state)
{
    (void)state;
    enum { LINES = 4 * MW_LOAD_BLOCK, WORDS = LINES * MW_LOAD_LINE / 8 };
    static const unsigned updates[] = {0, 1, 2, 4};
    for (int m = 0; m < 4; m++) {
        static uint64_t data[WORDS];
        memset(data, 0, sizeof data);
        uint64_t sum = mw_kernel_load(data, LINES, updates[m], 3);
        size_t changed = 0;
        for (size_t i = 0; i < WORDS; i++) {
            changed += data[i] != 0;
            assert_true(data[i] == 0 || (data[i] == 1 && i % 8 == 0));
        }
        assert_int_equal(changed, LINES * updates[m] / 4);
        assert_int_equal(sum, changed);
    }
}

static bool stop_at_once(void)
{
    return true;
}

static void test_curve(void **state)
{
    (void)state;
    struct mw_loaded_options options = {
        .chase_bytes = 1 << 20, .load_bytes = 1 << 20, .windows = 1, .max_time_s = 2, .seed = 1};
    struct mw_loaded_point points[MW_LOADED_POINTS], half;
    struct mw_error error;
    size_t count = 9;
    unsigned cpus[] = {0, 1};
    enum mw_err err = mw_loaded_measure(cpus, 2, &options, points, &count, &half, &error);
    if (err == MW_RUN) /* CPUs 0 and 1 are not both ours */
        skip();
    assert_int_equal(err, MW_OK);
    assert_true(count <= MW_LOADED_POINTS); /* a busy machine leaves points out */
    for (size_t i = 0; i < count; i++) {
        bool idle = points[i].delay == UINT_MAX;
        assert_true(points[i].latency_s > 1e-10 && isfinite(points[i].latency_s));
        assert_true(idle ? points[i].bandwidth_bps <= 0 : points[i].bandwidth_bps > 0);
        assert_true(points[i].windows >= 1);
        if (i) {
            bool same_mix = points[i].reads_percent == points[i - 1].reads_percent;
            assert_true(same_mix ? points[i].delay < points[i - 1].delay
                                 : points[i].reads_percent < points[i - 1].reads_percent);
        }
    }
    assert_true(!half.windows || (half.delay == 0 && half.reads_percent == 100 && half.bandwidth_bps > 0));
    options.stop = stop_at_once;
    assert_int_equal(mw_loaded_measure(cpus, 2, &options, points, &count, &half, &error), MW_INTERRUPTED);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixes),
        cmocka_unit_test(test_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
