// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A clock that is read while it moves between two steps; steps of graphics processors are 12.5 MHz or more of a GHz. */
#define CLOCK_TOLERANCE 0.01

/* How this program counts; a specification that counts otherwise is no peer. */
static const char *counting_of(enum mw_gpu_kernel kernel)
{
    switch (kernel) {
    case MW_GPU_PIXEL_FILL:
        return "written";
    case MW_GPU_TEXEL_FILL:
        return "sample";
    case MW_GPU_FP32:
    case MW_GPU_FP64:
    case MW_GPU_FP16:
        return "fma=2";
    case MW_GPU_READ:
        return "read";
    default:
        return "read+write";
    }
}

/* The one row of its kernel that a figure is about. */
static bool is_the_row(const struct mw_gpu_row *row, const struct mw_gpu_figure *figure)
{
    if (strcmp(figure->kernel, mw_gpu_kernel_name(row->kernel)) != 0)
        return false;
    if (row->kernel == MW_GPU_TEXEL_FILL)
        return !strcmp(row->condition, !strcmp(figure->filter, "bilinear") ? "bilinear" : "clean");
    if (row->kernel == MW_GPU_PIXEL_FILL)
        return !strcmp(row->condition, !strcmp(figure->format, "RGBA16F") ? "rgba16f" : "clean");
    if (row->kernel >= MW_GPU_FP32 && row->kernel <= MW_GPU_FP16)
        return !strcmp(row->condition, "best");
    return row->timing.runs > 0;
}

static void say(char *why, size_t size, const char *what, const char *stated, const char *here)
{
    size_t length = strlen(why);
    snprintf(why + length, size - length, "%s%s %s; %s here", length ? "; " : "", what, *stated ? stated : "not stated",
             here);
}

static void check_clock(const struct mw_gpu_row *row, const struct mw_gpu_spec *spec,
                        const struct mw_gpu_figure *figure, char *why, size_t size)
{
    double seen_hz = spec->measured_clock_hz > 0 ? spec->measured_clock_hz : row->clock_seen_hz;
    char stated[24] = "", here[40] = "not known";
    if (figure->clock_hz > 0)
        snprintf(stated, sizeof stated, "%.4g GHz", figure->clock_hz * 1e-9);
    if (seen_hz > 0)
        snprintf(here, sizeof here, "%.4g GHz", seen_hz * 1e-9);
    if (figure->clock_hz <= 0 || seen_hz <= 0 || fabs(seen_hz / figure->clock_hz - 1) > CLOCK_TOLERANCE)
        say(why, size, "clock", stated, here);
}

void mw_gpu_compare(const struct mw_gpu_row *row, const struct mw_gpu_spec *spec, struct mw_gpu_comparison *c)
{
    const struct mw_gpu_figure *figure = NULL;
    char base[16];
    *c = (struct mw_gpu_comparison){0};
    for (size_t i = 0; i < spec->figure_count && !figure; i++)
        if (is_the_row(row, &spec->figures[i]))
            figure = &spec->figures[i];
    double factor = mw_gpu_unit_factor(row->unit, base, sizeof base);
    if (!figure || factor <= 0)
        return;
    c->compared = true;
    if (strcmp(base, figure->unit) != 0) {
        say(c->why, sizeof c->why, "unit", figure->unit, base);
        return;
    }
    c->value = figure->value / factor;
    const char *format = row->kernel == MW_GPU_TEXEL_FILL ? row->texture_format : row->format;
    const char *counting = counting_of(row->kernel);
    if (*format && strcmp(figure->format, format) != 0 && !(row->kernel >= MW_GPU_FP32 && !*figure->format))
        say(c->why, sizeof c->why, "format", figure->format, format);
    if (*row->filter && strcmp(figure->filter, row->filter) != 0)
        say(c->why, sizeof c->why, "filter", figure->filter, row->filter);
    if (strcmp(figure->counting, counting) != 0)
        say(c->why, sizeof c->why, "counting", figure->counting, counting);
    check_clock(row, spec, figure, c->why, sizeof c->why);
    double ratio = row->value / c->value;
    if (!*c->why && row->valid)
        c->share = ratio;
    size_t length = strlen(c->why);
    if (ratio > 1)
        snprintf(c->why + length, sizeof c->why - length,
                 "%s%.0f %% of the specification: a clock above the stated one or another rule of counting explains it",
                 length ? "; " : "", 100 * ratio);
}
