// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/main_wait.h"

static struct mw_row row(double time, double cpu, double wait)
{
    struct mw_row r = {.has = MW_HAS_VALUE | MW_HAS_CPU_TIME, .cores = 2, .value = time, .cpu_time_s = cpu};
    mw_usage_set(&r.usage, MW_USAGE_MAIN_WAIT, wait);
    return r;
}

/* As measured beside eight busy processes: .285 s of work, .400 s waited. */
static void takes(void **state)
{
    (void)state;
    struct mw_row r = row(.687, .285, .400);
    double most;
    r.has |= MW_HAS_ENERGY;
    r.energy_j = 6.87;
    assert_near(mw_main_wait_without(&r), .287, 1e-12);
    assert_near(r.value, .687, 0);
    assert_int_equal(mw_main_wait_take(&r, 1, &most), 1);
    assert_near(r.value, .287, 1e-12);
    assert_near(most, .400 / .687, 1e-12);
    assert_near(r.power_w, 10, 1e-12); /* of the time as measured */
    r = row(.254, .187, .015);         /* it slept until the thread on the loaded core was done */
    mw_usage_set(&r.usage, MW_USAGE_THREAD_WAIT, .150);
    assert_int_equal(mw_main_wait_take(&r, 1, &most), 1);
    assert_near(r.value, .104, 1e-12);
}

static void leaves(void **state)
{
    (void)state;
    struct mw_row rows[] = {
        row(1, .9, .02), /* noise of a quiet machine */
        row(1, 1.8, .5), /* .5 s can't hold 1.8 s of work on two cores */
        row(1, .5, 1.5), /* another span */
        row(1, .5, .4),  /* the time is what the program printed */
    };
    double most;
    mw_usage_set(&rows[3].usage, MW_USAGE_WALL, 2);
    assert_int_equal(mw_main_wait_take(rows, 4, &most), 0);
    for (size_t i = 0; i < 4; i++)
        assert_near(rows[i].value, 1, 0);
    assert_near(most, 0, 0);
}

/* Twice as many threads as cores wait for one another, and a quiet machine would have them wait too. */
static void waits_for_itself(void **state)
{
    (void)state;
    struct mw_row r = row(10, 10, 3);
    double most;
    mw_usage_set(&r.usage, MW_USAGE_OTHER_CPU, .05);
    assert_int_equal(mw_main_wait_take(&r, 1, &most), 0);
    assert_near(r.value, 10, 0);
    mw_usage_set(&r.usage, MW_USAGE_OTHER_CPU, 2); /* no more than others can have taken */
    assert_int_equal(mw_main_wait_take(&r, 1, &most), 1);
    assert_near(r.value, 8, 1e-12);
}

/* Two workers under the load, their main thread asleep: what it waited says nothing, and the others stay as they are. */
static void blind(void **state)
{
    (void)state;
    struct mw_row rows[] = {row(10.6, 2.2, 8.4), row(8, 2.2, 0)};
    double most;
    mw_usage_set(&rows[0].usage, MW_USAGE_OTHER_CPU, 8.4);
    mw_usage_set(&rows[1].usage, MW_USAGE_OTHER_CPU, 13.8);
    assert_int_equal(mw_main_wait_take(rows, 2, &most), 1); /* said to have waited for nothing, it is believed */
    rows[0].value = 10.6;
    rows[1].usage.has[MW_USAGE_MAIN_WAIT] = false;
    assert_true(mw_main_wait_blind(rows, 2));
    assert_int_equal(mw_main_wait_take(rows, 2, &most), 0);
    assert_near(rows[0].value, 10.6, 0);
    mw_usage_set(&rows[1].usage, MW_USAGE_OTHER_CPU, .2 * 16); /* hardly any load */
    assert_int_equal(mw_main_wait_take(rows, 2, &most), 1);
    struct mw_row spins[] = {row(.843, .179, .661),
                             row(.272, .356, .121)}; /* it spun on while the main thread waited */
    mw_usage_set(&spins[1].usage, MW_USAGE_OTHER_CPU, .202);
    assert_int_equal(mw_main_wait_take(spins, 2, &most), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes), cmocka_unit_test(leaves),
                                       cmocka_unit_test(waits_for_itself), cmocka_unit_test(blind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
