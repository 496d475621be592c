// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/quality/quality.h"

#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Detectors on condensed points, which are sorted by frequency, then cores. */

/* Points of one frequency: items[from..to). */
struct group {
    size_t from, to;
    double freq_hz;
};

struct shape {
    struct mw_quality *quality;
    const struct mw_points *points;
    struct group *groups;
    size_t group_count;
    double *scratch; /* points->count */
};

static const struct mw_point *find(const struct shape *s, size_t group, unsigned cores)
{
    for (size_t i = s->groups[group].from; i < s->groups[group].to; i++)
        if (s->points->items[i].cores == cores)
            return &s->points->items[i];
    return NULL;
}

/* ln of the speedup on `cores` at a frequency; false where it can't be formed. */
static bool ln_speedup(const struct shape *s, size_t group, unsigned cores, double *value)
{
    const struct mw_point *at = find(s, group, cores), *one = find(s, group, 1);
    if (!at || (s->points->quantity == MW_TIME && !one))
        return false;
    *value = s->points->quantity == MW_TIME ? log(one->value / at->value) : log(at->value);
    return true;
}

/* Median of pairwise slopes (Theil, Sen 1968, doi 10.1080/01621459.1968.10480934) of y on x, n >= 2. */
static double median_slope(const double *x, const double *y, size_t n)
{
    enum { PAIRS = 4096 };
    double slopes[PAIRS];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n && count < PAIRS; k++)
            if (fabs(x[k] - x[i]) > 1e-9)
                slopes[count++] = (y[k] - y[i]) / (x[k] - x[i]);
    return count ? mw_median(slopes, count) : 0;
}

enum { FREQS = 64 };

/* ln value on `cores` against ln F over the frequencies that have it; returns how many. */
static size_t against_frequency(const struct shape *s, unsigned cores, bool speedup, double *x, double *y)
{
    size_t n = 0;
    for (size_t g = 0; g < s->group_count && n < FREQS; g++) {
        const struct mw_point *at = find(s, g, cores);
        double value = 0;
        if (speedup ? !ln_speedup(s, g, cores, &value) : !at)
            continue;
        x[n] = log(s->groups[g].freq_hz);
        y[n++] = speedup ? value : log(at->value);
    }
    return n;
}

/*
 * Only the first core changed its frequency: the time on two cores and more does not depend on it, while that on one
 * core falls as 1/F, so speedups fall as 1/F. A memory-bound program shows this on one core as well.
 */
static enum mw_err frequency_not_set(struct shape *s, struct mw_error *error)
{
    const double like_one = -.7; /* between no effect (0) and that of one core alone (-1) */
    double x[FREQS], y[FREQS], slopes[FREQS];
    size_t n = 0;
    unsigned last = 0;
    for (size_t i = 0; i < s->points->count && n < FREQS; i++) {
        unsigned cores = s->points->items[i].cores;
        if (cores <= 1 || cores <= last)
            continue;
        last = cores;
        size_t count = against_frequency(s, cores, true, x, y);
        if (count >= 3 && mw_maximum(x, count) - mw_minimum(x, count) > log(1.2))
            slopes[n++] = median_slope(x, y, count);
    }
    if (n < 2)
        return MW_OK;
    double slope = mw_median(slopes, n);
    if (slope > like_one)
        return MW_OK;
    return mw_quality_warn(
        s->quality, error,
        "speedups fall as F^%.2f on all core counts: most likely only the first core changed its "
        "frequency, and what the fit says of memory and frequency is then wrong; set the frequency on "
        "every core in use and measure again",
        slope);
}

/* All speedups of one frequency are off by one factor: its one-core run was. Data in time show it in that run alone. */
static enum mw_err bad_baselines(struct shape *s, struct mw_error *error)
{
    const double notable = .15, outlying = 4; /* a sixth, and four robust standard deviations */
    double offset[FREQS], deviation[FREQS];
    size_t usable[FREQS], n = 0;
    for (size_t g = 0; g < s->group_count && n < FREQS; g++) {
        size_t count = 0;
        for (size_t i = s->groups[g].from; i < s->groups[g].to; i++) {
            double value, others[FREQS];
            size_t other_count = 0;
            unsigned cores = s->points->items[i].cores;
            if (cores <= 1 || !ln_speedup(s, g, cores, &value))
                continue;
            for (size_t o = 0; o < s->group_count && other_count < FREQS; o++)
                other_count += ln_speedup(s, o, cores, &others[other_count]);
            if (other_count >= 4)
                s->scratch[count++] = value - mw_median(others, other_count);
        }
        if (count >= 3) {
            offset[n] = mw_median(s->scratch, count);
            usable[n++] = g;
        }
    }
    if (n < 4)
        return MW_OK;
    double x[FREQS], center = mw_median(offset, n);
    for (size_t i = 0; i < n; i++)
        x[i] = log(s->groups[usable[i]].freq_hz);
    double slope = median_slope(x, offset, n), middle = mw_median(x, n);
    for (size_t i = 0; i < n; i++)
        deviation[i] = offset[i] - center - slope * (x[i] - middle);
    double spread = fmax(mw_mad(deviation, n), .02);
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < n && !err; i++)
        if (fabs(deviation[i]) > notable && fabs(deviation[i]) > outlying * spread)
            err = mw_quality_warn(
                s->quality, error,
                "the speedups at %g GHz (from line %ld) are all %s by a factor of %.2f: its one-core run "
                "was off; speedups at that frequency are not comparable with the others",
                s->groups[usable[i]].freq_hz / 1e9, s->points->items[s->groups[usable[i]].from].line,
                deviation[i] > 0 ? "too high" : "too low", exp(fabs(deviation[i])));
    return err;
}

/* More speedup than cores, from two cores on, at every frequency: the one-core run takes another path. */
static enum mw_err superlinear_start(struct shape *s, struct mw_error *error)
{
    const double notable = log(1.1);
    size_t seen = 0, above = 0;
    double sum = 0;
    for (size_t g = 0; g < s->group_count; g++) {
        double value;
        if (!ln_speedup(s, g, 2, &value))
            continue;
        seen++;
        above += value - log(2) > notable;
        sum += value - log(2);
    }
    if (!seen || above < seen)
        return MW_OK;
    return mw_quality_warn(s->quality, error,
                           "the speedup on two cores is %.2f at every frequency: the program most likely takes another "
                           "path with one thread; law vls-onecore lets that time float",
                           2 * exp(sum / (double)seen));
}

/* Time that does not fall with the cores: serial, or work that grows with them; times don't tell. */
static enum mw_err flat(struct shape *s, struct mw_error *error)
{
    const double slope_max = .1; /* |d ln T/d ln p|; a program that is 85 % serial has .05 from 1 to 32 cores */
    double x[FREQS], y[FREQS];
    size_t flat_groups = 0, seen = 0;
    for (size_t g = 0; g < s->group_count && s->points->quantity == MW_TIME; g++) {
        size_t n = 0;
        for (size_t i = s->groups[g].from; i < s->groups[g].to && n < FREQS; i++) {
            x[n] = log(s->points->items[i].cores);
            y[n++] = log(s->points->items[i].value);
        }
        if (n < 3 || x[n - 1] - x[0] < log(4) - 1e-9)
            continue;
        seen++;
        flat_groups += fabs(median_slope(x, y, n)) < slope_max;
    }
    if (!seen || flat_groups < seen)
        return MW_OK;
    return mw_quality_warn(
        s->quality, error,
        "the time hardly changes with the cores: the program is serial, or its work grows with the "
        "cores (weak scaling); times alone don't tell. --weak fits Gustafson's and Sun and Ni's laws");
}

/* ln of the time (inverse speedup) per core count, median over the frequencies. */
static bool ln_time_over_frequencies(const struct shape *s, unsigned cores, double *value)
{
    size_t n = 0;
    for (size_t g = 0; g < s->group_count; g++) {
        const struct mw_point *at = find(s, g, cores), *base = &s->points->items[s->groups[g].from];
        if (at)
            s->scratch[n++] = s->points->quantity == MW_TIME ? log(at->value / base->value) : -log(at->value);
    }
    *value = n ? mw_median(s->scratch, n) : 0;
    return n > 0;
}

/* A step up where the curve else goes down: a second socket, another kind of core, or hyper-threads join. */
static enum mw_err step_up(struct shape *s, struct mw_error *error)
{
    const double notable = .08;
    unsigned before = 0, cores = 0, step_after = 0;
    double previous = 0, largest = notable;
    bool fell = false;
    for (;;) {
        unsigned next = 0;
        for (size_t i = 0; i < s->points->count; i++)
            if (s->points->items[i].cores > cores && (next == 0 || s->points->items[i].cores < next))
                next = s->points->items[i].cores;
        double value;
        if (next == 0 || !ln_time_over_frequencies(s, next, &value))
            break;
        if (before && fell && value - previous > largest && next <= 2 * before) {
            largest = value - previous;
            step_after = before;
        }
        fell = before && value < previous;
        before = cores = next;
        previous = value;
    }
    if (!step_after)
        return MW_OK;
    return mw_quality_warn(s->quality, error,
                           "the time steps up by %.0f %% after %u cores: a second socket, another kind of core or "
                           "hyper-threads may join there (--boundaries %u), or the work comes in few grains",
                           100 * expm1(largest), step_after, step_after);
}

enum mw_err mw_quality_shape(struct mw_quality *quality, const struct mw_points *points, bool weak,
                             struct mw_error *error)
{
    struct shape s = {.quality = quality, .points = points};
    s.groups = malloc((points->count + 1) * sizeof *s.groups);
    s.scratch = malloc((points->count + 1) * sizeof *s.scratch);
    enum mw_err err = s.groups && s.scratch ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < points->count && !err; i++) {
        if (i == 0 || points->items[i].freq_hz > points->items[i - 1].freq_hz)
            s.groups[s.group_count++] = (struct group){i, i, points->items[i].freq_hz};
        s.groups[s.group_count - 1].to = i + 1;
    }
    if (!err && s.group_count >= 3)
        err = frequency_not_set(&s, error);
    if (!err && s.group_count >= 4)
        err = bad_baselines(&s, error);
    if (!err)
        err = superlinear_start(&s, error);
    if (!err && !weak)
        err = flat(&s, error);
    if (!err)
        err = step_up(&s, error);
    free(s.groups);
    free(s.scratch);
    return err;
}
