// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "fit/numeric/hot_residual.h"

#include <math.h>

MW_HOT double mw_hot_residuals(const double *offset, double sign, const double *h, size_t n, double *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = offset[i] + sign * log(h[i]);
        sum += out[i];
    }
    return sum;
}

MW_HOT void mw_hot_shift(double shift, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] -= shift;
}

MW_HOT double mw_hot_student(const double *z, double inverse, size_t n)
{
    double sum = 0;
    size_t stride = n / 8;
    for (size_t i = 0; i < stride; i++) {
        double product = 1 + inverse * z[i] * z[i];
        for (size_t k = 1; k < 8; k++)
            product *= 1 + inverse * z[i + k * stride] * z[i + k * stride];
        sum += log(product);
    }
    for (size_t i = 8 * stride; i < n; i++)
        sum += log(1 + inverse * z[i] * z[i]);
    return sum;
}
