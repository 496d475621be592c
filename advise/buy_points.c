// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/buy_points.h"

#include <math.h>

/*
 * 90 % of ln T off the curve: a random walk in ln p from the ends, a bridge between two points (make bench-buying: 86 to
 * 98 % covered, by design and size).
 */
static const double LEAST = .03, WALK = .25, BRIDGE = .15;
static const double NORMAL_90 = 1.645;
static const double SAME_FREQ = .01;

static bool counts(const struct mw_buy_points *points, const struct mw_point *point)
{
    return point->value > 0 && fabs(point->freq_hz - points->freq_hz) <= SAME_FREQ * points->freq_hz &&
           (points->most_cores <= 0 || point->cores <= points->most_cores);
}

/* The point with the fewest cores over `cores`, or with the most below; NULL: none. */
static const struct mw_point *over(const struct mw_buy_points *points, double cores)
{
    const struct mw_point *best = NULL;
    for (size_t i = 0; i < points->runs->count; i++) {
        const struct mw_point *point = &points->runs->items[i];
        if (counts(points, point) && point->cores > cores && (!best || point->cores < best->cores))
            best = point;
    }
    return best;
}

static const struct mw_point *below(const struct mw_buy_points *points, double cores)
{
    const struct mw_point *best = NULL;
    for (size_t i = 0; i < points->runs->count; i++) {
        const struct mw_point *point = &points->runs->items[i];
        if (counts(points, point) && point->cores < cores && (!best || point->cores > best->cores))
            best = point;
    }
    return best;
}

size_t mw_buy_points_count(const struct mw_buy_points *points)
{
    size_t n = 0;
    for (const struct mw_point *at = over(points, 0); at; at = over(points, at->cores))
        n++;
    return n;
}

double mw_buy_points_least(const struct mw_buy_points *points)
{
    const struct mw_point *least = over(points, 0);
    return least ? least->cores : 0;
}

static double time_of(const struct mw_buy_points *points, const struct mw_point *point)
{
    return points->runs->quantity == MW_SPEEDUP ? 1 / point->value : point->value;
}

static double noise_of(const struct mw_point *point)
{
    return point->count > 1 ? point->spread / sqrt((double)point->count) : 0;
}

bool mw_buy_points_at(const struct mw_buy_points *points, double cores, double *time, double *half_ln)
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
    double walk = cores > q ? log(cores / q) : log(p / cores);
    double drift = outside ? WALK * sqrt(walk) : BRIDGE * sqrt(log(cores / p) * log(q / cores) / log(q / p));
    double noise = NORMAL_90 * hypot((1 - weight) * noise_of(low), weight * noise_of(high));
    *time = value;
    *half_ln = hypot(LEAST, hypot(drift, noise));
    return true;
}
