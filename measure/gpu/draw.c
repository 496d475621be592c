// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/draw.h"

#include "measure/probe/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a blended colour is half of the last draw, a quarter of the one before …: 24 of them leave nothing of what was before */
#define REPLAYED 24
/* RGBA8 holds steps of 1/255; blending rounds at each draw, which halves the rounding before: two steps and a bit */
#define TOLERANCE 0.01

static const char vertex_source[] =
    "#version 300 es\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, "
    "0.0, 1.0); }";

/* Sample k is (k % 4) / 4 and (k / 4) / 2 of the texture away; `shift` is half a texel for the bilinear filter. */
static void fragment_source(char *text, size_t size, const struct mw_draw_case *c)
{
    size_t n = (size_t)snprintf(
        text, size,
        "#version 300 es\nprecision highp float;\nprecision highp sampler2D;\nuniform vec4 colour;\nout vec4 o;\n");
    if (!c->texture) {
        snprintf(text + n, size - n, "void main() { o = colour; }");
        return;
    }
    n += (size_t)snprintf(
        text + n, size - n,
        "uniform sampler2D t;\nvoid main() { vec2 p = (gl_FragCoord.xy + %s) / %u.0; vec4 s = vec4(0);\n",
        c->linear ? "0.5" : "0.0", c->texture);
    for (unsigned k = 0; k < c->samples; k++)
        n += (size_t)snprintf(text + n, size - n, "s += texture(t, p + vec2(%.2f, %.2f));\n", k % 4 / 4.0, k / 4 / 2.0);
    snprintf(text + n, size - n, "o = vec4(s.rgb * %.9f + colour.rgb * 0.5, colour.a); }", 0.5 / c->samples);
}

static float texel(size_t x, size_t y, unsigned side, unsigned channel)
{
    size_t i = 4 * ((y % side) * side + x % side) + channel;
    return (float)((i * 2654435761u >> 16) & 255) / 255;
}

/* What the shader makes of the texture at a pixel; 0 where there is none. */
static double sampled(const struct mw_draw_case *c, unsigned x, unsigned y, unsigned channel)
{
    double sum = 0;
    for (unsigned k = 0; k < c->samples; k++) {
        size_t u = x + k % 4 * (c->texture / 4), v = y + k / 4 * (c->texture / 2);
        if (!c->linear)
            sum += (double)texel(u, v, c->texture, channel);
        for (unsigned corner = 0; c->linear && corner < 4; corner++)
            sum += 0.25 * (double)texel(u + corner % 2, v + corner / 2, c->texture, channel);
    }
    return c->texture ? sum / c->samples : 0;
}

static double colour_of(unsigned long draw, unsigned channel)
{
    return channel == 0 ? 0.1 + 0.1 * (double)(draw % 8) : channel == 2 ? 0.25 : 0.5;
}

enum mw_err mw_draw_open(struct mw_draw *d, const struct mw_gpu_device *device, struct mw_error *error)
{
    enum mw_err err = mw_gles_load(&d->gl, error);
    if (!err)
        err = mw_gles_open(&d->gl, device->index, error);
    if (err)
        return err;
    d->gl.glGenVertexArrays(1, &d->vertices);
    d->gl.glBindVertexArray(d->vertices);
    if (d->gl.timer_query)
        d->gl.glGenQueriesEXT(1, &d->query);
    return mw_gles_check(&d->gl, "a context", error);
}

void mw_draw_close(struct mw_draw *d)
{
    if (d->query)
        d->gl.glDeleteQueriesEXT(1, &d->query);
    mw_gles_close(&d->gl);
}

static enum mw_err compile(const struct mw_draw *d, uint32_t kind, const char *source, uint32_t *shader,
                           struct mw_error *error)
{
    char log[400] = "";
    int32_t good = 0;
    *shader = d->gl.glCreateShader(kind);
    d->gl.glShaderSource(*shader, 1, &source, NULL);
    d->gl.glCompileShader(*shader);
    d->gl.glGetShaderiv(*shader, MW_GL_COMPILE_STATUS, &good);
    if (good)
        return MW_OK;
    d->gl.glGetShaderInfoLog(*shader, sizeof log, NULL, log);
    mw_fail(error, MW_RUN, "OpenGL ES: the driver did not compile a shader: %.*s", (int)strcspn(log, "\n"), log);
    return mw_hint(error, "a newer driver, or --device N for another device");
}

static enum mw_err build(struct mw_draw *d, struct mw_error *error)
{
    char source[1500];
    uint32_t vertex = 0, fragment = 0;
    int32_t good = 0;
    fragment_source(source, sizeof source, d->c);
    enum mw_err err = compile(d, MW_GL_VERTEX_SHADER, vertex_source, &vertex, error);
    if (!err)
        err = compile(d, MW_GL_FRAGMENT_SHADER, source, &fragment, error);
    if (!err) {
        d->program = d->gl.glCreateProgram();
        d->gl.glAttachShader(d->program, vertex);
        d->gl.glAttachShader(d->program, fragment);
        d->gl.glLinkProgram(d->program);
        d->gl.glGetProgramiv(d->program, MW_GL_LINK_STATUS, &good);
        if (!good)
            err = mw_fail(error, MW_RUN, "OpenGL ES: the driver did not link a program");
    }
    d->gl.glDeleteShader(vertex);
    d->gl.glDeleteShader(fragment);
    return err;
}

static enum mw_err make_targets(struct mw_draw *d, struct mw_error *error)
{
    const struct mw_gles *gl = &d->gl;
    int32_t side = (int32_t)d->side;
    for (unsigned i = 0; i < 1u + d->alternating; i++) {
        gl->glGenFramebuffers(1, &d->frames[i]);
        gl->glBindFramebuffer(MW_GL_FRAMEBUFFER, d->frames[i]);
        gl->glGenRenderbuffers(1, &d->colours[i]);
        gl->glBindRenderbuffer(MW_GL_RENDERBUFFER, d->colours[i]);
        gl->glRenderbufferStorage(MW_GL_RENDERBUFFER, d->c->half ? MW_GL_RGBA16F : MW_GL_RGBA8, side, side);
        gl->glFramebufferRenderbuffer(MW_GL_FRAMEBUFFER, MW_GL_COLOR_ATTACHMENT0, MW_GL_RENDERBUFFER, d->colours[i]);
        if (d->c->depth) {
            gl->glGenRenderbuffers(1, &d->depths[i]);
            gl->glBindRenderbuffer(MW_GL_RENDERBUFFER, d->depths[i]);
            gl->glRenderbufferStorage(MW_GL_RENDERBUFFER, MW_GL_DEPTH_COMPONENT24, side, side);
            gl->glFramebufferRenderbuffer(MW_GL_FRAMEBUFFER, MW_GL_DEPTH_ATTACHMENT, MW_GL_RENDERBUFFER, d->depths[i]);
        }
        enum mw_err err = mw_gles_check(gl, "a target", error);
        if (err)
            return err;
        if (gl->glCheckFramebufferStatus(MW_GL_FRAMEBUFFER) != MW_GL_FRAMEBUFFER_COMPLETE)
            return mw_fail(error, MW_RUN, "OpenGL ES: the driver refused a target of %ux%u", d->side, d->side);
        gl->glClearColor(0, 0, 0, 0);
        gl->glClear(MW_GL_COLOR_BUFFER_BIT | (d->c->depth ? MW_GL_DEPTH_BUFFER_BIT : 0u));
    }
    return MW_OK;
}

static enum mw_err make_texture(struct mw_draw *d, struct mw_error *error)
{
    unsigned side = d->c->texture;
    bool half = d->c->texture_half;
    size_t values = (size_t)4 * side * side;
    void *data = malloc(values * (half ? sizeof(float) : 1));
    int32_t filter = d->c->linear ? MW_GL_LINEAR : MW_GL_NEAREST;
    if (!data)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < values; i++) {
        float value = texel(i / 4 % side, i / 4 / side, side, (unsigned)(i % 4));
        if (half)
            ((float *)data)[i] = value;
        else
            ((unsigned char *)data)[i] = (unsigned char)lrintf(value * 255);
    }
    d->gl.glGenTextures(1, &d->texture);
    d->gl.glBindTexture(MW_GL_TEXTURE_2D, d->texture);
    d->gl.glTexParameteri(MW_GL_TEXTURE_2D, MW_GL_TEXTURE_MIN_FILTER, filter);
    d->gl.glTexParameteri(MW_GL_TEXTURE_2D, MW_GL_TEXTURE_MAG_FILTER, filter);
    d->gl.glTexImage2D(MW_GL_TEXTURE_2D, 0, half ? MW_GL_RGBA16F : MW_GL_RGBA8, (int32_t)side, (int32_t)side, 0,
                       MW_GL_RGBA, half ? MW_GL_FLOAT : MW_GL_UNSIGNED_BYTE, data);
    free(data);
    return mw_gles_check(&d->gl, "a texture", error);
}

enum mw_err mw_draw_begin(struct mw_draw *d, const struct mw_draw_case *c, bool alternating, struct mw_error *error)
{
    const struct mw_gles *gl = &d->gl;
    d->c = c;
    d->alternating = alternating;
    d->drawn = 0;
    enum mw_err err = build(d, error);
    if (!err)
        err = make_targets(d, error);
    if (!err && c->texture)
        err = make_texture(d, error);
    if (err)
        return err;
    gl->glViewport(0, 0, (int32_t)d->side, (int32_t)d->side);
    gl->glUseProgram(d->program);
    d->colour_at = gl->glGetUniformLocation(d->program, "colour");
    gl->glDisable(MW_GL_DITHER);
    (c->depth ? gl->glEnable : gl->glDisable)(MW_GL_DEPTH_TEST);
    gl->glDepthFunc(MW_GL_LEQUAL);
    (c->blend ? gl->glEnable : gl->glDisable)(MW_GL_BLEND);
    gl->glBlendFunc(MW_GL_SRC_ALPHA, MW_GL_ONE_MINUS_SRC_ALPHA);
    return mw_gles_check(gl, "the state of a draw", error);
}

void mw_draw_end(struct mw_draw *d)
{
    const struct mw_gles *gl = &d->gl;
    gl->glUseProgram(0);
    gl->glDeleteProgram(d->program);
    gl->glDeleteTextures(1, &d->texture);
    gl->glBindFramebuffer(MW_GL_FRAMEBUFFER, 0);
    gl->glDeleteFramebuffers(2, d->frames);
    gl->glDeleteRenderbuffers(2, d->colours);
    gl->glDeleteRenderbuffers(2, d->depths);
    d->program = d->texture = 0;
    memset(d->frames, 0, sizeof d->frames);
    memset(d->colours, 0, sizeof d->colours);
    memset(d->depths, 0, sizeof d->depths);
}

/* < 0 where the query can't be believed: the driver itself says that clocks changed meanwhile */
static double query_result(const struct mw_draw *d)
{
    uint64_t ns = 0;
    int32_t disjoint = 0;
    d->gl.glGetIntegerv(MW_GL_GPU_DISJOINT_EXT, &disjoint);
    d->gl.glGetQueryObjectui64vEXT(d->query, MW_GL_QUERY_RESULT_EXT, &ns);
    return disjoint ? -1 : 1e-9 * (double)ns;
}

enum mw_err mw_draw_window(void *opaque, unsigned long count, struct mw_gpu_window *window, struct mw_error *error)
{
    struct mw_draw *d = opaque;
    const struct mw_gles *gl = &d->gl;
    gl->glFinish();
    double start_s = mw_now_s();
    if (d->query)
        gl->glBeginQueryEXT(MW_GL_TIME_ELAPSED_EXT, d->query);
    for (unsigned long i = 0; i < count; i++, d->drawn++) {
        if (d->alternating)
            gl->glBindFramebuffer(MW_GL_FRAMEBUFFER, d->frames[d->drawn % 2]);
        gl->glUniform4f(d->colour_at, (float)colour_of(d->drawn, 0), (float)colour_of(d->drawn, 1),
                        (float)colour_of(d->drawn, 2), (float)colour_of(d->drawn, 3));
        gl->glDrawArrays(MW_GL_TRIANGLES, 0, 3);
    }
    if (d->query)
        gl->glEndQueryEXT(MW_GL_TIME_ELAPSED_EXT);
    gl->glFinish();
    window->wall_s = mw_now_s() - start_s;
    window->query_s = d->query ? query_result(d) : -1;
    return mw_gles_check(gl, "drawing", error);
}

/* What the last draws leave where the texture gives `texture`; it does not touch alpha, so that blending forgets fast. */
static double replay(const struct mw_draw *d, double texture, unsigned channel)
{
    unsigned step = d->alternating ? 2 : 1;
    double value = 0;
    for (unsigned long k = REPLAYED; k-- > 0;) {
        if (k * step >= d->drawn)
            continue;
        unsigned long draw = d->drawn - 1 - k * step;
        double source = colour_of(draw, channel), alpha = colour_of(draw, 3);
        if (d->c->texture && channel < 3)
            source = 0.5 * texture + 0.5 * source;
        value = d->c->blend ? alpha * source + (1 - alpha) * value : source;
    }
    return value;
}

enum mw_err mw_draw_validate(const struct mw_draw *d, bool *valid, struct mw_error *error)
{
    size_t values = (size_t)4 * d->side * d->side;
    bool half = d->c->half;
    void *data = malloc(values * (half ? sizeof(float) : 1));
    if (!data)
        return mw_fail(error, MW_NOMEM, "out of memory");
    memset(data, 0xff, values * (half ? sizeof(float) : 1)); /* alpha is a half, and this is no half and no number */
    d->gl.glReadPixels(0, 0, (int32_t)d->side, (int32_t)d->side, MW_GL_RGBA, half ? MW_GL_FLOAT : MW_GL_UNSIGNED_BYTE,
                       data);
    enum mw_err err = mw_gles_check(&d->gl, "reading the target back", error);
    *valid = !err;
    for (size_t i = 0; i < values && *valid; i++) {
        unsigned x = (unsigned)(i / 4 % d->side), y = (unsigned)(i / 4 / d->side);
        double got = half ? (double)((float *)data)[i] : ((unsigned char *)data)[i] / 255.0;
        double want = replay(d, sampled(d->c, x, y, (unsigned)(i % 4)), (unsigned)(i % 4));
        *valid = fabs(got - want) <= TOLERANCE;
    }
    free(data);
    return err;
}
