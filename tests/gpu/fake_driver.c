// SPDX-License-Identifier: GPL-3.0-or-later
// What drivers do wrong, chosen by $FAKE_DRIVER: two (platforms), build, memory, lost, crash, hang. Without it they only
// compute nothing, at once.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char handle[16]; /* for whatever wants one */

static int is(const char *what)
{
    const char *mode = getenv("FAKE_DRIVER");
    return mode && !strcmp(mode, what);
}

int clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count)
{
    if (is("hang"))
        for (;;)
            pause();
    uint32_t n = is("two") ? 2 : 1;
    for (uint32_t i = 0; platforms && i < room && i < n; i++)
        platforms[i] = handle + i;
    if (count)
        *count = n;
    return 0;
}

int clGetPlatformInfo(void *platform, uint32_t what, size_t size, void *value, size_t *length)
{
    (void)what, (void)length;
    snprintf(value, size, "Fake platform %d", (int)((char *)platform - handle));
    return 0;
}

int clGetDeviceIDs(void *platform, uint64_t kind, uint32_t room, void **devices, uint32_t *count)
{
    (void)kind, (void)room;
    devices[0] = (char *)platform + 8;
    *count = 1;
    return 0;
}

int clGetDeviceInfo(void *device, uint32_t what, size_t size, void *value, size_t *length)
{
    (void)length;
    uint64_t number = 1;
    switch (what) {
    case 0x102B: /* name */
        snprintf(value, size, "Fake, \"device\" %d\n", (int)((char *)device - handle - 8));
        return 0;
    case 0x102C:
    case 0x102D:
    case 0x102F:
    case 0x1030: /* vendor, versions, extensions */
        snprintf(value, size, "fake 1.0");
        return 0;
    case 0x1000:
        number = 4;
        break; /* a graphics processor */
    case 0x100C:
        number = 1500;
        break; /* MHz */
    case 0x1010:
    case 0x101F:
        number = (uint64_t)1 << 30;
        break;
    case 0x101B:
    case 0x1032:
        number = 32;
        break; /* fused multiply-adds */
    case 0x1004:
        number = 256;
        break;
    default:
        break;
    }
    memcpy(value, &number, size < sizeof number ? size : sizeof number);
    return 0;
}

#define GIVES(name)                                                                                                    \
    void *name(void);                                                                                                  \
    void *name(void)                                                                                                   \
    {                                                                                                                  \
        return handle;                                                                                                 \
    }
GIVES(clCreateContext)
GIVES(clCreateCommandQueue)
GIVES(clCreateProgramWithSource)
GIVES(clCreateKernel)

int clBuildProgram(void *program)
{
    (void)program;
    if (is("crash"))
        raise(SIGSEGV);
    return is("build") ? -11 : 0;
}

int clGetProgramBuildInfo(void *program, void *device, uint32_t what, size_t size, void *value, size_t *length)
{
    static const char log[] = "error: no such instruction\nand a second line";
    (void)program, (void)device, (void)what;
    if (length)
        *length = sizeof log;
    if (value)
        memcpy(value, log, size < sizeof log ? size : sizeof log);
    return 0;
}

void *clCreateBuffer(void *context, uint64_t flags, size_t size, void *host, int *status)
{
    (void)context, (void)flags, (void)size, (void)host;
    *status = is("memory") ? -4 : 0;
    return *status ? NULL : handle;
}

int clFinish(void *queue)
{
    (void)queue;
    return is("lost") ? -5 : 0;
}

/* EGL and OpenGL ES: one device that draws nothing, and can be lost or out of memory. */
static void *display(void)
{
    return handle;
}

static uint32_t reset_status(void)
{
    return is("lost") ? 0x8253 : 0;
}

void *eglGetProcAddress(const char *name)
{
    if (!strcmp(name, "eglGetPlatformDisplayEXT"))
        return (void *)display;
    return !strcmp(name, "glGetGraphicsResetStatusEXT") ? (void *)reset_status : NULL;
}

GIVES(eglCreateContext)
#define YES(name)                                                                                                      \
    uint32_t name(void);                                                                                               \
    uint32_t name(void)                                                                                                \
    {                                                                                                                  \
        return 1;                                                                                                      \
    }
YES(eglInitialize)
YES(eglMakeCurrent)

uint32_t eglChooseConfig(void *on, const int32_t *wanted, void **configs, int32_t room, int32_t *count)
{
    (void)on, (void)wanted, (void)room;
    *configs = handle;
    *count = 1;
    return 1;
}

const char *eglQueryString(void *on, int32_t what)
{
    (void)on, (void)what;
    return "fake";
}

const unsigned char *glGetString(uint32_t what)
{
    return (const unsigned char *)(what == 0x1F03 ? "GL_EXT_robustness GL_EXT_color_buffer_float" : "Fake renderer");
}

uint32_t glGetError(void)
{
    return is("memory") ? 0x0505 : 0;
}

void glGetIntegerv(uint32_t what, int32_t *value)
{
    (void)what;
    *value = 4096;
}

void glGetShaderiv(uint32_t shader, uint32_t what, int32_t *value)
{
    (void)shader, (void)what;
    *value = !is("build");
}

void glGetShaderInfoLog(uint32_t shader, int32_t size, int32_t *length, char *log)
{
    (void)shader, (void)length;
    snprintf(log, (size_t)size, "error: no such function\nmore");
}

void glGetProgramiv(uint32_t program, uint32_t what, int32_t *value)
{
    (void)program, (void)what;
    *value = 1;
}

uint32_t glCheckFramebufferStatus(uint32_t target)
{
    (void)target;
    return 0x8CD5;
}
