// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/discrepancy.h"

#include "fit/numeric/linalg.h"

#include <math.h>

/* Lengths in ln p (a step between neighbours; a bend over the range) and ln F; response flat from half to twice. */
const double mw_kernel_cores_short = 0.3, mw_kernel_cores_long = 2, mw_kernel_freq_length = 0.3;
/* Two frequencies closer than this ratio are one. */
const double mw_kernel_same_freq = 1e-3;

/* clang-format off */
const struct mw_kernel mw_kernels[MW_KERNEL_COUNT] = {
    {0, 0, 0},  {0, 0, 1},  {0, 5, 0},  {0, 5, 1},
    {1, 0, 0},  {1, 0, 1},  {1, 5, 0},  {1, 5, 1},
    {8, 0, 0},  {8, 0, 1},  {8, 5, 0},  {8, 5, 1},
    {60, 0, 0}, {60, 0, 1}, {60, 5, 0}, {60, 5, 1},
    {0, 1, 0},
};
/* clang-format on */

size_t mw_kernel_choices(bool independent, const int **indices)
{
    static const int joint[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const int alone[] = {0, MW_KERNEL_FREQ_ONLY};
    *indices = independent ? alone : joint;
    return independent ? sizeof alone / sizeof *alone : sizeof joint / sizeof *joint;
}

void mw_kernel_parts(enum mw_quantity quantity, const struct mw_site *rows, size_t m, const struct mw_site *columns,
                     size_t n, double *parts)
{
    double *cores = parts, *freq = parts + m * n, *both = parts + 2 * m * n;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double dp = fabs(rows[i].ln_p - columns[j].ln_p), df = fabs(rows[i].ln_freq - columns[j].ln_freq);
            double along_p = (exp(-dp / mw_kernel_cores_short) + exp(-dp / mw_kernel_cores_long)) / 2,
                   along_f = exp(-df / mw_kernel_freq_length);
            *cores++ = along_p;
            *freq++ = quantity == MW_SPEEDUP ? (df < mw_kernel_same_freq ? 1 : 0) : along_f;
            *both++ = along_p * along_f;
        }
}

void mw_kernel_row(const struct mw_kernel *kernel, const double *parts, size_t m, size_t n, size_t i, double *out)
{
    const double *cores = parts + i * n, *freq = cores + m * n, *both = freq + m * n;
    for (size_t j = 0; j < n; j++)
        out[j] = kernel->cores * cores[j] + kernel->freq * freq[j] + kernel->both * both[j];
}

double mw_kernel_variance(const struct mw_kernel *kernel)
{
    return kernel->cores + kernel->freq + kernel->both;
}

bool mw_kernel_whiten(const struct mw_kernel *kernel, const double *parts, const struct mw_site *sites, size_t n,
                      double *scratch, double *w, double *log_det)
{
    for (size_t i = 0; i < n; i++) {
        mw_kernel_row(kernel, parts, n, n, i, scratch + i * n);
        scratch[i * n + i] += sites[i].noise;
    }
    if (!mw_cholesky(scratch, n))
        return false;
    *log_det = mw_cholesky_log_det(scratch, n);
    mw_lower_inverse(scratch, n, w);
    return true;
}
