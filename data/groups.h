// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_GROUPS_H
#define MW_DATA_GROUPS_H

#include "data/dataset.h"
#include "data/table.h"

/*
 * Columns that tell rows of a table apart: by their name (workload, input, set …), by --where and --by, or by what they do
 * to the values (a factor in the sense of a designed experiment). For data/dataset.c alone.
 */
enum { MW_VALUES_SHOWN = 12 }; /* values named in a message */

/* Texts equal, or numbers equal (2.4 is 2.40). */
bool mw_value_same(const char *a, const char *b);
/* The different values of a column, at most `limit`, owned by the table. */
size_t mw_values_distinct(const struct mw_table *table, size_t column, const size_t *rows, size_t count,
                          const char **values, size_t limit);
/* "a, b, c, …" */
void mw_values_list(const char *const *values, size_t count, char *text, size_t size);

/* Several values of a column that names programs or inputs are an error; one value names the workload or the input. */
enum mw_err mw_groups_check(struct mw_dataset *dataset, const struct mw_table *table, const size_t *rows, size_t count,
                            struct mw_error *error) MW_CHECKED;
/* Marks these columns. */
void mw_groups_mark(const struct mw_table *table, bool *used);

/*
 * MW_DATA where rows of one configuration differ far beyond noise and a column without a meaning (used[column] false)
 * tells them apart in the same way at every configuration: names the column, its values and --where and --by.
 *
 * Medians y of ln value in each cell (configuration g, value l of the column) are fitted by y = a_g + e_l, and where every value was
 * run at every configuration also by a_g + e_l + b_l ln(cores): two ways to scale may cross. The effect counts where its range is over 10 % (50 % for what counts or dates the runs) and its F statistic, with the residual variance shrunk to noise of 10 %
 * worth four degrees of freedom, is beyond 3.2 normal deviates (Paulson's transformation).
 * `rows`: `count` rows of the table, in order; the dataset's rows are made of them. O(rows x columns).
 * Test: tests/unit/test_factor.c (1,000 simulated tables without an effect, and effects of all sizes, crossings).
 */
enum mw_err mw_factor_check(const struct mw_dataset *dataset, const struct mw_table *table, const size_t *rows,
                            size_t count, const bool *used, struct mw_error *error) MW_CHECKED;

#endif
