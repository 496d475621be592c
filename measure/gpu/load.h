// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_LOAD_H
#define MW_MEASURE_GPU_LOAD_H

#include "measure/gpu/gpu.h"
#include "measure/gpu/isolate.h"

/*
 * A device at work in the background, to share memory with: copies of a buffer (OpenCL), or layers blended over each other
 * (OpenGL ES: a texel read, a pixel read and a pixel written, 12 bytes), in windows of some ten milliseconds whose times
 * are noted, so that the rate in any stretch of time can be told afterwards.
 */
struct mw_gpu_load {
    struct mw_isolated isolated;
    double window_bytes; /* that the program reads and writes */
};

/* Starts the child, and waits until it has compiled and run once. size_bytes: of one of the two buffers or layers. */
enum mw_err mw_gpu_load_open(struct mw_gpu_load *load, const struct mw_gpu_device *device, size_t size_bytes,
                             bool (*stop)(void), struct mw_error *error) MW_CHECKED;
/* At work or idle; returns when it is. */
void mw_gpu_load_set(struct mw_gpu_load *load, bool at_work);
/*
 * Median rate of the windows that lie within a stretch of the monotonic clock, bytes per second; *windows of them, 0
 * where there is none.
 */
double mw_gpu_load_rate(const struct mw_gpu_load *load, double from_s, double to_s, size_t *windows);
/* Ends the child. MW_UNTRUSTED where what it left is not what its work must leave; else what went wrong in it. */
enum mw_err mw_gpu_load_close(struct mw_gpu_load *load, struct mw_error *error) MW_CHECKED;

#endif
