// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_DRAW_H
#define MW_MEASURE_GPU_DRAW_H

#include "measure/gpu/gles.h"
#include "measure/gpu/job.h"

/* Conditions of a draw; what is not named is off: blending, depth, dithering, textures. */
struct mw_draw_case {
    enum mw_gpu_kernel kernel;
    const char *condition;
    bool half; /* target RGBA16F, else RGBA8 */
    bool blend, depth;
    unsigned texture, samples; /* side of a texture of RGBA8, and how often a pixel reads it, at different places */
    bool linear, texture_half; /* bilinear, half-way between texels; texture of RGBA16F */
};

/* Draws of one triangle over a target of side x side, timed and read back. */
struct mw_draw {
    struct mw_gles gl;
    unsigned side;
    const struct mw_draw_case *c;
    bool alternating; /* draws go to two targets in turn */
    uint32_t program, vertices, texture, query, frames[2], colours[2], depths[2];
    int32_t colour_at;
    unsigned long drawn; /* in all; each draw has another colour than the one before */
};
/* d->side is the caller's. MW_UNSUPPORTED, MW_RUN. _close ends all. */
enum mw_err mw_draw_open(struct mw_draw *d, const struct mw_gpu_device *device, struct mw_error *error) MW_CHECKED;
void mw_draw_close(struct mw_draw *d);
/* MW_NOMEM out of device memory; MW_RUN, naming the first line of the log, where a shader does not compile. */
enum mw_err mw_draw_begin(struct mw_draw *d, const struct mw_draw_case *c, bool alternating,
                          struct mw_error *error) MW_CHECKED;
void mw_draw_end(struct mw_draw *d); /* also of what did not begin */
/* `count` draws, as in struct mw_gpu_work; `opaque` is the struct mw_draw. */
enum mw_err mw_draw_window(void *opaque, unsigned long count, struct mw_gpu_window *window,
                           struct mw_error *error) MW_CHECKED;
/* Every pixel of the target that was drawn to last against what the draws must have left there. */
enum mw_err mw_draw_validate(const struct mw_draw *d, bool *valid, struct mw_error *error) MW_CHECKED;

#endif
