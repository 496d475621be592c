// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_OPENCL_H
#define MW_MEASURE_OPENCL_H

#include "data/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The part of OpenCL 1.2 that is used here, by the names and numbers of the Khronos registry. The library is loaded at
 * run time, so one build works with and without it, and needs no headers; test_gpu.c compares the numbers with the
 * headers where these are installed.
 */
#define MW_OPENCL_CONSTANTS(X)                                                                                         \
    X(CL_DEVICE_NOT_FOUND, -1)                                                                                         \
    X(CL_COMPILER_NOT_AVAILABLE, -3)                                                                                   \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)                                                                            \
    X(CL_OUT_OF_RESOURCES, -5)                                                                                         \
    X(CL_OUT_OF_HOST_MEMORY, -6)                                                                                       \
    X(CL_BUILD_PROGRAM_FAILURE, -11)                                                                                   \
    X(CL_INVALID_BUFFER_SIZE, -61)                                                                                     \
    X(CL_PLATFORM_NAME, 0x0902)                                                                                        \
    X(CL_PLATFORM_VERSION, 0x0901)                                                                                     \
    X(CL_DEVICE_TYPE_CPU, 2)                                                                                           \
    X(CL_DEVICE_TYPE_GPU, 4)                                                                                           \
    X(CL_DEVICE_TYPE_ALL, 0xFFFFFFFF)                                                                                  \
    X(CL_DEVICE_TYPE, 0x1000)                                                                                          \
    X(CL_DEVICE_MAX_COMPUTE_UNITS, 0x1002)                                                                             \
    X(CL_DEVICE_MAX_WORK_GROUP_SIZE, 0x1004)                                                                           \
    X(CL_DEVICE_MAX_CLOCK_FREQUENCY, 0x100C)                                                                           \
    X(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0x1010)                                                                            \
    X(CL_DEVICE_SINGLE_FP_CONFIG, 0x101B)                                                                              \
    X(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 0x101D)                                                                     \
    X(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0x101E)                                                                         \
    X(CL_DEVICE_GLOBAL_MEM_SIZE, 0x101F)                                                                               \
    X(CL_DEVICE_LOCAL_MEM_SIZE, 0x1023)                                                                                \
    X(CL_DEVICE_PROFILING_TIMER_RESOLUTION, 0x1025)                                                                    \
    X(CL_DEVICE_AVAILABLE, 0x1027)                                                                                     \
    X(CL_DEVICE_COMPILER_AVAILABLE, 0x1028)                                                                            \
    X(CL_DEVICE_NAME, 0x102B)                                                                                          \
    X(CL_DEVICE_VENDOR, 0x102C)                                                                                        \
    X(CL_DRIVER_VERSION, 0x102D)                                                                                       \
    X(CL_DEVICE_VERSION, 0x102F)                                                                                       \
    X(CL_DEVICE_EXTENSIONS, 0x1030)                                                                                    \
    X(CL_DEVICE_DOUBLE_FP_CONFIG, 0x1032)                                                                              \
    X(CL_DEVICE_HALF_FP_CONFIG, 0x1033)                                                                                \
    X(CL_DEVICE_HOST_UNIFIED_MEMORY, 0x1035)                                                                           \
    X(CL_FP_FMA, 32)                                                                                                   \
    X(CL_QUEUE_PROFILING_ENABLE, 2)                                                                                    \
    X(CL_MEM_READ_WRITE, 1)                                                                                            \
    X(CL_MEM_ALLOC_HOST_PTR, 16)                                                                                       \
    X(CL_MAP_READ, 1)                                                                                                  \
    X(CL_MAP_WRITE, 2)                                                                                                 \
    X(CL_PROGRAM_BINARY_SIZES, 0x1165)                                                                                 \
    X(CL_PROGRAM_BINARIES, 0x1166)                                                                                     \
    X(CL_PROGRAM_BUILD_LOG, 0x1183)                                                                                    \
    X(CL_KERNEL_WORK_GROUP_SIZE, 0x11B0)                                                                               \
    X(CL_KERNEL_PRIVATE_MEM_SIZE, 0x11B4)                                                                              \
    X(CL_PROFILING_COMMAND_START, 0x1282)                                                                              \
    X(CL_PROFILING_COMMAND_END, 0x1283)

/* Numbers with the prefix MW_, so that the headers can be included beside them. */
#define X(name, number) MW_##name = (number),
enum mw_opencl_constant { MW_OPENCL_CONSTANTS(X) };
#undef X
#define MW_CL_PLATFORM_NOT_FOUND_KHR (-1001)

/* result, name, parameters; handles are pointers to incomplete types, flags cl_bitfield (uint64_t), cl_bool uint32_t */
#define MW_OPENCL_FUNCTIONS(X)                                                                                         \
    X(int, clGetPlatformIDs, (uint32_t, void **, uint32_t *))                                                          \
    X(int, clGetPlatformInfo, (void *, uint32_t, size_t, void *, size_t *))                                            \
    X(int, clGetDeviceIDs, (void *, uint64_t, uint32_t, void **, uint32_t *))                                          \
    X(int, clGetDeviceInfo, (void *, uint32_t, size_t, void *, size_t *))                                              \
    X(void *, clCreateContext,                                                                                         \
      (const intptr_t *, uint32_t, void *const *, void (*)(const char *, const void *, size_t, void *), void *,        \
       int *))                                                                                                         \
    X(void *, clCreateCommandQueue, (void *, void *, uint64_t, int *))                                                 \
    X(void *, clCreateProgramWithSource, (void *, uint32_t, const char **, const size_t *, int *))                     \
    X(int, clBuildProgram, (void *, uint32_t, void *const *, const char *, void (*)(void *, void *), void *))          \
    X(int, clGetProgramBuildInfo, (void *, void *, uint32_t, size_t, void *, size_t *))                                \
    X(int, clGetProgramInfo, (void *, uint32_t, size_t, void *, size_t *))                                             \
    X(void *, clCreateKernel, (void *, const char *, int *))                                                           \
    X(int, clSetKernelArg, (void *, uint32_t, size_t, const void *))                                                   \
    X(int, clGetKernelWorkGroupInfo, (void *, void *, uint32_t, size_t, void *, size_t *))                             \
    X(void *, clCreateBuffer, (void *, uint64_t, size_t, void *, int *))                                               \
    X(int, clEnqueueNDRangeKernel,                                                                                     \
      (void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *const *, void **))    \
    X(int, clEnqueueWriteBuffer,                                                                                       \
      (void *, void *, uint32_t, size_t, size_t, const void *, uint32_t, void *const *, void **))                      \
    X(int, clEnqueueReadBuffer, (void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *const *, void **))  \
    X(int, clEnqueueCopyBuffer, (void *, void *, void *, size_t, size_t, size_t, uint32_t, void *const *, void **))    \
    X(void *, clEnqueueMapBuffer,                                                                                      \
      (void *, void *, uint32_t, uint64_t, size_t, size_t, uint32_t, void *const *, void **, int *))                   \
    X(int, clEnqueueUnmapMemObject, (void *, void *, void *, uint32_t, void *const *, void **))                        \
    X(int, clGetEventProfilingInfo, (void *, uint32_t, size_t, void *, size_t *))                                      \
    X(int, clFlush, (void *))                                                                                          \
    X(int, clFinish, (void *))                                                                                         \
    X(int, clReleaseEvent, (void *))                                                                                   \
    X(int, clReleaseMemObject, (void *))                                                                               \
    X(int, clReleaseKernel, (void *))                                                                                  \
    X(int, clReleaseProgram, (void *))                                                                                 \
    X(int, clReleaseCommandQueue, (void *))                                                                            \
    X(int, clReleaseContext, (void *))

struct mw_opencl {
#define X(type, name, parameters) type(*name) parameters;
    MW_OPENCL_FUNCTIONS(X)
#undef X
};

/*
 * Loads libOpenCL.so.1 and fills *cl. The library stays loaded: drivers do not survive dlclose.
 * MW_UNSUPPORTED, naming the packages, where it is not there or lacks a function.
 */
enum mw_err mw_opencl_load(struct mw_opencl *cl, struct mw_error *error) MW_CHECKED;

/* "CL_OUT_OF_RESOURCES", "-999" */
const char *mw_opencl_error_name(int status, char *text, size_t size);
/* Fills *error for a failed call: out of device memory is MW_NOMEM, all else MW_RUN. */
enum mw_err mw_opencl_fail(struct mw_error *error, int status, const char *what);

#endif
