// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RUNNER_COLUMNS_H
#define MW_MEASURE_RUNNER_COLUMNS_H

#include "data/dataset.h"
#include "measure/run/runner.h"

#include <stdio.h>

/* What a run gave, as columns of runs.csv: from time_s on, in the order in which they are written. */
struct mw_runner_column {
    const char *name;
    unsigned
        bit; /* of enum mw_runner_fields: the column is left out of a file, the cell is empty where it is not set */
    size_t offset; /* of a double in struct mw_runner_result, in SI units */
    double unit;   /* that the column is in; 0: exit_status, an int */
    int digits;
    enum mw_usage_item item; /* of a dataset's row; MW_USAGE_COUNT: another member of it, or none */
};
extern const struct mw_runner_column mw_runner_columns[];
extern const size_t mw_runner_column_count;

/* The cells of a result for the columns in `set`, each with a comma before it; time_s and exit_status are always there. */
void mw_runner_columns_write(FILE *f, unsigned set, const struct mw_runner_result *result);
/* Their names, each with a comma before it. */
void mw_runner_columns_head(FILE *f, unsigned set);
/* The set that a head line of a file has. */
unsigned mw_runner_columns_of(const char *head);

/* Rounds what `set` keeps to what is read again from its cells, so that who goes on with a file sees the same bits. */
void mw_runner_columns_round(struct mw_runner_result *result, unsigned set);

/* A cell read: the number in the column's unit. */
void mw_runner_columns_set(struct mw_runner_result *result, const struct mw_runner_column *column, double value);

/* A result as a row of the dataset that reading its cells gives, and back; the workload's times only, without a line. */
struct mw_row mw_runner_row(const struct mw_runner_result *result, double cores, double freq_hz);
void mw_runner_result_from(struct mw_runner_result *result, const struct mw_row *row);

#endif
