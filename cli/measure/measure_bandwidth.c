// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "cli/measure/measure_with_gpu.h"
#include "measure/probe/bandwidth.h"
#include "measure/probe/clock.h"
#include "measure/machine/limits.h"

#include <math.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
/* within the first level of any processor in use; each copy takes twice as much */
#define SIZE_FIRST (8 * KIB)
#define SIZE_LEAST (64 * MIB)
/* the buffers of all cores together; a copy has two of them */
#define PAST_LAST_LEVEL 2
/* strides and offsets are for memory, which half the size shows as well, in half the time */
#define DETAIL_SHARE 2
/* some thirty windows; large buffers take longer, two windows at least */
#define POINT_TIME_S 0.03

static const size_t strides[] = {64, 128, 192, 256, 384, 512, 1024, 2048, 4096};
#define LENGTH(a) (sizeof(a) / sizeof *(a))

/* Per core: twice the last-level caches in use by all of them, at most half of the memory there is. */
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

/* What one core count has in common: memory, frequency, the time each point may take, and the sums of the score. */
struct round {
    struct measure_run *run;
    struct mw_bandwidth memory;
    unsigned cores;
    double freq_hz, time_s, deadline_s;
    size_t left_out;  /* points, because the time was up */
    double log_score; /* of memset, read and memcpy at the largest size */
};

static enum mw_err measure_case(struct round *r, const char *name, const struct mw_bandwidth_case *c, double *best_bps,
                                struct mw_error *error)
{
    struct mw_bandwidth_rate rate;
    FILE *rows = r->run->rows;
    if (cli_interrupted())
        return mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (mw_now_s() > r->deadline_s) {
        r->left_out++;
        return MW_OK;
    }
    cli_progress(r->run->cli, 0, 0, "%s, %zu KiB on %u cores", name, c->size_bytes / KIB, r->cores);
    enum mw_err err = mw_bandwidth_run(&r->memory, c, &rate, error);
    if (err == MW_UNTRUSTED) {
        cli_warn(r->run->cli, "%s", error->message);
        r->run->untrusted = true;
        return MW_OK;
    }
    if (err)
        return err;
    measure_row(r->run, r->cores, r->freq_hz);
    fprintf(rows, "%s,%zu,%zu,", name, c->size_bytes, c->offset_bytes);
    if (c->stride_bytes)
        fprintf(rows, "%zu", c->stride_bytes);
    fprintf(rows, "," MEASURE_CELL "," MEASURE_CELL ",%zu,%s\n", 1e-6 * rate.best_bps, 1e-6 * rate.median_bps,
            rate.windows, rate.isa);
    if (best_bps)
        *best_bps = rate.best_bps;
    return MW_OK;
}

static enum mw_err measure_sizes(struct round *r, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    size_t largest = r->memory.size_bytes;
    for (size_t size = SIZE_FIRST; !err; size = 2 * size < largest ? 2 * size : largest) {
        for (int t = 0; t < MW_BW_STRIDED_READ && !err; t++) {
            struct mw_bandwidth_case c = {
                .test = (enum mw_bandwidth_test)t, .cores = r->cores, .size_bytes = size, .time_s = r->time_s};
            double best_bps = 0;
            if (!mw_bandwidth_exists(c.test))
                continue;
            err = measure_case(r, mw_bandwidth_name(c.test), &c, &best_bps, error);
            if (size == largest && best_bps > 0 &&
                (c.test == MW_BW_MEMSET || c.test == MW_BW_READ || c.test == MW_BW_MEMCPY))
                r->log_score += log(1e-6 * best_bps) / 3;
        }
        if (size == largest)
            break;
    }
    return err;
}

/* Strided reads of memory, and copies whose destination moves against the source. */
static enum mw_err measure_details(struct round *r, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    size_t size = r->memory.size_bytes / DETAIL_SHARE / KIB * KIB;
    for (size_t i = 0; i < LENGTH(strides) && !err; i++) {
        struct mw_bandwidth_case c = {.test = MW_BW_STRIDED_READ,
                                      .cores = r->cores,
                                      .size_bytes = size,
                                      .stride_bytes = strides[i],
                                      .time_s = r->time_s};
        err = measure_case(r, "strided-read", &c, NULL, error);
    }
    for (size_t offset = 0; offset <= MW_BW_OFFSET_MAX && !err; offset += offset < 0x10000 ? 0x1000 : offset) {
        struct mw_bandwidth_case c = {
            .test = MW_BW_COPY, .cores = r->cores, .size_bytes = size, .offset_bytes = offset, .time_s = r->time_s};
        err = measure_case(r, "copy-offset", &c, NULL, error);
    }
    return err;
}

static enum mw_err measure_round(struct round *r, struct mw_error *error)
{
    struct measure_run *run = r->run;
    size_t largest = largest_buffer(run, r->cores);
    if (largest < MIB)
        return mw_fail(error, MW_UNSUPPORTED, "too little memory for buffers of %u cores", r->cores);
    enum mw_err err = mw_bandwidth_open(&r->memory, run->cpus, r->cores, largest, error);
    if (err)
        return err;
    r->freq_hz = measure_effective_hz(run, r->cores);
    r->log_score = 0;
    size_t missing = r->left_out;
    err = measure_sizes(r, error);
    if (!err && r->left_out == missing) {
        measure_row(run, r->cores, r->freq_hz);
        fprintf(run->rows, "score,%zu,,," MEASURE_CELL ",,,\n", largest, exp(r->log_score));
        cli_say(run->cli, "score on %u cores: (memset x read x memcpy)^(1/3) at %zu MiB = %.0f MB/s", r->cores,
                largest / MIB, exp(r->log_score));
    }
    if (!err && (r->cores == 1 || r->cores == run->cores[run->cores_count - 1]))
        err = measure_details(r, error);
    mw_bandwidth_close(&r->memory);
    return err;
}

static enum mw_err run_bandwidth(struct measure_run *run, struct mw_error *error)
{
    struct round r = {.run = run};
    unsigned all = run->cores[run->cores_count - 1];
    size_t sizes = 3, points;
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
    for (size_t size = SIZE_FIRST; size < largest_buffer(run, 1); size *= 2)
        sizes++;
    points = run->cores_count * sizes * MW_BW_STRIDED_READ + 2 * (LENGTH(strides) + 24);
    /* about a third of the time goes into making the memory and choosing the instruction set */
    double max_time_s = measure_max_time_s(run), start_s = mw_now_s();
    r.time_s = fmin(POINT_TIME_S, max_time_s * 2 / 3 / (double)points);
    if (run->cli->common.dry_run) {
        cli_say(run->cli, "%zu points, buffers up to %zu MiB, %zu MiB of memory, at most %.0f s", points,
                largest_buffer(run, 1) / MIB, mw_bandwidth_memory(all, largest_buffer(run, all)) / MIB, max_time_s);
        return MW_OK;
    }
    err = mw_provenance_add(&run->provenance, error, "bandwidth_rule",
                            "mb_s: best window; bytes read plus bytes written by the program, a line of %d bytes for "
                            "each strided read; size_bytes: one buffer of each core; rate of all cores",
                            MW_BW_LINE);
    if (!err)
        err = mw_provenance_add(&run->provenance, error, "score_formula", "%s",
                                "(memset x read x memcpy)^(1/3), their mb_s at the largest size");
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
    .columns = "test,size_bytes,offset_bytes,stride_bytes,mb_s,mb_s_median,windows,isa",
    .takes = takes,
    .all_core_counts = true,
    .run = run_bandwidth,
};
