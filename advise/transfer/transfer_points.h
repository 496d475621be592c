// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_TRANSFER_POINTS_H
#define MW_ADVISE_TRANSFER_POINTS_H

#include "data/dataset.h"

#include <stdbool.h>
#include <stddef.h>

/* The runs on a machine at one frequency (0: any), and up to `most_cores` (0: no limit), as points of its own curve. */
struct mw_transfer_points {
    const struct mw_points *runs; /* borrowed; times or speedups */
    double freq_hz;
    double most_cores;
};

/* Distinct core counts among them. */
size_t mw_transfer_points_count(const struct mw_transfer_points *points);
/* The smallest core count; 0: none. */
double mw_transfer_points_least(const struct mw_transfer_points *points);

/*
 * T(p) through the two points around `cores`, or the two nearest at an end: a + b/p between them and, with a, b > 0,
 * beyond them; else a power of p. Speedups count as 1/T. `half_ln` is the 90 % half-width of ln T. False under two core
 * counts, outputs unchanged. Pure. docs/buying.md has the widths' origin.
 */
bool mw_transfer_points_at(const struct mw_transfer_points *points, double cores, double *time, double *half_ln);

#endif
