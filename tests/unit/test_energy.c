// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/energy/energy_counter.h"

static void differences(void **state)
{
    (void)state;
    struct mw_counter c = {.unit = 1e-6, .range = 1e6, .last = 200000, .last_s = 1};
    mw_counter_advance(&c, 700000, 2);
    assert_near(c.sum_j, .5, 1e-12);
    mw_counter_advance(&c, 100000, 3); /* one wrap: 300000 to the end, 100000 more */
    assert_near(c.sum_j, .9, 1e-12);
    mw_counter_advance(&c, 100000, 4);
    assert_near(c.sum_j, .9, 1e-12);
    for (int i = 0; i < 10; i++) /* ten wraps, each seen */
        mw_counter_advance(&c, i % 2 ? 100000 : 600000, 5 + i);
    assert_near(c.sum_j, 5.9, 1e-12);
    assert_null(c.failed);
}

static void refused(void **state)
{
    (void)state;
    struct mw_counter c = {.unit = 1e-6, .last = 200000};
    mw_counter_advance(&c, 100000, 1);
    assert_non_null(strstr(c.failed, "range cannot be read"));
    struct mw_counter d = {.unit = 1e-6, .range = 50000, .last = 200000};
    mw_counter_advance(&d, 100000, 1); /* a counter above its own range */
    assert_non_null(d.failed);
}

static void power(void **state)
{
    (void)state;
    struct mw_counter c = {.unit = 1e-6, .is_power = true, .last = 4e6, .last_s = 10};
    mw_counter_advance(&c, 8e6, 12); /* 4 to 8 W in 2 s */
    assert_near(c.sum_j, 12, 1e-12);
    mw_counter_advance(&c, 8e6, 12.5);
    assert_near(c.sum_j, 16, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences), cmocka_unit_test(refused),
                                       cmocka_unit_test(power)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
