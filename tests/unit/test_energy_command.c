// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/energy_command.h"
#include "tests/unit/unit.h"

#include <string.h>

/* What commands print, and the joules in it; 0: refused. */
static void lines(void **state)
{
    static const struct {
        const char *line;
        double energy_j;
    } cases[] = {{"12.5", 12.5},
                 {"12.5 J", 12.5},
                 {"12.5J\n", 12.5},
                 {"12.5 kJ", 12500},
                 {"1e3 mJ", 1},
                 {"0.5Wh", 1800},
                 {"energy: 55.1 Joules", 55.1},
                 {"energy=7", 7},
                 {"pkg0 55.1 J", 55.1},
                 {"55.1 J in 3 s", 0}, /* 3 s: another unit beside it */
                 {"package 1: 55.1 J", 55.1},
                 {"12,5 J", 0},
                 {"1,234.5 J", 0},
                 {"1.2.3", 0},
                 {"55.1 W", 0},
                 {"55.1W", 0},
                 {"55.1 J 20.2 J", 0},
                 {"3 4", 0},
                 {"none", 0},
                 {"", 0},
                 {"-", 0},
                 {"0x10", 0},
                 {"12e J", 0},
                 {"nan J", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double energy_j = 0;
        char why[160] = "";
        bool good = mw_energy_parse(cases[i].line, &energy_j, why, sizeof why);
        if (good != (cases[i].energy_j > 0))
            fail_msg("'%s': %s %g", cases[i].line, why, energy_j);
        if (good)
            assert_near(energy_j, cases[i].energy_j, 1e-9 * cases[i].energy_j);
        else
            assert_true(*why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
