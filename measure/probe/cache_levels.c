// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/cache_job.h"
#include "measure/probe/clock.h"

#include <math.h>
#include <stdlib.h>

/* shares of the time for the scan over sizes, and for it and the closer look at its steps; the other scans take a tenth */
#define COARSE_SHARE 0.4
#define SIZES_SHARE  0.7
/* around a step that the coarse scan found: from below where the first sets overflow to beyond where half of the loads
   miss under random replacement (1.39 times the capacity) */
#define BELOW_STEP     0.85
#define BEYOND_STEP    1.5
#define REFINED_OCTAVE 32
/* inner part of a plateau (in log): beyond what is left of the level below, short of where the next one begins */
#define INNER_FROM 0.4
#define INNER_TO   0.85
#define REFINE_MAX 512
/* A step behind the scan, known by a load from memory alone, is one from here on: two ways to measure memory, while others
   use it, differ by up to a half. Last levels are three times as fast, and more. */
#define UNSEEN_RATIO 1.8
/* for memory, some ten times: what others do there changes with their time slices */
#define MEMORY_S 0.08
/* half an octave each, behind the scan: twice what makes a plateau */
#define MEMORY_POINTS 4

static double between(double low, double high, double share)
{
    return low * pow(high / low, share);
}

/* Ends of the plateau below step `i` (the last one: beyond the last step). */
static void plateau(const struct mw_cache_job *job, const struct mw_curve *curve, size_t i, double *low, double *high)
{
    *low = i ? job->steps[i - 1].end : curve->x[0];
    *high = i < job->step_count ? job->steps[i].onset : curve->x[curve->count - 1];
    *high = fmin(*high, curve->x[curve->count - 1]);
}

static size_t add_size(double *sizes, size_t count, double size)
{
    size_t i = count;
    while (i && sizes[i - 1] >= size)
        i--;
    if (count == REFINE_MAX || (i < count && sizes[i] <= size))
        return count;
    for (size_t k = count; k > i; k--)
        sizes[k] = sizes[k - 1];
    sizes[i] = size;
    return count + 1;
}

/* Sizes to look at again: closely around each step, and the inner parts of the plateaus. */
static size_t sizes_to_refine(const struct mw_cache_job *job, const struct mw_curve *curve, double *sizes)
{
    size_t count = 0;
    for (size_t i = 0; i < job->step_count; i++) {
        size_t from = (size_t)(BELOW_STEP * job->steps[i].x), octave = MW_SCAN_STEP_BYTES;
        while (2 * octave <= from)
            octave *= 2;
        size_t step = octave / REFINED_OCTAVE < MW_SCAN_STEP_BYTES ? MW_SCAN_STEP_BYTES : octave / REFINED_OCTAVE;
        for (size_t size = from / step * step; (double)size <= BEYOND_STEP * job->steps[i].x_next; size += step)
            if ((double)size <= curve->x[curve->count - 1])
                count = add_size(sizes, count, (double)size);
    }
    for (size_t i = 0; i <= job->step_count; i++) {
        double low, high;
        plateau(job, curve, i, &low, &high);
        for (size_t k = 0; k < curve->count; k++)
            if (curve->x[k] >= between(low, high, INNER_FROM) && curve->x[k] <= between(low, high, INNER_TO))
                count = add_size(sizes, count, curve->x[k]);
    }
    return count;
}

/* The least time in the inner part of a plateau, which other work can only raise; behind the last step, of memory. */
static struct mw_scan_time level_time(const struct mw_cache_job *job, const struct mw_curve *curve, size_t i)
{
    double low, high;
    struct mw_scan_time least = MW_SCAN_NONE;
    if (i == job->step_count && isfinite(job->memory.least_s))
        return job->memory;
    plateau(job, curve, i, &low, &high);
    for (size_t k = 0; k < curve->count; k++)
        if (curve->x[k] >= between(low, high, INNER_FROM) && curve->x[k] <= between(low, high, INNER_TO))
            mw_scan_lower(&least, (struct mw_scan_time){curve->time_s[k], !curve->disturbed[k]});
    return least;
}

/* Levels measured anew; a step between two that are one after all is none. */
static void settle_levels(struct mw_cache_job *job, const struct mw_curve *curve)
{
    double level_s[MW_STEP_MAX + 1];
    for (size_t i = 0; i <= job->step_count; i++) {
        level_s[i] = level_time(job, curve, i).least_s;
        if (!isfinite(level_s[i]))
            level_s[i] = i ? job->steps[i - 1].after : job->steps[0].before;
    }
    size_t kept = 0;
    double before_s = level_s[0];
    for (size_t i = 0; i < job->step_count; i++) {
        bool seen = job->steps[i].x < curve->x[curve->count - 1];
        job->steps[i].before = before_s;
        job->steps[i].after = level_s[i + 1];
        if (level_s[i + 1] < (seen ? MW_STEP_RATIO : UNSEEN_RATIO) * before_s)
            continue;
        before_s = level_s[i + 1];
        job->steps[kept++] = job->steps[i];
    }
    job->step_count = kept;
}

/* A plateau none of whose points is clean, and a step between two points of which one is not. */
static void mark_disturbed(struct mw_cache_job *job, const struct mw_curve *curve)
{
    for (size_t i = 0; i <= job->step_count; i++) {
        struct mw_scan_time time = level_time(job, curve, i);
        job->level_disturbed[i] = isfinite(time.least_s) && !time.clean;
    }
    for (size_t i = 0; i < job->step_count; i++)
        job->step_disturbed[i] = job->level_disturbed[i] || job->level_disturbed[i + 1] ||
                                 mw_curve_disturbed(curve, job->steps[i].x, job->steps[i].x_next);
}

static enum mw_err settle_steps(struct mw_cache_job *job, const struct mw_curve *curve, struct mw_error *error)
{
    double *scratch = calloc(2 * curve->count + 1, sizeof *scratch);
    if (!scratch)
        return mw_fail(error, MW_NOMEM, "out of memory");
    settle_levels(job, curve);
    for (size_t i = 0; i < job->step_count; i++) {
        struct mw_step close = job->steps[i];
        close.onset = BELOW_STEP * close.x;
        close.end = BEYOND_STEP * close.x_next;
        job->width[i] = mw_step_refine(&close, curve->x, curve->time_s, curve->count, scratch);
        if (job->width[i] <= MW_STEP_SHARP) {
            job->steps[i].x = close.x;
            job->steps[i].x_next = close.x_next;
        }
    }
    mark_disturbed(job, curve);
    free(scratch);
    return MW_OK;
}

static void find_capacity(struct mw_cache_job *job, size_t i)
{
    const struct mw_cache_level *told = &job->reported.level[i];
    const struct mw_step *step = i < job->step_count ? &job->steps[i] : NULL;
    bool beyond = step && step->x >= (double)job->report.scanned_bytes;
    bool unreported = job->reported.level_count && i >= job->reported.level_count;
    struct mw_finding *f = mw_cache_find(job, "", i + 1, "capacity_bytes", step && !beyond && !unreported ? step->x : 0,
                                         (double)told->capacity_bytes, MW_CAPACITY_TOLERANCE);
    if (job->options->guest && told->cpus > 1)
        mw_cache_because(f, MW_CACHE_DIFFERS, "a guest is told the host's size and shares it with other guests");
    else if (told->cpus > 1)
        mw_cache_because(f, MW_CACHE_DIFFERS, "shared by %u CPUs, whose other work takes a part", told->cpus);
    else
        mw_cache_because(f, MW_CACHE_DIFFERS, "the step lies elsewhere");
    if (unreported)
        mw_cache_doubt(f, "the system reports no such level: others may use a part of the one before at times");
    else if (beyond || (!step && told->capacity_bytes > job->report.scanned_bytes))
        mw_cache_doubt(f, "it ends beyond the %zu MiB that were scanned", job->report.scanned_bytes >> 20);
    else if (step && job->width[i] > MW_STEP_SHARP)
        mw_cache_doubt(f, "its step is no sharp one: random replacement, a part taken by others, or scattered pages");
    mw_cache_disturb(f, step && job->step_disturbed[i]);
}

/*
 * Steps of the curve, continued by two octaves at the time of a load from memory where that is known: so the last level
 * ends in a step also where no plateau of memory was scanned.
 */
static enum mw_err find_steps(struct mw_cache_job *job, const struct mw_curve *curve, struct mw_error *error)
{
    struct mw_curve longer;
    enum mw_err err = mw_curve_init(&longer, curve->count + MEMORY_POINTS, error);
    if (err)
        return err;
    for (size_t i = 0; i < curve->count; i++)
        mw_curve_lower(&longer, curve->x[i], (struct mw_scan_time){curve->time_s[i], !curve->disturbed[i]});
    for (int i = 1; i <= MEMORY_POINTS && isfinite(job->memory.least_s); i++)
        mw_curve_lower(&longer, curve->x[curve->count - 1] * exp2(0.5 * i), job->memory);
    err = mw_steps_find(longer.x, longer.time_s, longer.count, job->steps, &job->step_count, error);
    mw_curve_release(&longer);
    return err;
}

enum mw_err mw_cache_levels(struct mw_cache_job *job, struct mw_error *error)
{
    struct mw_curve curve;
    double start_s = mw_now_s(), left_s = job->scan.deadline_s - start_s, sizes[REFINE_MAX];
    enum mw_err err = mw_scan_sizes(&job->scan, start_s + COARSE_SHARE * left_s, &curve, error);
    if (err)
        return err;
    if (curve.count)
        job->report.scanned_bytes = (size_t)curve.x[curve.count - 1];
    err = mw_cache_visit_memory(job, error);
    if (!err && curve.count >= 2)
        err = find_steps(job, &curve, error);
    if (!err && job->step_count) {
        size_t count = sizes_to_refine(job, &curve, sizes);
        err = mw_scan_refine(&job->scan, sizes, count, start_s + SIZES_SHARE * left_s, &curve, error);
    }
    if (!err)
        err = mw_cache_visit_memory(job, error);
    if (!err && job->step_count)
        err = settle_steps(job, &curve, error);
    if (!err)
        err = mw_cache_keep(job, "size", &curve, error);
    size_t levels = job->step_count > job->reported.level_count ? job->step_count : job->reported.level_count;
    for (size_t i = 0; !err && i < levels && i < MW_CACHE_LEVELS; i++)
        find_capacity(job, i);
    mw_curve_release(&curve);
    return err;
}

enum mw_err mw_cache_visit_memory(struct mw_cache_job *job, struct mw_error *error)
{
    enum mw_err err = mw_scan_memory(&job->scan, MEMORY_S, job->memory_places, error);
    job->memory = mw_scan_mean(job->memory_places, MW_SCAN_MEMORY_PLACES);
    return err;
}

void mw_cache_latencies(struct mw_cache_job *job)
{
    size_t n = job->step_count;
    for (size_t i = 0; i < n && (!job->reported.level_count || i < job->reported.level_count); i++)
        mw_cache_disturb(mw_cache_find(job, "", i + 1, "latency_ns", 1e9 * job->steps[i].before, 0, 0),
                         job->level_disturbed[i]);
    bool flushed = isfinite(job->memory.least_s);
    double last_s = flushed ? job->memory.least_s : n ? job->steps[n - 1].after : 0;
    struct mw_finding *f = mw_cache_find(job, "memory", 0, "latency_ns", 1e9 * last_s, 0, 0);
    if (!flushed && last_s > 0 && n < job->reported.level_count)
        mw_cache_doubt(f, "fewer steps than levels are reported, and user programs can't flush a line here");
    mw_cache_disturb(f, flushed ? !job->memory.clean : job->level_disturbed[n]);
}
