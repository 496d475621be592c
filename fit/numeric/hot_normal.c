// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "fit/numeric/hot_normal.h"

MW_HOT void mw_hot_normal(const double *columns, size_t column_stride, const double *r, size_t n, size_t d,
                          double inverse, double *scratch, double *gradient, double *hessian, size_t stride)
{
    double *w = scratch, *weighted = scratch + n, square = inverse * inverse;
    for (size_t i = 0; i < n; i++)
        w[i] = 1 / (1 + square * r[i] * r[i]);
    for (size_t j = 0; j < d; j++) {
        const double *cj = columns + j * column_stride;
        double g = 0;
        for (size_t i = 0; i < n; i++) {
            weighted[i] = w[i] * cj[i];
            g += weighted[i] * r[i];
        }
        gradient[j] = g;
        for (size_t k = 0; k <= j; k++) {
            const double *ck = columns + k * column_stride;
            double h = 0;
            for (size_t i = 0; i < n; i++)
                h += weighted[i] * ck[i];
            hessian[j * stride + k] = hessian[k * stride + j] = h;
        }
    }
}

MW_HOT void mw_hot_center(const double *r, const double *root_weight, size_t n, double b, double inverse, double *sums)
{
    double slope = 0, weights = 0, curvature = 0;
    for (size_t i = 0; i < n; i++) {
        double w = root_weight[i] * root_weight[i], d = r[i] - b, x = w * d * d * inverse;
        double share = 1 / (1 + x), g = w * share;
        slope += g * d;
        weights += g;
        curvature += g * (1 - x) * share;
    }
    sums[0] = slope;
    sums[1] = weights;
    sums[2] = curvature;
}

MW_HOT void mw_hot_weigh(double *r, const double *root_weight, size_t n, double b)
{
    for (size_t i = 0; i < n; i++)
        r[i] = (r[i] - b) * root_weight[i];
}

MW_HOT void mw_hot_scale(double *a, const double *inverse, size_t n, size_t d)
{
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < n; i++)
            a[j * n + i] *= inverse[i];
}
