// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_H
#define MW_MEASURE_GPU_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Graphics processors and what stands in for them: the devices of OpenCL, and those that OpenGL ES draws with. All of
 * these structs are plain bytes: they are filled in a child process (measure/gpu/isolate.h).
 */
enum mw_gpu_api { MW_GPU_OPENCL, MW_GPU_GLES, MW_GPU_APIS };
enum mw_gpu_kind { MW_GPU_KIND_GPU, MW_GPU_KIND_CPU, MW_GPU_KIND_ACCELERATOR, MW_GPU_KIND_SOFTWARE };

struct mw_gpu_device {
    enum mw_gpu_api api;
    enum mw_gpu_kind kind;    /* software: pixels are drawn by the host's cores */
    unsigned platform, index; /* as the API counts them */
    char name[160], vendor[96], platform_name[96];
    char driver_version[96], api_version[128];
    unsigned compute_units;
    double clock_hz; /* as the driver tells; 0 where it doesn't */
    size_t memory_bytes, alloc_bytes, cache_bytes, line_bytes, local_bytes; /* 0 unknown */
    size_t group_max;                                                       /* work items of a work-group */
    bool fp16, fp64, fma16, fma32, fma64;
    bool host_memory; /* shared with the host */
    bool compiler, half_float_target, timer_query;
    double timer_resolution_s;
    unsigned texture_max;
    char failed[256]; /* why it can't be used; empty where it can */
};

#define MW_GPU_DEVICES_MAX 32
struct mw_gpu_list {
    struct mw_gpu_device devices[MW_GPU_DEVICES_MAX]; /* OpenCL by platform, then OpenGL ES; the number is the place */
    size_t count;
    struct mw_error missing[MW_GPU_APIS]; /* code MW_OK where the API is there */
};

/*
 * All devices. Takes as long as the drivers take to start, a second or so, at most max_time_s. An API that is not there
 * is no error. MW_INTERRUPTED, MW_NOMEM; MW_RUN where a driver crashed or did not answer: *list then has what was found
 * before. Test: tests/cli/gpu.sh.
 */
enum mw_err mw_gpu_list_read(struct mw_gpu_list *list, double max_time_s, bool (*stop)(void),
                             struct mw_error *error) MW_CHECKED;

const char *mw_gpu_api_name(enum mw_gpu_api api);    /* "opencl", "gles" */
const char *mw_gpu_kind_name(enum mw_gpu_kind kind); /* "gpu", "cpu", "accelerator", "software" */

#endif
