// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "fit/predict/reading.h"

static double first_of(struct mw_point *items, size_t n)
{
    struct mw_points points = {.items = items, .count = n, .quantity = MW_TIME};
    double variance[8];
    assert_int_equal(mw_reading_variance(&points, variance, NULL), MW_OK);
    return variance[0];
}

static void nothing_repeated(void **state)
{
    (void)state;
    struct mw_point items[2] = {{.cores = 1, .count = 1}, {.cores = 2, .count = 1}};
    assert_near(first_of(items, 2), 0, 0);
}

/* R: (qt(.95, 2) / qnorm(.95))^2 * .1^2 * pi / 6: nothing to borrow from */
static void student_alone(void **state)
{
    (void)state;
    struct mw_point items[1] = {{.cores = 1, .count = 3, .spread = .1}};
    assert_near(first_of(items, 1), .0165005, 1e-6);
}

/* Nine others at .01: R: v <- (4 * (.01^2 * 2 / qchisq(.5, 2)) + 2 * .1^2) / 6; v * pi / 6 * (qt(.95, 6) / qnorm(.95))^2 */
static void borrowed_from_the_others(void **state)
{
    (void)state;
    struct mw_point items[8];
    for (size_t i = 0; i < 8; i++)
        items[i] = (struct mw_point){.cores = 1, .count = 3, .spread = i ? .01 : .1};
    assert_near(first_of(items, 8), .00250613, 1e-8);
}

/* A point read once has the others' scatter, whole. */
static void once_among_repeated(void **state)
{
    (void)state;
    struct mw_point items[8];
    for (size_t i = 0; i < 8; i++)
        items[i] = (struct mw_point){.cores = 1, .count = i ? 3 : 1, .spread = i ? .01 : 0};
    assert_true(first_of(items, 8) > .01 * .01);
    items[0].count = 3;
    items[0].spread = 0; /* three that agree to the last digit */
    assert_true(first_of(items, 8) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_repeated),
        cmocka_unit_test(student_alone),
        cmocka_unit_test(borrowed_from_the_others),
        cmocka_unit_test(once_among_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
