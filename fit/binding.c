// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/binding.h"

#include <math.h>

static const double most = .5;
/* What cores gain at least; a time that neither cores nor frequency change may as well be waiting for a disk. */
static const double flat_speedup = 1.25;

const char *mw_binding_name(enum mw_binding binding)
{
    static const char *const names[] = {"", "compute", "serial", "latency", "bandwidth"};
    return names[binding];
}

struct range {
    double low, high;
};

static bool is_flat(const struct mw_model *model, const struct mw_domain *domain)
{
    double shortest = HUGE_VAL, longest = 0;
    for (size_t i = 0; i < model->points.count; i++) {
        const struct mw_point *point = &model->points.items[i];
        if (point->freq_hz < domain->freq_high_hz)
            continue;
        shortest = fmin(shortest, point->value);
        longest = fmax(longest, point->value);
    }
    return longest < flat_speedup * shortest;
}

struct mw_binder mw_binder_of(const struct mw_model *model)
{
    struct mw_binder binder = {.shares = mw_shares_of(model)};
    binder.flat = is_flat(model, &binder.shares.domain);
    return binder;
}

enum mw_binding mw_binding_at(const struct mw_binder *binder, const struct mw_prediction *prediction, double cores,
                              double freq_hz, double base_hz)
{
    const struct mw_shares *shares = &binder->shares;
    struct range one, at;
    if (!mw_share_at(shares, shares->domain.cores_low, freq_hz, &one.low, &one.high))
        return MW_BINDING_UNDETERMINED;
    /* T(1, freq) / T(1, base): the speedup's baseline may be at another frequency */
    double m = (one.low + one.high) / 2, slower = base_hz > 0 ? 1 / (m + (1 - m) * freq_hz / base_hz) : 1;
    struct range speedup = {prediction->speedup_low * slower, prediction->speedup_high * slower};
    struct range e = {fmin(speedup.low / cores, 1), fmin(speedup.high / cores, 1)};
    if (e.low * (1 - one.high) > most)
        return MW_BINDING_COMPUTE;
    if (!binder->flat && e.low * one.low > most)
        return MW_BINDING_LATENCY;
    if (!mw_share_at(shares, cores, freq_hz, &at.low, &at.high))
        return MW_BINDING_UNDETERMINED;
    if (!binder->flat && at.low - e.high * one.high > most)
        return MW_BINDING_BANDWIDTH;
    return 1 - e.high - fmax(at.high - e.low * one.low, 0) > most ? MW_BINDING_SERIAL : MW_BINDING_UNDETERMINED;
}
