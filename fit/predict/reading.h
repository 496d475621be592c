// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_READING_H
#define MW_FIT_READING_H

#include "data/dataset.h"

/*
 * How far the median of a point's repetitions may be from what the point takes on average, as repetitions show it:
 *     variance[i] = (t_q/z_q)^2 s_i^2 min(1, pi/(2 n_i)),  s_i^2 = (nu_0 s^2 + (n_i - 1) spread_i^2)/(nu_0 + n_i - 1)
 * s is the spread that half of the repeated points stay under, by the median of chi^2; nu_0 = 4, or less where the others
 * have fewer degrees of freedom. t_q/z_q: Student's 95 % quantile of nu_0 + n_i - 1 degrees of freedom over the normal one,
 * so that three readings that happen to agree promise no more than three readings can. points->count values, all 0 where
 * no point has repetitions: then nothing is known. MW_NOMEM. Test: test_reading.c.
 */
enum mw_err mw_reading_variance(const struct mw_points *points, double *variance, struct mw_error *error) MW_CHECKED;

#endif
