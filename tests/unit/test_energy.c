// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/energy/energy_counter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* A file of the kernel's that holds no amount is refused, not counted. */
static void no_amount(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int want;
    } cases[] = {{"1234567\n", 0},  {"0\n", 0},     {"-5\n", EINVAL}, {"inf\n", EINVAL},
                 {"nan\n", EINVAL}, {"\n", EINVAL}, {"x\n", EINVAL}};
    char folder[] = "/tmp/mw-energy-XXXXXX", path[64];
    struct mw_counter c = {.fd = -1};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/uj", folder);
    snprintf(c.path, sizeof c.path, "/uj");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(cases[i].text, f);
        fclose(f);
        assert_int_equal(mw_counter_read(folder, &c, &value), cases[i].want);
        assert_near(value, cases[i].want ? -1 : strtod(cases[i].text, NULL), 0);
    }
    unlink(path);
    rmdir(folder);
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
                                       cmocka_unit_test(power), cmocka_unit_test(no_amount)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
