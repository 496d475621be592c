// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct builder {
    struct mw_dataset *dataset;
    const struct mw_table *table;
    const struct mw_columns *columns;
    size_t row; /* of the table */
    size_t row_capacity, aside_capacity;
    bool keep_failed;
    enum mw_usage_item usage[MW_USAGE_COUNT]; /* those that have a column */
    size_t usage_count;
    char unit[32]; /* what stands behind the numbers of a rate, the same in all cells */
    struct mw_error *error;
};

static enum mw_err bad_cell(const struct builder *b, size_t column, const char *what)
{
    const char *cell = mw_table_cell(b->table, b->row, column);
    return mw_fail(b->error, MW_DATA, "%s:%u: '%.60s' in column '%.60s' %s", b->table->name, b->table->lines[b->row],
                   cell, mw_table_header(b->table, column), what);
}

/* A quantity that may be missing; negative values are wrong in all of them. */
static enum mw_err read_quantity(const struct builder *b, enum mw_field field, const struct mw_column *column,
                                 bool *has, double *value)
{
    const char *cell = mw_table_cell(b->table, b->row, column->index);
    enum mw_dimension dimension = mw_field_dimension(field);
    *has = false;
    if (mw_cell_missing(cell))
        return MW_OK;
    const char *rest;
    bool percent =
        field == MW_FIELD_CPU_PERCENT && mw_cell_number(cell, &column->style, value, &rest) && !strcmp(rest, "%");
    if (!percent && !mw_cell_quantity(cell, &column->style, dimension, column->factor, value))
        return bad_cell(b, column->index,
                        dimension == MW_DIM_TIME   ? "is not a time"
                        : dimension == MW_DIM_FREQ ? "is not a frequency"
                                                   : "is not a number");
    if (*value < 0)
        return bad_cell(b, column->index, "is negative");
    *has = true;
    return MW_OK;
}

/* "102k", "1.1M": a prefix alone behind a number is a factor, which may differ from cell to cell. */
static double prefix_factor(const char **rest)
{
    static const char prefixes[] = "kMGT";
    double factor = 1e3;
    for (const char *p = prefixes; *p; p++, factor *= 1e3)
        if ((**rest == *p || (**rest == 'K' && *p == 'k')) && !(*rest)[1]) {
            ++*rest;
            return factor;
        }
    return 1;
}

/* A rate or a speedup: a number, perhaps with words behind it, the same in each cell. */
static enum mw_err read_plain(struct builder *b, enum mw_field field, const struct mw_column *column, bool *has,
                              double *value)
{
    const char *cell = mw_table_cell(b->table, b->row, column->index), *rest;
    *has = false;
    if (mw_cell_missing(cell))
        return MW_OK;
    if (!mw_cell_number(cell, &column->style, value, &rest))
        return bad_cell(b, column->index, "is not a number");
    bool percent = b->columns->per_core && field == MW_FIELD_SPEEDUP && !strcmp(rest, "%");
    if (*rest && field == MW_FIELD_SPEEDUP && strcasecmp(rest, "x") && strcmp(rest, "\xc3\x97") && !percent)
        return bad_cell(b, column->index, "is not a number");
    *value *= percent ? 0.01 : column->factor;
    if (field == MW_FIELD_RATE)
        *value *= prefix_factor(&rest);
    if (*rest && field == MW_FIELD_RATE) {
        if (!*b->unit)
            snprintf(b->unit, sizeof b->unit, "%s", rest);
        if (strncmp(b->unit, rest, sizeof b->unit - 1))
            return bad_cell(b, column->index, "has another unit than the rows above");
    }
    if (*value < 0)
        return bad_cell(b, column->index, "is negative");
    *has = true;
    return MW_OK;
}

/* "4 cores", "8 threads": what the column counts may stand behind each number. */
static bool says_cores(enum mw_field field, const char *rest)
{
    static const char *const words[] = {"core", "cores",     "thread",     "threads", "cpu",
                                        "cpus", "processor", "processors", NULL};
    for (size_t i = 0; words[i] && field == MW_FIELD_CORES; i++)
        if (!strcasecmp(rest, words[i]))
            return true;
    return false;
}

static enum mw_err read_whole(const struct builder *b, enum mw_field field, double low, double high, bool *has,
                              double *value)
{
    *has = false;
    if (!b->columns->has[field])
        return MW_OK;
    const struct mw_column *column = &b->columns->of[field];
    const char *cell = mw_table_cell(b->table, b->row, column->index), *rest;
    if (mw_cell_missing(cell))
        return MW_OK;
    if (!mw_cell_number(cell, &column->style, value, &rest) || (*rest && !says_cores(field, rest)) ||
        *value != floor(*value))
        return bad_cell(b, column->index, "is not a whole number");
    if (*value < low || *value > high)
        return bad_cell(b, column->index, *value < low ? "is too small" : "is too large");
    *has = true;
    return MW_OK;
}

/* The further columns of cores: factors. */
static enum mw_err read_factors(const struct builder *b, double *cores)
{
    const struct mw_columns *columns = b->columns;
    for (size_t i = 0; i < columns->more_count; i++) {
        const char *cell = mw_table_cell(b->table, b->row, columns->more[i].index), *rest;
        double value;
        if (columns->more_field[i] != MW_FIELD_CORES)
            continue;
        if (!mw_cell_number(cell, &columns->more[i].style, &value, &rest) || *rest || value != floor(value) ||
            value < 1 || *cores * value > 1e6)
            return bad_cell(b, columns->more[i].index, "is not a number of cores");
        *cores *= value;
    }
    return MW_OK;
}

static enum mw_err append_row(struct builder *b, const struct mw_row *row)
{
    struct mw_dataset *d = b->dataset;
    if (d->count == b->row_capacity) {
        size_t capacity = b->row_capacity ? 2 * b->row_capacity : 64;
        struct mw_row *rows = realloc(d->rows, capacity * sizeof *rows);
        if (!rows)
            return mw_fail(b->error, MW_NOMEM, "out of memory");
        d->rows = rows;
        b->row_capacity = capacity;
    }
    d->rows[d->count++] = *row;
    return MW_OK;
}

static enum mw_err set_aside(struct builder *b, struct mw_row *row, const char *label, int number)
{
    struct mw_dataset *d = b->dataset;
    if (d->set_aside_count == b->aside_capacity) {
        size_t capacity = b->aside_capacity ? 2 * b->aside_capacity : 16;
        struct mw_set_aside *items = realloc(d->set_aside, capacity * sizeof *items);
        if (!items)
            return mw_fail(b->error, MW_NOMEM, "out of memory");
        d->set_aside = items;
        b->aside_capacity = capacity;
    }
    char *reason = NULL;
    if ((number ? asprintf(&reason, "%s (exit status %d)", label, number) : asprintf(&reason, "%s", label)) < 0)
        return mw_fail(b->error, MW_NOMEM, "out of memory");
    d->set_aside[d->set_aside_count++] = (struct mw_set_aside){row->line, reason};
    if (!b->keep_failed)
        return MW_OK;
    row->set_aside = number ? "the run failed" : "set aside";
    return append_row(b, row);
}

/* yes, true, 1, successful against no, false, 0, failed, unsuccessful. */
static enum mw_err read_valid(const struct builder *b, bool *valid)
{
    static const char *const yes[] = {"yes", "true", "1", "ok", "y", "pass", "passed", "successful", "valid"};
    static const char *const no[] = {"no", "false", "0", "n", "fail", "failed", "unsuccessful", "invalid"};
    *valid = true;
    if (!b->columns->has[MW_FIELD_VALID])
        return MW_OK;
    size_t column = b->columns->of[MW_FIELD_VALID].index;
    const char *cell = mw_table_cell(b->table, b->row, column);
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!strcasecmp(cell, yes[i]))
            return MW_OK;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (!strcasecmp(cell, no[i])) {
            *valid = false;
            return MW_OK;
        }
    return mw_cell_missing(cell) ? MW_OK : bad_cell(b, column, "is neither yes nor no");
}

static enum mw_err read_usage(const struct builder *b, struct mw_usage *usage)
{
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < b->usage_count && !err; i++) {
        enum mw_field field = MW_FIELD_USAGE + b->usage[i];
        bool has;
        double value;
        err = read_quantity(b, field, &b->columns->of[field], &has, &value);
        if (!err && has)
            mw_usage_set(usage, b->usage[i], value);
    }
    return err;
}

/* The further columns of an energy or a power: parts of a sum, which is missing where one of them is. */
static enum mw_err read_sum(const struct builder *b, enum mw_field field, bool *has, double *value)
{
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < b->columns->more_count && *has && !err; i++) {
        double part;
        if (b->columns->more_field[i] != field)
            continue;
        err = read_quantity(b, field, &b->columns->more[i], has, &part);
        if (!err && *has)
            *value += part;
    }
    return err;
}

/* The fields that stand beside the value; *cpu_percent is left as it is where there is none. */
static enum mw_err read_beside(const struct builder *b, struct mw_row *row, double *cpu_percent)
{
    double user_s = -1;
    const struct {
        enum mw_field field;
        unsigned bit;
        double *target;
        bool zero_is_missing; /* below the resolution of the meter */
    } parts[] = {
        {MW_FIELD_FREQ, MW_HAS_FREQ, &row->freq_hz, true},
        {MW_FIELD_FREQ_EFFECTIVE, MW_HAS_FREQ_EFFECTIVE, &row->freq_effective_hz, true},
        {MW_FIELD_ENERGY, MW_HAS_ENERGY, &row->energy_j, true},
        {MW_FIELD_POWER, MW_HAS_POWER, &row->power_w, true},
        {MW_FIELD_CPU_TIME, MW_HAS_CPU_TIME, &row->cpu_time_s, false},
        {MW_FIELD_USER_TIME, 0, &user_s, false},
        {MW_FIELD_CPU_PERCENT, 0, cpu_percent, false},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool has;
        double value;
        if (!b->columns->has[parts[i].field])
            continue;
        enum mw_err err = read_quantity(b, parts[i].field, &b->columns->of[parts[i].field], &has, &value);
        if (!err && has)
            err = read_sum(b, parts[i].field, &has, &value);
        if (err)
            return err;
        if (has && (value > 0 || !parts[i].zero_is_missing)) {
            row->has |= parts[i].bit;
            *parts[i].target = value;
        }
    }
    enum mw_err err = read_usage(b, &row->usage);
    if (err)
        return err;
    if (!(row->has & MW_HAS_CPU_TIME) && user_s >= 0 && row->usage.has[MW_USAGE_SYS]) {
        row->has |= MW_HAS_CPU_TIME;
        row->cpu_time_s = user_s + row->usage.of[MW_USAGE_SYS];
    }
    /* whole hertz, so that 2.4 GHz is the same number in whatever unit it was written */
    row->freq_hz = nearbyint(row->freq_hz);
    row->freq_effective_hz = nearbyint(row->freq_effective_hz);
    return MW_OK;
}

/* What stands in place of the value ("timeout", "NaN") is told. */
static enum mw_err no_value(struct builder *b, const struct mw_column *column, struct mw_row *row)
{
    const char *cell = mw_table_cell(b->table, b->row, column->index);
    char label[64];
    snprintf(label, sizeof label, "no value in this row: '%.30s'", cell);
    return set_aside(b, row, *cell ? label : "no value in this row", 0);
}

/* Seconds, speedups or joules, and seconds of one of a rate's units: what is beyond is a slip, and no fit bears it. */
static const double value_least = 1e-30, value_most = 1e30;

static enum mw_err read_value(struct builder *b, const struct mw_column *column, struct mw_row row, bool freq_known,
                              double cpu_percent)
{
    enum mw_field field = b->columns->value;
    bool has;
    double value = 0;
    enum mw_err err = field == MW_FIELD_TIME || field == MW_FIELD_ENERGY ? read_quantity(b, field, column, &has, &value)
                                                                         : read_plain(b, field, column, &has, &value);
    if (err)
        return err;
    if (!has && b->columns->repeat_count > 1)
        return MW_OK; /* a wide row with fewer repeats */
    if (!has)
        return no_value(b, column, &row);
    if (!(value > 0))
        return set_aside(b, &row,
                         field == MW_FIELD_TIME ? "a time of 0 is below the resolution of the timer"
                                                : "a value of 0 cannot be fitted",
                         0);
    if (freq_known && !(row.has & MW_HAS_FREQ))
        return set_aside(b, &row, "no frequency in this row, but in others", 0);
    row.has |= MW_HAS_VALUE;
    if (b->columns->per_core)
        value *= row.cores;
    row.value = field == MW_FIELD_RATE ? 1 / value : value;
    if (field == MW_FIELD_TIME && cpu_percent >= 0 && !(row.has & MW_HAS_CPU_TIME)) {
        row.has |= MW_HAS_CPU_TIME;
        row.cpu_time_s = cpu_percent / 100 * value;
    }
    if (!(row.value >= value_least && row.value <= value_most))
        return bad_cell(b, column->index, "is out of range");
    return append_row(b, &row);
}

static enum mw_err read_row(struct builder *b, bool freq_known)
{
    const struct mw_columns *columns = b->columns;
    struct mw_row row = {.line = b->table->lines[b->row]};
    bool has, valid;
    double value, cpu_percent = -1;
    enum mw_err err = read_whole(b, MW_FIELD_CORES, 1, 1e6, &has, &value);
    if (err)
        return err;
    if (!has)
        return bad_cell(b, columns->of[MW_FIELD_CORES].index, "is not a number of cores");
    err = read_factors(b, &value);
    if (err)
        return err;
    row.cores = (unsigned)value;
    err = read_whole(b, MW_FIELD_REPETITION, 0, 1e9, &has, &value);
    if (!err && has)
        row.repetition = (unsigned)value;
    if (!err)
        err = read_whole(b, MW_FIELD_EXIT_STATUS, -1e6, 1e6, &has, &value);
    if (!err && has) {
        row.has |= MW_HAS_EXIT_STATUS;
        row.exit_status = (int)value;
    }
    if (!err)
        err = read_valid(b, &valid);
    if (err)
        return err;
    if (row.exit_status)
        return set_aside(b, &row, "the run failed", row.exit_status);
    if (!valid)
        return set_aside(b, &row, "marked as not valid", 0);
    err = read_beside(b, &row, &cpu_percent);
    const struct mw_dataset *d = b->dataset;
    size_t before = d->count + d->set_aside_count;
    for (size_t i = 0; i < columns->repeat_count && !err; i++) {
        if (columns->repeat_count > 1)
            row.repetition = (unsigned)i + 1;
        err = read_value(b, &columns->repeats[i], row, freq_known, cpu_percent);
    }
    if (!err && d->count + d->set_aside_count == before) /* repeats, and not one of them is there */
        err = no_value(b, &columns->repeats[0], &row);
    return err;
}

enum mw_err mw_rows_build(struct mw_dataset *dataset, const struct mw_table *table, const struct mw_columns *columns,
                          const size_t *rows, size_t count, bool keep_failed, struct mw_error *error)
{
    struct builder b = {
        .dataset = dataset, .table = table, .columns = columns, .keep_failed = keep_failed, .error = error};
    for (enum mw_usage_item i = 0; i < MW_USAGE_COUNT; i++)
        if (columns->has[MW_FIELD_USAGE + i])
            b.usage[b.usage_count++] = i;
    bool freq_known = false;
    for (size_t i = 0; i < count && columns->has[MW_FIELD_FREQ] && !freq_known; i++)
        freq_known = !mw_cell_missing(mw_table_cell(table, rows[i], columns->of[MW_FIELD_FREQ].index));
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && !err; i++) {
        b.row = rows[i];
        err = read_row(&b, freq_known);
    }
    return err;
}
