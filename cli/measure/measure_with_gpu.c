// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure_with_gpu.h"
#include "measure/gpu/load.h"
#include "measure/probe/bandwidth.h"
#include "measure/probe/clock.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define MIB ((size_t)1 << 20)
/* Drivers start in a second or so; one that takes this long won't come. */
#define DRIVERS_S 30
/* of one buffer or layer: past private caches, and quick enough for windows of ten milliseconds */
#define DEVICE_BYTES (64 * MIB)
/* of each of the three stretches: alone, alone, together */
#define STRETCH_MOST_S    1.0
#define STRETCH_LONGEST_S 10.0
#define WINDOWS_LEAST     3

struct stretch {
    double cpu_bps, gpu_bps;
    size_t windows;
};

struct pair {
    struct measure_run *run;
    struct mw_bandwidth memory;
    struct mw_gpu_load load;
    const char *gpu_work; /* "copy", "blend" */
    size_t device;
    double stretch_s;
};

/* Long enough, and the device has done its share of windows; on a busy machine that may take longer. */
static bool is_over(const struct pair *p, bool gpu, double from_s)
{
    size_t windows = WINDOWS_LEAST;
    double now_s = mw_now_s();
    if (gpu)
        mw_gpu_load_rate(&p->load, from_s, now_s, &windows);
    return now_s - from_s > STRETCH_LONGEST_S || cli_interrupted() ||
           (now_s - from_s >= p->stretch_s && windows >= WINDOWS_LEAST);
}

/* Copies on the processor's cores for a while, or a wait of as long; the device's rate in that time. */
static enum mw_err measure_stretch(struct pair *p, bool cpu, bool gpu, struct stretch *s, struct mw_error *error)
{
    struct mw_bandwidth_case c = {
        .test = MW_BW_COPY, .cores = p->memory.cpu_count, .size_bytes = p->memory.size_bytes, .time_s = p->stretch_s};
    struct mw_bandwidth_rate rate = {0};
    enum mw_err err = MW_OK;
    *s = (struct stretch){0};
    mw_gpu_load_set(&p->load, gpu);
    double from_s = mw_now_s(), sum_bps = 0;
    for (double n = 1; !err && !is_over(p, gpu, from_s); n++) {
        if (!cpu) {
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            continue;
        }
        /* a run takes 64 windows at most, and these may be shorter than the time */
        err = mw_bandwidth_run(&p->memory, &c, &rate, error);
        sum_bps += rate.median_bps;
        s->cpu_bps = sum_bps / n;
    }
    if (gpu)
        s->gpu_bps = mw_gpu_load_rate(&p->load, from_s, mw_now_s(), &s->windows);
    mw_gpu_load_set(&p->load, false);
    if (!err && cli_interrupted())
        err = mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (!err && gpu && !s->windows)
        err = mw_fail(error, MW_RUN, "the device was not at work while it was to be");
    return err;
}

static void row(const struct pair *p, const char *test, double rate_bps)
{
    measure_row(p->run, (unsigned)p->memory.cpu_count, 0);
    fprintf(p->run->rows, "%s,%zu,,," MEASURE_CELL ",,,,,,\n", test, p->memory.size_bytes, 1e-6 * rate_bps);
}

static enum mw_err measure_cores(struct pair *p, struct mw_error *error)
{
    struct stretch cpu, gpu, both;
    char name[48];
    enum mw_err err = measure_stretch(p, true, false, &cpu, error);
    if (!err)
        err = measure_stretch(p, false, true, &gpu, error);
    if (!err)
        err = measure_stretch(p, true, true, &both, error);
    if (err)
        return err;
    size_t cores = p->memory.cpu_count;
    double sum_bps = both.cpu_bps + both.gpu_bps, score = sum_bps / fmax(cpu.cpu_bps, gpu.gpu_bps);
    snprintf(name, sizeof name, "cpu-copy-alone-%s", p->gpu_work);
    row(p, name, cpu.cpu_bps);
    snprintf(name, sizeof name, "gpu-%s-alone", p->gpu_work);
    row(p, name, gpu.gpu_bps);
    snprintf(name, sizeof name, "cpu-copy-with-gpu-%s", p->gpu_work);
    row(p, name, both.cpu_bps);
    snprintf(name, sizeof name, "gpu-%s-with-cpu-copy", p->gpu_work);
    row(p, name, both.gpu_bps);
    snprintf(name, sizeof name, "together-%s", p->gpu_work);
    row(p, name, sum_bps);
    cli_say(
        p->run->cli,
        "%zu core%s and device %zu (%s): CPU %.4g GB/s alone, %.4g together; GPU %.4g alone, %.4g together; together "
        "%.2f times the best alone",
        cores, cores == 1 ? "" : "s", p->device, p->gpu_work, cpu.cpu_bps * 1e-9, both.cpu_bps * 1e-9,
        gpu.gpu_bps * 1e-9, both.gpu_bps * 1e-9, score);
    snprintf(name, sizeof name, "score_with_gpu_%s_%zu", p->gpu_work, cores);
    return mw_provenance_add(&p->run->provenance, error, name, "%.4g", score);
}

static enum mw_err measure_device(struct pair *p, const struct mw_gpu_device *d, size_t cpu_bytes,
                                  struct mw_error *error)
{
    struct mw_error closing;
    size_t bytes = d->alloc_bytes && d->alloc_bytes / 2 < DEVICE_BYTES ? d->alloc_bytes / 2 / MIB * MIB : DEVICE_BYTES;
    struct measure_run *run = p->run;
    enum mw_err err = mw_gpu_load_open(&p->load, d, bytes, cli_interrupted, error);
    if (err)
        return err;
    for (size_t i = 0; i < run->cores_count && !err; i++) {
        err = mw_bandwidth_open(&p->memory, run->cpus, run->cores[i], cpu_bytes / run->cores[i] / MIB * MIB, error);
        if (!err)
            err = measure_cores(p, error);
        mw_bandwidth_close(&p->memory);
    }
    enum mw_err closed = mw_gpu_load_close(&p->load, &closing);
    if (closed == MW_UNTRUSTED) {
        cli_warn(run->cli, "%s", closing.message);
        run->untrusted = true;
    } else if (closed && !err) {
        *error = closing;
        err = closed;
    }
    return err;
}

/* The first graphics processor of an API, else its first device that can be used. */
static size_t device_of(const struct mw_gpu_list *list, enum mw_gpu_api api)
{
    size_t found = list->count;
    for (size_t i = list->count; i-- > 0;)
        if (list->devices[i].api == api && !*list->devices[i].failed &&
            (found == list->count || list->devices[i].kind == MW_GPU_KIND_GPU ||
             list->devices[found].kind != MW_GPU_KIND_GPU))
            found = i;
    return found;
}

static enum mw_err add_rule(struct measure_run *run, const struct mw_gpu_device *d, size_t device,
                            struct mw_error *error)
{
    char key[32];
    snprintf(key, sizeof key, "device %zu", device);
    return mw_provenance_add(&run->provenance, error, key, "%s (%s by %s); memory shared with the host: %s", d->name,
                             mw_gpu_kind_name(d->kind), mw_gpu_api_name(d->api),
                             d->host_memory ? "yes" : "not as the driver tells");
}

enum mw_err measure_with_gpu(struct measure_run *run, size_t cpu_bytes, double time_s, struct mw_error *error)
{
    struct mw_gpu_list *list = calloc(1, sizeof *list);
    size_t devices = 0;
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_gpu_list_read(list, DRIVERS_S, cli_interrupted, error);
    for (enum mw_gpu_api api = 0; api < MW_GPU_APIS && !err; api++)
        devices += device_of(list, api) < list->count;
    if (!err && !devices) {
        *error = list->missing[MW_GPU_OPENCL];
        err = error->code ? error->code : mw_fail(error, MW_UNSUPPORTED, "there is no device");
    }
    if (!err)
        err =
            mw_provenance_add(&run->provenance, error, "with_gpu_rule",
                              "copies on the cores, and copies (2 x bytes) or blended layers (12 bytes a pixel) on the "
                              "device, each alone and then at once for the same time; medians of windows by the clock "
                              "of each; score_with_gpu_WORK_CORES = (cpu + gpu, both at work) / max(cpu alone, gpu "
                              "alone); a device without memory of its own shares the host's");
    for (enum mw_gpu_api api = 0; api < MW_GPU_APIS && !err; api++) {
        struct pair p = {
            .run = run, .gpu_work = api == MW_GPU_OPENCL ? "copy" : "blend", .device = device_of(list, api)};
        p.stretch_s = fmin(STRETCH_MOST_S, time_s / (double)(3 * devices * run->cores_count));
        if (p.device == list->count)
            continue;
        err = add_rule(run, &list->devices[p.device], p.device, error);
        if (!err)
            err = measure_device(&p, &list->devices[p.device], cpu_bytes, error);
    }
    free(list);
    return err;
}
