// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/opencl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

static const char packages[] = "Debian: apt install ocl-icd-libopencl1 and a driver, as pocl-opencl-icd (on the CPU), "
                               "mesa-opencl-icd, intel-opencl-icd, nvidia-opencl-icd";

enum mw_err mw_opencl_load(struct mw_opencl *cl, struct mw_error *error)
{
    struct mw_opencl loaded;
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        mw_fail(error, MW_UNSUPPORTED, "OpenCL: there is no libOpenCL.so.1 here");
        return mw_hint(error, "%s", packages);
    }
#define X(type, name, parameters)                                                                                      \
    *(void **)&loaded.name = dlsym(library, #name);                                                                    \
    if (!loaded.name)                                                                                                  \
        return mw_fail(error, MW_UNSUPPORTED, "OpenCL: libOpenCL.so.1 lacks %s", #name);
    MW_OPENCL_FUNCTIONS(X)
#undef X
    uint32_t count = 0;
    if (loaded.clGetPlatformIDs(0, NULL, &count) || !count) {
        mw_fail(error, MW_UNSUPPORTED, "OpenCL: there is no platform");
        return mw_hint(error, "%s", packages);
    }
    *cl = loaded;
    return MW_OK;
}

const char *mw_opencl_error_name(int status, char *text, size_t size)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {
#define X(name, number) {(int)(int64_t)(number), #name},
        MW_OPENCL_CONSTANTS(X)
#undef X
    };
    for (size_t i = 0; status < 0 && i < sizeof names / sizeof *names; i++)
        if (names[i].status == status)
            return names[i].name;
    snprintf(text, size, "%d", status);
    return text;
}

enum mw_err mw_opencl_fail(struct mw_error *error, int status, const char *what)
{
    char text[32];
    bool memory = status == MW_CL_MEM_OBJECT_ALLOCATION_FAILURE || status == MW_CL_OUT_OF_HOST_MEMORY ||
                  status == MW_CL_INVALID_BUFFER_SIZE;
    mw_fail(error, memory ? MW_NOMEM : MW_RUN, "OpenCL: %s: %s (%s)", what,
            memory ? "out of device memory" : "the driver refused", mw_opencl_error_name(status, text, sizeof text));
    return memory ? mw_hint(error, "smaller --size, or --device N for another device") : error->code;
}
