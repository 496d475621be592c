// SPDX-License-Identifier: GPL-3.0-or-later
// What every cmocka program needs: the headers in the order that cmocka asks for, and a comparison of doubles.
#ifndef MW_TESTS_UNIT_H
#define MW_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#define assert_near(value, want, tolerance)                                                                            \
    do {                                                                                                               \
        double near_a = (value), near_b = (want), near_t = (tolerance);                                                \
        if (!(fabs(near_a - near_b) <= near_t))                                                                        \
            fail_msg("%s = %.12g, not %.12g within %g", #value, near_a, near_b, near_t);                               \
    } while (0)

#endif
