// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_NOISE_H
#define MW_MEASURE_NOISE_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What went over the runs of a scan besides the program: found from their times in the order in which they were run. */
struct mw_noise_run {
    size_t config; /* index of the configuration */
    bool good;     /* a failed run is not looked at */
    double time_s;
    double foreign_share; /* of its cores' time that others used; 0 where not known */
};

struct mw_noise {
    bool first_slow;    /* the first run of all stands out upwards */
    double first_ratio; /* its time over the median of its configuration */
    size_t outliers;    /* runs (the first, if slow, not among them) far from their median */
    size_t farthest;    /* index of the farthest of them */
    double farthest_ratio;
    bool drift;         /* times went one way over the scan, whatever the configuration */
    double drift_share; /* by how much, from first to last: .06 is 6 % slower */
    size_t disturbed;   /* runs in which others took more than MW_NOISE_FOREIGN of the cores */
    double foreign_most;
};

/*
 * On r = ln(time / median of its configuration), configurations of at least three good runs:
 * an outlier is |r - median| > 3.5 x 1.4826 MAD (Iglewicz and Hoaglin 1993) and above 5 %, below which no fit notices;
 * drift is Kendall's tau of r against the order at p < .01 from ten runs on, and a Theil-Sen slope of 1 % over the scan.
 */
#define MW_NOISE_Z       3.5
#define MW_NOISE_LEAST   0.05
#define MW_NOISE_FOREIGN 0.05
enum mw_err mw_noise_find(const struct mw_noise_run *runs, size_t count, size_t config_count, struct mw_noise *noise,
                          struct mw_error *error) MW_CHECKED;

#endif
