// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/bandwidth_round.h"
#include "cli/measure/measure.h"
#include "cli/measure/measure_with_gpu.h"
#include "measure/machine/limits.h"
#include "measure/probe/bandwidth_verdict.h"
#include "measure/probe/clock.h"

#include <math.h>
#include <string.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
/* within the first level of any processor in use; each copy takes twice as much */
#define SIZE_FIRST (8 * KIB)
#define SIZE_LEAST (64 * MIB)
/* the buffers of all cores together; a copy has two of them */
#define PAST_LAST_LEVEL 4
/* some thirty windows; large buffers take longer, two windows at least */
#define POINT_TIME_S 0.03
/* for the memory, the choice of the instruction set, and first touches */
#define POINTS_SHARE (2. / 3)
/* Reads fall by this much from a size to twice it where a level ends: the sizes between are measured too. */
#define STEP_FALL 0.85
/* of a rate of memory, which other work disturbed in all of its windows: what time is left is used */
#define MORE_VISITS 8

static const size_t strides[] = {64, 128, 192, 256, 384, 512, 1024, 2048, 4096};
static const double between[] = {1.25, 1.5, 1.75};
#define LENGTH(a) (sizeof(a) / sizeof *(a))

/* Per core: four times the last-level caches in use by all of them, at most half of the memory there is. */
static size_t largest_buffer(const struct measure_run *run, unsigned cores)
{
    struct mw_memory_limit limit;
    size_t llc = measure_llc_bytes(run, run->cpus, cores);
    mw_memory_limit(run->cli->common.root, &limit);
    size_t size = PAST_LAST_LEVEL * llc / cores, most = limit.size_bytes / 4 / cores;
    size_t least = run->options->llc_bytes ? MIB : SIZE_LEAST; /* what the user says of the caches is believed */
    size = size < least ? least : size;
    if (most > 16 * MIB && size > most - 16 * MIB) /* alignment and offsets take some, see mw_bandwidth_memory */
        size = most - 16 * MIB;
    return size / MIB * MIB;
}

enum mw_err bandwidth_visit(struct bandwidth_round *r, const char *name, const struct mw_bandwidth_case *c,
                            struct mw_bandwidth_rate *rate, struct mw_error *error)
{
    *rate = (struct mw_bandwidth_rate){0};
    if (cli_interrupted())
        return mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (mw_now_s() > r->deadline_s)
        return MW_OK;
    cli_progress(r->run->cli, 0, 0, "%s, %zu KiB on %u cores", name, c->size_bytes / KIB, r->cores);
    enum mw_err err = mw_bandwidth_run(&r->memory, c, rate, error);
    for (int again = 0; again < MORE_VISITS && !err && rate->disturbed && c->size_bytes == r->memory.size_bytes &&
                        mw_now_s() < r->deadline_s && !cli_interrupted();
         again++)
        err = mw_bandwidth_run(&r->memory, c, rate, error);
    if (err != MW_UNTRUSTED)
        return err;
    cli_warn(r->run->cli, "%s", error->message);
    r->run->untrusted = true;
    *rate = (struct mw_bandwidth_rate){0};
    return MW_OK;
}

double bandwidth_row(struct bandwidth_round *r, const char *name, const struct mw_bandwidth_case *c,
                     const struct mw_bandwidth_rate *rate)
{
    FILE *rows = r->run->rows;
    if (!rate->windows) {
        r->left_out += mw_now_s() > r->deadline_s;
        return 0;
    }
    measure_row(r->run, r->cores, r->freq_hz);
    fprintf(rows, "%s,%zu,%zu,", name, c->size_bytes, c->offset_bytes);
    if (c->stride_bytes)
        fprintf(rows, "%zu", c->stride_bytes);
    fprintf(rows, "," MEASURE_CELL "," MEASURE_CELL ",%zu,%s,%d", 1e-6 * rate->best_bps, 1e-6 * rate->median_bps,
            rate->windows, rate->isa, rate->disturbed);
    bool reads = c->test == MW_BW_STRIDED_READ || c->test == MW_BW_RANDOM_READ;
    double in_order_bps = reads ? r->rate_bps[MW_BW_READ] : 0;
    measure_peak_cells(r->run, rate->best_bps, in_order_bps, c->size_bytes == r->memory.size_bytes);
    r->run->disturbed = r->run->disturbed || rate->disturbed;
    bool cached = reads && mw_bw_cached(rate->best_bps, in_order_bps, r->run->peak_bps);
    return rate->disturbed || cached ? 0 : rate->best_bps;
}

/* One visit, one row; *best_bps is left alone where there is none, or no verdict may rest on it. */
static enum mw_err measure_case(struct bandwidth_round *r, const char *name, const struct mw_bandwidth_case *c,
                                double *best_bps, struct mw_error *error)
{
    struct mw_bandwidth_rate rate;
    enum mw_err err = bandwidth_visit(r, name, c, &rate, error);
    double bps = err ? 0 : bandwidth_row(r, name, c, &rate);
    if (bps > 0)
        *best_bps = bps;
    return err;
}

/* All tests at one size. */
static enum mw_err measure_size(struct bandwidth_round *r, size_t size, double *rate_bps, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    memset(rate_bps, 0, MW_BW_TESTS * sizeof *rate_bps);
    for (int t = 0; t < MW_BW_STRIDED_READ && !err; t++) {
        struct mw_bandwidth_case c = {
            .test = (enum mw_bandwidth_test)t, .cores = r->cores, .size_bytes = size, .time_s = r->time_s};
        if (mw_bandwidth_exists(c.test))
            err = measure_case(r, mw_bandwidth_name(c.test), &c, &rate_bps[t], error);
    }
    if (r->size_count < BANDWIDTH_SIZES) {
        size_t i = r->size_count++;
        while (i && r->size_bytes[i - 1] > size) { /* sizes between others come later */
            r->size_bytes[i] = r->size_bytes[i - 1];
            r->fill_bps[i] = r->fill_bps[i - 1];
            r->fill_nt_bps[i] = r->fill_nt_bps[i - 1];
            i--;
        }
        r->size_bytes[i] = size;
        r->fill_bps[i] = rate_bps[MW_BW_FILL];
        r->fill_nt_bps[i] = rate_bps[MW_BW_FILL_NT];
    }
    return err;
}

/* Doubling sizes below the largest, more of them where a level ends. */
static enum mw_err measure_sizes(struct bandwidth_round *r, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    double before_bps = 0, rate_bps[MW_BW_TESTS], inner_bps[MW_BW_TESTS];
    for (size_t size = SIZE_FIRST; size < r->memory.size_bytes && !err; size *= 2) {
        err = measure_size(r, size, rate_bps, error);
        bool fell = rate_bps[MW_BW_READ] > 0 && rate_bps[MW_BW_READ] < STEP_FALL * before_bps;
        for (size_t i = 0; i < LENGTH(between) && fell && !err; i++)
            err = measure_size(r, (size_t)(between[i] * (double)(size / 2)) / KIB * KIB, inner_bps, error);
        before_bps = rate_bps[MW_BW_READ];
    }
    return err;
}

/* Reads of memory that are not in order: at strides, at random; and reads beside other cores' writes. */
static enum mw_err measure_reads(struct bandwidth_round *r, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    struct mw_bandwidth_case c = {.cores = r->cores, .size_bytes = r->memory.size_bytes, .time_s = r->time_s};
    c.test = MW_BW_STRIDED_READ;
    r->stride_log = 0;
    r->stride_count = 0;
    for (size_t i = 0; i < LENGTH(strides) && !err; i++) {
        double best_bps = 0;
        c.stride_bytes = strides[i];
        err = measure_case(r, "strided-read", &c, &best_bps, error);
        if (strides[i] > 2 * MW_BW_LINE && best_bps > 0) {
            r->stride_log += log(best_bps);
            r->stride_count++;
        }
    }
    c.stride_bytes = 0;
    c.test = MW_BW_RANDOM_READ;
    if (!err)
        err = measure_case(r, "random-read", &c, &r->rate_bps[MW_BW_RANDOM_READ], error);
    c.test = MW_BW_READ_BESIDE_FILL;
    if (!err && r->cores > 1)
        err = measure_case(r, "read-beside-fill", &c, &r->rate_bps[MW_BW_READ_BESIDE_FILL], error);
    return err;
}

static enum mw_err measure_round(struct bandwidth_round *r, struct mw_error *error)
{
    struct measure_run *run = r->run;
    size_t largest = largest_buffer(run, r->cores);
    if (largest < MIB)
        return mw_fail(error, MW_UNSUPPORTED, "too little memory for buffers of %u cores", r->cores);
    enum mw_err err = mw_bandwidth_open(&r->memory, run->cpus, r->cores, largest, error);
    if (err)
        return err;
    r->freq_hz = measure_effective_hz(run, r->cores);
    r->size_count = r->offset_count = 0;
    /* what matters most comes first: memory, then the levels before it */
    err = measure_size(r, largest, r->rate_bps, error);
    if (!err)
        err = bandwidth_confirm(r, error);
    if (!err)
        err = measure_reads(r, error);
    if (!err)
        bandwidth_score(r, LENGTH(strides) - 2);
    if (!err)
        err = measure_sizes(r, error);
    if (!err && (r->cores == 1 || r->cores == run->cores[run->cores_count - 1]))
        err = bandwidth_offsets(r, error);
    if (!err)
        err = bandwidth_verdicts(r, error);
    mw_bandwidth_close(&r->memory);
    return err;
}

static size_t point_count(const struct measure_run *run)
{
    size_t sizes = 3 + 2 * LENGTH(between);
    for (size_t size = SIZE_FIRST; size < largest_buffer(run, 1); size *= 2)
        sizes++;
    return run->cores_count * (sizes * MW_BW_STRIDED_READ + LENGTH(strides) + 2) + 2 * BANDWIDTH_OFFSETS;
}

/* The buffers are touched anew for each core count. */
static void say_least(struct measure_run *run)
{
    double least_s = 0, first_s = 0;
    size_t all = run->cores_count;
    char fits[32];
    if (isinf(measure_max_time_s(run)))
        return;
    for (size_t i = 0; i < all; i++) {
        size_t bytes = mw_bandwidth_memory(run->cores[i], largest_buffer(run, run->cores[i]));
        least_s += (double)bytes / measure_pace(run->cpus, run->cores[i], bytes).touch_bps;
        first_s = i ? first_s : least_s;
    }
    snprintf(fits, sizeof fits, "--cores %u", run->cores[0]);
    measure_say_least(run, least_s, all > 1 && measure_fits(run, first_s) ? fits : NULL);
}

static enum mw_err run_bandwidth(struct measure_run *run, struct mw_error *error)
{
    struct bandwidth_round r = {.run = run};
    unsigned all = run->cores[run->cores_count - 1];
    enum mw_err err = measure_llc_resolve(run, error);
    if (err)
        return err;
    if (run->options->with_gpu && run->cli->common.dry_run)
        cli_say(run->cli, "copies on %zu core counts and work on a device, alone and at once, about %.0f s",
                run->cores_count, measure_max_time_s(run));
    if (run->options->with_gpu)
        return run->cli->common.dry_run
                   ? MW_OK
                   : measure_with_gpu(run, all * largest_buffer(run, all), measure_max_time_s(run), error);
    double max_time_s = measure_max_time_s(run), start_s = mw_now_s();
    r.time_s = fmin(POINT_TIME_S, max_time_s * POINTS_SHARE / (double)point_count(run));
    if (run->cli->common.dry_run) {
        cli_say(run->cli, "%zu points, buffers up to %zu MiB, %zu MiB of memory, at most %.0f s", point_count(run),
                largest_buffer(run, 1) / MIB, mw_bandwidth_memory(all, largest_buffer(run, all)) / MIB, max_time_s);
        return MW_OK;
    }
    err = mw_provenance_add(&run->provenance, error, "bandwidth_rule",
                            "mb_s: best window without a context switch; bytes read plus bytes written by the program, "
                            "%d for each line of a strided or random read, which read each line once; size_bytes: one "
                            "buffer of each core; rate of all cores",
                            MW_BW_LINE);
    if (!err)
        err = mw_provenance_add(&run->provenance, error, "score_formula", "%s", bandwidth_score_formula);
    if (!err)
        say_least(run);
    for (size_t i = 0; i < run->cores_count && !err; i++) {
        r.cores = run->cores[i];
        r.deadline_s = start_s + max_time_s * (double)(i + 1) / (double)run->cores_count;
        err = measure_round(&r, error);
    }
    if (!err && r.left_out)
        cli_warn(run->cli, "the time was up: %zu points are left out; --max-time gives more", r.left_out);
    return err;
}

static const char *const takes[] = {"llc", "with-gpu", NULL};

const struct measure_probe measure_bandwidth = {
    .name = "bandwidth",
    .summary = "memset, read and copy over sizes, strides, offsets and cores",
    .columns = "test,size_bytes,offset_bytes,stride_bytes,mb_s,mb_s_median,windows,isa,disturbed,peak_share,cached",
    .takes = takes,
    .all_core_counts = true,
    .run = run_bandwidth,
};
