// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/cache.h"

#include "measure/probe/cache_reported.h"
#include "measure/probe/cache_scan.h"
#include "measure/probe/changepoint.h"
#include "measure/probe/clock.h"
#include "measure/probe/team.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* share of the time that the two rounds over sizes may take; the other scans take less than a tenth of it together */
#define SIZES_SHARE 0.7
/* as many lines as a set of any cache in use could hold, twice */
#define WAYS_MAX     64
#define WAYS_STRIDES 7

struct job {
    const struct mw_topology *topology;
    const struct mw_cache_options *options;
    struct mw_cache_report report;
    struct mw_cache_reported reported;
    struct mw_cache_scan scan;
    struct mw_step steps[MW_STEP_MAX]; /* of the scan over sizes */
    size_t step_count;
};

void mw_cache_report_release(struct mw_cache_report *report)
{
    free(report->points);
    *report = (struct mw_cache_report){0};
}

static enum mw_err keep_points(struct job *job, const char *name, const struct mw_curve *curve, struct mw_error *error)
{
    struct mw_cache_report *r = &job->report;
    struct mw_curve_point *points = realloc(r->points, (r->point_count + curve->count + 1) * sizeof *points);
    if (!points)
        return mw_fail(error, MW_NOMEM, "out of memory");
    r->points = points;
    for (size_t i = 0; i < curve->count; i++)
        points[r->point_count++] = (struct mw_curve_point){name, curve->x[i], curve->time_s[i]};
    return MW_OK;
}

/* A new finding, compared: values within `tolerance` of each other agree. Its level is printed from kind and number. */
static struct mw_finding *find(struct job *job, const char *kind, size_t number, const char *property, double value,
                               double reported, double tolerance)
{
    struct mw_cache_report *r = &job->report;
    struct mw_finding *f = &r->findings[r->finding_count < MW_FINDING_MAX ? r->finding_count++ : MW_FINDING_MAX - 1];
    *f = (struct mw_finding){.property = property, .found = value > 0, .value = value, .reported = reported};
    if (number)
        snprintf(f->level, sizeof f->level, "%s%zu", kind, number);
    else
        snprintf(f->level, sizeof f->level, "%s", kind);
    if (value > 0 && reported > 0)
        f->verdict = fabs(value / reported - 1) <= tolerance ? MW_CACHE_AGREES : MW_CACHE_DIFFERS;
    else
        f->verdict = MW_CACHE_UNKNOWN;
    if (f->verdict == MW_CACHE_UNKNOWN)
        snprintf(f->why, sizeof f->why, "%s",
                 value > 0                        ? "the system reports none"
                 : mw_cache_scan_over(&job->scan) ? "the time was up"
                                                  : "no step was found");
    return f;
}

static void because(struct mw_finding *f, enum mw_cache_verdict only_for, const char *format, ...)
{
    if (f->verdict != only_for)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
}

static enum mw_err measure_sizes(struct job *job, struct mw_error *error)
{
    struct mw_curve curve;
    double until_s = mw_now_s() + SIZES_SHARE * (job->scan.deadline_s - mw_now_s());
    enum mw_err err = mw_scan_sizes(&job->scan, until_s, &curve, error);
    if (err)
        return err;
    err = keep_points(job, "size", &curve, error);
    if (!err && curve.count >= 2)
        err = mw_steps_find(curve.x, curve.time_s, curve.count, job->steps, &job->step_count, error);
    if (curve.count)
        job->report.scanned_bytes = (size_t)curve.x[curve.count - 1];
    size_t levels = job->step_count > job->reported.level_count ? job->step_count : job->reported.level_count;
    for (size_t i = 0; !err && i < levels && i < MW_CACHE_LEVELS; i++) {
        const struct mw_cache_level *told = &job->reported.level[i];
        const struct mw_step *step = i < job->step_count ? &job->steps[i] : NULL;
        struct mw_finding *f = find(job, "", i + 1, "capacity_bytes", step ? step->x : 0, (double)told->capacity_bytes,
                                    MW_CAPACITY_TOLERANCE);
        if (job->options->guest && told->cpus > 1)
            because(f, MW_CACHE_DIFFERS, "a guest is told the host's size and shares it with other guests");
        else if (told->cpus > 1)
            because(f, MW_CACHE_DIFFERS, "shared by %u CPUs, whose other work takes a part", told->cpus);
        else
            because(f, MW_CACHE_DIFFERS, "the step lies elsewhere");
        if (told->capacity_bytes > job->report.scanned_bytes)
            because(f, MW_CACHE_UNKNOWN, "it ends beyond the %zu MiB that were scanned",
                    job->report.scanned_bytes >> 20);
    }
    for (size_t i = 0; !err && i <= job->step_count && job->step_count; i++) {
        double level_s = i < job->step_count ? job->steps[i].before : job->steps[i - 1].after;
        find(job, i < job->step_count ? "" : "memory", i < job->step_count ? i + 1 : 0, "latency_ns", 1e9 * level_s, 0,
             0);
    }
    mw_curve_release(&curve);
    return err;
}

static enum mw_err measure_lines(struct job *job, struct mw_error *error)
{
    struct mw_curve curve = {0}, flush = {0};
    size_t stride[16], line = 0;
    bool sure = false;
    enum mw_err err = MW_OK;
    if (job->step_count) {
        err = mw_scan_lines(&job->scan, 2 * (size_t)job->steps[0].x, &curve, error);
        for (size_t i = 0; i < curve.count; i++)
            stride[i] = (size_t)curve.x[i];
        line = err ? 0 : mw_line_find(stride, curve.time_s, curve.count, &sure);
    }
    if (!err)
        err = keep_points(job, "line", &curve, error);
    if (!err) {
        struct mw_finding *f =
            find(job, "", 1, "line_bytes", sure ? (double)line : 0, (double)job->reported.level[0].line_bytes, 0);
        because(f, MW_CACHE_UNKNOWN,
                line ? "two lengths fit the stride scan as well" : "the stride scan shows no step");
        because(f, MW_CACHE_DIFFERS, "by the stride scan");
        err = mw_scan_flush(&job->scan, &flush, error);
    }
    if (!err)
        err = keep_points(job, "flush", &flush, error);
    double unit = 0;
    /* three times the first level's latency: beyond its noise, far below what a load from memory takes */
    for (size_t i = flush.count; i-- > 0 && job->step_count && flush.time_s[i] < 3 * job->steps[0].before;)
        unit = flush.x[i];
    for (size_t i = 1; !err && i < job->reported.level_count; i++) {
        struct mw_finding *f = find(job, "", i + 1, "line_bytes", unit, (double)job->reported.level[i].line_bytes, 0);
        because(f, MW_CACHE_UNKNOWN, flush.count ? "flushes show no unit" : "user programs can't flush a line here");
        because(f, MW_CACHE_DIFFERS, "by the unit that a flush removes");
    }
    mw_curve_release(&curve);
    mw_curve_release(&flush);
    return err;
}

/* Strides double from a 64th of the capacity, so that they pass the size of a way of any cache with up to 64 ways. */
static enum mw_err measure_ways(struct job *job, size_t level, struct mw_error *error)
{
    const struct mw_step *step = &job->steps[level];
    double limit_s = step->before * fmin(2, sqrt(step->after / step->before)), x[WAYS_STRIDES], fit[WAYS_STRIDES];
    struct mw_curve curve = {.x = x, .time_s = fit};
    unsigned limit[WAYS_STRIDES], ways;
    size_t stride = MW_SCAN_STEP_BYTES;
    while (stride * WAYS_MAX < (size_t)step->x)
        stride *= 2;
    for (; curve.count < WAYS_STRIDES; curve.count++) {
        x[curve.count] = (double)(stride << curve.count);
        limit[curve.count] = mw_scan_conflict(&job->scan, stride << curve.count, limit_s, WAYS_MAX + 1);
        fit[curve.count] = limit[curve.count];
    }
    ways = mw_ways_find(limit, WAYS_STRIDES);
    bool consistent = false; /* ways x size of a way is the capacity: else two numbers were the same by chance */
    for (size_t i = 0; i < WAYS_STRIDES && ways; i++)
        consistent = consistent || fabs(x[i] * ways / step->x - 1) <= 2 * MW_CAPACITY_TOLERANCE;
    struct mw_finding *f = find(job, "", level + 1, "associativity", consistent ? ways : 0,
                                level < MW_CACHE_LEVELS ? job->reported.level[level].ways : 0, 0);
    because(f, MW_CACHE_UNKNOWN,
            consistent ? "the system reports none"
            : job->options->guest && level
                ? "lines of one set can't be had: the host may map a guest's huge page in pieces"
                : "lines at no stride were limited by one set");
    because(f, MW_CACHE_DIFFERS, "by lines at doubling strides");
    return keep_points(job, level ? "ways2" : "ways1", &curve, error);
}

static enum mw_err measure_tlbs(struct job *job, struct mw_error *error)
{
    struct mw_curve curve;
    struct mw_step steps[MW_STEP_MAX];
    size_t count = 0;
    double base_s = job->step_count ? job->steps[0].before : 1e-9;
    enum mw_err err = mw_scan_tlb(&job->scan, base_s, &curve, error);
    if (err)
        return err;
    err = keep_points(job, "tlb", &curve, error);
    if (!err && curve.count >= 2)
        err = mw_steps_find(curve.x, curve.time_s, curve.count, steps, &count, error);
    for (size_t i = 0; !err && i < MW_TLB_LEVELS; i++) {
        bool base_4k = mw_page_bytes() == 4096;
        struct mw_finding *f = find(job, "tlb", i + 1, "entries", i < count ? steps[i].x : 0,
                                    base_4k ? job->reported.tlb_entries[i] : 0, MW_CAPACITY_TOLERANCE);
        because(f, MW_CACHE_DIFFERS,
                job->options->guest ? "a guest's entries compete with the host's page tables"
                                    : "the step lies elsewhere");
        if (i < count)
            find(job, "tlb", i + 1, "miss_ns", 1e9 * (steps[i].after - steps[i].before), 0, 0);
    }
    mw_curve_release(&curve);
    return err;
}

/* Followed: less than half the time of random loads at the same stride. */
static double followed_up_to(const struct mw_curve *walk, const struct mw_curve *random)
{
    double limit = 0;
    for (size_t i = 0; i < walk->count && i < random->count && walk->time_s[i] < random->time_s[i] / 2; i++)
        limit = walk->x[i];
    return limit;
}

static enum mw_err measure_prefetch(struct job *job, struct mw_error *error)
{
    static const char *const name[] = {"forward", "backward", "random"};
    static const char *const latency[] = {"forward_ns", "backward_ns", "random_ns"};
    static const char *const limit[] = {"forward_limit_bytes", "backward_limit_bytes"};
    struct mw_curve curve[3] = {0};
    enum mw_err err = MW_OK;
    for (int o = MW_WALK_FORWARD; !err && o <= MW_WALK_RANDOM; o++) {
        err = mw_scan_prefetch(&job->scan, (enum mw_walk_order)o, &curve[o], error);
        if (!err)
            err = keep_points(job, name[o], &curve[o], error);
        if (!err)
            find(job, "prefetch", 0, latency[o], curve[o].count ? 1e9 * curve[o].time_s[0] : 0, 0, 0);
    }
    for (int o = MW_WALK_FORWARD; !err && o < MW_WALK_RANDOM; o++) {
        struct mw_finding *f =
            find(job, "prefetch", 0, limit[o], followed_up_to(&curve[o], &curve[MW_WALK_RANDOM]), 0, 0);
        if (!f->found && curve[o].count && curve[MW_WALK_RANDOM].count)
            because(f, MW_CACHE_UNKNOWN, "even neighbouring lines are not followed");
    }
    for (int o = 0; o < 3; o++)
        mw_curve_release(&curve[o]);
    return err;
}

static enum mw_err member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct job *job = opaque;
    (void)team;
    (void)index;
    double start = mw_now_s();
    mw_cache_reported_read(job->topology, job->options->cpu, &job->reported);
    enum mw_err err =
        mw_cache_scan_open(&job->scan, job->options->size_bytes, job->options->seed, job->options->max_time_s, error);
    if (err)
        return err;
    job->scan.stop = job->options->stop;
    err = measure_sizes(job, error);
    if (!err)
        err = measure_lines(job, error);
    for (size_t level = 0; !err && level < 2 && level < job->step_count; level++)
        err = measure_ways(job, level, error);
    if (!err)
        err = measure_tlbs(job, error);
    if (!err)
        err = measure_prefetch(job, error);
    struct mw_placement placement;
    if (!err)
        err = mw_arena_inspect(&job->scan.big, &placement, error);
    if (!err)
        job->report.page_bytes = placement.page_bytes;
    if (!err && job->options->stop && job->options->stop())
        err = mw_fail(error, MW_INTERRUPTED, "interrupted");
    mw_cache_scan_close(&job->scan);
    job->report.time_s = mw_now_s() - start;
    return err;
}

enum mw_err mw_cache_measure(const struct mw_topology *topology, const struct mw_cache_options *options,
                             struct mw_cache_report *report, struct mw_error *error)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return mw_fail(error, MW_NOMEM, "out of memory");
    job->topology = topology;
    job->options = options;
    enum mw_err err = mw_team_run(&options->cpu, 1, member, job, error);
    if (err)
        mw_cache_report_release(&job->report);
    else
        *report = job->report;
    free(job);
    return err;
}
