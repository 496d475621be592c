// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/job.h"
#include "measure/gpu/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Read, copy and triad. One work item moves one vector (read: eight, so that what it must write is one word for them);
 * passes over the buffers are the second dimension of the range, which devices go through row by row: so what is
 * measured is the whole buffer again and again, whatever fits into a cache, and no start of a kernel is between passes.
 */
#define READ_EACH 8
static const char source[] =
    "#define KERNELS(W, sum)\\\n"
    "kernel void copy_w##W(global const float##W *a, global float##W *c) { size_t i = get_global_id(0); c[i] = a[i]; }\\\n"
    "kernel void triad_w##W(global const float##W *b, global const float##W *c, global float##W *a) {"
    " size_t i = get_global_id(0); a[i] = b[i] + 3.0f * c[i]; }\\\n"
    "kernel void read_w##W(global const float##W *a, global float *out) { size_t i = get_global_id(0), n = "
    "get_global_size(0); float##W s = a[i] + a[i + n] + a[i + 2 * n] + a[i + 3 * n] + a[i + 4 * n] + a[i + 5 * n] + "
    "a[i + 6 * n] + a[i + 7 * n]; out[i] = sum; }\n"
    "#define SUM4(v) (v.s0 + v.s1 + v.s2 + v.s3)\n"
    "KERNELS(4, SUM4(s))\n"
    "KERNELS(16, SUM4(s.lo.lo) + SUM4(s.lo.hi) + SUM4(s.hi.lo) + SUM4(s.hi.hi))\n";
static const unsigned widths[] = {4, 16};
#define WIDTH_MAX 16
/* A buffer of sizes_bytes is a whole number of work-groups of every kernel. */
#define GROUP_MAX  256
#define SIZE_LEAST (READ_EACH * sizeof(float) * WIDTH_MAX * 16)

struct buffers {
    const struct mw_cl_session *session;
    void *memory[3];
    float *host; /* what is written and read back */
    size_t size_bytes;
};

struct moved {
    const struct buffers *b;
    void *kernel;
    size_t items, group;
};

/* small whole numbers: every sum of them is exact in any order */
static float pattern(size_t i)
{
    return (float)((i * 2654435761u >> 12) % 64);
}

static enum mw_err fill(struct buffers *b, struct mw_error *error)
{
    size_t n = b->size_bytes / sizeof *b->host;
    enum mw_err err = MW_OK;
    for (unsigned k = 0; k < 3 && !err; k++) {
        for (size_t i = 0; i < n; i++)
            b->host[i] = k < 2 ? pattern(i + k) : -1;
        err = mw_cl_buffer(b->session, MW_CL_MEM_READ_WRITE, b->size_bytes, &b->memory[k], error);
        if (!err)
            err = mw_cl_write(b->session, b->memory[k], b->host, b->size_bytes, error);
    }
    return err;
}

static void release(struct buffers *b)
{
    for (unsigned k = 0; k < 3; k++)
        if (b->memory[k])
            b->session->cl.clReleaseMemObject(b->memory[k]);
    memset(b->memory, 0, sizeof b->memory);
}

/* What a kernel before it left in the destination is not this one's result. */
static enum mw_err clear_destination(struct buffers *b, struct mw_error *error)
{
    for (size_t i = 0; i < b->size_bytes / sizeof *b->host; i++)
        b->host[i] = -1;
    return mw_cl_write(b->session, b->memory[2], b->host, b->size_bytes, error);
}

/* Every element of what the last kernel wrote. */
static enum mw_err validate(const struct buffers *b, enum mw_gpu_kernel kernel, size_t items, unsigned width,
                            bool *valid, struct mw_error *error)
{
    size_t n = kernel == MW_GPU_READ ? items : b->size_bytes / sizeof *b->host;
    enum mw_err err = mw_cl_read(b->session, b->memory[2], 0, b->host, n * sizeof *b->host, error);
    *valid = true;
    for (size_t i = 0; i < n && !err; i++) {
        float want = 0;
        for (size_t k = 0; kernel == MW_GPU_READ && k < READ_EACH; k++)
            for (size_t lane = 0; lane < width; lane++)
                want += pattern((i + k * items) * width + lane);
        if (kernel != MW_GPU_READ)
            want = kernel == MW_GPU_TRIAD ? pattern(i) + 3 * pattern(i + 1) : pattern(i);
        *valid = *valid && fabsf(b->host[i] - want) <= 0; /* the same, and a number */
    }
    return err;
}

static enum mw_err run_kernel(void *opaque, unsigned long passes, struct mw_gpu_window *window, struct mw_error *error)
{
    const struct moved *m = opaque;
    return mw_cl_launch(m->b->session, m->kernel, m->items, passes, m->group, window, error);
}

static enum mw_err run_copy_buffer(void *opaque, unsigned long count, struct mw_gpu_window *window,
                                   struct mw_error *error)
{
    const struct moved *m = opaque;
    const struct mw_cl_session *s = m->b->session;
    struct mw_cl_span span;
    enum mw_err err = mw_cl_span_begin(s, &span, error);
    for (unsigned long i = 0; i < count && !err; i++)
        err = mw_cl_span_add(s, &span,
                             s->cl.clEnqueueCopyBuffer(s->queue, m->b->memory[0], m->b->memory[2], 0, 0,
                                                       m->b->size_bytes, 0, NULL, mw_cl_span_event(&span)),
                             "copying a buffer", error);
    return mw_cl_span_end(s, &span, window, err, error);
}

/* Work items of a work-group: a power of two that divides them and that kernel and device take. */
static size_t group_of(const struct mw_cl_session *s, void *kernel, size_t items)
{
    size_t most = 0, group = GROUP_MAX;
    if (s->cl.clGetKernelWorkGroupInfo(kernel, s->device, MW_CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL) ||
        !most)
        most = 1;
    if (s->about->kind == MW_GPU_KIND_CPU) /* a group is a loop on one core: longer is better */
        group = 4096;
    while (group > 1 && (group > most || items % group))
        group /= 2;
    return group;
}

static enum mw_err measure(struct mw_gpu_job *job, struct buffers *b, void *program, enum mw_gpu_kernel kernel,
                           unsigned width, double time_s, struct mw_error *error)
{
    static const double moved_times[] = {
        [MW_GPU_READ] = 1, [MW_GPU_COPY] = 2, [MW_GPU_TRIAD] = 3, [MW_GPU_COPY_BUFFER] = 2};
    bool enqueued = kernel == MW_GPU_COPY_BUFFER;
    char name[24];
    struct moved m = {.b = b, .items = b->size_bytes / sizeof(float) / width / (kernel == MW_GPU_READ ? READ_EACH : 1)};
    struct mw_gpu_work work = {
        .run = enqueued ? run_copy_buffer : run_kernel, .work = &m, .time_s = time_s, .runs = job->runs};
    struct mw_gpu_row *row = mw_gpu_row_begin(job, kernel);
    enum mw_err err = MW_OK;
    if (!row)
        return MW_OK;
    snprintf(name, sizeof name, "%s_w%u", mw_gpu_kernel_name(kernel), width);
    if (!enqueued) {
        unsigned argument = 0;
        err = mw_cl_kernel(b->session, program, name, &m.kernel, error);
        for (unsigned k = 0; k < 3 && !err; k++)
            if (k != 1 || kernel == MW_GPU_TRIAD)
                err = mw_cl_argument(b->session, m.kernel, argument++, &b->memory[k], sizeof b->memory[k], error);
        m.group = err ? 1 : group_of(b->session, m.kernel, m.items);
    }
    if (!err)
        err = clear_destination(b, error);
    if (!err)
        err = mw_gpu_time(&work, &row->timing, error);
    if (!err)
        err = validate(b, kernel, m.items, width, &row->valid, error);
    if (!err) {
        snprintf(row->variant, sizeof row->variant, enqueued ? "clEnqueueCopyBuffer" : "float%u", width);
        snprintf(row->condition, sizeof row->condition, "%s",
                 b->size_bytes > 4 * b->session->about->cache_bytes    ? "memory"
                 : b->size_bytes <= b->session->about->cache_bytes / 4 ? "in-cache-as-told"
                                                                       : "near-cache-as-told");
        row->size_bytes = b->size_bytes;
        row->items = enqueued ? 0 : m.items;
        row->group = enqueued ? 0 : m.group;
        row->unit_work = moved_times[kernel] * (double)b->size_bytes;
        mw_gpu_row_rate(job, row, "GB/s", 1e9);
    }
    if (m.kernel)
        b->session->cl.clReleaseKernel(m.kernel);
    return err;
}

static enum mw_err measure_size(struct mw_gpu_job *job, struct buffers *b, void *program, double time_s,
                                struct mw_error *error)
{
    static const enum mw_gpu_kernel kernels[] = {MW_GPU_READ, MW_GPU_COPY, MW_GPU_TRIAD};
    enum mw_err err = fill(b, error);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels && !err; k++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths && !err && job->kernels[kernels[k]]; w++)
            err = measure(job, b, program, kernels[k], widths[w], time_s / 7, error);
    if (!err && job->kernels[MW_GPU_COPY_BUFFER])
        err = measure(job, b, program, MW_GPU_COPY_BUFFER, 1, time_s / 7, error);
    release(b);
    return err;
}

enum mw_err mw_gpu_memory(struct mw_gpu_job *job, const struct mw_cl_session *session, double time_s,
                          struct mw_error *error)
{
    struct buffers b = {.session = session};
    void *program = NULL;
    size_t largest = job->sizes_bytes[job->size_count - 1];
    enum mw_err err = mw_cl_build(session, source, "", &program, error);
    b.host = malloc(largest < SIZE_LEAST ? SIZE_LEAST : largest);
    if (!err && !b.host)
        err = mw_fail(error, MW_NOMEM, "out of memory for buffers of %zu MiB", largest >> 20);
    for (size_t i = 0; i < job->size_count && !err; i++) {
        b.size_bytes = (job->sizes_bytes[i] < SIZE_LEAST ? SIZE_LEAST : job->sizes_bytes[i]) / SIZE_LEAST * SIZE_LEAST;
        err = measure_size(job, &b, program, time_s / (double)job->size_count, error);
    }
    free(b.host);
    if (program)
        session->cl.clReleaseProgram(program);
    return err;
}
