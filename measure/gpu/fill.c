// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/draw.h"
#include "measure/gpu/job.h"

#include <stdio.h>
#include <string.h>

/*
 * Fill rates: one triangle over the whole target, by itself and with each disturbing factor alone. The clean cases come
 * first of their kind: the factors are against them.
 */
static const struct mw_draw_case cases[] = {
    {.kernel = MW_GPU_PIXEL_FILL, .condition = "clean"},
    {.kernel = MW_GPU_PIXEL_FILL, .condition = "rgba16f", .half = true},
    {.kernel = MW_GPU_PIXEL_FILL, .condition = "blend", .blend = true},
    {.kernel = MW_GPU_PIXEL_FILL, .condition = "rgba16f+blend", .half = true, .blend = true},
    {.kernel = MW_GPU_PIXEL_FILL, .condition = "texture", .texture = 128, .samples = 1},
    {.kernel = MW_GPU_PIXEL_FILL, .condition = "depth", .depth = true},
    {.kernel = MW_GPU_TEXEL_FILL, .condition = "clean", .texture = 128, .samples = 8},
    {.kernel = MW_GPU_TEXEL_FILL, .condition = "one-sample", .texture = 128, .samples = 1},
    {.kernel = MW_GPU_TEXEL_FILL, .condition = "bilinear", .texture = 128, .samples = 8, .linear = true},
    {.kernel = MW_GPU_TEXEL_FILL, .condition = "4096x4096", .texture = 4096, .samples = 8},
    {.kernel = MW_GPU_TEXEL_FILL, .condition = "rgba16f-texture", .texture = 128, .samples = 8, .texture_half = true},
};
#define CASES (sizeof cases / sizeof *cases)

/*
 * A draw of 4 M pixels takes any processor tens of microseconds, which is long against the start of a draw; with the
 * host's cores a sixteenth of it takes as long.
 */
#define SIDE          2048
#define SIDE_SOFTWARE 512

static void describe(const struct mw_draw_case *c, const struct mw_draw *d, struct mw_gpu_row *row)
{
    snprintf(row->variant, sizeof row->variant, "%s", d->alternating ? "two-targets" : "one-target");
    snprintf(row->condition, sizeof row->condition, "%s", c->condition);
    snprintf(row->format, sizeof row->format, "%s", c->half ? "RGBA16F" : "RGBA8");
    if (c->texture) {
        snprintf(row->texture_format, sizeof row->texture_format, "%s", c->texture_half ? "RGBA16F" : "RGBA8");
        snprintf(row->filter, sizeof row->filter, "%s", c->linear ? "bilinear" : "nearest");
    }
    row->width = row->height = d->side;
    row->size_bytes = (size_t)d->side * d->side * (c->half ? 8 : 4);
    row->texture = c->texture;
    row->samples = c->samples;
    row->blend = c->blend;
    row->depth = c->depth;
    row->alternating = d->alternating;
    row->unit_work = (double)d->side * d->side * (c->kernel == MW_GPU_TEXEL_FILL ? c->samples : 1);
}

/* A device that leaves out what a later draw covers takes turns between two targets, so that every draw is seen. */
static enum mw_err time_case(struct mw_draw *d, const struct mw_draw_case *c, struct mw_gpu_row *row, double time_s,
                             unsigned long runs, struct mw_error *error)
{
    struct mw_gpu_work work = {.run = mw_draw_window, .work = d, .time_s = time_s, .runs = runs};
    enum mw_err err = mw_draw_begin(d, c, false, error);
    if (!err)
        err = mw_gpu_time(&work, &row->timing, error);
    if (!err && !mw_gpu_proportional(&row->timing)) {
        mw_draw_end(d);
        err = mw_draw_begin(d, c, true, error);
        if (!err)
            err = mw_gpu_time(&work, &row->timing, error);
    }
    return err;
}

static enum mw_err measure(struct mw_gpu_job *job, struct mw_draw *d, const struct mw_draw_case *c, double time_s,
                           double *clean, struct mw_error *error)
{
    struct mw_gpu_row *row = mw_gpu_row_begin(job, c->kernel);
    bool texel = c->kernel == MW_GPU_TEXEL_FILL;
    if (!row)
        return MW_OK;
    enum mw_err err = time_case(d, c, row, time_s, job->runs, error);
    if (!err)
        err = mw_draw_validate(d, &row->valid, error);
    if (!err) {
        describe(c, d, row);
        snprintf(row->code, sizeof row->code, "not shown by this API");
        mw_gpu_row_rate(job, row, texel ? "Mtexel/s" : "Mpixel/s", 1e6);
        if (!strcmp(c->condition, "clean"))
            *clean = row->valid ? row->value : 0;
        row->factor = *clean > 0 && row->value > 0 ? *clean / row->value : 0;
    }
    mw_draw_end(d);
    return err;
}

enum mw_err mw_gpu_fill(struct mw_gpu_job *job, double time_s, struct mw_error *error)
{
    struct mw_draw d = {.side = job->device.kind == MW_GPU_KIND_SOFTWARE ? SIDE_SOFTWARE : SIDE};
    double clean[MW_GPU_KERNELS] = {0};
    unsigned todo = 0;
    enum mw_err err = mw_draw_open(&d, &job->device, error);
    if (err)
        return err;
    for (size_t i = 0; i < CASES; i++)
        todo += job->kernels[cases[i].kernel];
    for (size_t i = 0; i < CASES && !err; i++) {
        const struct mw_draw_case *c = &cases[i];
        if (!job->kernels[c->kernel])
            continue;
        if (c->texture > job->device.texture_max)
            mw_gpu_left_out(job, c->condition, "the largest texture is smaller");
        else if (c->half && !d.gl.half_float_target)
            mw_gpu_left_out(job, c->condition, "RGBA16F can't be drawn to");
        else
            err = measure(job, &d, c, time_s / todo, &clean[c->kernel], error);
    }
    mw_draw_close(&d);
    return err;
}
