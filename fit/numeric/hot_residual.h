// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_HOT_RESIDUAL_H
#define MW_FIT_HOT_RESIDUAL_H

#include <stddef.h>

/* The inner loops of the samplers; see model/hot.h. */

/* out[i] = offset[i] + sign ln h[i]; returns the sum of out, which may be offset itself. */
double mw_hot_residuals(const double *offset, double sign, const double *h, size_t n, double *out);
/* out[i] = out[i] - shift */
void mw_hot_shift(double shift, size_t n, double *out);
/*
 * sum of ln(1 + inverse z_i^2), i < n. Eight factors share one logarithm: with |residual| < 700 in ln and sigma >= .003
 * their product stays below 1e86.
 */
double mw_hot_student(const double *z, double inverse, size_t n);

#endif
