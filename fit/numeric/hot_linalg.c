// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "fit/numeric/linalg.h"

#include <math.h>
#include <string.h>

MW_HOT double mw_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

MW_HOT bool mw_cholesky(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double *aj = a + j * n;
        for (size_t i = j; i < n; i++) {
            double *ai = a + i * n, sum = ai[j];
            for (size_t k = 0; k < j; k++)
                sum -= ai[k] * aj[k];
            if (i > j) {
                ai[j] = sum / aj[j];
            } else {
                if (!(sum > 0))
                    return false;
                aj[j] = sqrt(sum);
            }
        }
    }
    return true;
}

double mw_cholesky_log_det(const double *l, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(l[i * n + i]);
    return 2 * sum;
}

MW_HOT void mw_lower_inverse(const double *l, size_t n, double *w)
{
    memset(w, 0, n * n * sizeof *w);
    for (size_t i = 0; i < n; i++) {
        double *wi = w + i * n, inverse = 1 / l[i * n + i];
        for (size_t k = 0; k < i; k++) {
            const double *wk = w + k * n;
            double factor = -l[i * n + k] * inverse;
            for (size_t j = 0; j <= k; j++)
                wi[j] += factor * wk[j];
        }
        wi[i] = inverse;
    }
}

MW_HOT void mw_lower_multiply(const double *w, size_t n, const double *r, double *z)
{
    for (size_t i = 0; i < n; i++) {
        const double *wi = w + i * n;
        double sum = 0;
        for (size_t j = 0; j <= i; j++)
            sum += wi[j] * r[j];
        z[i] = sum;
    }
}

MW_HOT void mw_lower_multiply_transposed(const double *w, size_t n, const double *r, double *z)
{
    memset(z, 0, n * sizeof *z);
    for (size_t i = 0; i < n; i++) {
        const double *wi = w + i * n;
        double factor = r[i];
        for (size_t j = 0; j <= i; j++)
            z[j] += wi[j] * factor;
    }
}

MW_HOT void mw_lower_square(const double *w, size_t n, double *q)
{
    memset(q, 0, n * n * sizeof *q);
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i <= r; i++) {
            const double *wr = w + r * n;
            double *qi = q + i * n, factor = wr[i];
            for (size_t j = 0; j <= i; j++)
                qi[j] += factor * wr[j];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            q[j * n + i] = q[i * n + j];
}

MW_HOT void mw_rank_one(double *a, size_t n, double factor, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        double *row = a + i * n, times = factor * x[i];
        for (size_t j = 0; j < n; j++)
            row[j] += times * x[j];
    }
}
