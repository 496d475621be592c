// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_UPDATE_H
#define MW_FIT_UPDATE_H

#include "data/model_file/model_file.h"

/*
 * Adds the runs that a model was fitted to in front of a dataset's rows, so that a fit of the dataset is one of all runs.
 * A model of over MW_MODEL_RUNS rows, or of an earlier version, holds points only: each is then added as many times as it
 * was repeated, which is the same where new runs are of other configurations, and gives the median of old medians and
 * new values where they are of the same. Rows set aside in reading and the file's name come along.
 * MW_DATA where one holds times and the other speedups. Test: tests/cli/fit.sh (against a fit of all data).
 */
enum mw_err mw_dataset_add_model(struct mw_dataset *dataset, const struct mw_model *model,
                                 struct mw_error *error) MW_CHECKED;

#endif
