// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/posterior/hot_posterior.h"
#include "model/hot.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 }; /* draws at a time: the residuals of ten points stay in the first-level cache */

static MW_HOT void less_logs(double *restrict r, double y, const double *restrict t)
{
    for (size_t i = 0; i < BLOCK; i++)
        r[i] = y - log(t[i]);
}

static MW_HOT void add_logs(double *restrict r, const double *restrict t)
{
    for (size_t i = 0; i < BLOCK; i++)
        r[i] += log(t[i]);
}

/* (ln C - rho ln T)/sqrt(1 - rho^2): what ln C says beyond ln T. */
static MW_HOT void decorrelate(double *restrict c, const double *restrict t)
{
    const double rho = MW_POSTERIOR_RHO, scale = 1 / sqrt(1 - rho * rho);
    for (size_t i = 0; i < BLOCK; i++)
        c[i] = (c[i] - rho * t[i]) * scale;
}

static void residuals(const struct mw_whitened *w, const struct mw_mechanism *law, const double *const *q, size_t n,
                      const struct mw_frame *frame, double time[][BLOCK], double cpu[][BLOCK])
{
    double t[BLOCK], c[BLOCK];
    for (size_t k = n; k < BLOCK; k++)
        t[k] = c[k] = 1;
    for (size_t i = 0; i < w->count; i++) {
        law->value(q, n, frame, w->p[i], w->x[i], t, c);
        less_logs(time[i], w->ln_time[i], t);
        if (w->has_cpu) {
            less_logs(cpu[i], w->ln_cpu[i], c);
            decorrelate(cpu[i], time[i]);
        }
        if (w->ratio) {
            law->value(q, n, frame, 1, w->x[i], t, c);
            add_logs(time[i], t);
        }
    }
}

/* Adds |W r|^2 and (W r) . one. */
static MW_HOT void add_squares(const struct mw_whitened *w, double r[][BLOCK], double one_scale,
                               double *restrict square, double *restrict along)
{
    for (size_t i = 0; i < w->count; i++) {
        double z[BLOCK] = {0}, one = one_scale * w->one[i];
        for (size_t j = w->first[i]; j <= i; j++) {
            const double wij = w->w[i][j], *rj = r[j];
            for (size_t k = 0; k < BLOCK; k++)
                z[k] += wij * rj[k];
        }
        for (size_t k = 0; k < BLOCK; k++) {
            square[k] += z[k] * z[k];
            along[k] += z[k] * one;
        }
    }
}

void mw_whitened_squares(const struct mw_whitened *w, const struct mw_mechanism *law, const double *const *q, size_t n,
                         const struct mw_frame *frame, double *ss, double *level)
{
    const double rho = MW_POSTERIOR_RHO;
    double time[MW_POSTERIOR_POINTS][BLOCK], cpu[MW_POSTERIOR_POINTS][BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = n - at < BLOCK ? n - at : BLOCK;
        const double *block[MW_MECHANISM_PARAMS];
        double square[BLOCK] = {0}, along[BLOCK] = {0};
        for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
            block[k] = q[k] + at;
        residuals(w, law, block, m, frame, time, cpu);
        add_squares(w, time, 1, square, along);
        if (w->has_cpu)
            add_squares(w, cpu, (1 - rho) / sqrt(1 - rho * rho), square, along);
        for (size_t k = 0; k < m; k++) {
            double rest = square[k] - along[k] * along[k] / w->one_square;
            ss[at + k] = rest > 0 ? rest : 0;
            if (level)
                level[at + k] = along[k] / w->one_square;
        }
    }
}
