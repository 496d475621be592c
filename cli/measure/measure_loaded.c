// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/machine/limits.h"
#include "measure/probe/loaded.h"

#include <limits.h>
#include <math.h>

#define MIB ((size_t)1 << 20)
/* half of the arrays, by which it is confirmed that the rate is memory's, is still twice the last level */
#define PAST_LAST_LEVEL 4
#define SIZE_LEAST      (64 * MIB)
/* a point takes about 50 ms, the curve of four mixes three seconds */
#define WINDOWS 40
/* a point whose undisturbed windows are fewer than this part of those wanted is marked: its medians are of leftovers */
#define FEW_OF 4

/* Four times the last-level caches in use, of the waiting core its own; together at most half of the memory that may be had. */
static void choose_sizes(const struct measure_run *run, size_t count, struct mw_loaded_options *options)
{
    struct mw_memory_limit limit;
    size_t llc = measure_llc_bytes(run, run->cpus, count);
    mw_memory_limit(run->cli->common.root, &limit);
    size_t most = limit.size_bytes / 2 / count;
    size_t chase = PAST_LAST_LEVEL * measure_llc_bytes(run, run->cpus, 1), load = PAST_LAST_LEVEL * llc / (count - 1);
    size_t least = run->options->llc_bytes ? MIB : SIZE_LEAST; /* what the user says of the caches is believed */
    chase = chase < least ? least : chase;
    load = load < least ? least : load;
    options->chase_bytes = (chase < most ? chase : most) / MIB * MIB;
    options->load_bytes = (load < most ? load : most) / MIB * MIB;
}

static enum mw_err check_cores(const struct measure_run *run, size_t count, struct mw_error *error)
{
    if (run->topology.core_count < 2) {
        mw_fail(error, MW_UNSUPPORTED,
                "latency under load needs a second core to make the load; one core may be used here");
        return mw_hint(error, "memwall measure latency measures it without load");
    }
    if (run->cores_count > 1 || count < 2)
        return mw_fail(error, MW_USAGE,
                       "option '--cores': 'loaded' takes one number, at least 2 (one core waits, the others load)");
    return MW_OK;
}

/* The ring of the one core is laid while the others touch theirs; then each point takes a moment. */
static void say_least(struct measure_run *run, size_t count, const struct mw_loaded_options *options)
{
    if (isinf(measure_max_time_s(run)))
        return;
    struct mw_pace pace = measure_pace(run->cpus, count, count * options->chase_bytes);
    double ring_s = (double)options->chase_bytes * (double)count / pace.ring_bps;
    double touch_s = (double)options->load_bytes * (double)count / pace.touch_bps;
    measure_say_least(run, fmax(ring_s, touch_s) + MW_LOADED_POINTS * MW_LOADED_LEAST_S, NULL);
}

static bool is_few(const struct mw_loaded_point *point, const struct mw_loaded_options *options)
{
    return point->windows * FEW_OF < options->windows;
}

static double rate_of(const struct mw_loaded_point *point, const struct mw_loaded_options *options)
{
    return is_few(point, options) ? 0 : point->bandwidth_bps;
}

static void print_point(struct measure_run *run, unsigned cores, double freq_hz, const struct mw_loaded_point *point,
                        bool disturbed)
{
    measure_row(run, cores, freq_hz);
    fprintf(run->rows, MEASURE_CELL "," MEASURE_CELL ",%u,", 1e9 * point->latency_s, 1e-6 * point->bandwidth_bps,
            point->reads_percent);
    if (point->delay != UINT_MAX)
        fprintf(run->rows, "%u", point->delay);
    fprintf(run->rows, ",%zu,%d", point->windows, disturbed);
    run->disturbed = run->disturbed || disturbed;
    measure_peak_cells(run, point->bandwidth_bps, 0, true);
}

static enum mw_err run_loaded(struct measure_run *run, struct mw_error *error)
{
    size_t count = run->options->cores ? run->cores[run->cores_count - 1] : run->topology.core_count, points = 0;
    struct mw_loaded_options options = {.windows = run->options->runs ? run->options->runs : WINDOWS,
                                        .seed = run->cli->common.seed,
                                        .stop = cli_interrupted};
    struct mw_loaded_point point[MW_LOADED_POINTS], half;
    enum mw_err err = check_cores(run, count, error);
    if (!err)
        err = measure_llc_resolve(run, error);
    if (err)
        return err;
    choose_sizes(run, count, &options);
    if (options.load_bytes < MIB || options.chase_bytes < MIB)
        return mw_fail(error, MW_UNSUPPORTED, "too little memory for %zu cores", count);
    if (run->cli->common.dry_run) {
        cli_say(run->cli, "1 core in a chase over %zu MiB, %zu that load %zu MiB each, %d points",
                options.chase_bytes / MIB, count - 1, options.load_bytes / MIB, MW_LOADED_POINTS);
        return MW_OK;
    }
    say_least(run, count, &options);
    double freq_hz = measure_effective_hz(run, (unsigned)count);
    options.max_time_s = measure_max_time_s(run);
    err = mw_provenance_add(
        &run->provenance, error, "loaded_rule",
        "latency of CPU %u in a chase over %zu MiB, groups of 64 pages; %zu cores load %zu MiB each; "
        "bandwidth counts lines read and lines written back, that of the chase left out; medians of "
        "windows with at least %g of the best one's traffic",
        run->cpus[0], options.chase_bytes / MIB, count - 1, options.load_bytes / MIB, MW_LOADED_SHARE);
    if (!err)
        err = mw_loaded_measure(run->cpus, count, &options, point, &points, &half, error);
    double whole_bps = 0;
    for (size_t i = 0; i < points; i++) {
        print_point(run, (unsigned)count, freq_hz, &point[i], is_few(&point[i], &options));
        if (point[i].reads_percent == half.reads_percent && point[i].delay == half.delay)
            whole_bps = rate_of(&point[i], &options);
    }
    if (!err)
        err = measure_size_check(run, (unsigned)count, "the heaviest reading traffic", whole_bps,
                                 rate_of(&half, &options), error);
    if (!err && points < MW_LOADED_POINTS) {
        cli_warn(run->cli, "%zu of %d points are left out: other work had the cores in every window of theirs",
                 MW_LOADED_POINTS - points, MW_LOADED_POINTS);
        run->disturbed = true;
    }
    return err;
}

static const char *const takes[] = {"llc", NULL};

const struct measure_probe measure_loaded = {
    .name = "loaded",
    .summary = "latency of one core while the others make rising traffic",
    .columns = "latency_ns,bandwidth_mb_s,reads_percent,delay,windows,disturbed,peak_share,cached",
    .takes = takes,
    .run = run_loaded,
};
