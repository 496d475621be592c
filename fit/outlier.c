// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/outlier.h"

#include "data/stats.h"
#include "fit/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Robust standard deviations; at 4 true socket steps are called errors. */
static const double limit_sd = 4.5;
/* ln: nobody calls a run a tenth too slow broken. */
static const double limit_ln = 0.25;
/* One point in this many may be an outlier. */
enum { POINTS_PER_OUTLIER = 8 };
/* A common discrepancy, in units of the noise variance. */
static const struct mw_kernel screen_kernel = {4, 1, 1};

struct screen {
    size_t n;
    double *q;         /* (K + noise)^-1, n x n */
    double *qr;        /* q residual */
    double *z, *loo;   /* standardised, and in ln */
};

/* q = w^T w, from the lower triangle of w */
static void inverse_from_root(const double *w, size_t n, double *q)
{
    memset(q, 0, n * n * sizeof *q);
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i <= r; i++) {
            double factor = w[r * n + i];
            for (size_t j = 0; j <= r; j++)
                q[i * n + j] += factor * w[r * n + j];
        }
}

static size_t worst(struct screen *s, const double *residual)
{
    size_t at = 0, n = s->n;
    for (size_t i = 0; i < n; i++)
        s->qr[i] = mw_dot(s->q + i * n, residual, n);
    for (size_t i = 0; i < n; i++) {
        double precision = s->q[i * n + i];
        s->loo[i] = s->qr[i] / precision;
        s->z[i] = s->loo[i] * sqrt(precision);
    }
    double sd = mw_mad(s->z, n);
    for (size_t i = 0; i < n; i++) {
        s->z[i] = sd > 0 ? fabs(s->z[i]) / sd : 0;
        if (s->z[i] > s->z[at])
            at = i;
    }
    return at;
}

/* The inverse after `more` is added to the noise of point i (Sherman and Morrison). */
static void add_noise(struct screen *s, size_t i, double more)
{
    size_t n = s->n;
    double *column = s->qr;
    memcpy(column, s->q + i * n, n * sizeof *column);
    double factor = more / (1 + more * column[i]);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            s->q[a * n + b] -= factor * column[a] * column[b];
}

static void run(struct screen *s, const struct mw_spot *sites, const double *residual, double *factor)
{
    size_t left = s->n / POINTS_PER_OUTLIER;
    for (size_t i = 0; i < s->n; i++)
        factor[i] = 1;
    while (left > 0) {
        size_t i = worst(s, residual);
        if (!(s->z[i] > limit_sd && fabs(s->loo[i]) > limit_ln))
            break;
        double times = s->z[i] * s->z[i];
        if (factor[i] == 1)
            left--;
        add_noise(s, i, sites[i].noise * factor[i] * (times - 1));
        factor[i] *= times;
    }
}

enum mw_err mw_outlier_screen(enum mw_quantity quantity, const struct mw_spot *sites, const double *residual, size_t n,
                              double *factor, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    double log_det, *work = malloc((6 * n * n + 3 * n) * sizeof *work);
    if (!work)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
    double *w = work + 4 * n * n;
    struct screen s = {n, work + 5 * n * n, work + 6 * n * n, work + 6 * n * n + n, work + 6 * n * n + 2 * n};
    mw_kernel_parts(quantity, sites, n, sites, n, work);
    if (mw_kernel_whiten(&screen_kernel, work, sites, n, work + 3 * n * n, w, &log_det)) {
        inverse_from_root(w, n, s.q);
        run(&s, sites, residual, factor);
    } else {
        err = mw_fail(error, MW_NOFIT, "the noise of the points spans too many orders of magnitude");
    }
    free(work);
    return err;
}
