// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_MODEL_INTERNAL_H
#define MW_DATA_MODEL_INTERNAL_H

#include "data/model_file/model_file.h"

#include <jansson.h>

#define MW_MODEL_SCHEMA "memwall-model/2"

/*
 * Ranges of what a file may say (struct mw_bind): wide enough for every machine and program there is, narrow enough that
 * products and logarithms of them stay finite. A clock of 1 kHz to 1 THz, 10^9 cores, 10^±30 seconds, joules or watts (a table of rates is one of tiny times).
 */
#define RANGE(from, to) .low = (from), .high = (to)
#define FREQ            RANGE(1e-6, 1e3) /* GHz */
#define FREQ_OR_0       RANGE(0, 1e3)
#define CORES           RANGE(1, 1e9)
#define CORES_OR_0      RANGE(0, 1e9)
#define MEASURED        RANGE(1e-30, 1e30)
#define NOT_NEGATIVE    RANGE(0, 1e30)
#define SCALE           RANGE(1e-30, 1e40) /* seconds at a gigahertz, or cycles */
#define SHARE           RANGE(0, 1)
#define ANY_NUMBER      RANGE(-1e40, 1e40)

/* The arrays of structs of a model: laws, combinations, points, ensemble, power. Used by model_file.c alone. */
enum mw_err mw_model_write_parts(json_t *root, const struct mw_model *model, struct mw_error *error) MW_CHECKED;
enum mw_err mw_model_read_parts(struct mw_model *model, const json_t *root, struct mw_error *error) MW_CHECKED;

#endif
