// SPDX-License-Identifier: GPL-3.0-or-later
// The sets of data/examples read as their README says. Run from the top of the source tree.
#include "tests/unit/unit.h"

#include "data/dataset.h"
#include "fit/fit.h"

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

static void fit_file(struct mw_model *model, const char *path)
{
    struct mw_dataset dataset;
    struct mw_fit_options options = {.seed = 1};
    struct mw_error e;
    if (mw_dataset_read(&dataset, path, NULL, &e) || mw_fit(model, &dataset, &options, &e))
        fail_msg("%s", e.message);
    mw_dataset_release(&dataset);
}

static const struct mw_combination *combination(const struct mw_model *model, const char *name)
{
    for (size_t i = 0; i < model->combination_count; i++)
        if (!strcmp(model->combinations[i].name, name))
            return &model->combinations[i];
    fail_msg("no %s", name);
    return NULL;
}

/* (1 - r T(1.2)/T(2.4)) / (1 - r) of the file itself is .374 on one core and .439 on 24 */
static void share_of_canneal(void **state)
{
    (void)state;
    struct mw_model model = {0};
    fit_file(&model, "data/examples/canneal.csv");
    const struct mw_combination *one = combination(&model, "frequency_independent_share_1_cores");
    const struct mw_combination *all = combination(&model, "frequency_independent_share_24_cores");
    assert_true(one->low < .374 && .374 < one->high);
    assert_true(all->low < .439 && .439 < all->high);
    assert_non_null(strstr(combination(&model, "wall_cores")->text, "memory wall"));
    mw_model_release(&model);
}

/* its floor is 13 grains or a second socket: it moves with the frequency */
static void floor_of_swaptions(void **state)
{
    (void)state;
    struct mw_model model = {0};
    fit_file(&model, "data/examples/swaptions.csv");
    assert_null(strstr(combination(&model, "wall_cores")->text, "memory wall"));
    assert_true(combination(&model, "frequency_independent_share_24_cores")->high < .15);
    mw_model_release(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(throughput_and_power), cmocka_unit_test(time_and_energy),
                                       cmocka_unit_test(share_of_canneal), cmocka_unit_test(floor_of_swaptions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
