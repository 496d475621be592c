// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GLES_H
#define MW_MEASURE_GLES_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The parts of EGL 1.4 and OpenGL ES 3.0 that are used here, by the names and numbers of the Khronos registry; loaded at
 * run time like measure/gpu/opencl.h, and compared with the headers by the same test.
 */
#define MW_EGL_CONSTANTS(X)                                                                                            \
    X(EGL_NONE, 0x3038)                                                                                                \
    X(EGL_VENDOR, 0x3053)                                                                                              \
    X(EGL_VERSION, 0x3054)                                                                                             \
    X(EGL_EXTENSIONS, 0x3055)                                                                                          \
    X(EGL_SURFACE_TYPE, 0x3033)                                                                                        \
    X(EGL_PBUFFER_BIT, 0x0001)                                                                                         \
    X(EGL_RENDERABLE_TYPE, 0x3040)                                                                                     \
    X(EGL_CONTEXT_CLIENT_VERSION, 0x3098)                                                                              \
    X(EGL_OPENGL_ES_API, 0x30A0)                                                                                       \
    X(EGL_OPENGL_ES3_BIT_KHR, 0x0040)                                                                                  \
    X(EGL_PLATFORM_DEVICE_EXT, 0x313F)                                                                                 \
    X(EGL_PLATFORM_SURFACELESS_MESA, 0x31DD)                                                                           \
    X(EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT, 0x3138)                                                      \
    X(EGL_LOSE_CONTEXT_ON_RESET_EXT, 0x31BF)

#define MW_GL_CONSTANTS(X)                                                                                             \
    X(GL_NO_ERROR, 0)                                                                                                  \
    X(GL_OUT_OF_MEMORY, 0x0505)                                                                                        \
    X(GL_TRIANGLES, 0x0004)                                                                                            \
    X(GL_COLOR_BUFFER_BIT, 0x4000)                                                                                     \
    X(GL_DEPTH_BUFFER_BIT, 0x0100)                                                                                     \
    X(GL_SRC_ALPHA, 0x0302)                                                                                            \
    X(GL_ONE_MINUS_SRC_ALPHA, 0x0303)                                                                                  \
    X(GL_LEQUAL, 0x0203)                                                                                               \
    X(GL_BLEND, 0x0BE2)                                                                                                \
    X(GL_DITHER, 0x0BD0)                                                                                               \
    X(GL_DEPTH_TEST, 0x0B71)                                                                                           \
    X(GL_VENDOR, 0x1F00)                                                                                               \
    X(GL_RENDERER, 0x1F01)                                                                                             \
    X(GL_VERSION, 0x1F02)                                                                                              \
    X(GL_EXTENSIONS, 0x1F03)                                                                                           \
    X(GL_MAX_TEXTURE_SIZE, 0x0D33)                                                                                     \
    X(GL_UNSIGNED_BYTE, 0x1401)                                                                                        \
    X(GL_FLOAT, 0x1406)                                                                                                \
    X(GL_RGBA, 0x1908)                                                                                                 \
    X(GL_RGBA8, 0x8058)                                                                                                \
    X(GL_RGBA16F, 0x881A)                                                                                              \
    X(GL_DEPTH_COMPONENT24, 0x81A6)                                                                                    \
    X(GL_TEXTURE_2D, 0x0DE1)                                                                                           \
    X(GL_TEXTURE_MIN_FILTER, 0x2801)                                                                                   \
    X(GL_TEXTURE_MAG_FILTER, 0x2800)                                                                                   \
    X(GL_NEAREST, 0x2600)                                                                                              \
    X(GL_LINEAR, 0x2601)                                                                                               \
    X(GL_VERTEX_SHADER, 0x8B31)                                                                                        \
    X(GL_FRAGMENT_SHADER, 0x8B30)                                                                                      \
    X(GL_COMPILE_STATUS, 0x8B81)                                                                                       \
    X(GL_LINK_STATUS, 0x8B82)                                                                                          \
    X(GL_FRAMEBUFFER, 0x8D40)                                                                                          \
    X(GL_RENDERBUFFER, 0x8D41)                                                                                         \
    X(GL_COLOR_ATTACHMENT0, 0x8CE0)                                                                                    \
    X(GL_DEPTH_ATTACHMENT, 0x8D00)                                                                                     \
    X(GL_FRAMEBUFFER_COMPLETE, 0x8CD5)                                                                                 \
    X(GL_TIME_ELAPSED_EXT, 0x88BF)                                                                                     \
    X(GL_QUERY_RESULT_EXT, 0x8866)                                                                                     \
    X(GL_GPU_DISJOINT_EXT, 0x8FBB)

#define X(name, number) MW_##name = (number),
enum mw_egl_constant { MW_EGL_CONSTANTS(X) };
enum mw_gl_constant { MW_GL_CONSTANTS(X) };
#undef X

/* result, name, parameters */
#define MW_EGL_FUNCTIONS(X)                                                                                            \
    X(void *, eglGetProcAddress, (const char *))                                                                       \
    X(uint32_t, eglInitialize, (void *, int32_t *, int32_t *))                                                         \
    X(uint32_t, eglTerminate, (void *))                                                                                \
    X(uint32_t, eglBindAPI, (uint32_t))                                                                                \
    X(uint32_t, eglChooseConfig, (void *, const int32_t *, void **, int32_t, int32_t *))                               \
    X(void *, eglCreateContext, (void *, void *, void *, const int32_t *))                                             \
    X(uint32_t, eglMakeCurrent, (void *, void *, void *, void *))                                                      \
    X(const char *, eglQueryString, (void *, int32_t))                                                                 \
    X(uint32_t, eglDestroyContext, (void *, void *))                                                                   \
    X(int32_t, eglGetError, (void))

#define MW_GLES_FUNCTIONS(X)                                                                                           \
    X(const unsigned char *, glGetString, (uint32_t))                                                                  \
    X(uint32_t, glGetError, (void))                                                                                    \
    X(void, glGetIntegerv, (uint32_t, int32_t *))                                                                      \
    X(void, glFinish, (void))                                                                                          \
    X(void, glEnable, (uint32_t))                                                                                      \
    X(void, glDisable, (uint32_t))                                                                                     \
    X(void, glBlendFunc, (uint32_t, uint32_t))                                                                         \
    X(void, glDepthFunc, (uint32_t))                                                                                   \
    X(void, glDepthMask, (uint8_t))                                                                                    \
    X(void, glViewport, (int32_t, int32_t, int32_t, int32_t))                                                          \
    X(void, glClear, (uint32_t))                                                                                       \
    X(void, glClearColor, (float, float, float, float))                                                                \
    X(void, glDrawArrays, (uint32_t, int32_t, int32_t))                                                                \
    X(void, glReadPixels, (int32_t, int32_t, int32_t, int32_t, uint32_t, uint32_t, void *))                            \
    X(uint32_t, glCreateShader, (uint32_t))                                                                            \
    X(void, glDeleteShader, (uint32_t))                                                                                \
    X(void, glShaderSource, (uint32_t, int32_t, const char *const *, const int32_t *))                                 \
    X(void, glCompileShader, (uint32_t))                                                                               \
    X(void, glGetShaderiv, (uint32_t, uint32_t, int32_t *))                                                            \
    X(void, glGetShaderInfoLog, (uint32_t, int32_t, int32_t *, char *))                                                \
    X(uint32_t, glCreateProgram, (void))                                                                               \
    X(void, glDeleteProgram, (uint32_t))                                                                               \
    X(void, glAttachShader, (uint32_t, uint32_t))                                                                      \
    X(void, glLinkProgram, (uint32_t))                                                                                 \
    X(void, glGetProgramiv, (uint32_t, uint32_t, int32_t *))                                                           \
    X(void, glUseProgram, (uint32_t))                                                                                  \
    X(int32_t, glGetUniformLocation, (uint32_t, const char *))                                                         \
    X(void, glUniform4f, (int32_t, float, float, float, float))                                                        \
    X(void, glUniform1f, (int32_t, float))                                                                             \
    X(void, glGenTextures, (int32_t, uint32_t *))                                                                      \
    X(void, glDeleteTextures, (int32_t, const uint32_t *))                                                             \
    X(void, glBindTexture, (uint32_t, uint32_t))                                                                       \
    X(void, glTexImage2D, (uint32_t, int32_t, int32_t, int32_t, int32_t, int32_t, uint32_t, uint32_t, const void *))   \
    X(void, glTexParameteri, (uint32_t, uint32_t, int32_t))                                                            \
    X(void, glGenRenderbuffers, (int32_t, uint32_t *))                                                                 \
    X(void, glDeleteRenderbuffers, (int32_t, const uint32_t *))                                                        \
    X(void, glBindRenderbuffer, (uint32_t, uint32_t))                                                                  \
    X(void, glRenderbufferStorage, (uint32_t, uint32_t, int32_t, int32_t))                                             \
    X(void, glGenFramebuffers, (int32_t, uint32_t *))                                                                  \
    X(void, glDeleteFramebuffers, (int32_t, const uint32_t *))                                                         \
    X(void, glBindFramebuffer, (uint32_t, uint32_t))                                                                   \
    X(void, glFramebufferRenderbuffer, (uint32_t, uint32_t, uint32_t, uint32_t))                                       \
    X(uint32_t, glCheckFramebufferStatus, (uint32_t))                                                                  \
    X(void, glGenVertexArrays, (int32_t, uint32_t *))                                                                  \
    X(void, glBindVertexArray, (uint32_t))

struct mw_gles {
#define X(type, name, parameters) type(*name) parameters;
    MW_EGL_FUNCTIONS(X)
    MW_GLES_FUNCTIONS(X)
#undef X
    /* extensions; NULL where they are not there */
    void *(*eglGetPlatformDisplayEXT)(uint32_t, void *, const int32_t *);
    uint32_t (*eglQueryDevicesEXT)(int32_t, void **, int32_t *);
    void (*glGenQueriesEXT)(int32_t, uint32_t *);
    void (*glDeleteQueriesEXT)(int32_t, const uint32_t *);
    void (*glBeginQueryEXT)(uint32_t, uint32_t);
    void (*glEndQueryEXT)(uint32_t);
    void (*glGetQueryObjectui64vEXT)(uint32_t, uint32_t, uint64_t *);
    uint32_t (*glGetGraphicsResetStatusEXT)(void);

    void *display, *context;
    bool timer_query, half_float_target;
};

/* Loads libEGL.so.1 and libGLESv2.so.2. MW_UNSUPPORTED, naming the packages, where one is not there. */
enum mw_err mw_gles_load(struct mw_gles *gl, struct mw_error *error) MW_CHECKED;
/* Devices that can be tried by mw_gles_open: those of EGL, or the one that its surfaceless platform stands for. */
size_t mw_gles_device_count(const struct mw_gles *gl);
/*
 * A current context of OpenGL ES 3 without a surface on a device. MW_UNSUPPORTED where it can't be had.
 * Belongs to the calling thread. _close takes a loaded one without a context.
 */
enum mw_err mw_gles_open(struct mw_gles *gl, size_t device, struct mw_error *error) MW_CHECKED;
void mw_gles_close(struct mw_gles *gl);
/* MW_OK, or what glGetError or the reset status say: MW_NOMEM out of memory, MW_RUN else (a lost context is named). */
enum mw_err mw_gles_check(const struct mw_gles *gl, const char *what, struct mw_error *error) MW_CHECKED;

#endif
