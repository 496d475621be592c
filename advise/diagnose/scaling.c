// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/scaling.h"
#include "data/units.h"

#include <stdlib.h>

double mw_karp_flatt(double speedup, double cores)
{
    return (1 / speedup - 1 / cores) / (1 - 1 / cores);
}

/* One core at the highest frequency that has it; speedups have it at each. */
static const struct mw_point *find_one(const struct mw_points *points, double *freq_hz)
{
    const struct mw_point *one = NULL;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        bool base = points->quantity == MW_SPEEDUP || point->cores == 1;
        if (base && point->value > 0 && (!one || point->freq_hz > *freq_hz)) {
            *freq_hz = point->freq_hz;
            one = point;
        }
    }
    return one;
}

static bool has_counters(const struct mw_point *p)
{
    return p->usage.has[MW_USAGE_INSTRUCTIONS] && p->usage.of[MW_USAGE_INSTRUCTIONS] > 0 &&
           p->usage.has[MW_USAGE_CYCLES] && p->usage.of[MW_USAGE_CYCLES] > 0;
}

/* CPU time that the counters are of: user mode. */
static double user_s(const struct mw_point *p, bool knows_kernel)
{
    return p->cpu_time_s - (knows_kernel ? p->usage.of[MW_USAGE_SYS] : 0);
}

static void split_computation(struct mw_scaling_row *row, const struct mw_point *one, const struct mw_point *p,
                              double work)
{
    const double *a = one->usage.of, *b = p->usage.of;
    bool knows_kernel =
        one->usage.has[MW_USAGE_SYS] && p->usage.has[MW_USAGE_SYS] && user_s(one, true) > 0 && user_s(p, true) > 0;
    row->has_counters = true;
    row->instructions = work * a[MW_USAGE_INSTRUCTIONS] / b[MW_USAGE_INSTRUCTIONS];
    row->ipc = b[MW_USAGE_INSTRUCTIONS] / b[MW_USAGE_CYCLES] * (a[MW_USAGE_CYCLES] / a[MW_USAGE_INSTRUCTIONS]);
    row->clock = b[MW_USAGE_CYCLES] / user_s(p, knows_kernel) * (user_s(one, knows_kernel) / a[MW_USAGE_CYCLES]);
    row->user = user_s(p, knows_kernel) / p->cpu_time_s * (one->cpu_time_s / user_s(one, knows_kernel));
}

/* work: what p cores have of it over what one has. */
static void split(struct mw_scaling_row *row, const struct mw_point *one, const struct mw_point *p, double work)
{
    if (!one->has_cpu_time || !p->has_cpu_time || !(one->cpu_time_s > 0) || !(p->cpu_time_s > 0))
        return;
    row->has_cpu = true;
    row->computation = work * one->cpu_time_s / p->cpu_time_s;
    row->parallel = p->cpu_time_s / (p->cores * p->value) * (one->value / one->cpu_time_s);
    if (has_counters(one) && has_counters(p))
        split_computation(row, one, p, work);
}

enum mw_err mw_scaling_table(struct mw_scaling_row **rows, size_t *count, const struct mw_points *points,
                             bool trusts_cpu, struct mw_error *error)
{
    double freq_hz = 0;
    bool speedups = points->quantity == MW_SPEEDUP;
    const struct mw_point *one = find_one(points, &freq_hz);
    struct mw_scaling_row *table = calloc(points->count + 1, sizeof *table);
    if (!table)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu rows", points->count);
    size_t n = 0;
    for (size_t i = 0; one && i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (!(p->value > 0) || !mw_freq_same(p->freq_hz, freq_hz))
            continue;
        struct mw_scaling_row *row = &table[n++];
        row->cores = p->cores;
        row->freq_hz = freq_hz;
        double work = points->weak && !speedups ? p->cores : 1;
        row->speedup = speedups ? p->value : work * one->value / p->value;
        row->efficiency = row->speedup / p->cores;
        row->serial_fraction = p->cores > 1 ? mw_karp_flatt(row->speedup, p->cores) : 0;
        if (trusts_cpu && !speedups)
            split(row, one, p, work);
    }
    *rows = table;
    *count = n;
    return MW_OK;
}
