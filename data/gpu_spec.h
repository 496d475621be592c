// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_GPU_SPEC_H
#define MW_DATA_GPU_SPEC_H

#include "data/error.h"

#include <stddef.h>

/*
 * What a data sheet says of a graphics processor, each figure with what it holds for. A file of its own,
 *     {"device": "Name", "measured_clock_ghz": 0.85, "figures": [{"kernel": "pixel-fill", "value": 6.8, "unit": "Gpixel/s",
 *      "clock_ghz": 0.85, "format": "RGBA8", "filter": "bilinear", "counting": "fma=2"}, …]}
 * or a machine profile, where the same object is the member "spec" of a device in "gpus". Only kernel, value and unit are
 * required: what is not stated can't be compared.
 */
#define MW_GPU_FIGURES_MAX 32
struct mw_gpu_figure {
    char kernel[24];                           /* as in measure gpu */
    double value;                              /* in `unit`, prefix taken out: pixel/s, texel/s, FLOP/s, B/s, s */
    char unit[16];                             /* without prefix */
    double clock_hz;                           /* 0: not stated */
    char format[16], filter[16], counting[24]; /* empty: not stated */
};
struct mw_gpu_spec {
    char device[160];         /* empty: not stated */
    double measured_clock_hz; /* what the user read or set while measuring; 0: not given */
    struct mw_gpu_figure figures[MW_GPU_FIGURES_MAX];
    size_t figure_count;
};

/* The specification of `device` (its name holds the stated one, or none is stated). MW_DATA names file and key. */
enum mw_err mw_gpu_spec_read(struct mw_gpu_spec *spec, const char *path, const char *device,
                             struct mw_error *error) MW_CHECKED;
/* "Gpixel/s" to 1e9 and "pixel/s"; factor 0 where the prefix is not known. */
double mw_gpu_unit_factor(const char *unit, char *base, size_t size);

#endif
