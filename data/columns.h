// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_COLUMNS_H
#define MW_DATA_COLUMNS_H

#include "data/cell.h"
#include "data/dataset.h"
#include "data/error.h"
#include "data/table.h"
#include "data/usage.h"

#include <stdbool.h>
#include <stddef.h>

/* Which column of a table is what: by name, unit and content. */

enum mw_field {
    MW_FIELD_CORES,
    MW_FIELD_FREQ,
    MW_FIELD_FREQ_EFFECTIVE,
    MW_FIELD_TIME,
    MW_FIELD_RATE,
    MW_FIELD_SPEEDUP,
    MW_FIELD_ENERGY,
    MW_FIELD_POWER,
    MW_FIELD_CPU_TIME,
    MW_FIELD_EXIT_STATUS,
    MW_FIELD_VALID,
    MW_FIELD_REPETITION,
    MW_FIELD_USER_TIME,   /* with the usage's sys_s it is the CPU time, where no column has that */
    MW_FIELD_CPU_PERCENT, /* CPU time over time, x 100 */
    MW_FIELD_USAGE,       /* the first of MW_USAGE_COUNT, in the order of enum mw_usage_item */
    MW_FIELD_COUNT = MW_FIELD_USAGE + MW_USAGE_COUNT,
};
const char *mw_field_name(enum mw_field field); /* as in --map FIELD=COLUMN */
bool mw_field_find(const char *name, size_t length, enum mw_field *field);
enum mw_dimension mw_field_dimension(enum mw_field field);

/* A header cell taken apart: "Time [ms]" is "time" and milliseconds, "freq_mhz" is "freq" and megahertz. */
struct mw_heading {
    char base[64];               /* letters and digits in lower case, the unit and a repeat's number cut off */
    enum mw_dimension dimension; /* MW_DIM_NONE where it has no unit */
    double factor;
    long repeat;   /* the number at the end ("time_2"), -1 where there is none */
    bool percent;  /* "%CPU", "efficiency [%]" */
    bool per_time; /* a rate: "/s", "per_s", "per day" */
};
void mw_heading_parse(struct mw_heading *heading, const char *text);

struct mw_column {
    size_t index;
    double factor; /* to SI base units; 1 where the field has none */
    struct mw_number_style style;
};

enum { MW_COLUMNS_MORE = 12, MW_COLUMNS_NOTES = 6 };

struct mw_columns {
    bool has[MW_FIELD_COUNT];
    struct mw_column of[MW_FIELD_COUNT];
    enum mw_field value;       /* time, rate, speedup or energy: what is fitted */
    bool per_core;             /* the value is one core's: a rate per thread, an efficiency */
    struct mw_column *repeats; /* of the value: one column, or several of a wide table */
    size_t repeat_count;
    bool *used;                             /* one for each column of the table: it has a meaning here */
    struct mw_column more[MW_COLUMNS_MORE]; /* further columns of a field: added; of cores: multiplied */
    enum mw_field more_field[MW_COLUMNS_MORE];
    size_t more_count;
    char notes[MW_COLUMNS_NOTES][256]; /* choices that the user should know of */
    size_t note_count;
};

/*
 * Finds the columns, looking at the `count` rows of `rows` only, by the map, energy_only and thousands of the options. MW_DATA where a needed column is missing or several could be meant: the message names them, the hint the --map
 * that settles it. MW_USAGE for a map that names no column or field.
 */
enum mw_err mw_columns_find(struct mw_columns *columns, const struct mw_table *table, const size_t *rows, size_t count,
                            const struct mw_dataset_options *options, struct mw_error *error) MW_CHECKED;
void mw_columns_release(struct mw_columns *columns);

/* NAME=VALUE (or NAME alone, value NULL) as a word for a shell, in quotes where it needs them; returns `text`. */
const char *mw_shell_word(char *text, size_t size, const char *name, const char *value);

/* The column of that name (first as written, then by its letters and digits alone); false where there is none. */
bool mw_table_column(const struct mw_table *table, const char *name, size_t *column);

#endif
