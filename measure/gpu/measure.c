// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/gpu_card.h"
#include "measure/gpu/isolate.h"
#include "measure/gpu/job.h"
#include "measure/gpu/session.h"
#include "measure/machine/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIB ((size_t)1 << 20)
/* Largest buffer: past the caches where the device and the host have the memory. */
#define SIZE_MOST       (256 * MIB)
#define SIZE_LEAST      ((size_t)16 << 10)
#define RING_LEAST      ((size_t)4 << 10)
#define PAST_CACHE      4
#define MEMORY_PARTS    16 /* three buffers, what is read back, and as much for everybody else */
#define ALLOCATION_PART 2
/* compilers, validation, one window on a busy machine: a driver that takes longer without a sign of life is ended */
#define SILENCE_S 120

static const struct {
    const char *name;
    enum mw_gpu_api api;
} kernels[MW_GPU_KERNELS] = {
    [MW_GPU_PIXEL_FILL] = {"pixel-fill", MW_GPU_GLES},
    [MW_GPU_TEXEL_FILL] = {"texel-fill", MW_GPU_GLES},
    [MW_GPU_FP32] = {"fp32", MW_GPU_OPENCL},
    [MW_GPU_FP64] = {"fp64", MW_GPU_OPENCL},
    [MW_GPU_FP16] = {"fp16", MW_GPU_OPENCL},
    [MW_GPU_READ] = {"read", MW_GPU_OPENCL},
    [MW_GPU_COPY] = {"copy", MW_GPU_OPENCL},
    [MW_GPU_TRIAD] = {"triad", MW_GPU_OPENCL},
    [MW_GPU_COPY_BUFFER] = {"copy-buffer", MW_GPU_OPENCL},
    [MW_GPU_HOST_TO_DEVICE] = {"host-to-device", MW_GPU_OPENCL},
    [MW_GPU_DEVICE_TO_HOST] = {"device-to-host", MW_GPU_OPENCL},
    [MW_GPU_RING] = {"ring", MW_GPU_OPENCL},
};

const char *mw_gpu_kernel_name(enum mw_gpu_kernel kernel)
{
    return kernels[kernel].name;
}

enum mw_gpu_api mw_gpu_kernel_api(enum mw_gpu_kernel kernel)
{
    return kernels[kernel].api;
}

struct mw_gpu_row *mw_gpu_row_begin(struct mw_gpu_job *job, enum mw_gpu_kernel kernel)
{
    if (job->row_count == MW_GPU_ROWS_MAX)
        return NULL;
    struct mw_gpu_row *row = &job->rows[job->row_count];
    *row = (struct mw_gpu_row){.kernel = kernel};
    return row;
}

/* What holds for every timed row: a query that can't be is told, and work that was not done is no measurement. */
static void judge(struct mw_gpu_row *row)
{
    const struct mw_gpu_timing *t = &row->timing;
    row->query_plausible = mw_gpu_query_plausible(t->query_s, t->best_s);
    if (t->query_s >= 0 && !row->query_plausible)
        snprintf(row->note, sizeof row->note, "query not plausible: %.3g s of %.3g s by the wall clock", t->query_s,
                 t->best_s);
    if (!mw_gpu_proportional(t)) {
        row->valid = false;
        snprintf(row->note, sizeof row->note, "%s: 16 times the work took %.3g times as long",
                 mw_gpu_deferred(t) ? "work deferred or dropped" : "disturbed too much to tell work from waiting",
                 t->growth_16);
    }
}

void mw_gpu_row_rate(struct mw_gpu_job *job, struct mw_gpu_row *row, const char *unit, double scale)
{
    double work = row->unit_work * (double)row->timing.count / scale;
    row->value = work / row->timing.best_s;
    row->median = work / row->timing.median_s;
    row->clock_seen_hz = job->clock_now_hz;
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    judge(row);
    job->row_count++;
}

void mw_gpu_row_latency(struct mw_gpu_job *job, struct mw_gpu_row *row, const char *unit, double scale)
{
    double work = row->unit_work * (double)row->timing.count / scale;
    row->value = row->timing.best_s / work;
    row->median = row->timing.median_s / work;
    row->clock_seen_hz = job->clock_now_hz;
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    judge(row);
    job->row_count++;
}

void mw_gpu_left_out(struct mw_gpu_job *job, const char *what, const char *why)
{
    size_t length = strlen(job->left_out);
    snprintf(job->left_out + length, sizeof job->left_out - length, "%s%s: %s", length ? "; " : "", what, why);
}

static size_t largest_size(const struct mw_gpu_device *d)
{
    struct mw_memory_limit limit;
    mw_memory_limit("", &limit);
    size_t most = PAST_CACHE * d->cache_bytes;
    most = most < SIZE_MOST / PAST_CACHE ? SIZE_MOST / PAST_CACHE : most;
    most = most > SIZE_MOST ? SIZE_MOST : most;
    if (d->kind == MW_GPU_KIND_CPU) /* the host's caches and memory have probes of their own */
        most = SIZE_MOST / PAST_CACHE;
    if (d->memory_bytes && most > d->memory_bytes / MEMORY_PARTS)
        most = d->memory_bytes / MEMORY_PARTS;
    if (d->alloc_bytes && most > d->alloc_bytes / ALLOCATION_PART)
        most = d->alloc_bytes / ALLOCATION_PART;
    return most > limit.size_bytes / MEMORY_PARTS ? limit.size_bytes / MEMORY_PARTS : most;
}

/* A geometric list up to the largest, unless sizes were given. */
static void choose_sizes(struct mw_gpu_job *job, const struct mw_gpu_job *given, size_t least, size_t factor)
{
    if (given->size_count)
        return;
    size_t largest = largest_size(&job->device);
    job->size_count = 0;
    for (size_t size = least; size <= largest && job->size_count < MW_GPU_SIZES_MAX; size *= factor)
        job->sizes_bytes[job->size_count++] = size;
    if (!job->size_count)
        job->sizes_bytes[job->size_count++] = least;
}

/* Shares of the time: rows of a kind times what a row needs for a reading that repeats. */
static double share_of(const struct mw_gpu_job *job, enum mw_gpu_kernel kernel)
{
    static const double weights[MW_GPU_KERNELS] = {
        [MW_GPU_PIXEL_FILL] = 6,  [MW_GPU_TEXEL_FILL] = 5, [MW_GPU_FP32] = 6,           [MW_GPU_FP64] = 6,
        [MW_GPU_FP16] = 6,        [MW_GPU_READ] = 3,       [MW_GPU_COPY] = 3,           [MW_GPU_TRIAD] = 3,
        [MW_GPU_COPY_BUFFER] = 2, [MW_GPU_RING] = 6,       [MW_GPU_HOST_TO_DEVICE] = 3, [MW_GPU_DEVICE_TO_HOST] = 3};
    return job->kernels[kernel] ? weights[kernel] : 0;
}

static enum mw_err measure_opencl(struct mw_gpu_job *job, struct mw_error *error)
{
    static struct mw_gpu_job given; /* in the child, once */
    struct mw_cl_session session = {0};
    double all = 0, memory = 0, transfer = 0;
    for (enum mw_gpu_kernel k = 0; k < MW_GPU_KERNELS; k++)
        all += kernels[k].api == MW_GPU_OPENCL ? share_of(job, k) : 0;
    for (enum mw_gpu_kernel k = MW_GPU_READ; k <= MW_GPU_COPY_BUFFER; k++)
        memory += share_of(job, k);
    transfer = share_of(job, MW_GPU_HOST_TO_DEVICE) + share_of(job, MW_GPU_DEVICE_TO_HOST);
    if (all <= 0)
        return MW_OK;
    enum mw_err err = mw_cl_open(&session, &job->device, error);
    given.size_count = job->size_count;
    for (enum mw_gpu_kernel k = MW_GPU_FP32; k <= MW_GPU_FP16 && !err; k++) {
        bool there = k == MW_GPU_FP32 || (k == MW_GPU_FP64 ? job->device.fp64 : job->device.fp16);
        if (job->kernels[k] && there)
            err = mw_gpu_arithmetic(job, &session, k, job->time_s * share_of(job, k) / all, error);
        else if (job->kernels[k])
            mw_gpu_left_out(job, kernels[k].name, "this device has no such numbers");
    }
    choose_sizes(job, &given, SIZE_LEAST, 4);
    if (!err && memory > 0)
        err = mw_gpu_memory(job, &session, job->time_s * memory / all, error);
    if (!err && transfer > 0)
        err = mw_gpu_transfer(job, &session, job->time_s * transfer / all, error);
    choose_sizes(job, &given, RING_LEAST, 2);
    if (!err && job->kernels[MW_GPU_RING])
        err = mw_gpu_ring(job, &session, job->time_s * share_of(job, MW_GPU_RING) / all, error);
    mw_cl_close(&session);
    return err;
}

static enum mw_err measure(void *shared, struct mw_error *error)
{
    struct mw_gpu_job *job = shared;
    enum mw_err err = job->device.api == MW_GPU_OPENCL ? measure_opencl(job, error) : MW_OK;
    bool fills = job->kernels[MW_GPU_PIXEL_FILL] || job->kernels[MW_GPU_TEXEL_FILL];
    if (!err && job->device.api == MW_GPU_GLES && fills)
        err = mw_gpu_fill(job, job->time_s, error);
    return err;
}

/* While the parent waits, it looks at the clock; mw_isolated_wait asks ten times a second. */
static struct {
    struct mw_gpu_job *job;
    struct mw_card card;
    bool has_card, (*stop)(void);
} watch;

static bool look_and_stop(void)
{
    if (watch.has_card)
        watch.job->clock_now_hz = mw_card_clock("", &watch.card);
    return watch.stop && watch.stop();
}

enum mw_err mw_gpu_measure(struct mw_gpu_job *job, bool (*stop)(void), struct mw_error *error)
{
    struct mw_isolated isolated = {.pipe = -1};
    enum mw_err err = mw_isolated_open(&isolated, sizeof *job, error);
    if (err)
        return err;
    *(struct mw_gpu_job *)isolated.shared = *job;
    watch.job = isolated.shared;
    watch.stop = stop;
    watch.has_card = job->device.kind == MW_GPU_KIND_GPU && mw_card_find("", job->device.vendor, &watch.card);
    err = mw_isolated_start(&isolated, measure, error);
    if (!err)
        err = mw_isolated_wait(&isolated, SILENCE_S, look_and_stop, error);
    *job = *(const struct mw_gpu_job *)isolated.shared;
    mw_isolated_close(&isolated);
    return err;
}
