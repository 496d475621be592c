// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/columns.h"

#include "data/columns_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    enum mw_dimension dimension;
} fields[MW_FIELD_COUNT] = {
    [MW_FIELD_CORES] = {"cores", MW_DIM_NONE},
    [MW_FIELD_FREQ] = {"freq", MW_DIM_FREQ},
    [MW_FIELD_FREQ_EFFECTIVE] = {"freq_effective", MW_DIM_FREQ},
    [MW_FIELD_TIME] = {"time", MW_DIM_TIME},
    [MW_FIELD_RATE] = {"rate", MW_DIM_NONE},
    [MW_FIELD_SPEEDUP] = {"speedup", MW_DIM_NONE},
    [MW_FIELD_ENERGY] = {"energy", MW_DIM_ENERGY},
    [MW_FIELD_POWER] = {"power", MW_DIM_POWER},
    [MW_FIELD_CPU_TIME] = {"cpu", MW_DIM_TIME},
    [MW_FIELD_EXIT_STATUS] = {"exit_status", MW_DIM_NONE},
    [MW_FIELD_VALID] = {"valid", MW_DIM_NONE},
    [MW_FIELD_REPETITION] = {"repetition", MW_DIM_NONE},
    [MW_FIELD_USER_TIME] = {"user", MW_DIM_TIME},
    [MW_FIELD_CPU_PERCENT] = {"cpu_percent", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_SYS] = {"sys", MW_DIM_TIME},
    [MW_FIELD_USAGE + MW_USAGE_WALL] = {"wall", MW_DIM_TIME},
    [MW_FIELD_USAGE + MW_USAGE_MAIN_WAIT] = {"main_wait", MW_DIM_TIME},
    [MW_FIELD_USAGE + MW_USAGE_THREAD_WAIT] = {"thread_wait", MW_DIM_TIME},
    [MW_FIELD_USAGE + MW_USAGE_OTHER_CPU] = {"other_cpu", MW_DIM_TIME},
    [MW_FIELD_USAGE + MW_USAGE_STEAL] = {"steal", MW_DIM_TIME},
    [MW_FIELD_USAGE + MW_USAGE_THROTTLED] = {"throttled", MW_DIM_TIME},
    [MW_FIELD_USAGE + MW_USAGE_SWITCHES] = {"switches", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_PREEMPTED] = {"preempted", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_FAULTS] = {"faults", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_THREADS] = {"threads", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_INSTRUCTIONS] = {"instructions", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_CYCLES] = {"cycles", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_CACHE_MISSES] = {"cache_misses", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_PEAK_MEMORY] = {"peak_memory", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_DISTURBED] = {"disturbed", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_RANKS] = {"ranks", MW_DIM_NONE},
    [MW_FIELD_USAGE + MW_USAGE_NODES] = {"nodes", MW_DIM_NONE},
};

const char *mw_field_name(enum mw_field field)
{
    return fields[field].name;
}

enum mw_dimension mw_field_dimension(enum mw_field field)
{
    return fields[field].dimension;
}

bool mw_field_find(const char *name, size_t length, enum mw_field *field)
{
    for (size_t i = 0; i < MW_FIELD_COUNT; i++)
        if (strlen(fields[i].name) == length && !strncmp(fields[i].name, name, length)) {
            *field = (enum mw_field)i;
            return true;
        }
    return false;
}

bool mw_table_column(const struct mw_table *table, const char *name, size_t *column)
{
    if (mw_table_find(table, name, column))
        return true;
    char wanted[64], got[64];
    mw_name_letters(name, wanted, sizeof wanted);
    for (size_t i = 0; *wanted && i < table->column_count; i++) {
        mw_name_letters(mw_table_header(table, i), got, sizeof got);
        if (!strcmp(wanted, got)) {
            *column = i;
            return true;
        }
    }
    return false;
}

const char *mw_shell_word(char *text, size_t size, const char *name, const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+%@";
    const char *const parts[] = {name, value ? "=" : "", value ? value : ""};
    bool quoted = name[strspn(name, plain)] || (value && (!*value || value[strspn(value, plain)]));
    size_t used = 0;
    if (quoted && used + 1 < size)
        text[used++] = '\'';
    for (size_t p = 0; p < 3; p++)
        for (const char *c = parts[p]; *c && used + 6 < size; c++) {
            if (*c == '\'') /* ends the quotes, a quote, and begins them anew */
                used += (size_t)snprintf(text + used, size - used, "'\\''");
            else
                text[used++] = *c;
        }
    if (quoted && used + 1 < size)
        text[used++] = '\'';
    text[used] = '\0';
    return text;
}

/* --- the columns that --map names ------------------------------------------ */

static enum mw_err unknown_map(const struct finder *f, const char *map, struct mw_error *error)
{
    char list[256] = "";
    for (size_t i = 0; i < MW_FIELD_COUNT; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", fields[i].name);
    (void)f;
    mw_fail(error, MW_USAGE, "--map '%s': the form is FIELD=COLUMN", map);
    return mw_hint(error, "fields are %s", list);
}

static enum mw_err no_column(const struct finder *f, const char *map, const char *name, struct mw_error *error)
{
    char names[200];
    mw_fail(error, MW_USAGE, "--map '%s': %s has no column '%s'", map, f->table->name, name);
    mw_finder_names(f, NULL, names, sizeof names);
    return mw_hint(error, "the columns are %s", names);
}

/* "cores=ranks*threads", "energy=package+dram". Of two factors of the cores the first are the processes. */
static enum mw_err map_several(struct finder *f, const char *map, enum mw_field field, const char *names, char sign,
                               struct mw_error *error)
{
    static const enum mw_usage_item items[] = {MW_USAGE_RANKS, MW_USAGE_THREADS};
    char *copy = strdup(names), *rest = copy, *name;
    size_t column, of[2] = {0}, count = 0;
    enum mw_err err = copy ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    while (!err && (name = strsep(&rest, (char[]){sign, '\0'}))) {
        if (!mw_table_column(f->table, name, &column))
            err = no_column(f, map, name, error);
        else if (count == MW_COLUMNS_MORE)
            err = mw_fail(error, MW_USAGE, "--map '%s': more than %d columns", map, MW_COLUMNS_MORE);
        else
            mw_finder_add(f, field, column);
        of[count % 2] = column;
        count++;
    }
    for (size_t i = 0; i < 2 && !err && count == 2 && field == MW_FIELD_CORES; i++)
        mw_finder_set(f, MW_FIELD_USAGE + items[i], of[i]);
    free(copy);
    return err;
}

static enum mw_err apply_map(struct finder *f, const char *map, struct mw_error *error)
{
    const char *equals = strchr(map, '=');
    enum mw_field field;
    size_t column;
    if (!equals || !mw_field_find(map, (size_t)(equals - map), &field))
        return unknown_map(f, map, error);
    if (!mw_table_column(f->table, equals + 1, &column)) {
        char sign = field == MW_FIELD_CORES ? '*' : field == MW_FIELD_ENERGY || field == MW_FIELD_POWER ? '+' : '\0';
        if (sign && strchr(equals + 1, sign))
            return map_several(f, map, field, equals + 1, sign, error);
        return no_column(f, map, equals + 1, error);
    }
    bool is_value = field == MW_FIELD_TIME || field == MW_FIELD_RATE || field == MW_FIELD_SPEEDUP;
    if (is_value && f->columns->repeat_count && f->columns->value != field)
        return mw_fail(error, MW_USAGE, "--map names both %s and %s: one is fitted", fields[f->columns->value].name,
                       fields[field].name);
    if (is_value) {
        f->columns->value = field;
        return mw_finder_add_repeat(f, column, error);
    }
    mw_finder_set(f, field, column);
    return MW_OK;
}

/* --- all of it ---------------------------------------------------------------- */

/* A bare frequency is in GHz, unless no processor has so many: then MHz, kHz or Hz. */
static void guess_freq_unit(struct finder *f, enum mw_field field)
{
    struct mw_column *column = &f->columns->of[field];
    if (!f->columns->has[field] || f->headings[column->index].dimension == MW_DIM_FREQ)
        return;
    static const struct {
        double from, factor;
        const char *name;
    } units[] = {{1e8, 1, "Hz"}, {1e5, 1e3, "kHz"}, {100, 1e6, "MHz"}};
    double value;
    const char *rest;
    column->factor = 1e9;
    for (size_t i = 0; i < f->count; i++) {
        const char *cell = mw_table_cell(f->table, f->rows[i], column->index);
        if (mw_cell_missing(cell) || !mw_cell_number(cell, &column->style, &value, &rest) || *rest)
            continue;
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            if (value >= units[u].from) {
                column->factor = units[u].factor;
                mw_finder_note(f, "column '%.60s' names no unit: read as %s", mw_table_header(f->table, column->index),
                               units[u].name);
                break;
            }
        return;
    }
}

static struct mw_style_evidence observe(const struct finder *f, const struct mw_column *column)
{
    struct mw_style_evidence evidence = {0};
    for (size_t i = 0; i < f->count; i++)
        mw_style_observe(&evidence, mw_table_cell(f->table, f->rows[i], column->index));
    return evidence;
}

static enum mw_err settle_style(struct finder *f, struct mw_column *column, const struct mw_style_evidence *evidence,
                                char decimal, struct mw_error *error)
{
    char thousands = f->options->thousands;
    if (thousands) {
        column->style = (struct mw_number_style){thousands == '.' ? ',' : '.', thousands};
        return MW_OK;
    }
    if (mw_style_settle(evidence, f->table->delimiter == ';', decimal, &column->style))
        return MW_OK;
    mw_fail(error, MW_DATA, "%s: commas or dots in column '%s' may be decimal signs or thousands separators",
            f->table->name, mw_table_header(f->table, column->index));
    return mw_hint(error, "--thousands , reads 1,234 as 1234; where it is 1.234, --thousands .");
}

/* The k-th column of numbers that is read; NULL behind the last. */
static struct mw_column *number_column(struct mw_columns *columns, size_t k)
{
    for (enum mw_field field = 0; field < MW_FIELD_COUNT; field++)
        if (columns->has[field] && field != MW_FIELD_VALID && !k--)
            return &columns->of[field];
    if (k < columns->repeat_count)
        return &columns->repeats[k];
    k -= columns->repeat_count;
    return k < columns->more_count ? &columns->more[k] : NULL;
}

/* How numbers are written, column by column; what one leaves open the others may tell. */
static enum mw_err settle_styles(struct finder *f, struct mw_error *error)
{
    struct mw_column *column;
    bool comma = false, dot = false;
    size_t count = MW_FIELD_COUNT + f->columns->repeat_count + MW_COLUMNS_MORE;
    struct mw_style_evidence *evidence = calloc(count, sizeof *evidence);
    if (!evidence)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t k = 0; (column = number_column(f->columns, k)); k++) {
        evidence[k] = observe(f, column);
        comma |= evidence[k].comma_decimal;
        dot |= evidence[k].dot_decimal;
    }
    char decimal = comma == dot ? '\0' : comma ? ',' : '.';
    enum mw_err err = MW_OK;
    for (size_t k = 0; !err && (column = number_column(f->columns, k)); k++)
        err = settle_style(f, column, &evidence[k], decimal, error);
    free(evidence);
    return err;
}

/* The columns of a file that memwall scan, tune or import wrote: by their names, in which nothing is to be guessed. */
static void take_own_columns(struct finder *f)
{
    static const char *const marks[] = {"cores", "repetition"};
    static const struct {
        const char *name;
        enum mw_field field;
    } own[] = {{"cores", MW_FIELD_CORES}, {"cpu_s", MW_FIELD_CPU_TIME}};
    size_t column;
    const char *command = mw_table_meta(f->table, "command");
    if (!(command && strstr(command, "memwall")) && !mw_table_find(f->table, "exit_status", &column))
        return;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (!mw_table_find(f->table, marks[i], &column))
            return;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!f->columns->has[own[i].field] && mw_table_find(f->table, own[i].name, &column) && !f->taken[column])
            mw_finder_set(f, own[i].field, column);
    for (enum mw_usage_item i = 0; i < MW_USAGE_COUNT; i++)
        if (!f->columns->has[MW_FIELD_USAGE + i] && mw_table_find(f->table, mw_usage_name(i), &column) &&
            !f->taken[column])
            mw_finder_set(f, MW_FIELD_USAGE + i, column);
}

static enum mw_err find(struct finder *f, struct mw_error *error)
{
    struct mw_columns *columns = f->columns;
    const char *const *map = f->options->map;
    size_t map_count = f->options->map_count;
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < f->table->column_count; i++)
        mw_heading_parse(&f->headings[i], mw_table_header(f->table, i));
    for (size_t i = 0; i < map_count && !err; i++)
        err = apply_map(f, map[i], error);
    if (!err)
        take_own_columns(f);
    if (!err && !columns->has[MW_FIELD_CORES])
        err = mw_finder_parallel(f, error);
    for (enum mw_field field = 0; field < MW_FIELD_COUNT && !err; field++)
        if (field != MW_FIELD_TIME && field != MW_FIELD_RATE && field != MW_FIELD_SPEEDUP && !columns->has[field])
            err = mw_finder_choose(f, field, error);
    if (!err)
        err = mw_finder_meters(f, error);
    if (!err && !columns->repeat_count)
        err = mw_finder_value(f, error);
    if (!err && !columns->has[MW_FIELD_CORES])
        err = mw_finder_no_cores(f, error);
    if (!err)
        err = settle_styles(f, error);
    if (!err) {
        guess_freq_unit(f, MW_FIELD_FREQ);
        guess_freq_unit(f, MW_FIELD_FREQ_EFFECTIVE);
    }
    return err;
}

enum mw_err mw_columns_find(struct mw_columns *columns, const struct mw_table *table, const size_t *rows, size_t count,
                            const struct mw_dataset_options *options, struct mw_error *error)
{
    struct mw_columns got = {0};
    struct finder f = {table,
                       rows,
                       count,
                       &got,
                       calloc(table->column_count, sizeof *f.headings),
                       calloc(table->column_count, sizeof *f.taken),
                       options};
    enum mw_err err = f.headings && f.taken ? find(&f, error) : mw_fail(error, MW_NOMEM, "out of memory");
    free(f.headings);
    got.used = f.taken;
    if (err)
        mw_columns_release(&got);
    else
        *columns = got;
    return err;
}

void mw_columns_release(struct mw_columns *columns)
{
    free(columns->repeats);
    free(columns->used);
    *columns = (struct mw_columns){0};
}
