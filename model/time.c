// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/time.h"

#include <math.h>

double mw_phi(double freq_hz, double memory_freq_hz)
{
    return freq_hz > 0 ? freq_hz / memory_freq_hz : 1;
}

double mw_time_s(const struct mw_law *law, const double *params, double scale_s_hz, double p, double freq_hz,
                 double memory_freq_hz)
{
    double freq = freq_hz > 0 ? freq_hz : memory_freq_hz;
    return scale_s_hz * mw_law_h(law, params, p, mw_phi(freq_hz, memory_freq_hz)) / freq;
}

double mw_speedup_same(const struct mw_law *law, const double *params, double p, double phi)
{
    return mw_law_h(law, params, 1, phi) / mw_law_h(law, params, p, phi);
}

double mw_speedup_lowest(const struct mw_law *law, const double *params, double p, double phi, double phi_low)
{
    return mw_law_h(law, params, 1, phi_low) / mw_law_h(law, params, p, phi) * (phi / phi_low);
}

static double wall_excess(const double *v, double p, double phi)
{
    double mu = fmin(v[MW_VLS_M1] + v[MW_VLS_M2] / p, 1), k_phi = v[MW_VLS_K] * phi;
    return (1 + k_phi) * mu - (1 + k_phi * mu) * ((1 - v[MW_VLS_F]) + v[MW_VLS_F] / p);
}

double mw_vls_wall_cores(const double *params, double phi, double p_max)
{
    /* The excess is a concave quadratic in 1/p (below the clip of mu): it may be positive on a range in the middle only. */
    double low = 1, high = 1;
    while (!(wall_excess(params, high, phi) > 0)) {
        if (high >= p_max)
            return 0;
        low = high;
        high = fmin(fmax(high + 1, 1.02 * high), p_max);
    }
    while (high - low > 1e-6 * high) {
        double middle = (low + high) / 2;
        *(wall_excess(params, middle, phi) > 0 ? &high : &low) = middle;
    }
    return high;
}

double mw_vls_speedup_limit(const double *params, double phi)
{
    /* p -> infinity: mu -> m1, the parallel term -> 1 - f */
    double f = params[MW_VLS_F], m1 = params[MW_VLS_M1], k_phi = params[MW_VLS_K] * phi;
    double limit = fmax((1 + k_phi * m1) * (1 - f), (1 + k_phi) * m1);
    return limit > 0 ? mw_law_h(&mw_law_vls, params, 1, phi) / limit : 0;
}
