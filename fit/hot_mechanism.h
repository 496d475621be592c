// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_HOT_MECHANISM_H
#define MW_FIT_HOT_MECHANISM_H

#include "fit/mechanism.h"

/* Columns of a bank of draws of one law, single precision: the noise of the data is five orders above it. */
enum mw_mechanism_column {
    MW_COLUMN_SERIAL,
    MW_COLUMN_PARALLEL,
    MW_COLUMN_LATENCY,
    MW_COLUMN_NONSCALING,
    MW_COLUMN_EXTRA,  /* B | c by 1/x | g | d | q l | e */
    MW_COLUMN_EXTRA2, /* overhead: c constant; step: cores before it */
    MW_COLUMN_EXTRA3, /* step: 1 where it persists */
    MW_COLUMN_COUNT,
};

/* The whitened problem: K = L L^T, W = L^-1 block-diagonal by core count (points sorted by cores). */
struct mw_mechanism_plan {
    size_t count;
    bool ratio;
    float cores; /* P of the machine */
    float p[MW_MECHANISM_MAX_POINTS], x[MW_MECHANISM_MAX_POINTS], y[MW_MECHANISM_MAX_POINTS];
    size_t first[MW_MECHANISM_MAX_POINTS]; /* first column of row i of W that is not 0 */
    float w[MW_MECHANISM_MAX_POINTS][MW_MECHANISM_MAX_POINTS];
    float one[MW_MECHANISM_MAX_POINTS]; /* W 1 */
    float one_square;                   /* |W 1|^2 */
};

/* ss[i]: generalised sum of squares of the residuals of draw i (level profiled out), for i < count. */
void mw_mechanism_squares(enum mw_mechanism law, const float *const column[MW_COLUMN_COUNT], size_t count,
                          const struct mw_mechanism_plan *plan, float *ss);

/* out[i] = ln T of draw i at (p, x), i < count. */
void mw_mechanism_surface(enum mw_mechanism law, const float *const column[MW_COLUMN_COUNT], size_t count, float p,
                          float x, float cores, float *out);

#endif
