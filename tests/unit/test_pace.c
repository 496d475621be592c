// SPDX-License-Identifier: GPL-3.0-or-later
// The pace of making memory ready: positive, of all cores, and an error leaves it alone.
#include "tests/unit/unit.h"

#include "measure/probe/pace.h"

static void test_pace(void **state)
{
    (void)state;
    static const unsigned cpus[] = {0, 100000};
    struct mw_pace pace = {0};
    struct mw_error error;
    enum mw_err err = mw_pace_measure(cpus, 1, 2 << 20, &pace, &error);
    if (err == MW_RUN) /* CPU 0 is not ours */
        skip();
    assert_int_equal(err, MW_OK);
    assert_true(pace.touch_bps > 0 && isfinite(pace.touch_bps));
    assert_true(pace.fill_bps > 0 && isfinite(pace.fill_bps));
    assert_true(pace.ring_bps > 0 && isfinite(pace.ring_bps));
    struct mw_pace before = pace;
    assert_int_equal(mw_pace_measure(cpus, 2, 2 << 20, &pace, &error), MW_RUN);
    assert_memory_equal(&pace, &before, sizeof pace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
