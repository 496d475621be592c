// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_HOT_POSTERIOR_H
#define MW_FIT_HOT_POSTERIOR_H

#include "fit/posterior/posterior.h"

/* The whitened problem, points sorted by cores: Kt = L L^T, W = L^-1 has a block for each core count. */
struct mw_whitened {
    size_t count;
    bool has_cpu, ratio;
    double p[MW_POSTERIOR_POINTS], x[MW_POSTERIOR_POINTS];
    double ln_time[MW_POSTERIOR_POINTS], ln_cpu[MW_POSTERIOR_POINTS];
    size_t first[MW_POSTERIOR_POINTS]; /* first column of row i of W that is not 0 */
    double w[MW_POSTERIOR_POINTS][MW_POSTERIOR_POINTS];
    double one[MW_POSTERIOR_POINTS]; /* W 1 */
    double one_square;               /* |ones of all values, whitened|^2 */
};
/* Correlation of what a law misses in ln T and in ln C of one run. */
#define MW_POSTERIOR_RHO .5

/*
 * ss[i]: generalised sum of squares of the residuals of draw i < n, the level projected out; level[i] (may be NULL): that
 * level. q[k][i]: parameter k of draw i.
 */
void mw_whitened_squares(const struct mw_whitened *w, const struct mw_mechanism *law, const double *const *q, size_t n,
                         const struct mw_frame *frame, double *ss, double *level);

#endif
