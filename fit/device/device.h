// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_DEVICE_H
#define MW_FIT_DEVICE_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Host and device by two terms: t(x) = h + d x0 / x, where x is the number of graphics processors or their clock and x0 the
 * least of them that was measured; h does not change with the device, d is inverse to it. Least squares of relative errors, which
 * are alike where times differ by much.
 *
 * "Can't be told" where two terms would be read into what has none, or could be anything:
 * - fewer than three values of x (any two times fit two terms), or no value with two runs;
 * - the terms leave more than MW_DEVICE_MISFIT on the medians of the values, and more than the runs' noise does (F test, 1 %);
 * - a term is negative beyond its 90 % interval: the time falls faster than the device's rate rises, or rises with it;
 * - the 90 % interval of the device's share is wider than MW_DEVICE_WIDTH.
 */
#define MW_DEVICE_MISFIT 0.02 /* as far as times of one program on an idle machine move from day to day */
#define MW_DEVICE_WIDTH  0.3  /* wider says neither "mostly the host" nor "mostly the device" */

struct mw_device_split {
    bool told;
    char why[240];           /* where it isn't, with what would settle it */
    double x0;               /* least x */
    double host_s, device_s; /* at x0 */
    double share, low, high; /* of the device at x0, with its 90 % interval */
    double misfit;           /* root mean square of the relative errors of the medians */
    double x_most;           /* largest x measured */
    double variances[3];     /* of host, of both, of device */
    double noise, freedom;   /* relative deviation of one run, and its degrees of freedom */
    size_t levels, runs;
};

/*
 * x, time_s: n runs, positive, in any order. MW_DATA where n is 0 or a value is not positive, MW_NOMEM. Deterministic; O(n log n).
 * Test: test_device.c (exact times, simulated noise with coverage, a third term, too few values).
 */
enum mw_err mw_device_split(const double *x, const double *time_s, size_t n, struct mw_device_split *split,
                            struct mw_error *error) MW_CHECKED;
/* t(x) of what was told. */
double mw_device_time(const struct mw_device_split *split, double x);
/*
 * Where the time of one run at x lies in nine of ten: the terms' covariance, the runs' noise (Student), and from the last x that was
 * measured on MW_DEVICE_MISFIT of the time for each doubling, since a cost that rises with the devices hides in that. *low >= 0.
 * Test: test_device.c (coverage with the law and with a term that it hasn't).
 */
void mw_device_interval(const struct mw_device_split *split, double x, double *low, double *high);

#endif
