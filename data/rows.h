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

/*
 * Sets the energy and power of rows aside that no meter can have meant: full 32-bit counters, power that halves on more
 * cores. keep: says so only. Energies that contradict mean power and time (in most rows) give way to their product.
 */
enum mw_err mw_energies_reconcile(struct mw_dataset *dataset, struct mw_error *error) MW_CHECKED;
enum mw_err mw_energies_screen(struct mw_dataset *dataset, bool keep, struct mw_error *error) MW_CHECKED;

/* Of rows with the same cores in several shapes of processes x threads the fastest stay, the others are set aside. */
enum mw_err mw_shapes_settle(struct mw_dataset *dataset, struct mw_error *error) MW_CHECKED;

/* Lists the row as set aside (printf style). The row itself stays as it is. */
enum mw_err mw_dataset_set_aside(struct mw_dataset *dataset, const struct mw_row *row, struct mw_error *error,
                                 const char *format, ...) MW_CHECKED MW_PRINTF(4, 5);

#endif
