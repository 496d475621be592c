// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/dataset.h"

#include "data/cell.h"
#include "data/columns.h"
#include "data/groups.h"
#include "data/rows.h"
#include "data/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void mw_dataset_release(struct mw_dataset *dataset)
{
    free(dataset->file);
    free(dataset->workload);
    free(dataset->input);
    free(dataset->label);
    free(dataset->rate_unit);
    free(dataset->command);
    free(dataset->rows);
    for (size_t i = 0; i < dataset->set_aside_count; i++)
        free(dataset->set_aside[i].reason);
    free(dataset->set_aside);
    for (size_t i = 0; i < dataset->warning_count; i++)
        free(dataset->warnings[i]);
    free(dataset->warnings);
    *dataset = (struct mw_dataset){0};
}

enum mw_err mw_dataset_warn(struct mw_dataset *dataset, struct mw_error *error, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    char **warnings = realloc(dataset->warnings, (dataset->warning_count + 1) * sizeof *warnings);
    if (warnings)
        dataset->warnings = warnings;
    if (length < 0 || !warnings) {
        if (length >= 0)
            free(text);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    dataset->warnings[dataset->warning_count++] = text;
    return MW_OK;
}

enum mw_err mw_dataset_set_aside(struct mw_dataset *dataset, const struct mw_row *row, struct mw_error *error,
                                 const char *format, ...)
{
    char *reason = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&reason, format, args);
    va_end(args);
    struct mw_set_aside *items = realloc(dataset->set_aside, (dataset->set_aside_count + 1) * sizeof *items);
    if (items)
        dataset->set_aside = items;
    if (length < 0 || !items) {
        if (length >= 0)
            free(reason);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    dataset->set_aside[dataset->set_aside_count++] = (struct mw_set_aside){row->line, reason};
    return MW_OK;
}

static enum mw_err no_column(const struct mw_table *table, const char *name, struct mw_error *error)
{
    char names[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < table->column_count && used + strlen(mw_table_header(table, i)) + 8 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", i ? ", " : "", mw_table_header(table, i));
    mw_fail(error, MW_USAGE, "%s has no column '%s'", table->name, name);
    return mw_hint(error, "the columns are %s", names);
}

static enum mw_err keep_where(const struct mw_table *table, const char *where, size_t *rows, size_t *count,
                              struct mw_error *error)
{
    const char *equals = strchr(where, '=');
    if (!equals || equals == where)
        return mw_fail(error, MW_USAGE, "--where '%s': the form is COLUMN=VALUE", where);
    char *name = strndup(where, (size_t)(equals - where));
    size_t column, kept = 0;
    if (!name)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_table_column(table, name, &column) ? MW_OK : no_column(table, name, error);
    free(name);
    if (err)
        return err;
    const char *values[MW_VALUES_SHOWN + 1];
    size_t value_count = mw_values_distinct(table, column, rows, *count, values, MW_VALUES_SHOWN + 1);
    for (size_t i = 0; i < *count; i++)
        if (mw_value_same(mw_table_cell(table, rows[i], column), equals + 1))
            rows[kept++] = rows[i];
    if (!kept) {
        char list[200];
        mw_values_list(values, value_count, list, sizeof list);
        mw_fail(error, MW_DATA, "%s: no row has %s", table->name, where);
        return mw_hint(error, "column '%s' holds %s", mw_table_header(table, column), list);
    }
    *count = kept;
    return MW_OK;
}

/* The rows that --where leaves, in *rows (caller frees). */
static enum mw_err select_rows(const struct mw_table *table, const struct mw_dataset_options *options, size_t **rows,
                               size_t *count, struct mw_error *error)
{
    size_t *chosen = malloc(table->row_count * sizeof *chosen), kept = table->row_count;
    if (!chosen)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < kept; i++)
        chosen[i] = i;
    enum mw_err err = MW_OK;
    for (size_t i = 0; options && i < options->where_count && !err; i++)
        err = keep_where(table, options->where[i], chosen, &kept, error);
    if (err) {
        free(chosen);
        return err;
    }
    *rows = chosen;
    *count = kept;
    return MW_OK;
}

static enum mw_err take_text(char **target, const char *text, struct mw_error *error)
{
    free(*target);
    *target = strdup(text);
    return *target ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
}

const char *mw_rate_words(const char *name, char *text, size_t size)
{
    static const struct {
        const char *name, *words;
    } known[] = {
        {"throughput_per_s", "1/s"}, {"rate_per_s", "1/s"}, {"best_mb_s", "MB/s"}, {"mb_s", "MB/s"}, {"gb_s", "GB/s"},
        {"gflop_s", "GFLOP/s"}};
    const char *per = strstr(name, "_per_");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(name, known[i].name)) {
            snprintf(text, size, "%s", known[i].words);
            return text;
        }
    if (per && per > name && per[5])
        snprintf(text, size, "%.*s/%s", (int)(per - name), name, per + 5);
    else
        snprintf(text, size, "%s", name);
    return text;
}

/* 'not used: "Takt [GHz]", "date"': what was read past, so that nobody believes it was taken into account. */
static enum mw_err name_unused(struct mw_dataset *dataset, const struct mw_table *table, const size_t *rows,
                               size_t count, const bool *used, struct mw_error *error)
{
    enum { NAMED = 12 };
    char *text = NULL;
    size_t size, unused = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t c = 0; c < table->column_count; c++) {
        bool filled = false;
        for (size_t i = 0; i < count && !filled && !used[c]; i++)
            filled = !mw_cell_missing(mw_table_cell(table, rows[i], c));
        if (filled && ++unused <= NAMED)
            fprintf(f, "%s\"%.60s\"", unused > 1 ? ", " : "", mw_table_header(table, c));
    }
    if (unused > NAMED)
        fprintf(f, " and %zu more", unused - NAMED);
    if (fclose(f)) {
        free(text);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    enum mw_err err = unused ? mw_dataset_warn(dataset, error, "not used: %s", text) : MW_OK;
    free(text);
    return err;
}

/* The columns that split the table, and whether a set of it was built before. */
struct by {
    const size_t *columns;
    size_t count;
    bool later;
};

/* What stands in columns that have no meaning must not tell the rows apart, and is named (once: `name`). */
static enum mw_err check_unused(struct mw_dataset *dataset, const struct mw_table *table, const size_t *rows,
                                size_t count, const struct mw_columns *columns,
                                const struct mw_dataset_options *options, bool name, struct mw_error *error)
{
    size_t column;
    mw_groups_mark(table, columns->used);
    for (size_t i = 0; i < options->where_count; i++) {
        char *text = strndup(options->where[i], strcspn(options->where[i], "="));
        if (!text)
            return mw_fail(error, MW_NOMEM, "out of memory");
        if (mw_table_column(table, text, &column))
            columns->used[column] = true;
        free(text);
    }
    if (mw_table_meta(table, "rate_unit") && mw_table_column(table, "rate", &column))
        columns->used[column] = true; /* what a scan took its times from */
    /* one node or two is a difference that has a column, and no place in the configuration */
    const struct mw_column *nodes =
        columns->has[MW_FIELD_USAGE + MW_USAGE_NODES] ? &columns->of[MW_FIELD_USAGE + MW_USAGE_NODES] : NULL;
    if (nodes)
        columns->used[nodes->index] = false;
    enum mw_err err = mw_factor_check(dataset, table, rows, count, columns->used, error);
    if (nodes)
        columns->used[nodes->index] = true;
    return err || !name ? err : name_unused(dataset, table, rows, count, columns->used, error);
}

/*
 * A scan that took a rate has the time of one item as its value, and what the run waited, lost or did for all of its wall time: the same
 * share of an item's. CPU time is left: a start-up that the rate leaves out would look like idle cores.
 */
static void spans_of_items(struct mw_dataset *dataset)
{
    static const enum mw_usage_item spans[] = {MW_USAGE_SYS,        MW_USAGE_MAIN_WAIT, MW_USAGE_OTHER_CPU,
                                               MW_USAGE_STEAL,      MW_USAGE_THROTTLED, MW_USAGE_SWITCHES,
                                               MW_USAGE_THREAD_WAIT};
    for (size_t i = 0; i < dataset->count; i++) {
        struct mw_row *row = &dataset->rows[i];
        double wall_s = row->usage.of[MW_USAGE_WALL];
        for (size_t k = 0; k < sizeof spans / sizeof *spans && wall_s > 0; k++)
            row->usage.of[spans[k]] *= row->value / wall_s;
    }
}

static enum mw_err finish(struct mw_dataset *dataset, const struct mw_table *table, const struct mw_columns *columns,
                          struct mw_error *error)
{
    const char *memory = mw_table_meta(table, "memory_freq_ghz");
    const struct mw_number_style style = {'.', '\0'};
    double freq_hz;
    if (memory && mw_cell_quantity(memory, &style, MW_DIM_FREQ, 1e9, &freq_hz) && freq_hz > 0)
        dataset->memory_freq_hz = freq_hz;
    const char *limit = mw_table_meta(table, "cpu_limit"), *rest;
    double cpus;
    if (limit && mw_cell_number(limit, &style, &cpus, &rest) && cpus > 0)
        dataset->cpu_limit = cpus;
    const char *driver = mw_table_meta(table, "freq_driver"), *command = mw_table_meta(table, "scan_command");
    const char *weak = mw_table_meta(table, "scan_weak"), *rate = mw_table_meta(table, "rate_unit");
    dataset->clock_fixed = driver && !strcmp(driver, "none");
    dataset->weak = weak && !strcmp(weak, "yes");
    enum mw_err err = command ? take_text(&dataset->command, command, error) : MW_OK;
    if (!err && rate && !dataset->rate_unit && dataset->quantity == MW_TIME) {
        spans_of_items(dataset);
        err = take_text(&dataset->rate_unit, rate, error);
    }
    for (size_t i = 0; i < columns->note_count && !err; i++)
        err = mw_dataset_warn(dataset, error, "%s", columns->notes[i]);
    size_t usable = 0;
    for (size_t i = 0; i < dataset->count; i++)
        usable += !dataset->rows[i].set_aside;
    if (!err && !usable)
        return mw_fail(error, MW_DATA, "%s:%ld: no usable row: %s", table->name, dataset->set_aside[0].line,
                       dataset->set_aside[0].reason);
    return err;
}

static enum mw_err build(struct mw_dataset *dataset, const char *path, const struct mw_table *table, const size_t *rows,
                         size_t count, const struct mw_dataset_options *options, const struct by *by,
                         struct mw_error *error)
{
    static const struct mw_dataset_options none;
    struct mw_dataset got = {.file = strdup(path), .workload = strdup(""), .input = strdup(""), .label = strdup("")};
    struct mw_columns columns = {0};
    options = options ? options : &none;
    memcpy(got.sha256, table->sha256, sizeof got.sha256);
    enum mw_err err =
        got.file && got.workload && got.input && got.label ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_groups_check(&got, table, rows, count, error);
    if (!err)
        err = mw_columns_find(&columns, table, rows, count, options, error);
    if (!err) {
        got.quantity = columns.value == MW_FIELD_SPEEDUP  ? MW_SPEEDUP
                       : columns.value == MW_FIELD_ENERGY ? MW_ENERGY
                                                          : MW_TIME;
        if (columns.value == MW_FIELD_RATE)
            err = take_text(&got.rate_unit, mw_table_header(table, columns.repeats[0].index), error);
    }
    if (!err)
        err = mw_rows_build(&got, table, &columns, rows, count, options->keep_failed, error);
    if (!err && !options->keep_failed && columns.has[MW_FIELD_USAGE + MW_USAGE_RANKS])
        err = mw_shapes_settle(&got, error);
    if (!err)
        err = mw_energies_reconcile(&got, error);
    if (!err && !options->keep_failed)
        err = mw_energies_screen(&got, options->keep_all, error);
    for (size_t i = 0; i < by->count && !err; i++)
        columns.used[by->columns[i]] = true;
    if (!err)
        err = finish(&got, table, &columns, error);
    if (!err)
        err = check_unused(&got, table, rows, count, &columns, options, !by->later, error);
    mw_columns_release(&columns);
    if (err)
        mw_dataset_release(&got);
    else
        *dataset = got;
    return err;
}

enum mw_err mw_dataset_read(struct mw_dataset *dataset, const char *path, const struct mw_dataset_options *options,
                            struct mw_error *error)
{
    struct mw_table table;
    size_t *rows = NULL, count;
    enum mw_err err = mw_table_read(&table, path, error);
    if (err)
        return err;
    err = select_rows(&table, options, &rows, &count, error);
    if (!err)
        err = build(dataset, path, &table, rows, count, options, &(struct by){0}, error);
    free(rows);
    mw_table_release(&table);
    return err;
}

/* --- one dataset for each combination ------------------------------------------------ */

static bool same_group(const struct mw_table *table, const size_t *columns, size_t n, size_t a, size_t b)
{
    for (size_t i = 0; i < n; i++)
        if (!mw_value_same(mw_table_cell(table, a, columns[i]), mw_table_cell(table, b, columns[i])))
            return false;
    return true;
}

static enum mw_err label_group(char **label, const struct mw_table *table, const size_t *columns, size_t n, size_t row,
                               struct mw_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s%s=%s", i ? ", " : "", mw_table_header(table, columns[i]), mw_table_cell(table, row, columns[i]));
    if (fclose(f))
        return mw_fail(error, MW_NOMEM, "out of memory");
    free(*label);
    *label = text;
    return MW_OK;
}

struct sets {
    struct mw_dataset *items;
    size_t count;
};

static enum mw_err split(struct sets *sets, const char *path, const struct mw_table *table, size_t *rows, size_t count,
                         const struct mw_dataset_options *options, const size_t *columns, size_t n,
                         struct mw_error *error)
{
    size_t *group = malloc(count * sizeof *group);
    enum mw_err err = group ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    while (!err && count) { /* the group of the first row left; what is left moves up */
        size_t in = 0, left = 0;
        for (size_t i = 0; i < count; i++) {
            if (same_group(table, columns, n, rows[0], rows[i]))
                group[in++] = rows[i];
        }
        for (size_t i = 0, g = 0; i < count; i++) {
            if (g < in && rows[i] == group[g])
                g++;
            else
                rows[left++] = rows[i];
        }
        count = left;
        struct mw_dataset *items = realloc(sets->items, (sets->count + 1) * sizeof *items);
        if (!items) {
            err = mw_fail(error, MW_NOMEM, "out of memory");
            break;
        }
        sets->items = items;
        err = build(&items[sets->count], path, table, group, in, options, &(struct by){columns, n, sets->count > 0},
                    error);
        if (!err)
            err = label_group(&items[sets->count++].label, table, columns, n, group[0], error);
    }
    free(group);
    return err;
}

enum mw_err mw_dataset_parse_by(struct mw_dataset **sets, size_t *count, const char *path, const struct mw_table *table,
                                const struct mw_dataset_options *options, const char **columns, size_t column_count,
                                struct mw_error *error)
{
    struct sets got = {0};
    size_t *rows = NULL, row_count, *index = malloc((column_count + 1) * sizeof *index);
    enum mw_err err = index ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < column_count && !err; i++)
        if (!mw_table_column(table, columns[i], &index[i]))
            err = no_column(table, columns[i], error);
    if (!err)
        err = select_rows(table, options, &rows, &row_count, error);
    if (!err)
        err = split(&got, path, table, rows, row_count, options, index, column_count, error);
    free(rows);
    free(index);
    if (err) {
        for (size_t i = 0; i < got.count; i++)
            mw_dataset_release(&got.items[i]);
        free(got.items);
        return err;
    }
    *sets = got.items;
    *count = got.count;
    return MW_OK;
}

enum mw_err mw_dataset_read_by(struct mw_dataset **sets, size_t *count, const char *path,
                               const struct mw_dataset_options *options, const char **columns, size_t column_count,
                               struct mw_error *error)
{
    struct mw_table table;
    enum mw_err err = mw_table_read(&table, path, error);
    if (err)
        return err;
    err = mw_dataset_parse_by(sets, count, path, &table, options, columns, column_count, error);
    mw_table_release(&table);
    return err;
}
