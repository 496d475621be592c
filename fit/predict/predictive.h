// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_PREDICTIVE_H
#define MW_FIT_PREDICTIVE_H

#include "fit/predict/sites.h"

#include "data/model_file/model_file.h"

/*
 * For every draw of every fit of an ensemble, the mean and spread of ln value at new sites, given all points: the law,
 * plus what the discrepancy carries over from the points' residuals.
 *     mean = law + k*^T K^-1 (y - law),  variance/sigma^2 = k(x, x) - k*^T K^-1 k* (+ noise 1, added by the caller)
 */
struct mw_predictive {
    const struct mw_ensemble *ensemble;
    size_t site_count, draw_count; /* draws of all fits, one after another */
    size_t draw_step, site_step;   /* mean[d draw_step + i site_step] is draw d at site i */
    double *mean;
    double *sigma;                    /* draw_count */
    int *kernel;                      /* draw_count */
    double *reduced[MW_KERNEL_COUNT]; /* site_count: variance/sigma^2 at each site; NULL for kernels no draw has */
    double *paired[MW_KERNEL_COUNT];  /* site_count: covariance/sigma^2 with the site's partner */
};

/*
 * needed[f]: whether fit f is asked for; the means of other fits' draws are left out.
 * partner[i]: index of the site that site i is compared with (its baseline), or i. Same bits for a site whatever other
 * sites there are and however many threads. MW_NOMEM, MW_NOFIT.
 */
enum mw_err mw_predictive_init(struct mw_predictive *predictive, const struct mw_ensemble *ensemble, const bool *needed,
                               const struct mw_sites *data, enum mw_quantity quantity, const struct mw_site *sites,
                               const size_t *partner, size_t site_count, struct mw_error *error) MW_CHECKED;
void mw_predictive_release(struct mw_predictive *predictive);

#endif
