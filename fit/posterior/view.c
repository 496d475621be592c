// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/posterior/view.h"
#include "data/stats.h"
#include "data/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 48 };
/* Steps nobody named: a rise of T that stands out of its neighbours' by four of their deviations, and by 8 %. */
static const double STEP_RISE = .08, STEP_DEVIATIONS = 4, DEVIATION_FLOOR = .02;
/* Clocks within 5 % are one: what memory costs does not show. */
static const double ONE_CLOCK = .05;
/* Is C the CPU time of this T? Over 5 % more than the cores have: of another span. Never a tenth of them: a launcher's. */
static const double SPAN_MOST = 1.05, LAUNCHER_MOST = .1, TICKS_S = .02;

struct picked {
    const struct mw_point *items[MW_POSTERIOR_POINTS];
    size_t count;
};

static bool usable(const struct mw_point *point)
{
    return point->cores >= 1 && point->value > 0;
}

static bool has_picked(const struct picked *picked, const struct mw_point *point)
{
    for (size_t i = 0; i < picked->count; i++)
        if (picked->items[i] == point)
            return true;
    return false;
}

static void pick(struct picked *picked, const struct mw_point *point)
{
    if (point && picked->count < POINTS_MOST && !has_picked(picked, point))
        picked->items[picked->count++] = point;
}

/* Points of one frequency, in the order of the table (ascending cores). */
static size_t at_freq(const struct mw_points *points, double freq_hz, const struct mw_point **list)
{
    size_t n = 0;
    for (size_t i = 0; i < points->count; i++)
        if (usable(&points->items[i]) && mw_freq_same(points->items[i].freq_hz, freq_hz))
            list[n++] = &points->items[i];
    return n;
}

/* At most `limit` of the list, evenly, its ends included; both sides of the boundaries first. */
static void pick_evenly(struct picked *picked, const struct mw_point **list, size_t n, size_t limit,
                        const struct mw_diagnose_options *options)
{
    size_t before = picked->count;
    if (n > limit)
        for (size_t b = 0; b < options->boundary_count && picked->count - before + 2 <= limit; b++)
            for (size_t i = 0; i < n; i++)
                if (list[i]->cores == options->boundaries[b] || list[i]->cores == options->boundaries[b] + 1)
                    pick(picked, list[i]);
    size_t left = n <= limit ? n : limit - (picked->count - before);
    for (size_t k = 0; k < left; k++)
        pick(picked, list[left > 1 ? k * (n - 1) / (left - 1) : n - 1]);
}

static void thin(struct picked *picked, const struct mw_points *points, const struct mw_point **list, double high,
                 double low, const struct mw_diagnose_options *options)
{
    picked->count = 0;
    if (points->count <= POINTS_MOST) {
        for (size_t i = 0; i < points->count; i++)
            if (usable(&points->items[i]))
                pick(picked, &points->items[i]);
        return;
    }
    bool one = mw_freq_same(high, low);
    pick_evenly(picked, list, at_freq(points, high, list), one ? POINTS_MOST : 3 * POINTS_MOST / 4, options);
    if (!one)
        pick_evenly(picked, list, at_freq(points, low, list), POINTS_MOST / 4, options);
    size_t n = 0; /* a ragged table has few at its extremes */
    for (size_t i = 0; i < points->count; i++)
        if (usable(&points->items[i]) && !has_picked(picked, &points->items[i]))
            list[n++] = &points->items[i];
    if (picked->count < POINTS_MOST / 2 && n > 0)
        pick_evenly(picked, list, n, POINTS_MOST / 2 - picked->count, &(struct mw_diagnose_options){0});
}

static double rise(const struct mw_point *a, const struct mw_point *b)
{
    return log(b->value / a->value);
}

/* Places where ln T rises against its neighbours: a step that the points themselves show. */
static void find_places(struct mw_view *view, const struct mw_point **list, size_t n, double sign)
{
    for (size_t i = 0; i + 1 < n && view->place_count < MW_VIEW_PLACES; i++) {
        double near[8];
        size_t count = 0;
        if (list[i + 1]->cores - list[i]->cores > 1 + list[i]->cores / 8)
            continue;
        for (size_t j = i >= 4 ? i - 4 : 0; j <= i + 4 && j + 1 < n; j++)
            if (j != i && count < 8)
                near[count++] = sign * rise(list[j], list[j + 1]);
        if (count < 3)
            continue;
        double here = sign * rise(list[i], list[i + 1]), deviation = fmax(mw_mad(near, count), DEVIATION_FLOOR);
        double excess = here - mw_median(near, count);
        if (excess > STEP_RISE && excess > STEP_DEVIATIONS * deviation)
            view->places[view->place_count++] = list[i]->cores;
    }
}

static void ignore(struct mw_witness *witness, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    witness->state = MW_WITNESS_IGNORED;
    vsnprintf(witness->why, sizeof witness->why, format, arguments);
    va_end(arguments);
}

/* The span that the CPU time is of. */
static double span_of(const struct mw_point *point)
{
    return point->usage.has[MW_USAGE_WALL] ? point->usage.of[MW_USAGE_WALL] : point->value;
}

static void judge_cpu_time(struct mw_view *view, const struct mw_points *points)
{
    struct mw_witness *witness = &view->witness.cpu_time;
    size_t has = 0, all = 0;
    double fullest = 0, shortest = HUGE_VAL, longest_span = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!usable(p))
            continue;
        all++;
        if (!p->has_cpu_time || !(p->cpu_time_s > 0))
            continue;
        has++;
        fullest = fmax(fullest, p->cpu_time_s / (p->cores * p->value));
        shortest = fmin(shortest, p->value);
        longest_span = fmax(longest_span, span_of(p) / p->value);
    }
    if (points->quantity != MW_TIME || !has)
        return;
    witness->state = MW_WITNESS_USED;
    if (has < all)
        ignore(witness, "only %zu of %zu points have one", has, all);
    else if (longest_span > SPAN_MOST || fullest > SPAN_MOST)
        ignore(witness, "it is of another span than the time (%.2f of what the cores have)", fullest);
    else if (fullest < LAUNCHER_MOST)
        ignore(witness, "it is a launcher's: never more than %.3f of what the cores have", fullest);
    else if (shortest < TICKS_S)
        ignore(witness, "runs of %.0f ms are too short for it", 1e3 * shortest);
    view->has_cpu = witness->state == MW_WITNESS_USED;
}

static bool effective(const struct mw_points *points, struct mw_witness *witness)
{
    size_t has = 0, all = 0;
    for (size_t i = 0; i < points->count; i++)
        if (usable(&points->items[i])) {
            all++;
            has += points->items[i].has_freq_effective && points->items[i].freq_effective_hz > 0;
        }
    if (has && has == all)
        witness->state = MW_WITNESS_USED;
    else if (has)
        ignore(witness, "only %zu of %zu points have one", has, all);
    return mw_clock_known(points);
}

/* Witnesses that are facts of their own: what they say is in the observation. */
static void find_witnesses(struct mw_view *view, const struct mw_points *points)
{
    bool throttled = points->cpu_limit > 0, counted = false, waited = false;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_usage *usage = &points->items[i].usage;
        throttled |= usage->has[MW_USAGE_THROTTLED];
        counted |= usage->has[MW_USAGE_INSTRUCTIONS] && usage->has[MW_USAGE_CYCLES];
        waited |= usage->has[MW_USAGE_MAIN_WAIT] || usage->has[MW_USAGE_THREAD_WAIT];
    }
    view->witness.throttled.state = throttled ? MW_WITNESS_USED : MW_WITNESS_ABSENT;
    view->witness.counters.state = counted ? MW_WITNESS_USED : MW_WITNESS_ABSENT;
    view->witness.main_wait.state = waited ? MW_WITNESS_USED : MW_WITNESS_ABSENT;
    if (waited && !points->main_wait_taken)
        ignore(&view->witness.main_wait, "the times are as measured");
}

static void convert(struct mw_view *view, const struct picked *picked, bool by_effective)
{
    double clock[MW_POSTERIOR_POINTS], highest = 0, lowest = HUGE_VAL;
    for (size_t i = 0; i < picked->count; i++) {
        const struct mw_point *point = picked->items[i];
        clock[i] = by_effective ? point->freq_effective_hz : point->freq_hz;
        if (by_effective)
            view->clocks[view->clock_count++] = (struct mw_clock){point->cores, point->freq_hz, clock[i]};
        highest = fmax(highest, clock[i]);
        lowest = fmin(lowest, clock[i]);
    }
    if (!by_effective)
        highest = fmax(highest, view->freq_scale_hz); /* the machine's, where it is higher */
    view->one_clock = !(lowest > 0) || 1 - lowest / highest < ONE_CLOCK;
    view->clock_scale_hz = highest;
    view->clock_low = highest > 0 ? lowest / highest : 1;
    for (size_t i = 0; i < picked->count; i++) {
        const struct mw_point *point = picked->items[i];
        double value = log(point->value);
        bool known = false;
        view->points[view->count++] = (struct mw_posterior_point){
            .cores = point->cores,
            .clock = highest > 0 && clock[i] > 0 ? fmin(clock[i] / highest, 1) : 1,
            .ln_time = view->ratio ? -value : value,
            .ln_cpu = view->has_cpu ? log(point->cpu_time_s) : 0,
            .noise = fmax(point->noise_factor, 1),
        };
        for (size_t k = 0; k < view->core_counts; k++)
            known |= view->counts[k] == point->cores;
        if (!known)
            view->counts[view->core_counts++] = point->cores;
    }
}

enum mw_err mw_view_build(struct mw_view *result, const struct mw_points *points,
                          const struct mw_diagnose_options *options, struct mw_error *error)
{
    if (points->quantity == MW_ENERGY) {
        mw_fail(error, MW_DATA, "energies alone don't tell where the time goes");
        return mw_hint(error, "give the run times too (a column time_s)");
    }
    struct mw_view view = {.ratio = points->quantity == MW_SPEEDUP};
    double high = 0, low = HUGE_VAL;
    unsigned most = 0;
    size_t count = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        if (!usable(point))
            continue;
        count++;
        high = fmax(high, point->freq_hz);
        low = fmin(low, point->freq_hz);
        most = point->cores > most ? point->cores : most;
    }
    if (count < 2) {
        mw_fail(error, MW_NOFIT, "a diagnosis needs at least two points, not %zu", count);
        return mw_hint(error, "measure one core and all cores, and all cores at the lowest frequency");
    }
    view.cores = options->cores ? options->cores : most;
    view.freq_scale_hz = fmax(options->freq_max_hz, high);
    view.freq_min_hz = low;
    const struct mw_point **list = malloc(points->count * sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", points->count);
    struct picked picked;
    thin(&picked, points, list, high, low, options);
    for (size_t i = 0; i < options->boundary_count && view.place_count < MW_VIEW_PLACES; i++)
        if (options->boundaries[i] >= 1 && options->boundaries[i] < view.cores)
            view.places[view.place_count++] = options->boundaries[i];
    if (!options->boundary_count)
        find_places(&view, list, at_freq(points, high, list), view.ratio ? -1 : 1);
    free(list);
    judge_cpu_time(&view, points);
    find_witnesses(&view, points);
    convert(&view, &picked, effective(points, &view.witness.effective_clock));
    *result = view;
    return MW_OK;
}

double mw_view_clock(const struct mw_view *view, double cores, double freq_hz)
{
    double clock_hz = mw_clock_at(view->clocks, view->clock_count, cores, freq_hz);
    return clock_hz > 0 && view->clock_scale_hz > 0 ? fmin(clock_hz / view->clock_scale_hz, 1) : 1;
}
