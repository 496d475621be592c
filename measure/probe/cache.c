// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/cache.h"

#include "measure/probe/cache_job.h"
#include "measure/probe/clock.h"
#include "measure/probe/team.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mw_cache_report_release(struct mw_cache_report *report)
{
    free(report->points);
    *report = (struct mw_cache_report){0};
}

enum mw_err mw_cache_keep(struct mw_cache_job *job, const char *name, const struct mw_curve *curve,
                          struct mw_error *error)
{
    struct mw_cache_report *r = &job->report;
    struct mw_curve_point *points = realloc(r->points, (r->point_count + curve->count + 1) * sizeof *points);
    if (!points)
        return mw_fail(error, MW_NOMEM, "out of memory");
    r->points = points;
    for (size_t i = 0; i < curve->count; i++)
        points[r->point_count++] = (struct mw_curve_point){name, curve->x[i], curve->time_s[i], curve->disturbed[i]};
    return MW_OK;
}

struct mw_finding *mw_cache_find(struct mw_cache_job *job, const char *kind, size_t number, const char *property,
                                 double value, double reported, double tolerance)
{
    struct mw_cache_report *r = &job->report;
    struct mw_finding *f = &r->findings[r->finding_count < MW_FINDING_MAX ? r->finding_count++ : MW_FINDING_MAX - 1];
    *f = (struct mw_finding){.property = property, .found = value > 0, .value = value, .reported = reported};
    if (number)
        snprintf(f->level, sizeof f->level, "%s%zu", kind, number);
    else
        snprintf(f->level, sizeof f->level, "%s", kind);
    if (!(value > 0))
        f->verdict = MW_CACHE_UNKNOWN;
    else if (!(reported > 0))
        f->verdict = MW_CACHE_MEASURED;
    else
        f->verdict = fabs(value / reported - 1) <= tolerance ? MW_CACHE_AGREES : MW_CACHE_DIFFERS;
    mw_cache_because(f, MW_CACHE_UNKNOWN, "%s",
                     mw_cache_scan_over(&job->scan) ? "the time was up" : "no step was found");
    return f;
}

void mw_cache_because(struct mw_finding *f, enum mw_cache_verdict only_for, const char *format, ...)
{
    if (f->verdict != only_for)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
}

void mw_cache_doubt(struct mw_finding *f, const char *format, ...)
{
    f->verdict = MW_CACHE_UNKNOWN;
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
}

void mw_cache_disturb(struct mw_finding *f, bool disturbed)
{
    f->disturbed = disturbed;
    if (disturbed)
        mw_cache_doubt(f, "other work disturbed every window of a point that it rests on");
}

/* All scans, with visits of memory between them. */
static enum mw_err scan_all(struct mw_cache_job *job, struct mw_error *error)
{
    enum mw_err err = mw_cache_visit_memory(job, error);
    if (!err)
        err = mw_cache_levels(job, error);
    if (!err)
        err = mw_cache_visit_memory(job, error);
    if (!err)
        err = mw_cache_lines(job, error);
    for (size_t level = 0; !err && level < 2 && level < job->step_count; level++) {
        err = mw_cache_visit_memory(job, error);
        if (!err)
            err = mw_cache_ways(job, level, error);
    }
    if (!err)
        err = mw_cache_visit_memory(job, error);
    if (!err)
        err = mw_cache_tlbs(job, error);
    if (!err)
        err = mw_cache_visit_memory(job, error);
    if (!err)
        err = mw_cache_prefetch(job, error);
    if (!err)
        err = mw_cache_visit_memory(job, error);
    if (!err)
        mw_cache_latencies(job);
    return err;
}

static enum mw_err member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct mw_cache_job *job = opaque;
    (void)team;
    (void)index;
    double start = mw_now_s();
    mw_cache_reported_read(job->topology, job->options->cpu, &job->reported);
    enum mw_err err =
        mw_cache_scan_open(&job->scan, job->options->size_bytes, job->options->seed, job->options->max_time_s, error);
    if (err)
        return err;
    job->scan.stop = job->options->stop;
    for (size_t i = 0; i < MW_SCAN_MEMORY_PLACES; i++)
        job->memory_places[i] = MW_SCAN_NONE;
    job->memory = MW_SCAN_NONE;
    err = scan_all(job, error);
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
    struct mw_cache_job *job = calloc(1, sizeof *job);
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
