// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_JOB_H
#define MW_MEASURE_GPU_JOB_H

#include "measure/gpu/gpu.h"
#include "measure/gpu/timing.h"

/* What is measured on a device; the names are those of --kernel and of the column. */
enum mw_gpu_kernel {
    MW_GPU_PIXEL_FILL,
    MW_GPU_TEXEL_FILL,
    MW_GPU_FP32,
    MW_GPU_FP64,
    MW_GPU_FP16,
    MW_GPU_READ,
    MW_GPU_COPY,
    MW_GPU_TRIAD,
    MW_GPU_COPY_BUFFER,
    MW_GPU_HOST_TO_DEVICE,
    MW_GPU_DEVICE_TO_HOST,
    MW_GPU_RING,
    MW_GPU_KERNELS
};
const char *mw_gpu_kernel_name(enum mw_gpu_kernel kernel);
enum mw_gpu_api mw_gpu_kernel_api(enum mw_gpu_kernel kernel);

/* One figure with all of its conditions; what does not apply is 0 or empty. */
struct mw_gpu_row {
    enum mw_gpu_kernel kernel;
    char variant[24], condition[32], unit[12];
    size_t size_bytes;    /* of one buffer, of the target, of the ring */
    double value, median; /* in `unit`: of the best window, of the median one */
    struct mw_gpu_timing timing;
    bool query_plausible, valid;
    /* conditions of drawing */
    unsigned width, height, texture, samples;
    char format[12], texture_format[12], filter[12];
    double factor;                  /* the clean case's rate over this one's */
    bool blend, depth, alternating; /* alternating: draws go to two targets in turn */
    /* conditions of a kernel */
    size_t items, group, private_bytes;
    double unit_work; /* operations, bytes, pixels or loads of one unit of timing.count */
    char code[96];    /* instructions of the compiled loop, or why they can't be told */
    char note[160];
    double clock_seen_hz; /* while it ran; 0 unknown */
};

#define MW_GPU_ROWS_MAX  400
#define MW_GPU_SIZES_MAX 32
/* In the memory that parent and child share: the parent fills the first part, the child the rows. */
struct mw_gpu_job {
    struct mw_gpu_device device;
    bool kernels[MW_GPU_KERNELS];
    size_t sizes_bytes[MW_GPU_SIZES_MAX], size_count; /* none: by the device's caches and memory */
    double time_s;                                    /* for all of it */
    unsigned long runs;                               /* as in struct mw_gpu_work */
    unsigned long seed;
    struct mw_gpu_row rows[MW_GPU_ROWS_MAX];
    size_t row_count;    /* counted up when a row is whole */
    double clock_now_hz; /* the parent's, ten times a second; 0 unknown */
    char left_out[400];  /* what this device can't do, and why */
};

/*
 * Measures what job->kernels names on job->device, in a child process. Rows that are whole stay after an error.
 * MW_UNSUPPORTED where the device can do none of it, MW_NOMEM, MW_RUN, MW_INTERRUPTED.
 * Test: tests/cli/gpu.sh; rates against measure flops, latency and bandwidth by bench/gpu.sh.
 */
enum mw_err mw_gpu_measure(struct mw_gpu_job *job, bool (*stop)(void), struct mw_error *error) MW_CHECKED;

/* For the files of this folder, in the child. */
struct mw_cl_session;
/* A cleared row at the end of the table, not counted yet; NULL where it is full. */
struct mw_gpu_row *mw_gpu_row_begin(struct mw_gpu_job *job, enum mw_gpu_kernel kernel);
/* Fills value, median and plausibility from row->timing and row->unit_work, `scale` of them for one `unit`; counts it. */
void mw_gpu_row_rate(struct mw_gpu_job *job, struct mw_gpu_row *row, const char *unit, double scale);
/* The same for the time of one piece of work. */
void mw_gpu_row_latency(struct mw_gpu_job *job, struct mw_gpu_row *row, const char *unit, double scale);
void mw_gpu_left_out(struct mw_gpu_job *job, const char *what, const char *why);
enum mw_err mw_gpu_arithmetic(struct mw_gpu_job *job, const struct mw_cl_session *session, enum mw_gpu_kernel precision,
                              double time_s, struct mw_error *error) MW_CHECKED;
enum mw_err mw_gpu_memory(struct mw_gpu_job *job, const struct mw_cl_session *session, double time_s,
                          struct mw_error *error) MW_CHECKED;
enum mw_err mw_gpu_transfer(struct mw_gpu_job *job, const struct mw_cl_session *session, double time_s,
                            struct mw_error *error) MW_CHECKED;
enum mw_err mw_gpu_ring(struct mw_gpu_job *job, const struct mw_cl_session *session, double time_s,
                        struct mw_error *error) MW_CHECKED;
enum mw_err mw_gpu_fill(struct mw_gpu_job *job, double time_s, struct mw_error *error) MW_CHECKED;

#endif
