// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "fit/numeric/panel.h"

#include <stdlib.h>
#include <string.h>

/* Eight doubles: one register with AVX-512, two with AVX2, four with SSE2. */
enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

size_t mw_panel_pad(size_t n)
{
    return (n + MW_PANEL - 1) / MW_PANEL * MW_PANEL;
}

size_t mw_panel_size(size_t n)
{
    size_t bands = mw_panel_pad(n) / MW_PANEL;
    return MW_PANEL * MW_PANEL * bands * (bands + 1) / 2;
}

double *mw_panel_alloc(size_t count)
{
    size_t size = (count * sizeof(double) + 63) / 64 * 64 + 64;
    double *panel = aligned_alloc(64, size);
    if (panel)
        memset(panel, 0, size);
    return panel;
}

void mw_panel_pack(const double *w, size_t n, double *panel)
{
    for (size_t band = 0; band < mw_panel_pad(n); band += MW_PANEL)
        for (size_t j = 0; j < band + MW_PANEL; j++)
            for (size_t i = band; i < band + MW_PANEL; i++)
                *panel++ = i < n && j <= i ? w[i * n + j] : 0;
}

MW_HOT void mw_panel_multiply(const double *panel, size_t n, const double *r, double *z)
{
    const lanes *column = (const lanes *)panel;
    for (size_t band = 0; band < n; band += MW_PANEL) {
        /* two columns at a time: four sums that do not wait for each other */
        lanes low = {0}, high = {0}, low_odd = {0}, high_odd = {0};
        for (size_t j = 0; j < band + MW_PANEL; j += 2, column += 4) {
            low += column[0] * r[j];
            high += column[1] * r[j];
            low_odd += column[2] * r[j + 1];
            high_odd += column[3] * r[j + 1];
        }
        low += low_odd;
        high += high_odd;
        memcpy(z + band, &low, sizeof low);
        memcpy(z + band + LANES, &high, sizeof high);
    }
}

static inline double sum_lanes(const lanes *sum)
{
    lanes v = *sum;
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* One row at a time, so that which rows stand beside it cannot change a sum. */
MW_HOT void mw_panel_add_products(const double *rows, size_t m, size_t n, const double *z, double *out)
{
    size_t width = (n + MW_PANEL - 1) / MW_PANEL * MW_PANEL / LANES;
    const lanes *row = (const lanes *)rows, *zv = (const lanes *)z;
    for (size_t i = 0; i < m; i++, row += width) {
        lanes even = {0}, odd = {0};
        for (size_t j = 0; j < width; j += 2) {
            even += row[j] * zv[j];
            odd += row[j + 1] * zv[j + 1];
        }
        even += odd;
        out[i] += sum_lanes(&even);
    }
}
