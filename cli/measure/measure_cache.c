// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/probe/arena.h"
#include "measure/probe/cache.h"
#include "measure/probe/changepoint.h"
#include "measure/probe/llc.h"
#include "measure/machine/limits.h"

#include <math.h>
#include <string.h>

#define MIB ((size_t)1 << 20)
/* past the last level by a factor of two, so that the level behind it shows as a plateau of an octave */
#define PAST_LAST_LEVEL 2
/* where what is reported can't be so: what was found in its stead is where a quick look saw caches help */
#define SIZE_DOUBTED (128 * MIB)
#define SIZE_LEAST   (64 * MIB)
/* nothing is gained beyond this */
#define TIME_MOST_S 600

/* Twice the last-level cache of the core, as reported, else as measured; at most a quarter of the memory that may be had. */
static size_t largest_set(const struct measure_run *run)
{
    struct mw_memory_limit limit;
    size_t size = PAST_LAST_LEVEL * measure_llc_bytes(run, run->cpus, 1);
    mw_memory_limit(run->cli->common.root, &limit);
    bool doubted = mw_llc_doubt(&run->topology, run->cpus[0], run->guest) != NULL;
    size_t least = run->options->llc_bytes ? MIB /* what the user says of the caches is believed */
                   : doubted               ? SIZE_DOUBTED
                                           : SIZE_LEAST;
    size = size < least ? least : size;
    return size < limit.size_bytes / 4 ? size : limit.size_bytes / 4;
}

static const char *verdict_text(enum mw_cache_verdict verdict)
{
    static const char *const text[] = {"agrees", "differs", "can't be told", "measured"};
    return text[verdict];
}

static void print_rows(struct measure_run *run, const struct mw_cache_report *report, double freq_hz)
{
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct mw_finding *f = &report->findings[i];
        measure_row(run, 1, freq_hz);
        fprintf(run->rows, "%s,%s,", f->level, f->property);
        fprintf(run->rows, f->found ? "%.10g," : ",", f->value);
        fprintf(run->rows, f->reported > 0 ? "%.10g," : ",", f->reported);
        if (*f->why)
            fprintf(run->rows, "\"%s%s %s\"", verdict_text(f->verdict),
                    f->verdict == MW_CACHE_MEASURED ? ":" : ", because", f->why);
        else
            fprintf(run->rows, "%s", verdict_text(f->verdict));
        fprintf(run->rows, ",%d\n", f->disturbed);
        run->disturbed = run->disturbed || f->disturbed;
    }
}

static enum mw_err write_curves(const struct measure_run *run, const struct mw_cache_report *report,
                                struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, run->options->curve, run->cli->common.force, error);
    if (err)
        return err;
    mw_provenance_print(&run->provenance, output.stream);
    fputs("scan,size_bytes,latency_ns,lines,disturbed\n", output.stream);
    for (size_t i = 0; i < report->point_count; i++) {
        const struct mw_curve_point *p = &report->points[i];
        double size_bytes = strcmp(p->curve, "tlb") ? p->x : p->x * (double)mw_page_bytes();
        if (!strncmp(p->curve, "ways", 4))
            fprintf(output.stream, "%s,%.10g,,%.0f,%d\n", p->curve, size_bytes, p->time_s, p->disturbed);
        else
            fprintf(output.stream, "%s,%.10g,%.6g,,%d\n", p->curve, size_bytes, 1e9 * p->time_s, p->disturbed);
    }
    return mw_output_commit(&output, error);
}

/* A curve that could not be written after the scan would be a scan lost. */
static enum mw_err check_options(const struct measure_run *run, struct mw_error *error)
{
    if (run->cores_count != 1 || run->cores[0] != 1) {
        mw_fail(error, MW_USAGE, "'cache' looks at the caches of one core");
        return mw_hint(error, "leave '--cores' out; taskset chooses the core");
    }
    if (!run->options->curve)
        return MW_OK;
    if (run->freqs_left > 1)
        return mw_fail(error, MW_USAGE, "option '--curve' takes one frequency");
    struct mw_output early;
    enum mw_err err = mw_output_open(&early, run->options->curve, run->cli->common.force, error);
    if (!err)
        mw_output_release(&early);
    return err;
}

static enum mw_err run_cache(struct measure_run *run, struct mw_error *error)
{
    struct mw_cache_report report = {0};
    enum mw_err err = check_options(run, error);
    if (!err)
        err = measure_llc_resolve(run, error);
    if (err)
        return err;
    struct mw_cache_options options = {.cpu = run->cpus[0],
                                       .size_bytes = largest_set(run),
                                       .max_time_s = fmin(measure_max_time_s(run), TIME_MOST_S),
                                       .seed = run->cli->common.seed,
                                       .guest = run->guest,
                                       .stop = cli_interrupted};
    if (run->cli->common.dry_run) {
        cli_say(run->cli, "caches of CPU %u by working sets up to %zu MiB, at most %.0f s", options.cpu,
                options.size_bytes / MIB, options.max_time_s);
        return MW_OK;
    }
    double freq_hz = measure_effective_hz(run, 1);
    cli_say(run->cli, "working sets up to %zu MiB, at most %.0f s", options.size_bytes / MIB, options.max_time_s);
    err = mw_cache_measure(&run->topology, &options, &report, error);
    if (!err)
        err = mw_provenance_add(&run->provenance, error, "cache_scan",
                                "CPU %u, working sets up to %zu MiB, pages of %zu KiB, %.1f s", options.cpu,
                                report.scanned_bytes / MIB, report.page_bytes / 1024, report.time_s);
    if (!err)
        err = mw_provenance_add(
            &run->provenance, error, "cache_rule",
            "capacity is the last size within %g of the way from plateau A to B of the isotonic "
            "curve, memory's latency a walk over flushed lines, mean over places of the least of all visits "
            "(latency makes fewer visits, so that what others take of memory raises it more); reported capacities agree within "
            "%g",
            MW_ONSET, MW_CAPACITY_TOLERANCE);
    if (!err)
        print_rows(run, &report, freq_hz);
    if (!err && run->options->curve)
        err = write_curves(run, &report, error);
    mw_cache_report_release(&report);
    return err;
}

static const char *const takes[] = {"curve", "llc", NULL};

const struct measure_probe measure_cache = {
    .name = "cache",
    .summary = "capacity, line, associativity, TLB and prefetchers, beside what is reported",
    .columns = "level,property,value,reported,verdict,disturbed",
    .takes = takes,
    .run = run_cache,
};
