// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_SESSION_H
#define MW_MEASURE_GPU_SESSION_H

#include "measure/gpu/gpu.h"
#include "measure/gpu/opencl.h"
#include "measure/gpu/timing.h"

/* A context and a queue on one OpenCL device. Belongs to a child process (measure/gpu/isolate.h). */
struct mw_cl_session {
    struct mw_opencl cl;
    const struct mw_gpu_device *about; /* of the caller */
    void *device, *context, *queue;
};
/* MW_UNSUPPORTED without the device, MW_NOMEM, MW_RUN. _close takes a zeroed one. */
enum mw_err mw_cl_open(struct mw_cl_session *session, const struct mw_gpu_device *about,
                       struct mw_error *error) MW_CHECKED;
void mw_cl_close(struct mw_cl_session *session);

/* MW_RUN with the first line of the compiler's log. The caller releases the program. */
enum mw_err mw_cl_build(const struct mw_cl_session *session, const char *source, const char *options, void **program,
                        struct mw_error *error) MW_CHECKED;
enum mw_err mw_cl_kernel(const struct mw_cl_session *session, void *program, const char *name, void **kernel,
                         struct mw_error *error) MW_CHECKED;
enum mw_err mw_cl_buffer(const struct mw_cl_session *session, uint64_t flags, size_t size_bytes, void **buffer,
                         struct mw_error *error) MW_CHECKED;
enum mw_err mw_cl_argument(const struct mw_cl_session *session, void *kernel, unsigned number, const void *value,
                           size_t size, struct mw_error *error) MW_CHECKED;
enum mw_err mw_cl_write(const struct mw_cl_session *session, void *buffer, const void *data, size_t size_bytes,
                        struct mw_error *error) MW_CHECKED;
enum mw_err mw_cl_read(const struct mw_cl_session *session, void *buffer, size_t offset_bytes, void *data,
                       size_t size_bytes, struct mw_error *error) MW_CHECKED;
/* Waits until the device is idle. A device that was reset is named. */
enum mw_err mw_cl_finish(const struct mw_cl_session *session, struct mw_error *error) MW_CHECKED;

/*
 * A stretch of commands, timed from an idle device to an idle device; the driver's time is from the start of the first
 * to the end of the last. _event is where a command puts its event; _add takes the status of the command, and _end what
 * went wrong before it.
 */
struct mw_cl_span {
    double start_s;
    void *first, *last, *kept;
};
enum mw_err mw_cl_span_begin(const struct mw_cl_session *session, struct mw_cl_span *span,
                             struct mw_error *error) MW_CHECKED;
void **mw_cl_span_event(struct mw_cl_span *span);
enum mw_err mw_cl_span_add(const struct mw_cl_session *session, struct mw_cl_span *span, int status, const char *what,
                           struct mw_error *error) MW_CHECKED;
enum mw_err mw_cl_span_end(const struct mw_cl_session *session, struct mw_cl_span *span, struct mw_gpu_window *window,
                           enum mw_err err, struct mw_error *error) MW_CHECKED;

/* One launch of a kernel on items x passes, timed; group 0: the driver's choice. */
enum mw_err mw_cl_launch(const struct mw_cl_session *session, void *kernel, size_t items, size_t passes, size_t group,
                         struct mw_gpu_window *window, struct mw_error *error) MW_CHECKED;

#endif
