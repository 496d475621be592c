// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/gles.h"

#include <dlfcn.h>
#include <string.h>

#define DEVICES_MAX 16

static enum mw_err missing(struct mw_error *error, const char *what)
{
    mw_fail(error, MW_UNSUPPORTED, "OpenGL ES: %s", what);
    return mw_hint(error, "Debian: apt install libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri");
}

enum mw_err mw_gles_load(struct mw_gles *gl, struct mw_error *error)
{
    struct mw_gles loaded = {0};
    void *egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL), *gles = dlopen("libGLESv2.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!egl || !gles)
        return missing(error, !egl ? "there is no libEGL.so.1 here" : "there is no libGLESv2.so.2 here");
#define LOAD(library, type, name)                                                                                      \
    *(void **)&loaded.name = dlsym(library, #name);                                                                    \
    if (!loaded.name)                                                                                                  \
        return missing(error, "the library lacks " #name);
#define X(type, name, parameters) LOAD(egl, type, name)
    MW_EGL_FUNCTIONS(X)
#undef X
#define X(type, name, parameters) LOAD(gles, type, name)
    MW_GLES_FUNCTIONS(X)
#undef X
    *(void **)&loaded.eglGetPlatformDisplayEXT = loaded.eglGetProcAddress("eglGetPlatformDisplayEXT");
    const char *extensions = loaded.eglQueryString(NULL, MW_EGL_EXTENSIONS);
    if (!loaded.eglGetPlatformDisplayEXT || !extensions)
        return missing(error, "this EGL has no platforms without a window");
    if (strstr(extensions, "EGL_EXT_device_enumeration") || strstr(extensions, "EGL_EXT_device_base"))
        *(void **)&loaded.eglQueryDevicesEXT = loaded.eglGetProcAddress("eglQueryDevicesEXT");
    *gl = loaded;
    return MW_OK;
}

static size_t devices(const struct mw_gles *gl, void **list)
{
    int32_t count = 0;
    if (gl->eglQueryDevicesEXT && !gl->eglQueryDevicesEXT(DEVICES_MAX, list, &count))
        count = 0;
    return (size_t)count;
}

size_t mw_gles_device_count(const struct mw_gles *gl)
{
    void *list[DEVICES_MAX];
    size_t count = devices(gl, list);
    return count ? count : 1;
}

static void load_extensions(struct mw_gles *gl)
{
    const char *has = (const char *)gl->glGetString(MW_GL_EXTENSIONS);
    if (!has)
        return;
    gl->half_float_target = strstr(has, "GL_EXT_color_buffer_half_float") || strstr(has, "GL_EXT_color_buffer_float");
    if (strstr(has, "GL_EXT_disjoint_timer_query")) {
        *(void **)&gl->glGenQueriesEXT = gl->eglGetProcAddress("glGenQueriesEXT");
        *(void **)&gl->glDeleteQueriesEXT = gl->eglGetProcAddress("glDeleteQueriesEXT");
        *(void **)&gl->glBeginQueryEXT = gl->eglGetProcAddress("glBeginQueryEXT");
        *(void **)&gl->glEndQueryEXT = gl->eglGetProcAddress("glEndQueryEXT");
        *(void **)&gl->glGetQueryObjectui64vEXT = gl->eglGetProcAddress("glGetQueryObjectui64vEXT");
        gl->timer_query = gl->glGenQueriesEXT && gl->glDeleteQueriesEXT && gl->glBeginQueryEXT && gl->glEndQueryEXT &&
                          gl->glGetQueryObjectui64vEXT;
    }
    if (strstr(has, "GL_EXT_robustness"))
        *(void **)&gl->glGetGraphicsResetStatusEXT = gl->eglGetProcAddress("glGetGraphicsResetStatusEXT");
}

/* With notice of a lost context where the driver gives it. */
static void *create_context(const struct mw_gles *gl, void *config)
{
    static const int32_t robust[] = {MW_EGL_CONTEXT_CLIENT_VERSION, 3,
                                     MW_EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                                     MW_EGL_LOSE_CONTEXT_ON_RESET_EXT, MW_EGL_NONE};
    static const int32_t plain[] = {MW_EGL_CONTEXT_CLIENT_VERSION, 3, MW_EGL_NONE};
    const char *extensions = gl->eglQueryString(gl->display, MW_EGL_EXTENSIONS);
    void *context = NULL;
    if (extensions && strstr(extensions, "EGL_EXT_create_context_robustness"))
        context = gl->eglCreateContext(gl->display, config, NULL, robust);
    return context ? context : gl->eglCreateContext(gl->display, config, NULL, plain);
}

enum mw_err mw_gles_open(struct mw_gles *gl, size_t device, struct mw_error *error)
{
    static const int32_t wanted[] = {MW_EGL_RENDERABLE_TYPE, MW_EGL_OPENGL_ES3_BIT_KHR, MW_EGL_SURFACE_TYPE,
                                     MW_EGL_PBUFFER_BIT, MW_EGL_NONE};
    void *list[DEVICES_MAX], *config = NULL;
    size_t count = devices(gl, list);
    int32_t major, minor, configs = 0;
    gl->display = count > device ? gl->eglGetPlatformDisplayEXT(MW_EGL_PLATFORM_DEVICE_EXT, list[device], NULL)
                                 : gl->eglGetPlatformDisplayEXT(MW_EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (!gl->display || !gl->eglInitialize(gl->display, &major, &minor)) {
        gl->display = NULL;
        return missing(error, "no display without a window can be opened on this device");
    }
    gl->eglBindAPI(MW_EGL_OPENGL_ES_API);
    if (gl->eglChooseConfig(gl->display, wanted, &config, 1, &configs) && configs)
        gl->context = create_context(gl, config);
    if (!gl->context || !gl->eglMakeCurrent(gl->display, NULL, NULL, gl->context)) {
        mw_gles_close(gl);
        return missing(error, "no context of version 3 can be had on this device");
    }
    load_extensions(gl);
    return MW_OK;
}

void mw_gles_close(struct mw_gles *gl)
{
    if (!gl->display)
        return;
    gl->eglMakeCurrent(gl->display, NULL, NULL, NULL);
    if (gl->context)
        gl->eglDestroyContext(gl->display, gl->context);
    gl->eglTerminate(gl->display);
    gl->display = gl->context = NULL;
    gl->timer_query = gl->half_float_target = false;
}

enum mw_err mw_gles_check(const struct mw_gles *gl, const char *what, struct mw_error *error)
{
    if (gl->glGetGraphicsResetStatusEXT && gl->glGetGraphicsResetStatusEXT() != MW_GL_NO_ERROR) {
        mw_fail(error, MW_RUN, "OpenGL ES: %s: the context is lost (the driver reset the device)", what);
        return mw_hint(error, "the kernel's log says why; a shorter --max-time keeps windows below a watchdog");
    }
    uint32_t status = gl->glGetError();
    if (status == MW_GL_NO_ERROR)
        return MW_OK;
    if (status == MW_GL_OUT_OF_MEMORY)
        return mw_fail(error, MW_NOMEM, "OpenGL ES: %s: out of device memory", what);
    return mw_fail(error, MW_RUN, "OpenGL ES: %s: the driver refused (error 0x%x)", what, status);
}
