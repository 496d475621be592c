// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_MODEL_INTERNAL_H
#define MW_DATA_MODEL_INTERNAL_H

#include "data/model_file/model_file.h"

#include <jansson.h>

#define MW_MODEL_SCHEMA "memwall-model/1"

/* The arrays of structs of a model: laws, combinations, points, ensemble, power. Used by model_file.c alone. */
enum mw_err mw_model_write_parts(json_t *root, const struct mw_model *model, struct mw_error *error) MW_CHECKED;
enum mw_err mw_model_read_parts(struct mw_model *model, const json_t *root, struct mw_error *error) MW_CHECKED;

#endif
