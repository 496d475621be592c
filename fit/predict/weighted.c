// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/weighted.h"

#include "fit/numeric/hot_weighted.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

enum { BINS = 2048, BLOCKS = 32 };
/* The sampled sigma includes points that the law missed, so noise drawn at full scale would count them twice. */
static const double noise_scale = 0.8;

void mw_weighted_quantiles(const struct mw_weighted *weighted, double quantile[3])
{
    static const double share[3] = {0.05, 0.5, 0.95};
    double low, high, total, bins[BINS] = {0}, block_sums[BLOCKS];
    mw_hot_extent(weighted->value, weighted->weight, weighted->count, &low, &high, &total);
    double per_value = high > low ? (BINS - 1e-6) / (high - low) : 0;
    mw_hot_bins(weighted->value, weighted->weight, weighted->count, low, per_value, bins, BINS);
    mw_hot_block_sums(bins, BLOCKS, BINS / BLOCKS, block_sums);
    int block = 0;
    double before = 0; /* the block */
    for (int next = 0; next < 3; next++) {
        double wanted = share[next] * total;
        for (; block < BLOCKS - 1 && before + block_sums[block] < wanted; block++)
            before += block_sums[block];
        int bin = block * (BINS / BLOCKS), end = bin + BINS / BLOCKS;
        double below = before;
        for (; bin < end && below + bins[bin] < wanted; bin++)
            below += bins[bin];
        double into = bin < end && bins[bin] > 0 ? (wanted - below) / bins[bin] : 0;
        quantile[next] = per_value > 0 ? fmin(low + (bin + into) / per_value, high) : low;
    }
}

double mw_weighted_mean(const struct mw_weighted *weighted)
{
    double sums[3];
    mw_hot_moments(weighted->value, weighted->weight, weighted->count, weighted->value[0], sums);
    return weighted->value[0] + sums[1] / sums[0];
}

double mw_weighted_variance(const struct mw_weighted *weighted, double mean)
{
    double sums[3];
    mw_hot_moments(weighted->value, weighted->weight, weighted->count, mean, sums);
    return sums[2] / sums[0];
}

void mw_noise_quantiles(double quantile[MW_NOISE_STRATA])
{
    for (int i = 0; i < MW_NOISE_STRATA; i++)
        quantile[i] = noise_scale * gsl_cdf_tdist_Pinv((i + 0.5) / MW_NOISE_STRATA, 4);
}
