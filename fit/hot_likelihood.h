// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_HOT_LIKELIHOOD_H
#define MW_FIT_HOT_LIKELIHOOD_H

#include <stddef.h>

/* The inner loops of the samplers; see fit/hot.h. */

/* out[i] = offset[i] + sign ln h[i]; returns the sum of out. */
double mw_hot_residuals(const double *offset, double sign, const double *h, size_t n, double *out);
/* out[i] = out[i] - shift */
void mw_hot_shift(double shift, size_t n, double *out);
/* sum of ln(1 + inverse z_i^2) */
double mw_hot_student(const double *z, double inverse, size_t n);

#endif
