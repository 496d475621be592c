// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_COLUMNS_INTERNAL_H
#define MW_DATA_COLUMNS_INTERNAL_H

#include "data/columns.h"

/* Shared by columns.c and choose.c: one search for the columns of one table. */
struct finder {
    const struct mw_table *table;
    const size_t *rows;
    size_t count;
    struct mw_columns *columns;
    struct mw_heading *headings; /* one for each column of the table */
    bool *taken;                 /* columns that already have a meaning */
};

/* Letters and digits alone, in lower case. */
void mw_name_letters(const char *name, char *letters, size_t size);
/* 'a', 'b' and 'c': the columns where `which` is true (NULL: all), cut with … at the end of `text`. */
void mw_finder_names(const struct finder *f, const bool *which, char *text, size_t size);
void mw_finder_set(struct finder *f, enum mw_field field, size_t column);
enum mw_err mw_finder_add_repeat(struct finder *f, size_t column, struct mw_error *error) MW_CHECKED;
/* By aliases; leaves the field without a column where none matches. */
enum mw_err mw_finder_choose(struct finder *f, enum mw_field field, struct mw_error *error) MW_CHECKED;
/* Time, else rate, else speedup, else (energy_only) energy. */
enum mw_err mw_finder_value(struct finder *f, bool energy_only, struct mw_error *error) MW_CHECKED;
/* The error for a table without a column of core counts. */
enum mw_err mw_finder_no_cores(const struct finder *f, struct mw_error *error) MW_CHECKED;

#endif
