// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/cache_job.h"

#include <math.h>

/* as many lines as a set of any cache in use could hold, twice, and some to see that they are too many */
#define WAYS_MAX     64
#define WAYS_LINES   (WAYS_MAX + MW_CONFLICT_RUN)
#define WAYS_STRIDES 7
#define WAYS_PASSES  3
#define LINE_PASSES  3
/* ways times the size of a way against the capacity, which is known to 1/16 octave: 13 ways for 12 would be 8 % off */
#define WAYS_TOLERANCE 0.06
/* A report of TLBs that counts in other units (some count entries by eight or more) differs at least so much. */
#define OTHER_UNITS 8

enum mw_err mw_cache_lines(struct mw_cache_job *job, struct mw_error *error)
{
    struct mw_curve curve = {0}, flush = {0};
    size_t stride[16], line = 0;
    bool sure = false;
    enum mw_err err = MW_OK;
    if (job->step_count)
        err = mw_scan_lines(&job->scan, 2 * (size_t)job->steps[0].x, &curve, error);
    for (size_t i = 0; i < curve.count; i++)
        stride[i] = (size_t)curve.x[i];
    if (!err && curve.count)
        line = mw_line_find(stride, curve.time_s, curve.count, &sure);
    if (!err)
        err = mw_cache_keep(job, "line", &curve, error);
    if (!err) {
        struct mw_finding *f = mw_cache_find(job, "", 1, "line_bytes", sure ? (double)line : 0,
                                             (double)job->reported.level[0].line_bytes, 0);
        mw_cache_because(f, MW_CACHE_UNKNOWN,
                         line ? "two lengths fit the stride scan as well" : "the stride scan shows no step");
        mw_cache_because(f, MW_CACHE_DIFFERS, "by the stride scan");
        mw_cache_disturb(f, mw_curve_disturbed(&curve, 0, HUGE_VAL));
        err = mw_scan_flush(&job->scan, &flush, error);
    }
    if (!err)
        err = mw_cache_keep(job, "flush", &flush, error);
    double unit = 0;
    /* three times the first level's latency: beyond its noise, far below what a load from memory takes */
    for (size_t i = flush.count; i-- > 0 && job->step_count && flush.time_s[i] < 3 * job->steps[0].before;)
        unit = flush.x[i];
    job->line_bytes = sure && (double)line > unit ? line : (size_t)unit;
    size_t levels = job->reported.level_count ? job->reported.level_count : job->step_count;
    for (size_t i = 1; !err && i < levels && i < MW_CACHE_LEVELS; i++) {
        struct mw_finding *f =
            mw_cache_find(job, "", i + 1, "line_bytes", unit, (double)job->reported.level[i].line_bytes, 0);
        mw_cache_because(f, MW_CACHE_UNKNOWN,
                         flush.count ? "flushes show no unit" : "user programs can't flush a line here");
        mw_cache_because(f, MW_CACHE_DIFFERS, "by the unit that a flush removes");
        mw_cache_disturb(f, flush.count && (job->level_disturbed[0] || mw_curve_disturbed(&flush, 0, HUGE_VAL)));
    }
    mw_curve_release(&curve);
    mw_curve_release(&flush);
    return err;
}

/* mw_conflict_limit; *disturbed: one of the times up to that number, and of those behind that show the border. */
static unsigned conflict_limit(const struct mw_scan_time *time, double limit_s, bool *disturbed)
{
    double time_s[WAYS_LINES];
    for (size_t n = 0; n < WAYS_LINES; n++)
        time_s[n] = time[n].least_s;
    unsigned limit = mw_conflict_limit(time_s, WAYS_LINES, limit_s);
    *disturbed = false;
    for (size_t n = 0; n < (limit ? limit + MW_CONFLICT_RUN : WAYS_LINES); n++)
        *disturbed = *disturbed || (isfinite(time_s[n]) && !time[n].clean);
    return limit;
}

/*
 * Strides double from a 64th of the capacity, so that they pass the size of a way of any cache with up to 64 ways. Three
 * passes, so that what disturbs one for tens of milliseconds does not count.
 */
enum mw_err mw_cache_ways(struct mw_cache_job *job, size_t level, struct mw_error *error)
{
    const struct mw_step *step = &job->steps[level];
    double limit_s = mw_step_onset(step->before, step->after), x[WAYS_STRIDES], fit[WAYS_STRIDES];
    struct mw_scan_time time[WAYS_STRIDES][WAYS_LINES];
    bool disturbed[WAYS_STRIDES];
    struct mw_curve curve = {.x = x, .time_s = fit, .disturbed = disturbed, .count = WAYS_STRIDES};
    unsigned limit[WAYS_STRIDES];
    size_t stride = MW_SCAN_STEP_BYTES, first = 0;
    enum mw_err err = MW_OK;
    while (stride * WAYS_MAX < (size_t)step->x)
        stride *= 2;
    for (size_t i = 0; i < WAYS_STRIDES * WAYS_LINES; i++)
        time[i / WAYS_LINES][i % WAYS_LINES] = MW_SCAN_NONE;
    for (int pass = 0; pass < WAYS_PASSES; pass++)
        for (size_t i = 0; i < WAYS_STRIDES && !err; i++)
            err = mw_scan_conflict(&job->scan, stride << i, WAYS_LINES, job->first_ways, job->first_way_bytes, time[i],
                                   error);
    if (err)
        return err;
    for (size_t i = 0; i < WAYS_STRIDES; i++) {
        x[i] = (double)(stride << i);
        fit[i] = limit[i] = conflict_limit(time[i], limit_s, &disturbed[i]);
    }
    unsigned ways = mw_ways_find(limit, WAYS_STRIDES, &first);
    /* ways x size of a way is the capacity: else the numbers were the same for another reason */
    bool consistent = ways && fabs(x[first] * ways / step->x - 1) <= WAYS_TOLERANCE;
    bool spoiled = job->step_disturbed[level] || mw_curve_disturbed(&curve, x[first], HUGE_VAL);
    if (consistent && !spoiled && !level && ways <= MW_SCAN_FILLERS_MAX) {
        job->first_ways = ways;
        job->first_way_bytes = (size_t)x[first];
    }
    struct mw_finding *f = mw_cache_find(job, "", level + 1, "associativity", consistent ? ways : 0,
                                         level < MW_CACHE_LEVELS ? job->reported.level[level].ways : 0, 0);
    mw_cache_because(f, MW_CACHE_UNKNOWN,
                     job->options->guest && level
                         ? "lines of one set can't be had: the host may map a guest's huge page in pieces"
                         : "lines at no stride were limited by one set");
    mw_cache_because(f, MW_CACHE_DIFFERS, "by lines at doubling strides");
    mw_cache_disturb(f, spoiled);
    return mw_cache_keep(job, level ? "ways2" : "ways1", &curve, error);
}

enum mw_err mw_cache_tlbs(struct mw_cache_job *job, struct mw_error *error)
{
    struct mw_curve curve;
    struct mw_step steps[MW_STEP_MAX];
    size_t count = 0;
    double base_s = job->step_count ? job->steps[0].before : 1e-9;
    enum mw_err err = mw_scan_tlb(&job->scan, job->line_bytes, base_s, &curve, error);
    if (err)
        return err;
    err = mw_cache_keep(job, "tlb", &curve, error);
    if (!err && curve.count >= 2)
        err = mw_steps_find(curve.x, curve.time_s, curve.count, steps, &count, error);
    for (size_t i = 0; !err && i < MW_TLB_LEVELS; i++) {
        double told = mw_page_bytes() == 4096 ? job->reported.tlb_entries[i] : 0, found = i < count ? steps[i].x : 0;
        struct mw_finding *f = mw_cache_find(job, "tlb", i + 1, "entries", found, told, MW_CAPACITY_TOLERANCE);
        mw_cache_because(f, MW_CACHE_DIFFERS,
                         job->options->guest ? "a guest's entries compete with the host's page tables"
                                             : "the step lies elsewhere");
        if (found >= OTHER_UNITS * told && f->verdict == MW_CACHE_DIFFERS)
            mw_cache_doubt(f, "the report seems to count in other units: %.0f times as many were found", found / told);
        bool spoiled = i < count ? mw_curve_disturbed(&curve, steps[i].onset, steps[i].end)
                                 : mw_curve_disturbed(&curve, 0, HUGE_VAL);
        mw_cache_disturb(f, spoiled);
        if (i < count)
            mw_cache_disturb(
                mw_cache_find(job, "tlb", i + 1, "miss_ns", 1e9 * (steps[i].after - steps[i].before), 0, 0), spoiled);
    }
    mw_curve_release(&curve);
    return err;
}

/* Followed: less than half the time of random loads at the same stride. *whole: at all strides of the scan. */
static double followed_up_to(const struct mw_curve *walk, const struct mw_curve *random, bool *whole)
{
    double limit = 0;
    size_t i = 0, n = walk->count < random->count ? walk->count : random->count;
    for (; i < n && walk->time_s[i] < random->time_s[i] / 2; i++)
        limit = walk->x[i];
    *whole = n && i == n;
    return limit;
}

/* Some point up to the first one behind x is disturbed. */
static bool read_disturbed(const struct mw_curve *curve, double x)
{
    size_t i = 0;
    while (i < curve->count && curve->x[i] <= x)
        i++;
    return mw_curve_disturbed(curve, 0, i < curve->count ? curve->x[i] : x);
}

enum mw_err mw_cache_prefetch(struct mw_cache_job *job, struct mw_error *error)
{
    static const char *const name[] = {"forward", "backward", "random"};
    static const char *const latency[] = {"forward_ns", "backward_ns", "random_ns"};
    static const char *const limit[] = {"forward_limit_bytes", "backward_limit_bytes"};
    struct mw_curve curve[3] = {0};
    enum mw_err err = MW_OK;
    for (int o = MW_WALK_FORWARD; !err && o <= MW_WALK_RANDOM; o++) {
        err = mw_scan_prefetch(&job->scan, (enum mw_walk_order)o, &curve[o], error);
        if (!err)
            err = mw_cache_keep(job, name[o], &curve[o], error);
        if (!err)
            mw_cache_disturb(
                mw_cache_find(job, "prefetch", 0, latency[o], curve[o].count ? 1e9 * curve[o].time_s[0] : 0, 0, 0),
                curve[o].count && curve[o].disturbed[0]);
    }
    for (int o = MW_WALK_FORWARD; !err && o < MW_WALK_RANDOM; o++) {
        bool whole;
        double followed = followed_up_to(&curve[o], &curve[MW_WALK_RANDOM], &whole);
        struct mw_finding *f = mw_cache_find(job, "prefetch", 0, limit[o], followed, 0, 0);
        if (whole)
            mw_cache_because(f, MW_CACHE_MEASURED, ">= %.0f: it is followed up to the end of the scan", followed);
        if (curve[o].count && curve[MW_WALK_RANDOM].count)
            mw_cache_because(f, MW_CACHE_UNKNOWN, "even neighbouring lines are not followed");
        mw_cache_disturb(f, read_disturbed(&curve[o], followed) || read_disturbed(&curve[MW_WALK_RANDOM], followed));
    }
    for (int o = 0; o < 3; o++)
        mw_curve_release(&curve[o]);
    return err;
}
