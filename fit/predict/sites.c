// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/sites.h"

#include "fit/predict/reading.h"

#include "data/stats.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Repetitions average noise, but not what the law and the discrepancy miss: no point counts more than four times. */
static const double repetition_gain_most = 4;

struct mw_site mw_site_at(double cores, double freq_hz, double memory_freq_hz)
{
    struct mw_site site = {.p = cores, .freq_hz = freq_hz > 0 ? freq_hz : memory_freq_hz, .noise = 1};
    site.phi = site.freq_hz / memory_freq_hz;
    site.ln_p = log(site.p);
    site.ln_freq = site.ln_clock = log(site.freq_hz);
    return site;
}

static void set_clock(struct mw_site *site, double clock_hz, double memory_freq_hz)
{
    site->phi = clock_hz / memory_freq_hz;
    site->ln_clock = log(clock_hz);
}

struct mw_site mw_sites_at(const struct mw_sites *sites, double cores, double freq_hz)
{
    struct mw_site site = mw_site_at(cores, freq_hz, sites->memory_freq_hz);
    if (sites->clock_count)
        set_clock(&site, mw_clock_at(sites->clocks, sites->clock_count, cores, freq_hz), sites->memory_freq_hz);
    return site;
}

static bool usable(const struct mw_points *points, size_t i, double cores_most)
{
    return points->items[i].value > 0 && points->items[i].cores <= cores_most &&
           !(points->quantity == MW_SPEEDUP && points->items[i].cores <= 1);
}

/* Keeps `most` of the sorted levels, both ends among them, evenly spread in their index or logarithm. */
static size_t spread(double *levels, size_t count, size_t most, bool logarithmic)
{
    if (count <= most)
        return count;
    size_t kept = 0, from = 0;
    double first = levels[0], ratio = levels[count - 1] / first;
    for (size_t k = 0; k < most; k++) {
        double share = most == 1 ? 0 : (double)k / (double)(most - 1);
        size_t at = (size_t)lround(share * (double)(count - 1));
        if (logarithmic) {
            double target = first * pow(ratio, share);
            for (at = from; at + 1 < count && fabs(log(levels[at + 1] / target)) <= fabs(log(levels[at] / target));)
                at++;
            from = at;
        }
        double level = levels[at];
        if (kept == 0 || level > levels[kept - 1])
            levels[kept++] = level;
    }
    return kept;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_level(const double *levels, size_t count, double value)
{
    return bsearch(&value, levels, count, sizeof *levels, compare) != NULL;
}

/* Points off any grid (each with a frequency of its own) match few levels: fill up with every n-th point. */
static size_t fill_up(const struct mw_points *points, double cores_most, bool *keep, size_t kept, size_t most)
{
    if (kept * 2 >= most)
        return kept;
    size_t stride = (points->count + most - 1) / most;
    for (size_t i = 0; i < points->count && kept < most; i += stride)
        if (!keep[i] && usable(points, i, cores_most)) {
            keep[i] = true;
            kept++;
        }
    return kept;
}

/* keep[i] for the points to be used; their number, 0 where out of memory. */
static size_t thin(const struct mw_points *points, double cores_most, size_t most, bool *keep)
{
    size_t n = points->count, usable_count = 0, kept = 0;
    double *cores = malloc(2 * n * sizeof *cores), *freqs = cores + n;
    if (!cores)
        return 0;
    for (size_t i = 0; i < n; i++)
        if ((keep[i] = usable(points, i, cores_most))) {
            cores[usable_count] = points->items[i].cores;
            freqs[usable_count++] = points->items[i].freq_hz;
        }
    if (usable_count <= most) {
        free(cores);
        return usable_count;
    }
    size_t core_levels = spread(cores, mw_sort_distinct(cores, usable_count), most / 3, true);
    size_t freq_most = most / core_levels < 2 ? 2 : most / core_levels;
    size_t freq_levels = spread(freqs, mw_sort_distinct(freqs, usable_count), freq_most, false);
    for (size_t i = 0; i < n; i++) {
        keep[i] = keep[i] && is_level(cores, core_levels, points->items[i].cores) &&
                  is_level(freqs, freq_levels, points->items[i].freq_hz);
        kept += keep[i];
    }
    free(cores);
    return fill_up(points, cores_most, keep, kept, most);
}

static void find_domain(struct mw_sites *sites, const struct mw_points *points, double memory_freq_hz,
                        double cores_most)
{
    sites->p_min = sites->freq_min_hz = INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        if (!usable(points, i, cores_most))
            continue;
        const struct mw_point *point = &points->items[i];
        double freq_hz = point->freq_hz > 0 ? point->freq_hz : memory_freq_hz;
        sites->p_min = fmin(sites->p_min, point->cores);
        sites->p_max = fmax(sites->p_max, point->cores);
        sites->freq_min_hz = fmin(sites->freq_min_hz, freq_hz);
        sites->freq_max_hz = fmax(sites->freq_max_hz, freq_hz);
    }
}

static double median_repetitions(const struct mw_points *points, const struct mw_sites *sites, double *scratch)
{
    for (size_t i = 0; i < sites->count; i++)
        scratch[i] = (double)points->items[sites->point[i]].count;
    return fmax(mw_median(scratch, sites->count), 1);
}

static void fill(struct mw_sites *sites, const struct mw_points *points, double memory_freq_hz, const bool *keep,
                 const double *reading, double *scratch)
{
    for (size_t i = 0, k = 0; i < points->count; i++)
        if (keep[i])
            sites->point[k++] = i;
    double usual = median_repetitions(points, sites, scratch);
    for (size_t k = 0; k < sites->count; k++) {
        const struct mw_point *point = &points->items[sites->point[k]];
        sites->items[k] = mw_site_at(point->cores, point->freq_hz, memory_freq_hz);
        if (sites->clocks) {
            sites->clocks[sites->clock_count++] =
                (struct mw_clock){point->cores, point->freq_hz, point->freq_effective_hz};
            set_clock(&sites->items[k], point->freq_effective_hz, memory_freq_hz);
        }
        sites->items[k].ln_value = log(point->value);
        double gain = fmax((double)point->count, 1) / usual;
        gain = fmin(fmax(gain, 1 / repetition_gain_most), repetition_gain_most);
        sites->items[k].noise = fmax(point->noise_factor, 1) / gain;
        sites->reading[k] = point->noise_factor > 1 ? (double)INFINITY : reading[sites->point[k]];
    }
}

enum mw_err mw_sites_init(struct mw_sites *sites, const struct mw_points *points, double memory_freq_hz, size_t most,
                          double cores_most, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    struct mw_sites made = {.memory_freq_hz = memory_freq_hz};
    bool by_clock = points->quantity == MW_TIME && mw_clock_known(points);
    double *scratch = NULL, *reading = NULL;
    bool *keep = calloc(points->count + 1, sizeof *keep);
    if (!keep)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", points->count);
    size_t usable_count = 0;
    for (size_t i = 0; i < points->count; i++)
        usable_count += usable(points, i, cores_most);
    if (usable_count == 0) {
        err = mw_fail(error, MW_NOFIT, "no point to fit: %s",
                      points->quantity == MW_SPEEDUP ? "all speedups are those of one core" : "the data are empty");
        goto out;
    }
    find_domain(&made, points, memory_freq_hz, cores_most);
    made.count = thin(points, cores_most, most, keep);
    made.items = malloc((made.count + 1) * sizeof *made.items);
    made.point = malloc((made.count + 1) * sizeof *made.point);
    made.reading = malloc((made.count + 1) * sizeof *made.reading);
    made.clocks = by_clock ? malloc((made.count + 1) * sizeof *made.clocks) : NULL;
    scratch = malloc((made.count + 1) * sizeof *scratch);
    reading = malloc((points->count + 1) * sizeof *reading);
    if (made.count == 0 || !made.items || !made.point || !made.reading || (by_clock && !made.clocks) || !scratch ||
        !reading)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu points", points->count);
    if (!err)
        err = mw_reading_variance(points, reading, error);
    if (err) {
        mw_sites_release(&made);
        goto out;
    }
    fill(&made, points, memory_freq_hz, keep, reading, scratch);
    *sites = made;
out:
    free(reading);
    free(scratch);
    free(keep);
    return err;
}

void mw_sites_release(struct mw_sites *sites)
{
    free(sites->items);
    free(sites->point);
    free(sites->reading);
    free(sites->clocks);
    *sites = (struct mw_sites){0};
}

size_t mw_sites_find(const struct mw_sites *sites, const struct mw_site *site)
{
    size_t i = 0;
    while (i < sites->count && !(fabs(sites->items[i].p - site->p) < .5 && isfinite(sites->reading[i]) &&
                                 mw_freq_same(sites->items[i].freq_hz, site->freq_hz)))
        i++;
    return i;
}
