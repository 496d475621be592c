// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/transfer/transfer_points.h"
#include "data/stats.h"

#include <math.h>

/*
 * 90 % of ln T off the curve. Outside the points a random walk in ln p, slower upwards the more cores the last point has,
 * as more of the loss shows in it. Between two, the error of an interpolation, which grows with the product of the
 * distances, up to what a curve can bend at all. Set by make bench-buying; docs/buying.md has the coverage.
 */
static const double LEAST = .03, WALK = .25, WALK_FADES = .3, BRIDGE = .1, BRIDGE_FULL = .3;
static const double SAME_FREQ = .01;

static bool counts(const struct mw_transfer_points *points, const struct mw_point *point)
{
    return point->value > 0 && fabs(point->freq_hz - points->freq_hz) <= SAME_FREQ * points->freq_hz &&
           (points->most_cores <= 0 || point->cores <= points->most_cores);
}

/* The point with the fewest cores over `cores`, or with the most below; NULL: none. */
static const struct mw_point *over(const struct mw_transfer_points *points, double cores)
{
    const struct mw_point *best = NULL;
    for (size_t i = 0; i < points->runs->count; i++) {
        const struct mw_point *point = &points->runs->items[i];
        if (counts(points, point) && point->cores > cores && (!best || point->cores < best->cores))
            best = point;
    }
    return best;
}

static const struct mw_point *below(const struct mw_transfer_points *points, double cores)
{
    const struct mw_point *best = NULL;
    for (size_t i = 0; i < points->runs->count; i++) {
        const struct mw_point *point = &points->runs->items[i];
        if (counts(points, point) && point->cores < cores && (!best || point->cores > best->cores))
            best = point;
    }
    return best;
}

size_t mw_transfer_points_count(const struct mw_transfer_points *points)
{
    size_t n = 0;
    for (const struct mw_point *at = over(points, 0); at; at = over(points, at->cores))
        n++;
    return n;
}

double mw_transfer_points_least(const struct mw_transfer_points *points)
{
    const struct mw_point *least = over(points, 0);
    return least ? least->cores : 0;
}

static double time_of(const struct mw_transfer_points *points, const struct mw_point *point)
{
    return points->runs->quantity == MW_SPEEDUP ? 1 / point->value : point->value;
}

static double noise_of(const struct mw_point *point)
{
    return point->count > 1 ? point->spread / sqrt((double)point->count) : 0;
}

bool mw_transfer_points_at(const struct mw_transfer_points *points, double cores, double *time, double *half_ln)
{
    const struct mw_point *high = over(points, cores), *low = below(points, nextafter(cores, HUGE_VAL));
    if (!high && low) {
        high = low;
        low = below(points, high->cores);
    } else if (high && !low) {
        low = high;
        high = over(points, low->cores);
    }
    if (!low || !high)
        return false;
    double p = low->cores, q = high->cores, t = time_of(points, low), u = time_of(points, high);
    double slope = (t - u) / (1 / p - 1 / q), rest = t - slope / p, value = rest + slope / cores;
    double weight = (1 / p - 1 / cores) / (1 / p - 1 / q) * u / value; /* d ln T / d ln u */
    bool outside = cores < p || cores > q;
    if (outside && (slope <= 0 || rest <= 0)) {
        weight = log(cores / p) / log(q / p);
        value = t * pow(u / t, weight);
    }
    double drift = BRIDGE * fmin(log(cores / p) * log(q / cores) / BRIDGE_FULL, 1);
    if (outside)
        drift = WALK * (cores > q ? pow(2 / q, WALK_FADES) * sqrt(log(cores / q)) : sqrt(log(p / cores)));
    double noise = MW_NORMAL_90 * hypot((1 - weight) * noise_of(low), weight * noise_of(high));
    *time = value;
    *half_ln = hypot(LEAST, hypot(drift, noise));
    return true;
}
