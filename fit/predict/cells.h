// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_CELLS_H
#define MW_FIT_CELLS_H

#include "fit/predict/predictive.h"

/*
 * mw_predictive prepared for sites that are not known yet. Exponential kernels have no memory: between two neighbouring
 * measured core counts, exp(-|ln p - ln p_j|/l) is a multiple of its value at the lower count for every point below, and at
 * the upper one for every point above; so it is with frequencies. In a cell between two counts and two frequencies a site's
 * covariances with all points are therefore combinations of BASIS = 14 fixed vectors (two lengths x two sides of ln p, two sides
 * of ln F, and their products), and what depends on the points (14 numbers a draw, two 14 x 14 matrices a kernel) is computed
 * once a cell. A site then takes 14 products a draw instead of n, with the same result to rounding.
 */
struct mw_cells;

/*
 * baseline_freq_hz: of the partners at one core that the sites will be compared with; 0: each site's own. *cells NULL, and MW_OK,
 * where there are more cells than are worth their memory (points on no grid), or frequencies of speedups that cannot be told
 * apart. data, ensemble are borrowed. MW_NOMEM, MW_NOFIT. Test: test_library.c (against mw_predict).
 */
enum mw_err mw_cells_alloc(struct mw_cells **cells, const struct mw_ensemble *ensemble, const struct mw_sites *data,
                           enum mw_quantity quantity, double baseline_freq_hz, double memory_freq_hz,
                           struct mw_error *error) MW_CHECKED;
void mw_cells_free(struct mw_cells *cells);

/* As mw_predictive_init with all fits needed; partners are sites at one core. The cells do not change: any thread. */
enum mw_err mw_cells_predictive(const struct mw_cells *cells, const struct mw_site *sites, const size_t *partner,
                                size_t site_count, struct mw_predictive *predictive, struct mw_error *error) MW_CHECKED;

#endif
