// SPDX-License-Identifier: GPL-3.0-or-later
// The sets of data/examples read as their README says. Run from the top of the source tree.
#include "tests/unit/unit.h"

#include "data/dataset.h"

static void throughput_and_power(void **state)
{
    (void)state;
    static const char *const files[] = {"data/examples/canneal.csv", "data/examples/swaptions.csv"};
    for (size_t i = 0; i < 2; i++) {
        struct mw_dataset dataset;
        struct mw_points points;
        struct mw_error e;
        if (mw_dataset_read(&dataset, files[i], NULL, &e))
            fail_msg("%s", e.message);
        assert_string_equal(dataset.rate_unit, "throughput_per_s");
        assert_int_equal(mw_points_from_dataset(&points, &dataset, &e), MW_OK);
        assert_int_equal(points.count, 24 * 13);
        assert_int_equal(points.items[0].cores, 1);
        assert_near(points.items[0].freq_hz, 1.2e9, 0);
        assert_int_equal(points.items[points.count - 1].cores, 24);
        assert_near(points.items[points.count - 1].freq_hz, 2.4e9, 0);
        assert_true(points.items[0].has_power && points.items[0].has_energy);
        mw_points_release(&points);
        mw_dataset_release(&dataset);
    }
}

static void time_and_energy(void **state)
{
    (void)state;
    struct mw_dataset dataset;
    struct mw_points points;
    struct mw_error e;
    if (mw_dataset_read(&dataset, "data/examples/xeon-bt.csv", NULL, &e))
        fail_msg("%s", e.message);
    assert_int_equal(mw_points_from_dataset(&points, &dataset, &e), MW_OK);
    assert_int_equal(points.count, 20);
    assert_near(points.items[0].freq_hz, 2.2e9, 0);
    assert_near(points.items[0].value, 900.41, 1e-9);
    assert_near(points.items[9].value, 136.76, 1e-9);
    assert_near(points.items[0].energy_j, 76356, 100);
    mw_points_release(&points);
    mw_dataset_release(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(throughput_and_power), cmocka_unit_test(time_and_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
