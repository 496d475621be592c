// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/bandwidth_verdict.h"

#include "data/stats.h"

/* A rate that grows by this share of what further cores could add is bound by them; by less than the second, by memory. */
#define GROWS_BY_CORES 0.5
#define FLAT           0.15

struct mw_bw_offsets mw_bw_offsets(const double *rate_bps, size_t n)
{
    struct mw_bw_offsets v = {0};
    for (size_t i = 1; i < n; i++) {
        v.best = rate_bps[i] > rate_bps[v.best] ? i : v.best;
        v.worst = rate_bps[i] < rate_bps[v.worst] ? i : v.worst;
    }
    v.cost = 1 - rate_bps[v.worst] / mw_median(rate_bps, n);
    v.conflict = v.cost > MW_BW_MARGIN;
    return v;
}

enum mw_bw_gain mw_bw_gain(double rate_bps, double than_bps)
{
    if (!(rate_bps > 0 && than_bps > 0))
        return MW_BW_GAIN_NONE;
    return rate_bps > (1 + MW_BW_MARGIN) * than_bps   ? MW_BW_GAIN_FASTER
           : than_bps > (1 + MW_BW_MARGIN) * rate_bps ? MW_BW_GAIN_SLOWER
                                                      : MW_BW_GAIN_NONE;
}

size_t mw_bw_allocates_from(const double *fill_bps, const double *fill_nt_bps, size_t n)
{
    while (n && mw_bw_gain(fill_nt_bps[n - 1], fill_bps[n - 1]) == MW_BW_GAIN_FASTER)
        n--;
    return n;
}

enum mw_bw_bound mw_bw_bound(double from_cores, double from_bps, double to_cores, double to_bps)
{
    double grown = (to_bps / from_bps - 1) / (to_cores / from_cores - 1);
    return grown > GROWS_BY_CORES ? MW_BW_BOUND_CORE : grown < FLAT ? MW_BW_BOUND_MEMORY : MW_BW_BOUND_BOTH;
}

const char *mw_bw_bound_text(enum mw_bw_bound bound)
{
    static const char *const text[] = {"the cores (more cores still move more)", "the memory (more cores move no more)",
                                       "both (more cores move more, but less than in proportion)"};
    return text[bound];
}

bool mw_bw_cached(double rate_bps, double in_order_bps, double peak_bps)
{
    return (in_order_bps > 0 && rate_bps > (1 + MW_BW_MARGIN / 2) * in_order_bps) ||
           (peak_bps > 0 && rate_bps > peak_bps);
}
