// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_RUN_COLUMNS_H
#define MW_CLI_RUN_COLUMNS_H

#include "measure/run/runner.h"

#include <stdio.h>

/* What a run gave, as columns of runs.csv: from time_s on, in the order in which they are written. */
struct run_column {
    const char *name;
    unsigned
        bit; /* of enum mw_runner_fields: the column is left out of a file, the cell is empty where it is not set */
    size_t offset; /* of a double in struct mw_runner_result, in SI units */
    double unit;   /* that the column is in */
    int digits;
};
extern const struct run_column run_columns[];
extern const size_t run_column_count;

/* The cells of a result for the columns in `set`, each with a comma before it; exit_status is always there. */
void run_columns_write(FILE *f, unsigned set, const struct mw_runner_result *result);
/* Their names, each with a comma before it. */
void run_columns_head(FILE *f, unsigned set);

#endif
