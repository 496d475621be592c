// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_HOT_WEIGHTED_H
#define MW_FIT_HOT_WEIGHTED_H

#include <stddef.h>

/* The inner loops of predictions; see model/hot.h. */

/* to[d] += factor by[d] values[d], d < n */
void mw_hot_add_product(double factor, const double *by, const double *values, size_t n, double *to);
/* to[d] += sum over b of weight[b] rows[b][d], d < n */
void mw_hot_add_rows(const double *const *rows, const double *weight, size_t count, size_t n, double *to);
/* out[4 d + q] = center[d] + sd[d] noise[4 d + q], d < n: four readings of each draw */
void mw_hot_readings(const double *center, const double *sd, const double *noise, size_t n, double *out);
/* Smallest and largest of the values, n >= 1, and the sum of the weights. */
void mw_hot_extent(const double *value, const double *weight, size_t n, double *low, double *high, double *total);
/* bins[(value - low) per_value] += weight */
void mw_hot_bins(const double *value, const double *weight, size_t n, double low, double per_value, double *bins,
                 int count);
/* sums[b] = the sum of bins[b size .. (b + 1) size), b < blocks */
void mw_hot_block_sums(const double *bins, size_t blocks, size_t size, double *sums);
/* a' M b, of MW_FORM rows and columns */
enum { MW_FORM = 16 };
double mw_hot_form(const double *m, const double *a, const double *b);
/* sum of weight, weight value and weight value^2 about `origin` */
void mw_hot_moments(const double *value, const double *weight, size_t n, double origin, double sums[3]);

#endif
