// SPDX-License-Identifier: GPL-3.0-or-later
// The clock of a configuration from those where it was measured: known at the points, between them, and outside.
#include "tests/unit/unit.h"

#include "data/clock.h"

static const struct mw_clock measured[] = {
    {1, 2.4e9, 3.6e9}, {4, 2.4e9, 3.0e9}, {16, 2.4e9, 2.4e9}, {1, 1.2e9, 1.2e9}, {16, 1.2e9, 1.2e9}};
enum { COUNT = sizeof measured / sizeof *measured };

static void measured_ones_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        assert_near(mw_clock_at(measured, COUNT, measured[i].cores, measured[i].nominal_hz), measured[i].effective_hz,
                    1);
}

static void between_and_outside(void **state)
{
    (void)state;
    assert_near(mw_clock_at(measured, COUNT, 2, 2.4e9), 3.3e9, 1); /* half of ln 4 */
    assert_near(mw_clock_at(measured, COUNT, 64, 2.4e9), 2.4e9, 1);
    assert_near(mw_clock_at(measured, COUNT, 1, 1.8e9), 1.8e9 * 1.25, 1);
    assert_near(mw_clock_at(measured, COUNT, 1, 3e9), 4.5e9, 1);
    assert_near(mw_clock_at(measured, COUNT, 4, .6e9), .6e9, 1);
}

static void unknown_frequencies(void **state)
{
    (void)state;
    static const struct mw_clock unnamed[] = {{1, 0, 3.6e9}, {4, 0, 3.0e9}};
    assert_near(mw_clock_at(unnamed, 2, 2, 0), 3.3e9, 1);
    assert_near(mw_clock_at(unnamed, 2, 2, 1e9), 1e9, 0); /* another scale: nothing is known of it */
    assert_near(mw_clock_at(measured, COUNT, 2, 0), 0, 0);
    assert_near(mw_clock_at(NULL, 0, 2, 1e9), 1e9, 0);
}

static void known_only_where_all_say_it(void **state)
{
    (void)state;
    struct mw_point items[] = {
        {.cores = 1, .freq_hz = 1e9, .value = 1, .has_freq_effective = true, .freq_effective_hz = 1.1e9},
        {.cores = 2, .freq_hz = 1e9, .value = 1}};
    struct mw_points points = {.items = items, .count = 2};
    assert_false(mw_clock_known(&points));
    points.count = 1;
    assert_true(mw_clock_known(&points));
    items[0].freq_effective_hz = 1.01e9; /* as asked */
    assert_false(mw_clock_known(&points));
    points.count = 0;
    assert_false(mw_clock_known(&points));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(measured_ones_come_back), cmocka_unit_test(between_and_outside),
                                       cmocka_unit_test(unknown_frequencies),
                                       cmocka_unit_test(known_only_where_all_say_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
