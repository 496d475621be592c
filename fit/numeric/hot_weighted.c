// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "fit/numeric/hot_weighted.h"

MW_HOT void mw_hot_add_product(double factor, const double *by, const double *values, size_t n, double *to)
{
    for (size_t d = 0; d < n; d++)
        to[d] += factor * by[d] * values[d];
}

MW_HOT void mw_hot_add_rows(const double *const *rows, const double *weight, size_t count, size_t n, double *to)
{
    for (size_t b = 0; b + 1 < count; b += 2) { /* two rows a pass: half the traffic of `to` */
        const double *restrict even = rows[b], *restrict odd = rows[b + 1];
        double v = weight[b], w = weight[b + 1];
        for (size_t d = 0; d < n; d++)
            to[d] += v * even[d] + w * odd[d];
    }
    for (size_t d = 0; count % 2 && d < n; d++)
        to[d] += weight[count - 1] * rows[count - 1][d];
}

MW_HOT void mw_hot_readings(const double *center, const double *sd, const double *noise, size_t n, double *restrict out)
{
    for (size_t d = 0; d < n; d++)
        for (size_t q = 0; q < 4; q++)
            out[4 * d + q] = center[d] + sd[d] * noise[4 * d + q];
}

MW_HOT void mw_hot_extent(const double *value, const double *weight, size_t n, double *low, double *high, double *total)
{
    enum { LANES = 16 }; /* side by side, since a compiler that minds NaN does not reorder a minimum */
    double least[LANES], most[LANES], sum = 0;
    size_t i = 0;
    for (size_t l = 0; l < LANES; l++)
        least[l] = most[l] = value[0];
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            least[l] = value[i + l] < least[l] ? value[i + l] : least[l];
            most[l] = value[i + l] > most[l] ? value[i + l] : most[l];
        }
    for (; i < n; i++) {
        least[0] = value[i] < least[0] ? value[i] : least[0];
        most[0] = value[i] > most[0] ? value[i] : most[0];
    }
    for (size_t l = 1; l < LANES; l++) {
        least[0] = least[l] < least[0] ? least[l] : least[0];
        most[0] = most[l] > most[0] ? most[l] : most[0];
    }
    for (i = 0; i < n; i++)
        sum += weight[i];
    *low = least[0];
    *high = most[0];
    *total = sum;
}

MW_HOT void mw_hot_bins(const double *value, const double *weight, size_t n, double low, double per_value, double *bins,
                        int count)
{
    enum { BLOCK = 64 };
    int index[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = n - at < BLOCK ? n - at : BLOCK;
        for (size_t i = 0; i < m; i++) {
            double place = (value[at + i] - low) * per_value;
            place = place < count - 1 ? place : count - 1;
            index[i] = (int)(place > 0 ? place : 0); /* NaN ends in the last one: a broken model, not a broken array */
        }
        for (size_t i = 0; i < m; i++)
            bins[index[i]] += weight[at + i];
    }
}

MW_HOT void mw_hot_block_sums(const double *bins, size_t blocks, size_t size, double *sums)
{
    for (size_t b = 0; b < blocks; b++) {
        double sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += bins[b * size + i];
        sums[b] = sum;
    }
}

MW_HOT double mw_hot_form(const double *m, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < MW_FORM; i++) {
        double row = 0;
        for (size_t j = 0; j < MW_FORM; j++)
            row += m[i * MW_FORM + j] * b[j];
        sum += a[i] * row;
    }
    return sum;
}

MW_HOT void mw_hot_moments(const double *value, const double *weight, size_t n, double origin, double sums[3])
{
    double total = 0, first = 0, second = 0;
    for (size_t i = 0; i < n; i++) {
        double d = value[i] - origin;
        total += weight[i];
        first += weight[i] * d;
        second += weight[i] * d * d;
    }
    sums[0] = total;
    sums[1] = first;
    sums[2] = second;
}
