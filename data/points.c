// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/dataset.h"

#include "data/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mw_points_release(struct mw_points *points)
{
    free(points->items);
    *points = (struct mw_points){0};
}

/* What the rows are sorted by, beside their place: compact, because a file may have millions. */
struct key {
    double freq_hz;
    unsigned cores;
    uint32_t row;
};

static int by_configuration(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->freq_hz < y->freq_hz || x->freq_hz > y->freq_hz)
        return x->freq_hz < y->freq_hz ? -1 : 1;
    if (x->cores != y->cores)
        return x->cores < y->cores ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row; /* the order of the file */
}

static double energy_of(const struct mw_row *row, bool timed)
{
    return row->has & MW_HAS_ENERGY ? row->energy_j : timed && row->has & MW_HAS_POWER ? row->power_w * row->value : 0;
}

static double power_of(const struct mw_row *row, bool whole)
{
    return row->has & MW_HAS_POWER ? row->power_w : whole && row->has & MW_HAS_ENERGY ? row->energy_j / row->value : 0;
}

/* Median of the values that are greater than 0; false where there are none. */
static bool median_of(double *values, size_t n, double *median)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i] > 0)
            values[kept++] = values[i];
    if (kept)
        *median = mw_median(values, kept);
    return kept > 0;
}

static bool tells(const struct mw_row *row, bool cpu_time)
{
    bool any = row->has & (cpu_time ? MW_HAS_CPU_TIME : MW_HAS_FREQ_EFFECTIVE);
    for (size_t i = 0; i < MW_USAGE_COUNT && !cpu_time && !any; i++)
        any = row->usage.has[i];
    return any;
}

/* CPU time, effective frequency and usage of the middle run or the two middle ones. The keys are used up. */
static void take_middle_run(struct mw_point *point, const struct mw_row *rows, struct key *keys, size_t n,
                            bool cpu_time)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (tells(&rows[keys[i].row], cpu_time)) {
            keys[kept] = keys[i];
            keys[kept++].freq_hz = rows[keys[i].row].value; /* all are of one frequency: sorted by value instead */
        }
    if (!kept)
        return;
    qsort(keys, kept, sizeof *keys, by_configuration);
    const struct mw_row *a = &rows[keys[(kept - 1) / 2].row], *b = &rows[keys[kept / 2].row];
    unsigned has = a->has & b->has;
    point->has_cpu_time = has & MW_HAS_CPU_TIME && a->cpu_time_s + b->cpu_time_s > 0;
    point->cpu_time_s = point->has_cpu_time ? a->cpu_time_s / 2 + b->cpu_time_s / 2 : 0;
    point->has_freq_effective = has & MW_HAS_FREQ_EFFECTIVE;
    point->freq_effective_hz =
        has & MW_HAS_FREQ_EFFECTIVE ? nearbyint(a->freq_effective_hz / 2 + b->freq_effective_hz / 2) : 0;
    mw_usage_mean(&point->usage, &a->usage, &b->usage);
}

/* timed: energy is power x time; the reverse (whole) holds only where the time is a run's, not that of one of its items */
static void condense(struct mw_point *point, const struct mw_row *rows, struct key *keys, size_t n, bool timed,
                     bool whole, double *work)
{
    const struct mw_row *first = &rows[keys[0].row];
    unsigned has = 0;
    *point = (struct mw_point){
        .cores = first->cores, .freq_hz = first->freq_hz, .count = n, .noise_factor = 1, .line = first->line};
    for (size_t i = 0; i < n; i++) {
        work[i] = rows[keys[i].row].value;
        has |= rows[keys[i].row].has;
    }
    point->value = mw_median(work, n);
    for (size_t i = 0; i < n && n > 1; i++)
        work[i] = log(work[i]);
    point->spread = n > 1 ? mw_spread(work, n) : 0;
    if (has & (MW_HAS_ENERGY | MW_HAS_POWER)) {
        for (size_t i = 0; i < n; i++)
            work[i] = energy_of(&rows[keys[i].row], timed);
        point->has_energy = median_of(work, n, &point->energy_j);
        for (size_t i = 0; i < n; i++)
            work[i] = power_of(&rows[keys[i].row], whole);
        point->has_power = median_of(work, n, &point->power_w);
    }
    take_middle_run(point, rows, keys, n, has & MW_HAS_CPU_TIME);
}

enum mw_err mw_points_from_dataset(struct mw_points *points, const struct mw_dataset *dataset, struct mw_error *error)
{
    struct mw_points got = {.quantity = dataset->quantity,
                            .main_wait_taken = dataset->main_wait_taken,
                            .cpu_limit = dataset->cpu_limit,
                            .clock_fixed = dataset->clock_fixed,
                            .weak = dataset->weak};
    struct key *keys = malloc((dataset->count + 1) * sizeof *keys);
    double *work = malloc((dataset->count + 1) * sizeof *work);
    got.items = malloc((dataset->count + 1) * sizeof *got.items);
    enum mw_err err = keys && work && got.items ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    size_t used = 0;
    bool timed = dataset->quantity == MW_TIME;
    for (size_t i = 0; i < dataset->count && !err; i++)
        if (!dataset->rows[i].set_aside && dataset->rows[i].has & MW_HAS_VALUE)
            keys[used++] = (struct key){dataset->rows[i].freq_hz, dataset->rows[i].cores, (uint32_t)i};
    if (!err && !used)
        err = mw_fail(error, MW_DATA, "%s: no usable row", dataset->file);
    if (!err)
        qsort(keys, used, sizeof *keys, by_configuration);
    for (size_t from = 0, to; from < used && !err; from = to) {
        for (to = from + 1; to < used && keys[to].cores == keys[from].cores && !(keys[to].freq_hz > keys[from].freq_hz);
             to++)
            ;
        condense(&got.items[got.count++], dataset->rows, keys + from, to - from, timed, timed && !dataset->rate_unit,
                 work);
    }
    free(keys);
    free(work);
    struct mw_point *fitted = err ? NULL : realloc(got.items, got.count * sizeof *fitted);
    if (fitted)
        got.items = fitted;
    if (err)
        free(got.items);
    else
        *points = got;
    return err;
}

enum mw_err mw_points_of_equal_work(struct mw_points *equal, const struct mw_points *points, struct mw_error *error)
{
    static const enum mw_usage_item spans[] = {MW_USAGE_SYS,        MW_USAGE_WALL,  MW_USAGE_MAIN_WAIT,
                                               MW_USAGE_OTHER_CPU,  MW_USAGE_STEAL, MW_USAGE_THROTTLED,
                                               MW_USAGE_THREAD_WAIT};
    struct mw_points copy = *points;
    copy.items = malloc((points->count + 1) * sizeof *copy.items);
    if (!copy.items)
        return mw_fail(error, MW_NOMEM, "out of memory");
    if (points->count)
        memcpy(copy.items, points->items, points->count * sizeof *copy.items);
    for (size_t i = 0; i < points->count && points->weak; i++) {
        struct mw_point *p = &copy.items[i];
        p->value /= points->quantity == MW_TIME ? p->cores : 1; /* a speedup is as it was given */
        p->energy_j /= p->cores;
        p->cpu_time_s /= p->cores;
        for (size_t k = 0; k < sizeof spans / sizeof *spans; k++)
            p->usage.of[spans[k]] /= p->cores;
        p->usage.of[MW_USAGE_SWITCHES] /= p->cores;
    }
    copy.weak = false;
    *equal = copy;
    return MW_OK;
}
