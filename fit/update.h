// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_UPDATE_H
#define MW_FIT_UPDATE_H

#include "data/model_file.h"

/*
 * Adds the points that a model was fitted to in front of a dataset's rows, each as many times as it was repeated, so
 * that a fit of the dataset is one of all runs: the same where new runs are of other configurations, and with the
 * median of old medians and new values where they are of the same. Rows set aside and the file's name come along.
 * MW_DATA where one holds times and the other speedups.
 */
enum mw_err mw_dataset_add_model(struct mw_dataset *dataset, const struct mw_model *model,
                                 struct mw_error *error) MW_CHECKED;

#endif
