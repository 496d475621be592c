// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/load.h"

#include "data/stats.h"
#include "measure/gpu/draw.h"
#include "measure/gpu/session.h"
#include "measure/probe/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WINDOW_S    10e-3
#define WINDOWS_MAX 16384 /* a few minutes */
#define START_S     60    /* compilers */
#define BLEND_BYTES 12
#define PATTERN     7 /* every byte of the source */

struct shared {
    struct mw_gpu_device device;
    size_t size_bytes;
    double window_bytes;
    atomic_bool wanted, at_work, ready;
    atomic_size_t count;
    struct {
        double end_s, wall_s;
    } windows[WINDOWS_MAX];
};

struct copier {
    struct mw_cl_session session;
    void *program, *kernel, *from, *to;
    size_t items;
};

static void sleep_s(double time_s)
{
    struct timespec t = {.tv_sec = (time_t)time_s, .tv_nsec = (long)(1e9 * fmod(time_s, 1))};
    nanosleep(&t, NULL);
}

/* Windows as long as they are wanted; `run` is one of struct mw_gpu_work. */
static enum mw_err work_on(struct shared *s, double unit_bytes,
                           enum mw_err (*run)(void *, unsigned long, struct mw_gpu_window *, struct mw_error *),
                           void *work, struct mw_error *error)
{
    struct mw_gpu_window got;
    unsigned long units = 1;
    enum mw_err err = run(work, 1, &got, error); /* compiles */
    if (!err)
        err = run(work, 1, &got, error);
    if (!err && got.wall_s < WINDOW_S)
        units = (unsigned long)ceil(WINDOW_S / fmax(got.wall_s, 1e-7));
    s->window_bytes = unit_bytes * (double)units;
    atomic_store(&s->ready, !err);
    while (!err && !mw_isolated_stop()) {
        bool wanted = atomic_load(&s->wanted);
        atomic_store(&s->at_work, wanted);
        if (!wanted) {
            sleep_s(1e-3);
            continue;
        }
        err = run(work, units, &got, error);
        size_t at = atomic_load(&s->count);
        if (err || at == WINDOWS_MAX)
            continue;
        s->windows[at].end_s = mw_now_s();
        s->windows[at].wall_s = got.wall_s;
        atomic_store(&s->count, at + 1);
    }
    return err;
}

static enum mw_err run_copy(void *opaque, unsigned long passes, struct mw_gpu_window *window, struct mw_error *error)
{
    const struct copier *c = opaque;
    return mw_cl_launch(&c->session, c->kernel, c->items, passes, 0, window, error);
}

static enum mw_err prepare_copy(struct copier *c, const struct shared *s, struct mw_error *error)
{
    static const char source[] = "kernel void copy(global const T *a, global T *c)"
                                 " { size_t i = get_global_id(0); c[i] = a[i]; }\n";
    bool wide = s->device.kind == MW_GPU_KIND_CPU;
    unsigned char *data = malloc(s->size_bytes);
    enum mw_err err = data ? mw_cl_open(&c->session, &s->device, error) : mw_fail(error, MW_NOMEM, "out of memory");
    c->items = s->size_bytes / (wide ? 64 : 16);
    if (!err)
        err = mw_cl_build(&c->session, source, wide ? "-DT=float16" : "-DT=float4", &c->program, error);
    if (!err)
        err = mw_cl_kernel(&c->session, c->program, "copy", &c->kernel, error);
    for (int k = 0; k < 2 && !err; k++) {
        void **buffer = k ? &c->to : &c->from;
        memset(data, k ? 0 : PATTERN, s->size_bytes);
        err = mw_cl_buffer(&c->session, MW_CL_MEM_READ_WRITE, s->size_bytes, buffer, error);
        if (!err)
            err = mw_cl_write(&c->session, *buffer, data, s->size_bytes, error);
        if (!err)
            err = mw_cl_argument(&c->session, c->kernel, (unsigned)k, buffer, sizeof *buffer, error);
    }
    free(data);
    return err;
}

static enum mw_err check_copy(const struct copier *c, size_t size_bytes, struct mw_error *error)
{
    unsigned char *data = malloc(size_bytes);
    if (!data)
        return mw_fail(error, MW_NOMEM, "out of memory");
    memset(data, 0, size_bytes);
    enum mw_err err = mw_cl_read(&c->session, c->to, 0, data, size_bytes, error);
    for (size_t i = 0; i < size_bytes && !err; i++)
        if (data[i] != PATTERN)
            err = mw_fail(error, MW_UNTRUSTED, "the device's copy differs from its source at byte %zu", i);
    free(data);
    return err;
}

static enum mw_err copy_on(struct shared *s, struct mw_error *error)
{
    struct copier c = {0};
    enum mw_err err = prepare_copy(&c, s, error);
    if (!err)
        err = work_on(s, 2.0 * (double)s->size_bytes, run_copy, &c, error);
    return err ? err : check_copy(&c, s->size_bytes, error); /* the process ends: nothing is released */
}

static enum mw_err blend_on(struct shared *s, struct mw_error *error)
{
    struct mw_draw d = {.side = 64};
    while ((size_t)4 * d.side * d.side * 4 <= s->size_bytes && 2 * d.side <= s->device.texture_max)
        d.side *= 2;
    struct mw_draw_case layers = {.condition = "layers", .blend = true, .texture = d.side, .samples = 1};
    bool valid = false;
    enum mw_err err = mw_draw_open(&d, &s->device, error);
    if (!err)
        err = mw_draw_begin(&d, &layers, false, error);
    if (!err)
        err = work_on(s, (double)BLEND_BYTES * d.side * d.side, mw_draw_window, &d, error);
    if (!err)
        err = mw_draw_validate(&d, &valid, error);
    if (!err && !valid)
        err = mw_fail(error, MW_UNTRUSTED, "the device's blended layers are not what they must be");
    return err;
}

static enum mw_err work(void *shared, struct mw_error *error)
{
    struct shared *s = shared;
    return s->device.api == MW_GPU_OPENCL ? copy_on(s, error) : blend_on(s, error);
}

enum mw_err mw_gpu_load_open(struct mw_gpu_load *load, const struct mw_gpu_device *device, size_t size_bytes,
                             bool (*stop)(void), struct mw_error *error)
{
    struct mw_gpu_load opened = {.isolated.pipe = -1};
    enum mw_err err = mw_isolated_open(&opened.isolated, sizeof(struct shared), error);
    if (err)
        return err;
    struct shared *s = opened.isolated.shared;
    s->device = *device;
    s->size_bytes = size_bytes;
    err = mw_isolated_start(&opened.isolated, work, error);
    double start_s = mw_now_s();
    while (!err && !atomic_load(&s->ready) && !mw_isolated_gone(&opened.isolated) && !(stop && stop()) &&
           mw_now_s() - start_s < START_S)
        sleep_s(1e-3);
    if (!err && !atomic_load(&s->ready)) {
        bool told = stop && stop();
        bool gone = mw_isolated_gone(&opened.isolated);
        err = mw_isolated_wait(&opened.isolated, gone ? 1 : 0, NULL, error);
        err = told ? mw_fail(error, MW_INTERRUPTED, "interrupted") : err;
        err = err ? err : mw_fail(error, MW_RUN, "a driver took more than %d s to start", START_S);
    }
    opened.window_bytes = s->window_bytes;
    if (err)
        mw_isolated_close(&opened.isolated);
    else
        *load = opened;
    return err;
}

void mw_gpu_load_set(struct mw_gpu_load *load, bool at_work)
{
    struct shared *s = load->isolated.shared;
    atomic_store(&s->wanted, at_work);
    while (atomic_load(&s->at_work) != at_work && !mw_isolated_gone(&load->isolated))
        sleep_s(1e-3);
}

double mw_gpu_load_rate(const struct mw_gpu_load *load, double from_s, double to_s, size_t *windows)
{
    const struct shared *s = load->isolated.shared;
    size_t count = atomic_load(&s->count), kept = 0;
    double *rates = calloc(count + 1, sizeof *rates), median = 0;
    for (size_t i = 0; i < count && rates; i++)
        if (s->windows[i].end_s <= to_s && s->windows[i].end_s - s->windows[i].wall_s >= from_s)
            rates[kept++] = load->window_bytes / s->windows[i].wall_s;
    if (kept)
        median = mw_median(rates, kept);
    free(rates);
    *windows = kept;
    return median;
}

enum mw_err mw_gpu_load_close(struct mw_gpu_load *load, struct mw_error *error)
{
    mw_gpu_load_set(load, false);
    mw_isolated_ask_to_stop(&load->isolated);
    enum mw_err err = mw_isolated_wait(&load->isolated, START_S, NULL, error);
    mw_isolated_close(&load->isolated);
    return err;
}
