// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/reading.h"

#include "data/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* How many degrees of freedom of its own a point needs to outweigh what the other points scatter by. */
static const double borrowed_most = 4;

/* Readings that agree to the last digit are as sure as this: the least noise that the sampler takes points for. */
static const double least_sd = .003;

static double freedom_of(const struct mw_point *point)
{
    return point->count > 1 ? (double)point->count - 1 : 0;
}

/* The variance of one reading that half of the repeated points stay under: a few disturbed points do not move it. */
static double usual_variance(const struct mw_points *points, double *work, double *freedom)
{
    size_t n = 0;
    *freedom = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        double own = freedom_of(p);
        if (!(own > 0))
            continue;
        work[n++] = p->spread * p->spread * own / gsl_cdf_chisq_Pinv(.5, own);
        *freedom += own;
    }
    return n ? mw_median(work, n) : 0;
}

enum mw_err mw_reading_variance(const struct mw_points *points, double *variance, struct mw_error *error)
{
    double *work = malloc((points->count + 1) * sizeof *work), freedom;
    if (!work)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", points->count);
    double usual = usual_variance(points, work, &freedom), normal = gsl_cdf_ugaussian_Pinv(.95);
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        double own = freedom_of(p), borrowed = fmin(freedom - own, borrowed_most), all = own + borrowed;
        variance[i] = 0;
        if (!(all > 0))
            continue;
        double of_one = (borrowed * usual + own * p->spread * p->spread) / all;
        of_one = fmax(of_one, least_sd * least_sd);
        double student = gsl_cdf_tdist_Pinv(.95, all) / normal;
        variance[i] = student * student * of_one * fmin(1, M_PI / 2 / (double)p->count);
    }
    free(work);
    return MW_OK;
}
