// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/job.h"
#include "measure/gpu/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Between the host's memory and the device's: from pageable memory, from memory that the driver has pinned, and by mapping
 * the buffer and copying. A transfer ends when the data are where the other side reads them.
 */
enum way { PAGEABLE, PINNED, MAPPED, WAYS };
static const char *const way_names[] = {"pageable", "pinned", "mapped"};

struct path {
    const struct mw_cl_session *session;
    enum way way;
    bool to_device;
    void *device, *pinned; /* buffers */
    unsigned char *host;   /* the other side: malloc, or the mapped `pinned` */
    size_t size_bytes;
};

static enum mw_err map_and_copy(const struct path *p, struct mw_cl_span *span, struct mw_error *error)
{
    const struct mw_cl_session *s = p->session;
    int status = 0;
    void *at = s->cl.clEnqueueMapBuffer(s->queue, p->device, 1, p->to_device ? MW_CL_MAP_WRITE : MW_CL_MAP_READ, 0,
                                        p->size_bytes, 0, NULL, mw_cl_span_event(span), &status);
    enum mw_err err = mw_cl_span_add(s, span, status, "mapping a buffer", error);
    if (err)
        return err;
    if (p->to_device)
        memcpy(at, p->host, p->size_bytes);
    else
        memcpy(p->host, at, p->size_bytes);
    status = s->cl.clEnqueueUnmapMemObject(s->queue, p->device, at, 0, NULL, mw_cl_span_event(span));
    return mw_cl_span_add(s, span, status, "unmapping a buffer", error);
}

static enum mw_err run(void *opaque, unsigned long count, struct mw_gpu_window *window, struct mw_error *error)
{
    const struct path *p = opaque;
    const struct mw_cl_session *s = p->session;
    struct mw_cl_span span;
    enum mw_err err = mw_cl_span_begin(s, &span, error);
    for (unsigned long i = 0; i < count && !err; i++) {
        if (p->way == MAPPED)
            err = map_and_copy(p, &span, error);
        else if (p->to_device)
            err = mw_cl_span_add(s, &span,
                                 s->cl.clEnqueueWriteBuffer(s->queue, p->device, 0, 0, p->size_bytes, p->host, 0, NULL,
                                                            mw_cl_span_event(&span)),
                                 "writing a buffer", error);
        else
            err = mw_cl_span_add(s, &span,
                                 s->cl.clEnqueueReadBuffer(s->queue, p->device, 0, 0, p->size_bytes, p->host, 0, NULL,
                                                           mw_cl_span_event(&span)),
                                 "reading a buffer", error);
    }
    return mw_cl_span_end(s, &span, window, err, error);
}

static unsigned char pattern(size_t i, bool to_device)
{
    return (unsigned char)((i * 2654435761u >> 13) + to_device);
}

/* The source holds the pattern, the other side something else. */
static enum mw_err prepare(struct path *p, struct mw_error *error)
{
    unsigned char *data = malloc(p->size_bytes);
    if (!data)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < p->size_bytes; i++)
        data[i] = p->to_device ? 0 : pattern(i, false);
    enum mw_err err = mw_cl_write(p->session, p->device, data, p->size_bytes, error);
    for (size_t i = 0; i < p->size_bytes; i++)
        p->host[i] = p->to_device ? pattern(i, true) : 0;
    free(data);
    return err;
}

static enum mw_err validate(const struct path *p, bool *valid, struct mw_error *error)
{
    unsigned char *data = malloc(p->size_bytes);
    if (!data)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < p->size_bytes;
         i++) /* a read that brings nothing must not find what it should have brought */
        data[i] = (unsigned char)~pattern(i, p->to_device);
    if (p->to_device)
        err = mw_cl_read(p->session, p->device, 0, data, p->size_bytes, error);
    else
        memcpy(data, p->host, p->size_bytes);
    *valid = !err;
    for (size_t i = 0; i < p->size_bytes && *valid; i++)
        *valid = data[i] == pattern(i, p->to_device);
    free(data);
    return err;
}

static enum mw_err open_host(struct path *p, struct mw_error *error)
{
    const struct mw_cl_session *s = p->session;
    int status = 0;
    if (p->way != PINNED) {
        p->host = malloc(p->size_bytes);
        return p->host ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    }
    enum mw_err err =
        mw_cl_buffer(s, MW_CL_MEM_READ_WRITE | MW_CL_MEM_ALLOC_HOST_PTR, p->size_bytes, &p->pinned, error);
    if (err)
        return err;
    p->host = s->cl.clEnqueueMapBuffer(s->queue, p->pinned, 1, MW_CL_MAP_READ | MW_CL_MAP_WRITE, 0, p->size_bytes, 0,
                                       NULL, NULL, &status);
    return p->host ? MW_OK : mw_opencl_fail(error, status, "pinned memory");
}

static void close_path(struct path *p)
{
    const struct mw_cl_session *s = p->session;
    if (p->pinned && p->host)
        s->cl.clEnqueueUnmapMemObject(s->queue, p->pinned, p->host, 0, NULL, NULL);
    s->cl.clFinish(s->queue);
    if (!p->pinned)
        free(p->host);
    if (p->pinned)
        s->cl.clReleaseMemObject(p->pinned);
    if (p->device)
        s->cl.clReleaseMemObject(p->device);
}

static enum mw_err measure(struct mw_gpu_job *job, struct path *p, double time_s, struct mw_error *error)
{
    struct mw_gpu_row *row = mw_gpu_row_begin(job, p->to_device ? MW_GPU_HOST_TO_DEVICE : MW_GPU_DEVICE_TO_HOST);
    struct mw_gpu_work work = {.run = run, .work = p, .time_s = time_s, .runs = job->runs};
    if (!row)
        return MW_OK;
    enum mw_err err = mw_cl_buffer(p->session, MW_CL_MEM_READ_WRITE, p->size_bytes, &p->device, error);
    if (!err)
        err = open_host(p, error);
    if (!err)
        err = prepare(p, error);
    if (!err)
        err = mw_gpu_time(&work, &row->timing, error);
    if (!err)
        err = validate(p, &row->valid, error);
    if (!err) {
        snprintf(row->variant, sizeof row->variant, "%s", way_names[p->way]);
        snprintf(row->condition, sizeof row->condition, "%s",
                 p->session->about->host_memory ? "one-memory" : "two-memories");
        row->size_bytes = p->size_bytes;
        row->unit_work = (double)p->size_bytes;
        mw_gpu_row_rate(job, row, "GB/s", 1e9);
    }
    close_path(p);
    return err;
}

enum mw_err mw_gpu_transfer(struct mw_gpu_job *job, const struct mw_cl_session *session, double time_s,
                            struct mw_error *error)
{
    const size_t at[] = {0, job->size_count / 2, job->size_count - 1};
    size_t places = job->size_count < 3 ? job->size_count : 3;
    unsigned directions = (unsigned)job->kernels[MW_GPU_HOST_TO_DEVICE] + (unsigned)job->kernels[MW_GPU_DEVICE_TO_HOST];
    double share_s = time_s / (double)(places * WAYS * (directions ? directions : 1));
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < places && !err; i++)
        for (enum way way = 0; way < WAYS && !err; way++)
            for (unsigned to = 0; to < 2 && !err; to++) {
                struct path p = {.session = session,
                                 .way = way,
                                 .to_device = to == 1,
                                 .size_bytes = job->sizes_bytes[places < 3 ? i : at[i]]};
                if (job->kernels[to ? MW_GPU_HOST_TO_DEVICE : MW_GPU_DEVICE_TO_HOST])
                    err = measure(job, &p, share_s, error);
            }
    return err;
}
