// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "data/stats.h"
#include "fit/search/power.h"
#include "model/power.h"

enum { CORES = 24, FREQS = 7, ALL = CORES * FREQS };

/* A table of the law with every term present; noise_sd of ln P from a fixed sequence. */
static const double truth[MW_POWER_TERMS] = {38, 12, 6, 1.1, 1.4};

static double noise(size_t i)
{
    /* sum of four golden-ratio sequences: close to normal, variance 1 */
    double sum = 0;
    for (int k = 1; k <= 4; k++)
        sum += fmod((double)(i + 1) * .6180339887 * k + .37 * k, 1) - .5;
    return sum * sqrt(3);
}

static void table(struct mw_points *points, struct mw_point *items, double noise_sd, double watts)
{
    *points = (struct mw_points){.items = items, .quantity = MW_TIME};
    for (int f = 0; f < FREQS; f++)
        for (unsigned p = 1; p <= CORES; p++) {
            double freq = 1.2e9 + .2e9 * f, x = freq / 2.4e9;
            double power = watts * mw_power_law(truth, p, mw_sockets(p, 12), x) * exp(noise_sd * noise(points->count));
            items[points->count++] = (struct mw_point){.cores = p,
                                                       .freq_hz = freq,
                                                       .value = 100,
                                                       .count = 1,
                                                       .has_power = true,
                                                       .power_w = power,
                                                       .noise_factor = 1};
        }
}

static void law(void **state)
{
    (void)state;
    assert_near(mw_sockets(12, 12), 1, 0);
    assert_near(mw_sockets(13, 12), 2, 0);
    assert_near(mw_sockets(13, 0), 1, 0);
    assert_near(mw_power_law(truth, 24, 2, 1), 38 + 12 + 12 + 24 * 2.5, 1e-12);
    assert_near(mw_power_law(truth, 1, 1, .5), 38 + 6 * .125 + .55 + 1.4 * .125, 1e-12);
}

static void exact_table(void **state)
{
    (void)state;
    struct mw_point items[ALL];
    struct mw_points points;
    struct mw_model_power power;
    table(&points, items, 0, 1);
    assert_int_equal(mw_power_fit(&power, &points, 12, 1, NULL), MW_OK);
    assert_true(power.present);
    assert_near(power.s0_w, truth[0], 1e-4);
    assert_near(power.s1_w, truth[1], 1e-4);
    assert_near(power.u3_w, truth[2], 1e-4);
    assert_near(power.c1_w, truth[3], 1e-4);
    assert_near(power.c3_w, truth[4], 1e-4);
    assert_near(power.freq_ref_hz, 2.4e9, 1);
    free(power.draws);
}

static void no_negative_coefficient(void **state)
{
    (void)state;
    struct mw_point items[ALL];
    struct mw_points points;
    struct mw_model_power power;
    table(&points, items, 0, 1);
    for (size_t i = 0; i < points.count;
         i++) /* falls with the second socket, as where cores wait for the largest chunk */
        items[i].power_w *= items[i].cores > 12 ? .9 : 1;
    assert_int_equal(mw_power_fit(&power, &points, 12, 1, NULL), MW_OK);
    assert_true(power.s0_w >= 0 && power.s1_w >= 0 && power.u3_w >= 0 && power.c1_w >= 0 && power.c3_w >= 0);
    for (size_t i = 0; i < power.draw_count * MW_POWER_TERMS; i++)
        assert_true(power.draws[i] >= 0);
    free(power.draws);
}

/* Ten points of fifty noisy tables: what is not measured lies in the 90 % interval, and errors are small. */
static void ten_points(void **state)
{
    (void)state;
    static const unsigned cores[] = {1, 1, 2, 4, 4, 8, 12, 16, 24, 24}, freqs[] = {0, 6, 3, 0, 6, 3, 6, 0, 0, 6};
    struct mw_point all[ALL], some[10];
    struct mw_points table_points, points = {.items = some, .count = 10, .quantity = MW_TIME};
    size_t covered = 0, asked = 0;
    double error = 0;
    table(&table_points, all, 0, 1);
    for (size_t t = 0; t < 20; t++) {
        struct mw_model_power power;
        struct mw_config query[ALL];
        double watts[ALL], sd[ALL];
        for (size_t i = 0; i < 10; i++) {
            some[i] = all[freqs[i] * CORES + cores[i] - 1];
            some[i].power_w *= exp(.01 * noise(17 * t + 5 * i));
        }
        assert_int_equal(mw_power_fit(&power, &points, 12, t, NULL), MW_OK);
        for (size_t i = 0; i < ALL; i++)
            query[i] = (struct mw_config){all[i].cores, all[i].freq_hz};
        assert_int_equal(mw_power_predict(&power, &points, query, ALL, watts, sd, NULL), MW_OK);
        for (size_t i = 0; i < ALL; i++, asked++) {
            double miss = fabs(log(watts[i] / all[i].power_w));
            error += miss;
            covered += miss <= MW_NORMAL_90 * sd[i];
        }
        free(power.draws);
    }
    assert_true(error / (double)asked < .015);
    assert_true((double)covered / (double)asked > .9);
}

static void units_do_not_matter(void **state)
{
    (void)state;
    struct mw_point items[ALL];
    struct mw_points points;
    struct mw_config query = {17, 1.7e9};
    double watts[2], sd[2];
    for (int k = 0; k < 2; k++) {
        struct mw_model_power power;
        table(&points, items, .02, k ? 1000 : 1);
        assert_int_equal(mw_power_fit(&power, &points, 12, 1, NULL), MW_OK);
        assert_int_equal(mw_power_predict(&power, &points, &query, 1, &watts[k], &sd[k], NULL), MW_OK);
        free(power.draws);
    }
    assert_near(watts[1] / watts[0] / 1000, 1, 2e-3);
    assert_near(sd[1] / sd[0], 1, .1);
}

static void too_few(void **state)
{
    (void)state;
    struct mw_point items[ALL];
    struct mw_points points;
    struct mw_model_power power;
    table(&points, items, 0, 1);
    points.count = 2;
    assert_int_equal(mw_power_fit(&power, &points, 12, 1, NULL), MW_OK);
    assert_false(power.present);
    struct mw_config query = {1, 1.2e9};
    double watts = -1, sd = -1;
    struct mw_error error;
    assert_int_equal(mw_power_predict(&power, &points, &query, 1, &watts, &sd, &error), MW_NOFIT);
    assert_near(watts, -1, 0);
}

/* One frequency, or none known: the clock terms coincide, the power is still found. */
static void one_frequency(void **state)
{
    (void)state;
    struct mw_point items[CORES];
    struct mw_points points = {.items = items, .count = 12, .quantity = MW_TIME};
    for (unsigned p = 0; p < 12; p++)
        items[p] = (struct mw_point){.cores = p + 1,
                                     .value = 10,
                                     .count = 1,
                                     .has_energy = true,
                                     .energy_j = 10 * (50 + 3 * (p + 1)),
                                     .noise_factor = 1};
    struct mw_model_power power;
    struct mw_config query = {7, 0};
    double watts, sd;
    assert_int_equal(mw_power_fit(&power, &points, 0, 1, NULL), MW_OK);
    assert_int_equal(mw_power_predict(&power, &points, &query, 1, &watts, &sd, NULL), MW_OK);
    assert_near(watts, 71, .3);
    assert_non_null(strstr(power.source, "unknown"));
    free(power.draws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law),
        cmocka_unit_test(exact_table),
        cmocka_unit_test(no_negative_coefficient),
        cmocka_unit_test(ten_points),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(too_few),
        cmocka_unit_test(one_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
