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
    const struct mw_dataset_options *options;
};

/* Letters and digits alone, in lower case. */
void mw_name_letters(const char *name, char *letters, size_t size);
/* 'a', 'b' and 'c': the columns where `which` is true (NULL: all), cut with … at the end of `text`. */
void mw_finder_names(const struct finder *f, const bool *which, char *text, size_t size);
void mw_finder_set(struct finder *f, enum mw_field field, size_t column);
/* A further column of a field: energies and powers are added, cores multiplied. The first is set. */
void mw_finder_add(struct finder *f, enum mw_field field, size_t column);
/* Something that the user should know (printf style); dropped where there is much of it already. */
void mw_finder_note(struct finder *f, const char *format, ...) MW_PRINTF(2, 3);
bool mw_finder_varies(const struct finder *f, size_t column);
/* Is the first value of the column a number? */
bool mw_finder_holds_number(const struct finder *f, size_t column);
/* Do two columns hold the same quantity, units taken into account? */
bool mw_finder_agree(const struct finder *f, size_t a, size_t b, enum mw_dimension dimension, double tolerance);
#define MW_SAME_VALUE      1e-6 /* what is left of a value printed with seven digits in another unit */
#define MW_CLOCK_TOLERANCE 0.02 /* as fit/quality has it: pinned machines keep within .6 % */
/* "'a' and 'b' could each be the …", with the --map that takes the first. */
enum mw_err mw_finder_ambiguous(const struct finder *f, const bool *which, enum mw_field field, size_t first,
                                struct mw_error *error) MW_CHECKED;
bool mw_is_word(const char *words, const char *word);         /* " a b c " has it between blanks */
bool mw_has_word(const char *text, const char *const *words); /* contains one of them; NULL-terminated */
enum mw_err mw_finder_add_repeat(struct finder *f, size_t column, struct mw_error *error) MW_CHECKED;
/* By aliases; leaves the field without a column where none matches. */
enum mw_err mw_finder_choose(struct finder *f, enum mw_field field, struct mw_error *error) MW_CHECKED;
/* Cores from processes and threads, where the names say how (data/parallel.c). */
enum mw_err mw_finder_parallel(struct finder *f, struct mw_error *error) MW_CHECKED;
/* Frequencies, energies and powers under names of their own (data/meters.c). */
enum mw_err mw_finder_meters(struct finder *f, struct mw_error *error) MW_CHECKED;
/* Time, else rate, else speedup or efficiency, else (energy_only) energy (data/choose_value.c). */
enum mw_err mw_finder_value(struct finder *f, struct mw_error *error) MW_CHECKED;
bool mw_is_alias(enum mw_field field, const struct mw_heading *heading);
/* Narrows the candidates `which` to one; *found false where there is none, MW_DATA where several are left. */
enum mw_err mw_finder_pick(struct finder *f, bool *which, enum mw_field field, size_t *chosen, bool *found,
                           struct mw_error *error) MW_CHECKED;
/* The error for a table without a column of core counts. */
enum mw_err mw_finder_no_cores(const struct finder *f, struct mw_error *error) MW_CHECKED;

#endif
