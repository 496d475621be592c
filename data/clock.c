// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/clock.h"
#include "data/units.h"

#include <math.h>

/* What a reading of a clock may be off by, and fit warns from: a clock as it was asked for is better known than read. */
static const double AS_ASKED = .02;

bool mw_clock_known(const struct mw_points *points)
{
    const struct mw_point *first = NULL;
    bool differs = false;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        if (point->cores < 1 || !(point->value > 0))
            continue;
        if (!point->has_freq_effective || !(point->freq_effective_hz > 0))
            return false;
        first = first ? first : point;
        double asked = point->freq_hz > 0 ? point->freq_hz : first->freq_effective_hz;
        differs |= fabs(point->freq_effective_hz / asked - 1) > AS_ASKED;
    }
    return differs;
}

static double between(double at, double low, double low_value, double high, double high_value)
{
    return high > low ? low_value + (high_value - low_value) * (at - low) / (high - low) : low_value;
}

/* Over the nominal one, where there is one. */
static double ratio_of(const struct mw_clock *m)
{
    return m->nominal_hz > 0 ? m->effective_hz / m->nominal_hz : m->effective_hz;
}

/* The ratio on `cores` at one measured frequency. */
static double ratio_at(const struct mw_clock *measured, size_t count, double cores, double nominal_hz)
{
    const struct mw_clock *below = NULL, *above = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct mw_clock *m = &measured[i];
        if (!mw_freq_same(m->nominal_hz, nominal_hz))
            continue;
        if (m->cores <= cores && (!below || m->cores > below->cores))
            below = m;
        if (m->cores >= cores && (!above || m->cores < above->cores))
            above = m;
    }
    below = below ? below : above;
    above = above ? above : below;
    return between(log(cores), log(below->cores), ratio_of(below), log(above->cores), ratio_of(above));
}

double mw_clock_at(const struct mw_clock *measured, size_t count, double cores, double freq_hz)
{
    double below = 0, above = HUGE_VAL;
    if (!count || (freq_hz > 0) != (measured[0].nominal_hz > 0))
        return freq_hz;
    for (size_t i = 0; i < count; i++) {
        double f = measured[i].nominal_hz;
        if (f <= freq_hz || mw_freq_same(f, freq_hz))
            below = fmax(below, f);
        if (f >= freq_hz || mw_freq_same(f, freq_hz))
            above = fmin(above, f);
    }
    below = below > 0 ? below : above;
    above = isfinite(above) ? above : below;
    return (freq_hz > 0 ? freq_hz : 1) * between(freq_hz, below, ratio_at(measured, count, cores, below), above,
                                                 ratio_at(measured, count, cores, above));
}
