// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_HOT_NORMAL_H
#define MW_FIT_HOT_NORMAL_H

#include <stddef.h>

/*
 * The normal equations of a (Cauchy-)weighted least-squares step; see model/hot.h. columns[j*column_stride + i] = d r_i/d x_j, i < n, j < d;
 * w_i = 1/(1 + (inverse r_i)^2), inverse = 1/c or 0 for squares. gradient[j] = sum w r J_j, hessian[j*stride + k] =
 * sum w J_j J_k. scratch: 2 n.
 */
void mw_hot_normal(const double *columns, size_t column_stride, const double *r, size_t n, size_t d, double inverse,
                   double *scratch, double *gradient, double *hessian, size_t stride);

/*
 * sums[0..2] at b: sum g d, sum g, sum g (1 - x)/(1 + x), d = r_i - b, w = root_weight_i^2, x = w inverse d^2,
 * g = w/(1 + x): slope, weights and curvature of a Cauchy loss of scale c in b, inverse = 1/c^2.
 */
void mw_hot_center(const double *r, const double *root_weight, size_t n, double b, double inverse, double *sums);

/* r[i] = (r[i] - b) root_weight[i] */
void mw_hot_weigh(double *r, const double *root_weight, size_t n, double b);

/* a[j*n + i] *= inverse[i], j < d */
void mw_hot_scale(double *a, const double *inverse, size_t n, size_t d);

#endif
