// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_OUTLIER_H
#define MW_FIT_OUTLIER_H

#include "fit/predict/discrepancy.h"

/*
 * Points that their neighbours in p and F contradict, by a Gaussian process on what a law leaves (residual[i] =
 * ln value - law). A block B (one point; for speedups also all points of one frequency, which share the run on one core)
 * is shifted by the others' word by
 *     delta = 1_B' Q r / (1_B' Q 1_B),  z = delta sqrt(1_B' Q 1_B),  Q = (K + noise)^-1,
 * which for one point is its leave-one-out residual. While the worst block is beyond both limits the noise variance of
 * its points is multiplied by z^2 and the rest is looked at again; at most n/8 single points, and one frequency of four.
 * factor[i] >= 1, i < n. MW_NOMEM, MW_NOFIT.
 * Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), 5.4.2. Test: test_mixture.c.
 */
enum mw_err mw_outlier_screen(enum mw_quantity quantity, const struct mw_site *sites, const double *residual, size_t n,
                              double *factor, struct mw_error *error) MW_CHECKED;

#endif
