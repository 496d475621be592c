// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/gles.h"
#include "measure/gpu/gpu.h"
#include "measure/gpu/isolate.h"
#include "measure/gpu/opencl.h"

#include <stdio.h>
#include <string.h>

#define PLATFORMS_MAX 16

const char *mw_gpu_api_name(enum mw_gpu_api api)
{
    static const char *const names[] = {[MW_GPU_OPENCL] = "opencl", [MW_GPU_GLES] = "gles"};
    return names[api];
}

const char *mw_gpu_kind_name(enum mw_gpu_kind kind)
{
    static const char *const names[] = {[MW_GPU_KIND_GPU] = "gpu",
                                        [MW_GPU_KIND_CPU] = "cpu",
                                        [MW_GPU_KIND_ACCELERATOR] = "accelerator",
                                        [MW_GPU_KIND_SOFTWARE] = "software"};
    return names[kind];
}

/* What goes into one line of text, a CSV cell and JSON: printable ASCII without commas and quotes, blanks not doubled. */
static void copy_text(char *to, size_t size, const char *from)
{
    size_t n = 0;
    for (; from && *from && n + 1 < size; from++) {
        char c = *from < ' ' || *from > '~' || *from == '"' ? ' ' : *from == ',' ? ';' : *from;
        if (c != ' ' || (n && to[n - 1] != ' '))
            to[n++] = c;
    }
    while (n && to[n - 1] == ' ')
        n--;
    to[n] = '\0';
}

static void device_text(const struct mw_opencl *cl, void *device, uint32_t what, char *to, size_t size)
{
    char text[512] = "";
    cl->clGetDeviceInfo(device, what, sizeof text - 1, text, NULL);
    copy_text(to, size, text);
}

static uint64_t device_number(const struct mw_opencl *cl, void *device, uint32_t what, size_t size)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (size == sizeof wide)
        return cl->clGetDeviceInfo(device, what, sizeof wide, &wide, NULL) ? 0 : wide;
    return cl->clGetDeviceInfo(device, what, sizeof narrow, &narrow, NULL) ? 0 : narrow;
}
#define NUMBER(what, type) device_number(cl, device, MW_CL_DEVICE_##what, sizeof(type))

static bool has_extension(const struct mw_opencl *cl, void *device, const char *name)
{
    char text[8192] = "";
    cl->clGetDeviceInfo(device, MW_CL_DEVICE_EXTENSIONS, sizeof text - 1, text, NULL);
    return strstr(text, name) != NULL;
}

static void read_opencl_device(const struct mw_opencl *cl, void *device, struct mw_gpu_device *d)
{
    uint64_t type = NUMBER(TYPE, uint64_t);
    d->kind = type & MW_CL_DEVICE_TYPE_GPU   ? MW_GPU_KIND_GPU
              : type & MW_CL_DEVICE_TYPE_CPU ? MW_GPU_KIND_CPU
                                             : MW_GPU_KIND_ACCELERATOR;
    device_text(cl, device, MW_CL_DEVICE_NAME, d->name, sizeof d->name);
    device_text(cl, device, MW_CL_DEVICE_VENDOR, d->vendor, sizeof d->vendor);
    device_text(cl, device, MW_CL_DRIVER_VERSION, d->driver_version, sizeof d->driver_version);
    device_text(cl, device, MW_CL_DEVICE_VERSION, d->api_version, sizeof d->api_version);
    d->compute_units = (unsigned)NUMBER(MAX_COMPUTE_UNITS, uint32_t);
    d->clock_hz = 1e6 * (double)NUMBER(MAX_CLOCK_FREQUENCY, uint32_t);
    d->memory_bytes = NUMBER(GLOBAL_MEM_SIZE, uint64_t);
    d->alloc_bytes = NUMBER(MAX_MEM_ALLOC_SIZE, uint64_t);
    d->cache_bytes = NUMBER(GLOBAL_MEM_CACHE_SIZE, uint64_t);
    d->line_bytes = NUMBER(GLOBAL_MEM_CACHELINE_SIZE, uint32_t);
    d->local_bytes = NUMBER(LOCAL_MEM_SIZE, uint64_t);
    d->group_max = NUMBER(MAX_WORK_GROUP_SIZE, size_t);
    d->timer_resolution_s = 1e-9 * (double)NUMBER(PROFILING_TIMER_RESOLUTION, size_t);
    d->host_memory = NUMBER(HOST_UNIFIED_MEMORY, uint32_t) != 0;
    d->compiler = NUMBER(COMPILER_AVAILABLE, uint32_t) != 0;
    d->fp64 = NUMBER(DOUBLE_FP_CONFIG, uint64_t) != 0;
    d->fp16 = has_extension(cl, device, "cl_khr_fp16");
    d->fma32 = NUMBER(SINGLE_FP_CONFIG, uint64_t) & MW_CL_FP_FMA;
    d->fma64 = NUMBER(DOUBLE_FP_CONFIG, uint64_t) & MW_CL_FP_FMA;
    d->fma16 = d->fp16 && (NUMBER(HALF_FP_CONFIG, uint64_t) & MW_CL_FP_FMA);
    if (!NUMBER(AVAILABLE, uint32_t))
        snprintf(d->failed, sizeof d->failed, "the driver says that it is not available");
    else if (!d->compiler)
        snprintf(d->failed, sizeof d->failed, "its driver has no compiler");
}

static void read_opencl(struct mw_gpu_list *list)
{
    struct mw_opencl cl;
    void *platforms[PLATFORMS_MAX], *devices[MW_GPU_DEVICES_MAX];
    uint32_t platform_count = 0;
    if (mw_opencl_load(&cl, &list->missing[MW_GPU_OPENCL]))
        return;
    if (cl.clGetPlatformIDs(PLATFORMS_MAX, platforms, &platform_count))
        platform_count = 0;
    for (uint32_t p = 0; p < platform_count && p < PLATFORMS_MAX; p++) {
        char platform[512] = "";
        uint32_t count = 0;
        cl.clGetPlatformInfo(platforms[p], MW_CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
        if (cl.clGetDeviceIDs(platforms[p], MW_CL_DEVICE_TYPE_ALL, MW_GPU_DEVICES_MAX, devices, &count))
            continue; /* a platform without a device */
        for (uint32_t i = 0; i < count && i < MW_GPU_DEVICES_MAX && list->count < MW_GPU_DEVICES_MAX; i++) {
            struct mw_gpu_device *d = &list->devices[list->count];
            *d = (struct mw_gpu_device){.api = MW_GPU_OPENCL, .platform = p, .index = i};
            copy_text(d->platform_name, sizeof d->platform_name, platform);
            read_opencl_device(&cl, devices[i], d);
            list->count++; /* last: what the parent finds after a crash is whole */
        }
    }
}

/* Renderers that draw with the host's cores: Mesa's, and Google's, by the names that they give themselves. */
static bool is_software(const char *renderer)
{
    static const char *const names[] = {"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software Rasterizer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(renderer, names[i]))
            return true;
    return false;
}

static void read_gles(struct mw_gpu_list *list)
{
    struct mw_gles gl;
    struct mw_error *missing = &list->missing[MW_GPU_GLES];
    bool any = false;
    if (mw_gles_load(&gl, missing))
        return;
    for (size_t i = 0; i < mw_gles_device_count(&gl) && list->count < MW_GPU_DEVICES_MAX; i++) {
        struct mw_gpu_device *d = &list->devices[list->count];
        struct mw_error why;
        int32_t texture = 0;
        *d = (struct mw_gpu_device){.api = MW_GPU_GLES, .index = (unsigned)i};
        if (mw_gles_open(&gl, i, &why)) {
            *missing = any ? *missing : why;
            continue;
        }
        copy_text(d->name, sizeof d->name, (const char *)gl.glGetString(MW_GL_RENDERER));
        copy_text(d->vendor, sizeof d->vendor, (const char *)gl.glGetString(MW_GL_VENDOR));
        copy_text(d->api_version, sizeof d->api_version, (const char *)gl.glGetString(MW_GL_VERSION));
        copy_text(d->driver_version, sizeof d->driver_version, gl.eglQueryString(gl.display, MW_EGL_VERSION));
        copy_text(d->platform_name, sizeof d->platform_name, gl.eglQueryString(gl.display, MW_EGL_VENDOR));
        gl.glGetIntegerv(MW_GL_MAX_TEXTURE_SIZE, &texture);
        d->texture_max = (unsigned)texture;
        d->half_float_target = gl.half_float_target;
        d->timer_query = gl.timer_query;
        d->kind = is_software(d->name) ? MW_GPU_KIND_SOFTWARE : MW_GPU_KIND_GPU;
        d->host_memory = d->kind == MW_GPU_KIND_SOFTWARE;
        list->count++;
        any = true;
        *missing = (struct mw_error){0};
        mw_gles_close(&gl);
    }
}

static enum mw_err read_all(void *shared, struct mw_error *error)
{
    struct mw_gpu_list *list = shared;
    (void)error;
    read_opencl(list);
    read_gles(list);
    return MW_OK;
}

enum mw_err mw_gpu_list_read(struct mw_gpu_list *list, double max_time_s, bool (*stop)(void), struct mw_error *error)
{
    struct mw_isolated isolated = {.pipe = -1};
    enum mw_err err = mw_isolated_open(&isolated, sizeof *list, error);
    if (err)
        return err;
    err = mw_isolated_start(&isolated, read_all, error);
    if (!err)
        err = mw_isolated_wait(&isolated, max_time_s, stop, error);
    *list = *(const struct mw_gpu_list *)isolated.shared;
    mw_isolated_close(&isolated);
    return err;
}
