// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/weighted.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

enum { BINS = 2048 };
/* The sampled sigma includes points that the law missed, so noise drawn at full scale would count them twice. */
static const double noise_scale = 0.8;

void mw_weighted_quantiles(const struct mw_weighted *weighted, double quantile[3])
{
    static const double share[3] = {0.05, 0.5, 0.95};
    double low = weighted->value[0], high = low, total = 0, bins[BINS] = {0};
    for (size_t i = 0; i < weighted->count; i++) {
        low = fmin(low, weighted->value[i]);
        high = fmax(high, weighted->value[i]);
        total += weighted->weight[i];
    }
    double per_value = high > low ? (BINS - 1e-6) / (high - low) : 0;
    for (size_t i = 0; i < weighted->count; i++)
        bins[(size_t)((weighted->value[i] - low) * per_value)] += weighted->weight[i];
    int next = 0;
    double below = 0;
    for (int bin = 0; bin < BINS && next < 3; bin++) {
        while (next < 3 && below + bins[bin] >= share[next] * total) {
            double into = bins[bin] > 0 ? (share[next] * total - below) / bins[bin] : 0;
            quantile[next++] = per_value > 0 ? low + (bin + into) / per_value : low;
        }
        below += bins[bin];
    }
    while (next < 3)
        quantile[next++] = high;
}

double mw_weighted_mean(const struct mw_weighted *weighted)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < weighted->count; i++) {
        sum += weighted->weight[i] * weighted->value[i];
        total += weighted->weight[i];
    }
    return sum / total;
}

double mw_weighted_variance(const struct mw_weighted *weighted, double mean)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < weighted->count; i++) {
        double d = weighted->value[i] - mean;
        sum += weighted->weight[i] * d * d;
        total += weighted->weight[i];
    }
    return sum / total;
}

void mw_noise_quantiles(double quantile[MW_NOISE_STRATA])
{
    for (int i = 0; i < MW_NOISE_STRATA; i++)
        quantile[i] = noise_scale * gsl_cdf_tdist_Pinv((i + 0.5) / MW_NOISE_STRATA, 4);
}
