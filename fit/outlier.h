// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_OUTLIER_H
#define MW_FIT_OUTLIER_H

#include "fit/discrepancy.h"

/*
 * Leave-one-out residuals of a Gaussian process on what a law leaves (residual[i] = ln value - law): a point that its
 * neighbours in p and F contradict. While the worst is beyond both limits its noise variance is multiplied by its
 * squared distance and the rest is looked at again; at most n/8 points. factor[i] >= 1, i < n. MW_NOMEM, MW_NOFIT.
 * Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), 5.4.2. Test: test_mixture.c.
 */
enum mw_err mw_outlier_screen(enum mw_quantity quantity, const struct mw_spot *sites, const double *residual, size_t n,
                              double *factor, struct mw_error *error) MW_CHECKED;

#endif
