// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_WEIGHTED_H
#define MW_FIT_WEIGHTED_H

#include <stddef.h>

/* Weighted draws of one number, and what is read off them. */
struct mw_weighted {
    double *value, *weight;
    size_t count;
};

/* The 5 %, 50 % and 95 % quantiles, to 1/2048 of the range; values need not be sorted. count >= 1. */
void mw_weighted_quantiles(const struct mw_weighted *weighted, double quantile[3]);
double mw_weighted_mean(const struct mw_weighted *weighted);
double mw_weighted_variance(const struct mw_weighted *weighted, double mean);

/* Stratified quantiles of a Student-t with 4 degrees of freedom, scaled as noise is: enum { MW_NOISE_STRATA } of them. */
enum { MW_NOISE_STRATA = 64 };
void mw_noise_quantiles(double quantile[MW_NOISE_STRATA]);

#endif
