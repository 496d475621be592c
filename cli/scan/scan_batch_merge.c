// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan_batch.h"

#include "data/table.h"
#include "data/units.h"
#include "measure/run/runner_columns.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64 };

struct merge {
    struct mw_table *tables;          /* one a point that is done; name NULL: none */
    const char *columns[COLUMNS_MAX]; /* of any point, in the order of their first one */
    size_t column_count;
    bool has_freq;
    double *power_w; /* of each point, by the accounting; 0: none */
    bool powered;    /* any */
};

/*
 * On several nodes memwall sees srun, or what else starts the processes, and the first node's meters: of the run itself it has its time,
 * and the energy where a command of the user's tells it.
 */
static bool is_of_starter(const struct scan_batch *scan, const char *name)
{
    static const char *const of_run[] = {"time_s", "rate", "wall_s", "exit_status"};
    bool ours = false;
    for (size_t i = 0; i < mw_runner_column_count; i++)
        ours |= !strcmp(mw_runner_columns[i].name, name);
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
        ours &= strcmp(of_run[i], name) != 0;
    return ours && !(scan->options->run.energy_command && !strcmp(name, "energy_j"));
}

static void add_columns(struct merge *merge, const struct scan_batch *scan, size_t point)
{
    const struct mw_table *table = &merge->tables[point];
    for (size_t c = 0; c < table->column_count; c++) {
        const char *name = mw_table_header(table, c);
        size_t i = 0;
        if (scan->points[point].nodes > 1 && is_of_starter(scan, name))
            continue;
        while (i < merge->column_count && strcmp(merge->columns[i], name))
            i++;
        if (i == merge->column_count && i < COLUMNS_MAX)
            merge->columns[merge->column_count++] = name;
    }
}

/* The clock that a row shows against the one asked for; unknown is no reproach. */
static bool is_off(const struct mw_table *table, size_t row, double want_hz)
{
    size_t column;
    if (want_hz <= 0 || !mw_table_find(table, "freq_effective_ghz", &column))
        return false;
    double ghz = strtod(mw_table_cell(table, row, column), NULL);
    return ghz > 0 && !mw_freq_same(1e9 * ghz, want_hz);
}

static void print_rows(const struct merge *merge, const struct scan_batch *scan, size_t at, size_t *off, FILE *f)
{
    const struct mw_table *table = &merge->tables[at];
    const struct mw_batch_point *point = &scan->points[at];
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t c = 0; c < merge->column_count; c++) {
            size_t column;
            fputs(c ? "," : "", f);
            if (merge->powered && !strcmp(merge->columns[c], "energy_j")) {
                if (merge->power_w[at] > 0)
                    fprintf(f, "%.9g", merge->power_w[at] * scan_batch_wall(table, row));
            } else if (mw_table_find(table, merge->columns[c], &column) &&
                       !(point->nodes > 1 && is_of_starter(scan, merge->columns[c])))
                mw_output_cell(f, mw_table_cell(table, row, column));
            if (!strcmp(merge->columns[c], "cores") && merge->has_freq)
                fprintf(f, ",%.9g", point->freq_hz / 1e9);
        }
        if (scan->node_cores)
            fprintf(f, ",%u", point->nodes);
        fputc('\n', f);
        *off += is_off(table, row, point->freq_hz);
    }
}

/* What a point's scan knows of its machine, the last one on one node; who asked for it, when and how is this one's. */
static void print_head(const struct scan_batch *scan, const struct merge *merge, FILE *f)
{
    static const char *const ours[] = {"version", "command", "utc"}, *const of_a_point[] = {"version", "command", "utc",
                                                                                            "idle_power_before_w",
                                                                                            "idle_power_after_w"};
    const struct mw_table *of = NULL;
    for (size_t i = 0; i < scan->count; i++)
        if (merge->tables[i].name && (!of || scan->points[i].nodes == 1))
            of = &merge->tables[i];
    for (size_t i = 0; i < scan->facts.count; i++)
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
            if (!strcmp(scan->facts.items[i].key, ours[k]))
                fprintf(f, "# %s: %s\n", ours[k], scan->facts.items[i].value);
    for (size_t i = 0; of && i < of->meta_count; i++) {
        bool skip = !strncmp(of->meta[i].key, "scan_", 5) && strcmp(of->meta[i].key, "scan_command") &&
                    strcmp(of->meta[i].key, "scan_weak");
        for (size_t k = 0; k < sizeof of_a_point / sizeof *of_a_point && !skip; k++)
            skip = !strcmp(of->meta[i].key, of_a_point[k]);
        skip = skip || (merge->powered && !strcmp(of->meta[i].key, "energy"));
        if (!skip)
            fprintf(f, "# %s: %s\n", of->meta[i].key, of->meta[i].value);
    }
    if (merge->powered)
        fputs("# energy: Slurm's accounting: power of a point's step, times the run's time\n", f);
    if (scan->node_cores)
        fprintf(f, "# node_cores: %u\n", scan->node_cores);
    fprintf(f, "# scan_batch: %s\n", scan->plan);
}

static enum mw_err read_tables(const struct scan_batch *scan, struct merge *merge, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < scan->count && !err; i++) {
        const struct mw_batch_job_state *job = &scan->batch.jobs[i];
        char *path = NULL;
        merge->has_freq |= scan->points[i].freq_hz > 0;
        if (!job->measured)
            continue;
        if (asprintf(&path, "%s.csv", job->result) < 0)
            return mw_fail(error, MW_NOMEM, "out of memory");
        err = mw_table_read(&merge->tables[i], path, error);
        free(path);
        if (!err)
            add_columns(merge, scan, i);
    }
    return err;
}

static bool has_energy(const struct mw_table *table)
{
    size_t column;
    bool has = false;
    if (mw_table_find(table, "energy_j", &column))
        for (size_t row = 0; row < table->row_count && !has; row++)
            has = *mw_table_cell(table, row, column);
    return has;
}

/* Where no node's own meter could be read, what the accounting has. */
static void add_power(struct scan_batch *scan, struct merge *merge)
{
    bool metered = false, listed = false; /* another source's energies are of something else */
    scan->unpowered = 0;
    for (size_t i = 0; i < scan->count; i++)
        metered = metered || (merge->tables[i].name && scan->points[i].nodes == 1 && has_energy(&merge->tables[i]));
    for (size_t i = 0; i < scan->count && !metered; i++) {
        bool useless;
        if (!merge->tables[i].name)
            continue;
        merge->power_w[i] =
            scan_batch_power(&scan->batch.jobs[i], scan->options->run.warmup, &merge->tables[i], &useless);
        merge->powered |= merge->power_w[i] > 0;
        scan->unpowered += useless;
    }
    for (size_t c = 0; c < merge->column_count; c++)
        listed |= !strcmp(merge->columns[c], "energy_j");
    if (merge->powered && !listed && merge->column_count < COLUMNS_MAX)
        merge->columns[merge->column_count++] = "energy_j";
}

enum mw_err scan_batch_merge(struct scan_batch *scan, size_t *off, struct mw_error *error)
{
    struct mw_output output;
    struct merge merge = {.tables = calloc(scan->count, sizeof *merge.tables),
                          .power_w = calloc(scan->count, sizeof *merge.power_w)};
    size_t n = 0;
    *off = 0;
    enum mw_err err =
        merge.tables && merge.power_w ? read_tables(scan, &merge, error) : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        add_power(scan, &merge);
    if (!err && merge.column_count) {
        err = mw_output_open(&output, scan->cli->common.output, true, error);
        if (!err) {
            print_head(scan, &merge, output.stream);
            for (size_t c = 0; c < merge.column_count; c++)
                fprintf(output.stream, "%s%s%s", c ? "," : "", merge.columns[c],
                        !strcmp(merge.columns[c], "cores") && merge.has_freq ? ",freq_ghz" : "");
            fputs(scan->node_cores ? ",nodes\n" : "\n", output.stream);
            for (size_t i = 0; i < scan->count; i++)
                if (merge.tables[i].name) {
                    print_rows(&merge, scan, i, off, output.stream);
                    n++;
                }
            err = mw_output_commit(&output, error);
        }
    }
    scan->merged = err ? scan->merged : n;
    for (size_t i = 0; merge.tables && i < scan->count; i++)
        mw_table_release(&merge.tables[i]);
    free(merge.tables);
    free(merge.power_w);
    return err;
}
