// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_STATS_H
#define MW_DATA_STATS_H

#include <stddef.h>

/*
 * Order statistics of small samples. `values` is not changed unless the name says sort; n >= 1 is a
 * precondition (asserted). Quantiles are type 7 of Hyndman & Fan (1996), as in R and NumPy.
 */
void mw_sort(double *values, size_t n);
size_t mw_sort_distinct(double *values, size_t n); /* the number of distinct values, which then come first, ascending */
double mw_quantile_sorted(const double *sorted, size_t n, double q);
double mw_median(const double *values, size_t n);
double mw_mad(const double *values, size_t n); /* median absolute deviation times 1.4826 (normal sd) */
double mw_minimum(const double *values, size_t n);
double mw_maximum(const double *values, size_t n);
double mw_mean(const double *values, size_t n);
/*
 * Scale of a sample, n >= 2: the standard deviation of up to five, 1.4826 times the median absolute deviation of more. That of
 * few is the distance to the nearest neighbour of the middle one, and next to nothing where two of three happen to agree.
 */
double mw_spread(const double *values, size_t n);

/*
 * Distribution-free interval of the median from order statistics (binomial; David & Nagaraja, Order
 * Statistics, 3rd ed., 7.1): low and high at confidence >= level. With too few values the range is
 * returned and the function gives the confidence really reached.
 */
double mw_median_interval(const double *values, size_t n, double level, double *low, double *high);

/*
 * Half of the 90 % interval of a normal distribution, in standard deviations: its 95 % quantile. All intervals that
 * memwall prints are 90 % ones.
 */
#define MW_NORMAL_90 1.6448536269514722

#endif
