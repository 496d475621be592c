// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_FIT_H
#define MW_FIT_FIT_H

#include "data/dataset.h"
#include "data/model_file/model_file.h"
#include "memwall/fit.h"

#include <stdbool.h>

/*
 * Fits a dataset: quality detectors, laws, ensemble, parameter intervals, power. The model owns copies.
 * MW_NOFIT where the data cannot be fitted at all, MW_DATA where they are unusable. Deterministic for a seed,
 * whatever OMP_NUM_THREADS.
 */
enum mw_err mw_fit(struct mw_model *model, const struct mw_dataset *dataset, const struct mw_fit_options *options,
                   struct mw_error *error) MW_CHECKED;

/* The law with the least left-out error among those tried; NULL where nothing was left out. */
const struct mw_model_law *mw_fit_best_law(const struct mw_model *model);

#endif
