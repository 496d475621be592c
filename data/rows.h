// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_ROWS_H
#define MW_DATA_ROWS_H

#include "data/columns.h"
#include "data/dataset.h"
#include "data/table.h"

/*
 * Turns the chosen `rows` of a table into the rows and set-aside list of a dataset that is otherwise filled in.
 * Used by dataset.c alone. MW_DATA names line and column of a cell that is not what its column holds.
 */
enum mw_err mw_rows_build(struct mw_dataset *dataset, const struct mw_table *table, const struct mw_columns *columns,
                          const size_t *rows, size_t count, bool keep_failed, struct mw_error *error) MW_CHECKED;

#endif
