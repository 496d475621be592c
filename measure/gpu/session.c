// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/session.h"

#include "measure/probe/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLATFORMS_MAX 16

enum mw_err mw_cl_open(struct mw_cl_session *session, const struct mw_gpu_device *about, struct mw_error *error)
{
    struct mw_cl_session s = {.about = about};
    void *platforms[PLATFORMS_MAX], *devices[MW_GPU_DEVICES_MAX];
    uint32_t count = 0;
    int status = 0;
    enum mw_err err = mw_opencl_load(&s.cl, error);
    if (err)
        return err;
    if (s.cl.clGetPlatformIDs(PLATFORMS_MAX, platforms, &count) || about->platform >= count ||
        s.cl.clGetDeviceIDs(platforms[about->platform], MW_CL_DEVICE_TYPE_ALL, MW_GPU_DEVICES_MAX, devices, &count) ||
        about->index >= count)
        return mw_fail(error, MW_UNSUPPORTED, "OpenCL: '%s' has gone", about->name);
    s.device = devices[about->index];
    s.context = s.cl.clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    if (!s.context)
        return mw_opencl_fail(error, status, "a context");
    s.queue = s.cl.clCreateCommandQueue(s.context, s.device, MW_CL_QUEUE_PROFILING_ENABLE, &status);
    if (!s.queue) /* some have no timer */
        s.queue = s.cl.clCreateCommandQueue(s.context, s.device, 0, &status);
    if (!s.queue) {
        mw_cl_close(&s);
        return mw_opencl_fail(error, status, "a queue");
    }
    *session = s;
    return MW_OK;
}

void mw_cl_close(struct mw_cl_session *session)
{
    if (session->queue)
        session->cl.clReleaseCommandQueue(session->queue);
    if (session->context)
        session->cl.clReleaseContext(session->context);
    *session = (struct mw_cl_session){0};
}

/* "compiler: first line of its log" */
static enum mw_err build_failed(const struct mw_cl_session *s, void *program, int status, struct mw_error *error)
{
    char name[32];
    size_t size = 0;
    s->cl.clGetProgramBuildInfo(program, s->device, MW_CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log && size)
        s->cl.clGetProgramBuildInfo(program, s->device, MW_CL_PROGRAM_BUILD_LOG, size, log, NULL);
    const char *line = log ? log + strspn(log, " \t\r\n") : "";
    mw_fail(error, MW_RUN, "OpenCL: '%s' did not compile a kernel (%s): %.*s", s->about->name,
            mw_opencl_error_name(status, name, sizeof name), (int)strcspn(line, "\r\n"),
            *line ? line : "the driver tells no reason");
    free(log);
    return mw_hint(error, "a newer driver, or --device N for another device");
}

enum mw_err mw_cl_build(const struct mw_cl_session *s, const char *source, const char *options, void **program,
                        struct mw_error *error)
{
    int status = 0;
    void *made = s->cl.clCreateProgramWithSource(s->context, 1, &source, NULL, &status);
    if (!made)
        return mw_opencl_fail(error, status, "a program");
    status = s->cl.clBuildProgram(made, 1, &s->device, options, NULL, NULL);
    if (status) {
        enum mw_err err = build_failed(s, made, status, error);
        s->cl.clReleaseProgram(made);
        return err;
    }
    *program = made;
    return MW_OK;
}

enum mw_err mw_cl_kernel(const struct mw_cl_session *s, void *program, const char *name, void **kernel,
                         struct mw_error *error)
{
    int status = 0;
    void *made = s->cl.clCreateKernel(program, name, &status);
    if (!made)
        return mw_opencl_fail(error, status, name);
    *kernel = made;
    return MW_OK;
}

enum mw_err mw_cl_buffer(const struct mw_cl_session *s, uint64_t flags, size_t size_bytes, void **buffer,
                         struct mw_error *error)
{
    int status = 0;
    char what[64];
    void *made = s->cl.clCreateBuffer(s->context, flags, size_bytes, NULL, &status);
    snprintf(what, sizeof what, "a buffer of %zu KiB", (size_bytes + 1023) / 1024);
    if (!made)
        return mw_opencl_fail(error, status, what);
    *buffer = made;
    return MW_OK;
}

enum mw_err mw_cl_argument(const struct mw_cl_session *s, void *kernel, unsigned number, const void *value, size_t size,
                           struct mw_error *error)
{
    int status = s->cl.clSetKernelArg(kernel, number, size, value);
    return status ? mw_opencl_fail(error, status, "an argument of a kernel") : MW_OK;
}

enum mw_err mw_cl_write(const struct mw_cl_session *s, void *buffer, const void *data, size_t size_bytes,
                        struct mw_error *error)
{
    int status = s->cl.clEnqueueWriteBuffer(s->queue, buffer, 1, 0, size_bytes, data, 0, NULL, NULL);
    return status ? mw_opencl_fail(error, status, "writing a buffer") : MW_OK;
}

enum mw_err mw_cl_read(const struct mw_cl_session *s, void *buffer, size_t offset_bytes, void *data, size_t size_bytes,
                       struct mw_error *error)
{
    int status = s->cl.clEnqueueReadBuffer(s->queue, buffer, 1, offset_bytes, size_bytes, data, 0, NULL, NULL);
    return status ? mw_opencl_fail(error, status, "reading a buffer") : MW_OK;
}

enum mw_err mw_cl_finish(const struct mw_cl_session *s, struct mw_error *error)
{
    char name[32];
    int status = s->cl.clFinish(s->queue);
    if (!status)
        return MW_OK;
    mw_fail(error, MW_RUN, "OpenCL: the context is lost: the device gave up what it was doing (%s)",
            mw_opencl_error_name(status, name, sizeof name));
    return mw_hint(error,
                   "a driver resets a device that hangs, or a watchdog ends a long kernel; the kernel's log says "
                   "which");
}

enum mw_err mw_cl_span_begin(const struct mw_cl_session *s, struct mw_cl_span *span, struct mw_error *error)
{
    enum mw_err err = mw_cl_finish(s, error);
    *span = (struct mw_cl_span){.start_s = mw_now_s()};
    return err;
}

void **mw_cl_span_event(struct mw_cl_span *span)
{
    return span->first ? &span->last : &span->first;
}

enum mw_err mw_cl_span_add(const struct mw_cl_session *s, struct mw_cl_span *span, int status, const char *what,
                           struct mw_error *error)
{
    if (status)
        return mw_opencl_fail(error, status, what);
    /* commands of a queue end in order: only the last event is needed */
    if (span->last != span->kept && span->kept)
        s->cl.clReleaseEvent(span->kept);
    span->kept = span->last;
    return MW_OK;
}

/* False where the driver tells no times. */
static bool event_times(const struct mw_cl_session *s, void *event, uint64_t *start_ns, uint64_t *end_ns)
{
    return event &&
           !s->cl.clGetEventProfilingInfo(event, MW_CL_PROFILING_COMMAND_START, sizeof *start_ns, start_ns, NULL) &&
           !s->cl.clGetEventProfilingInfo(event, MW_CL_PROFILING_COMMAND_END, sizeof *end_ns, end_ns, NULL);
}

enum mw_err mw_cl_span_end(const struct mw_cl_session *s, struct mw_cl_span *span, struct mw_gpu_window *window,
                           enum mw_err err, struct mw_error *error)
{
    uint64_t from = 0, to = 0, ignored;
    if (!err)
        err = mw_cl_finish(s, error);
    window->wall_s = mw_now_s() - span->start_s;
    void *last = span->last ? span->last : span->first;
    bool told = !err && event_times(s, span->first, &from, &ignored) && event_times(s, last, &ignored, &to);
    window->query_s = told && to >= from ? 1e-9 * (double)(to - from) : -1;
    if (span->first)
        s->cl.clReleaseEvent(span->first);
    if (span->last)
        s->cl.clReleaseEvent(span->last);
    return err;
}

enum mw_err mw_cl_launch(const struct mw_cl_session *s, void *kernel, size_t items, size_t passes, size_t group,
                         struct mw_gpu_window *window, struct mw_error *error)
{
    struct mw_cl_span span;
    const size_t global[] = {items, passes}, local[] = {group, 1};
    enum mw_err err = mw_cl_span_begin(s, &span, error);
    if (!err)
        err = mw_cl_span_add(s, &span,
                             s->cl.clEnqueueNDRangeKernel(s->queue, kernel, passes > 1 ? 2 : 1, NULL, global,
                                                          group ? local : NULL, 0, NULL, mw_cl_span_event(&span)),
                             "starting a kernel", error);
    return mw_cl_span_end(s, &span, window, err, error);
}
