// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/groups.h"

#include "data/cell.h"
#include "data/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns whose values name different things to fit: rows of two of them are not one curve. */
static const struct {
    const char *name;
    bool is_program; /* else an input or a set of runs */
} groups[] = {
    {"workload", true}, {"kernel", true},        {"benchmark", true},   {"program", true},    {"application", true},
    {"app", true},      {"test", true},          {"input", false},      {"set", false},       {"dataset", false},
    {"problem", false}, {"problem_size", false}, {"input_size", false}, {"precision", false}, {"variant", false},
    {"gpus", false},    {"gpu_freq_ghz", false},
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

bool mw_value_same(const char *a, const char *b)
{
    const struct mw_number_style style = {'.', '\0'};
    const char *rest_a, *rest_b;
    double x, y;
    if (!strcmp(a, b))
        return true;
    return mw_cell_number(a, &style, &x, &rest_a) && mw_cell_number(b, &style, &y, &rest_b) &&
           !strcmp(rest_a, rest_b) && x <= y && x >= y;
}

size_t mw_values_distinct(const struct mw_table *table, size_t column, const size_t *rows, size_t count,
                          const char **values, size_t limit)
{
    size_t found = 0;
    const char *last = NULL;
    for (size_t i = 0; i < count && found < limit; i++) {
        const char *cell = mw_table_cell(table, rows[i], column);
        if (last && !strcmp(cell, last))
            continue;
        last = cell;
        bool known = false;
        for (size_t j = 0; j < found && !known; j++)
            known = mw_value_same(values[j], cell);
        if (!known)
            values[found++] = cell;
    }
    return found;
}

void mw_values_list(const char *const *values, size_t count, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && i < MW_VALUES_SHOWN; i++) {
        if (used + strlen(values[i]) + 8 > size) {
            snprintf(text + used, size - used, "%s…", i ? ", " : "");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", *values[i] ? values[i] : "''");
    }
    if (count > MW_VALUES_SHOWN)
        snprintf(text + used, size - used, ", …");
}

size_t mw_dataset_group_columns(const struct mw_table *table, const char **columns, size_t limit, size_t *programs)
{
    size_t count = 0, column;
    *programs = 0;
    for (size_t g = 0; g < GROUP_COUNT && count < limit; g++)
        if (mw_table_column(table, groups[g].name, &column)) {
            columns[count++] = mw_table_header(table, column);
            *programs += groups[g].is_program;
        }
    return count;
}

void mw_groups_mark(const struct mw_table *table, bool *used)
{
    size_t column;
    for (size_t g = 0; g < GROUP_COUNT; g++)
        if (mw_table_column(table, groups[g].name, &column))
            used[column] = true;
}

/* "column 'input' (1, 3) and column 'set' (a, b)" for each grouping column with several values; the first in *column. */
static size_t list_groups(const struct mw_table *table, const size_t *rows, size_t count, char *text, size_t size,
                          const char **name, const char **value)
{
    size_t varying = 0, used = 0, column;
    const char *values[MW_VALUES_SHOWN + 1];
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        if (!mw_table_column(table, groups[g].name, &column))
            continue;
        size_t found = mw_values_distinct(table, column, rows, count, values, MW_VALUES_SHOWN + 1);
        if (found < 2)
            continue;
        char list[160];
        mw_values_list(values, found, list, sizeof list);
        int n = snprintf(text + used, size - used, "%s'%.40s' (%s)", varying ? " and " : "",
                         mw_table_header(table, column), list);
        used = used + (size_t)n < size ? used + (size_t)n : size - 1;
        if (!varying++) {
            *name = mw_table_header(table, column);
            *value = values[0];
        }
    }
    return varying;
}

enum mw_err mw_groups_check(struct mw_dataset *dataset, const struct mw_table *table, const size_t *rows, size_t count,
                            struct mw_error *error)
{
    char list[400], where[120], by[80];
    const char *name, *value, *values[1];
    size_t column, varying = list_groups(table, rows, count, list, sizeof list, &name, &value);
    if (varying) {
        mw_fail(error, MW_DATA, "%s: column%s %s hold%s several values, which are not one curve", table->name,
                varying > 1 ? "s" : "", list, varying > 1 ? "" : "s");
        return mw_hint(error, "--where %s takes one of them, --by %s each on its own%s",
                       mw_shell_word(where, sizeof where, name, value), mw_shell_word(by, sizeof by, name, NULL),
                       varying > 1 ? "; the other columns likewise" : "");
    }
    enum mw_err err = MW_OK;
    for (size_t g = 0; g < GROUP_COUNT && !err; g++) {
        char **target = groups[g].is_program ? &dataset->workload : &dataset->input;
        if (**target || !mw_table_column(table, groups[g].name, &column) ||
            !mw_values_distinct(table, column, rows, count, values, 1))
            continue;
        char *text = strdup(values[0]);
        if (text) {
            free(*target);
            *target = text;
        } else {
            err = mw_fail(error, MW_NOMEM, "out of memory");
        }
    }
    return err;
}
