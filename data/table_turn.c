// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/table_internal.h"

#include "data/columns_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_CORES = 1000000 };

/* "4", "4 threads": the number, and what follows it; 0 where it is no count. */
static unsigned long count_in(const char *text, const char **rest)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return 0;
    unsigned long value = strtoul(text, &end, 10);
    *rest = end + strspn(end, " ");
    return value <= MOST_CORES ? value : 0;
}

static bool is_cores_name(const char *text)
{
    struct mw_heading heading;
    mw_heading_parse(&heading, text);
    return *heading.base && mw_is_alias(MW_FIELD_CORES, &heading);
}

/* Are the names from the second on numbers of cores, bare or each with the same kind of word? */
static bool has_counts_on_top(const struct mw_table *table, bool *words)
{
    unsigned long last = 0;
    *words = false;
    for (size_t c = 1; c < table->column_count; c++) {
        const char *rest = "";
        unsigned long count = count_in(mw_table_header(table, c), &rest);
        if (count <= last || (*rest && !is_cores_name(rest)) || (c > 1 && *words != (*rest != '\0')))
            return false;
        *words = *rest != '\0';
        last = count;
    }
    return table->column_count > 2;
}

/* Do the first cells of the rows name quantities, a time or a rate among them? */
static bool has_quantities(const struct mw_table *table)
{
    static const enum mw_field fields[] = {MW_FIELD_TIME, MW_FIELD_RATE, MW_FIELD_SPEEDUP};
    bool found = false;
    for (size_t r = 0; r < table->row_count; r++) {
        struct mw_heading heading;
        const char *label = mw_table_cell(table, r, 0);
        mw_heading_parse(&heading, label);
        heading.repeat = -1;
        if (!*label || isdigit((unsigned char)*label))
            return false;
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            found |= mw_is_alias(fields[f], &heading);
        found |= heading.dimension == MW_DIM_TIME || strstr(heading.base, "efficien");
    }
    return found;
}

/* An empty corner over 1, 2, 4 … is taken for the cores; over other numbers it is not known what they are. */
static bool is_corner_of_cores(const struct mw_table *table, bool words)
{
    const unsigned long first_at_most = 2;
    const char *corner = mw_table_header(table, 0), *rest;
    return words || is_cores_name(corner) || (!*corner && count_in(mw_table_header(table, 1), &rest) <= first_at_most);
}

static enum mw_err turn(struct mw_table *table, struct mw_error *error)
{
    static const char name[] = "cores";
    size_t columns = table->row_count + 1, rows = table->column_count - 1, length = 0, used = 0;
    bool named = is_cores_name(mw_table_header(table, 0));
    for (size_t r = 0; r < table->row_count * table->column_count; r++)
        length += strlen(table->text + table->cells[r]) + 1;
    for (size_t c = 0; c < table->column_count; c++)
        length += strlen(mw_table_header(table, c)) + 1;
    char *text = calloc(1, length + sizeof name);
    uint32_t *cells = malloc(rows * columns * sizeof *cells), *header = malloc(columns * sizeof *header),
             *lines = malloc(rows * sizeof *lines);
    if (!text || !cells || !header || !lines) {
        free(text);
        free(cells);
        free(header);
        free(lines);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t c = 0; c < columns; c++) {
        header[c] = (uint32_t)used;
        used += strlen(strcpy(text + used, c       ? mw_table_cell(table, c - 1, 0)
                                           : named ? mw_table_header(table, 0)
                                                   : name)) +
                1;
    }
    for (size_t r = 0; r < rows; r++) {
        lines[r] = table->row_count ? table->lines[0] : 1;
        for (size_t c = 0; c < columns; c++) {
            const char *cell = c ? mw_table_cell(table, c - 1, r + 1) : mw_table_header(table, r + 1);
            size_t n = c ? strlen(cell) : strspn(cell, "0123456789");
            cells[r * columns + c] = (uint32_t)used;
            memcpy(text + used, cell, n);
            used += n + 1;
        }
    }
    free(table->text);
    free(table->cells);
    free(table->header);
    free(table->lines);
    table->text = text;
    table->cells = cells;
    table->header = header;
    table->lines = lines;
    table->row_count = rows;
    table->column_count = columns;
    return MW_OK;
}

/* The empty column before the first separator of "| a | b |". */
static void drop_empty_first(struct mw_table *table)
{
    size_t columns = table->column_count;
    bool empty = columns > 1 && !*mw_table_header(table, 0);
    for (size_t r = 0; r < table->row_count && empty; r++)
        empty = !*mw_table_cell(table, r, 0);
    if (!empty)
        return;
    for (size_t r = 0; r < table->row_count; r++)
        memmove(table->cells + r * (columns - 1), table->cells + r * columns + 1, (columns - 1) * sizeof *table->cells);
    memmove(table->header, table->header + 1, (columns - 1) * sizeof *table->header);
    table->column_count--;
}

enum mw_err mw_table_turn(struct mw_table *table, struct mw_error *error)
{
    bool words, numbers = false;
    drop_empty_first(table);
    if (table->column_count > 2 && has_counts_on_top(table, &words)) {
        if (is_corner_of_cores(table, words) && has_quantities(table))
            return turn(table, error);
        numbers = !words;
    }
    for (size_t c = 0; c < table->column_count && !numbers; c++) {
        const char *name = mw_table_header(table, c);
        numbers = *name && !name[strspn(name, "0123456789.,+-eE ")] && strpbrk(name, "0123456789");
    }
    if (!numbers)
        return MW_OK;
    mw_fail(error, MW_DATA, "%s:%ld: the first line holds numbers, not the names of the columns", table->name,
            table->header_line);
    return mw_hint(error,
                   "one row for each run under names, as in cores,freq_ghz,time_s; the cores may stand across the "
                   "top where the rows are named (threads,1,2,4 over time_s,80,41,22)");
}
