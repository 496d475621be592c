// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/diagnose_internal.h"
#include "data/stats.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps nobody named: a rise of T that stands out of its neighbours' by four of their deviations, and by 8 %. */
static const double STEP_RISE = .08, STEP_DEVIATIONS = 4, DEVIATION_FLOOR = .02;

struct picked {
    const struct mw_point *items[MW_MECHANISM_MAX_POINTS];
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
    if (point && picked->count < MW_MECHANISM_MAX_POINTS && !has_picked(picked, point))
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
                 double low, size_t limit, const struct mw_diagnose_options *options)
{
    picked->count = 0;
    if (points->count <= limit) {
        for (size_t i = 0; i < points->count; i++)
            if (usable(&points->items[i]))
                pick(picked, &points->items[i]);
        return;
    }
    pick_evenly(picked, list, at_freq(points, high, list), mw_freq_same(high, low) ? limit : 3 * limit / 4, options);
    if (!mw_freq_same(high, low)) {
        pick_evenly(picked, list, at_freq(points, low, list), limit / 4, options);
    }
    size_t n = 0; /* a ragged table has few at its extremes */
    for (size_t i = 0; i < points->count; i++)
        if (usable(&points->items[i]) && !has_picked(picked, &points->items[i]))
            list[n++] = &points->items[i];
    if (picked->count < limit / 2 && n > 0)
        pick_evenly(picked, list, n, limit / 2 - picked->count, &(struct mw_diagnose_options){0});
}

static double rise(const struct mw_point *a, const struct mw_point *b)
{
    return log(b->value / a->value);
}

/* Candidates of steps nobody named: half of the cores, and where ln T rises against its neighbours. */
static void guess_boundaries(struct mw_diagnose_view *view, const struct mw_point **list, size_t n, double sign)
{
    unsigned half = view->cores / 2;
    view->boundary_count = 0;
    if (half < 1)
        return;
    view->boundaries[view->boundary_count++] = (struct mw_mechanism_boundary){half, .5};
    double each = .5 / (view->cores > 2 ? view->cores - 2 : 1); /* half of the chance is spread over all places */
    for (size_t i = 0; i + 1 < n && view->boundary_count < MW_DIAGNOSE_MAX_BOUNDARIES; i++) {
        double near[8];
        size_t count = 0;
        if (list[i + 1]->cores - list[i]->cores > 1 + list[i]->cores / 8 || list[i]->cores == half)
            continue;
        for (size_t j = i >= 4 ? i - 4 : 0; j <= i + 4 && j + 1 < n; j++)
            if (j != i && count < 8)
                near[count++] = sign * rise(list[j], list[j + 1]);
        if (count < 3)
            continue;
        double here = sign * rise(list[i], list[i + 1]), deviation = fmax(mw_mad(near, count), DEVIATION_FLOOR);
        double excess = here - mw_median(near, count);
        if (excess > STEP_RISE && excess > STEP_DEVIATIONS * deviation)
            view->boundaries[view->boundary_count++] = (struct mw_mechanism_boundary){list[i]->cores, each};
    }
}

static void given_boundaries(struct mw_diagnose_view *view, const struct mw_diagnose_options *options)
{
    view->boundary_count = 0;
    for (size_t i = 0; i < options->boundary_count && view->boundary_count < MW_DIAGNOSE_MAX_BOUNDARIES; i++)
        if (options->boundaries[i] >= 1 && options->boundaries[i] < view->cores)
            view->boundaries[view->boundary_count++] = (struct mw_mechanism_boundary){options->boundaries[i], 1};
}

static void convert(struct mw_diagnose_view *view, const struct picked *picked)
{
    for (size_t i = 0; i < picked->count; i++) {
        const struct mw_point *point = picked->items[i];
        double value = log(point->value);
        view->points[view->count++] = (struct mw_mechanism_point){
            .cores = point->cores,
            .freq = view->freq_scale_hz > 0 && point->freq_hz > 0 ? fmin(point->freq_hz / view->freq_scale_hz, 1) : 1,
            .ln_value = view->ratio ? -value : value,
            .noise = fmax(point->noise_factor, 1),
        };
    }
}

enum mw_err mw_diagnose_view_build(struct mw_diagnose_view *result, const struct mw_points *points, size_t limit,
                                   const struct mw_diagnose_options *options, struct mw_error *error)
{
    if (points->quantity == MW_ENERGY) {
        mw_fail(error, MW_DATA, "energies alone don't tell where the time goes");
        return mw_hint(error, "give the run times too (a column time_s)");
    }
    struct mw_diagnose_view view = {.ratio = points->quantity == MW_SPEEDUP};
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
    view.one_frequency = mw_freq_same(high, low);
    const struct mw_point **list = malloc(points->count * sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", points->count);
    struct picked picked;
    thin(&picked, points, list, high, low, limit, options);
    if (options->boundary_count > 0)
        given_boundaries(&view, options);
    else
        guess_boundaries(&view, list, at_freq(points, high, list), view.ratio ? -1 : 1);
    free(list);
    convert(&view, &picked);
    *result = view;
    return MW_OK;
}
