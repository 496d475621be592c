// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/table.h"

#include <stdlib.h>
#include <string.h>

/* Any table that `memwall fit` reads, in the columns and units of runs.csv; failed runs keep their exit status. */
struct csv {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    size_t left_out;
};

static enum mw_err add_row(struct csv *c, const struct mw_dataset *set, const struct mw_row *row, const char *input)
{
    static const unsigned bits[][2] = {
        {MW_HAS_FREQ, MW_RUN_FREQ},         {MW_HAS_FREQ_EFFECTIVE, MW_RUN_FREQ_EFFECTIVE},
        {MW_HAS_ENERGY, MW_RUN_ENERGY},     {MW_HAS_POWER, MW_RUN_POWER},
        {MW_HAS_CPU_TIME, MW_RUN_CPU_TIME}, {MW_HAS_EXIT_STATUS, MW_RUN_EXIT_STATUS},
    };
    struct mw_import_run run = {.has = MW_RUN_CORES,
                                .cores = row->cores,
                                .exit_status = row->exit_status,
                                .freq_hz = row->freq_hz,
                                .freq_effective_hz = row->freq_effective_hz,
                                .energy_j = row->energy_j,
                                .power_w = row->power_w,
                                .cpu_time_s = row->cpu_time_s,
                                .usage = row->usage,
                                .line = row->line};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        run.has |= row->has & bits[i][0] ? bits[i][1] : 0;
    if (row->has & MW_HAS_VALUE && set->rate_unit) {
        run.rate = 1 / row->value;
        run.has |= MW_RUN_RATE;
    } else if (row->has & MW_HAS_VALUE && set->quantity == MW_SPEEDUP) {
        run.speedup = row->value;
        run.has |= MW_RUN_SPEEDUP;
    } else if (row->has & MW_HAS_VALUE && set->quantity == MW_TIME) {
        run.time_s = row->value;
        run.has |= MW_RUN_TIME;
    }
    if (row->set_aside && !row->exit_status) { /* no value, or one that is no run's: nothing to keep */
        c->left_out++;
        return MW_OK;
    }
    run.workload = *set->workload ? strdup(set->workload) : NULL;
    run.input = *input ? strdup(input) : NULL;
    return mw_import_add(c->import, run, c->bytes, NULL, c->error);
}

enum mw_err mw_import_csv(struct mw_import *import, const struct mw_bytes *bytes,
                          const struct mw_import_options *options, struct mw_error *error)
{
    enum { GROUPS = 16 };
    struct csv c = {import, bytes, options, error, 0};
    struct mw_dataset_options how = {.map = options->map,
                                     .map_count = options->map_count,
                                     .thousands = options->thousands,
                                     .keep_failed = true,
                                     .energy_only = true};
    struct mw_dataset *sets = NULL;
    struct mw_table table;
    const char *groups[GROUPS];
    size_t count = 0, programs;
    enum mw_err err = mw_table_parse(&table, bytes, error);
    if (err)
        return err;
    size_t group_count = mw_dataset_group_columns(&table, groups, GROUPS, &programs);
    err = mw_dataset_parse_by(&sets, &count, bytes->name, &table, &how, groups, group_count, error);
    for (size_t s = 0; s < count && !err; s++) {
        /* with more than one column of programs or inputs, the whole combination is the input */
        bool simple = programs <= 1 && group_count - programs <= 1;
        for (size_t i = 0; i < sets[s].count && !err; i++)
            err = add_row(&c, &sets[s], &sets[s].rows[i], simple ? sets[s].input : sets[s].label);
        for (size_t w = 0; w < sets[s].warning_count && !err; w++)
            err = mw_import_warn(import, error, "%s: %s", bytes->name, sets[s].warnings[w]);
    }
    for (size_t s = 0; s < count; s++)
        mw_dataset_release(&sets[s]);
    free(sets);
    mw_table_release(&table);
    if (!err && c.left_out)
        err = mw_import_warn(import, error, "%s: %zu row(s) without a usable value left out", bytes->name, c.left_out);
    return err;
}
