// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/table_internal.h"

#include <csv.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of one parse. Rows are collected with the width of the header. */
struct parse {
    struct mw_table *table;
    struct mw_error *error;
    enum mw_err err;
    size_t text_used, cell_capacity, row_capacity;
    uint32_t *fields; /* of the row in progress */
    size_t field_count, field_capacity;
    long line, row_line;
    bool row_done;
};

const char *mw_table_header(const struct mw_table *table, size_t column)
{
    return table->text + table->header[column];
}

const char *mw_table_cell(const struct mw_table *table, size_t row, size_t column)
{
    return table->text + table->cells[row * table->column_count + column];
}

const char *mw_table_meta(const struct mw_table *table, const char *key)
{
    for (size_t i = 0; i < table->meta_count; i++)
        if (!strcmp(table->meta[i].key, key))
            return table->meta[i].value;
    return NULL;
}

bool mw_table_find(const struct mw_table *table, const char *name, size_t *column)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (!strcmp(mw_table_header(table, i), name)) {
            *column = i;
            return true;
        }
    return false;
}

void mw_table_release(struct mw_table *table)
{
    for (size_t i = 0; i < table->meta_count; i++) {
        free(table->meta[i].key);
        free(table->meta[i].value);
    }
    free(table->meta);
    free(table->name);
    free(table->text);
    free(table->cells);
    free(table->lines);
    free(table->header);
    *table = (struct mw_table){0};
}

static void on_field(void *text, size_t length, void *data)
{
    struct parse *parse = data;
    if (parse->err)
        return;
    if (parse->field_count == parse->field_capacity) {
        size_t capacity = parse->field_capacity ? 2 * parse->field_capacity : 32;
        uint32_t *fields = realloc(parse->fields, capacity * sizeof *fields);
        if (!fields) {
            parse->err = mw_fail(parse->error, MW_NOMEM, "out of memory");
            return;
        }
        parse->fields = fields;
        parse->field_capacity = capacity;
    }
    parse->fields[parse->field_count++] = (uint32_t)parse->text_used;
    if (length)
        memcpy(parse->table->text + parse->text_used, text, length);
    parse->text_used += length + 1; /* the buffer is zeroed: one byte ends the cell */
}

static const char *field(const struct parse *parse, size_t i)
{
    return parse->table->text + parse->fields[i];
}

/* The header fixes the number of columns: what follows its last name is dropped. */
static enum mw_err take_header(struct parse *parse)
{
    struct mw_table *table = parse->table;
    size_t n = parse->field_count;
    while (n && !*field(parse, n - 1))
        n--;
    if (!n)
        return mw_fail(parse->error, MW_DATA, "%s:%ld: the header names no columns", table->name, parse->row_line);
    table->header = malloc(n * sizeof *table->header);
    if (!table->header)
        return mw_fail(parse->error, MW_NOMEM, "out of memory");
    memcpy(table->header, parse->fields, n * sizeof *table->header);
    table->column_count = n;
    table->header_line = parse->row_line;
    return MW_OK;
}

/* Cells all empty, the rule of a Markdown table (---|:--:), or the header again, as in files put together with cat. */
static bool is_decoration(const struct parse *parse)
{
    const struct mw_table *table = parse->table;
    bool rule = true, header = parse->field_count >= table->column_count;
    for (size_t i = 0; i < parse->field_count && (rule || header); i++) {
        const char *text = field(parse, i);
        rule = rule && !text[strspn(text, "-:")] && strlen(text) != 1; /* a single "-" may be a missing value */
        header = header && (i >= table->column_count || !strcmp(text, mw_table_header(table, i)));
    }
    return rule || header;
}

static enum mw_err check_width(const struct parse *parse, struct mw_error *error)
{
    const struct mw_table *table = parse->table;
    size_t n = parse->field_count;
    while (n > table->column_count && !*field(parse, n - 1))
        n--;
    if (n == table->column_count)
        return MW_OK;
    mw_fail(error, MW_DATA, "%s:%ld: %zu fields, but the header (line %ld) names %zu columns", table->name,
            parse->row_line, n, table->header_line, table->column_count);
    if (n > table->column_count && table->delimiter == ',')
        return mw_hint(error, "decimal commas need quotes, or semicolons between the columns");
    return error->code;
}

static enum mw_err grow(struct parse *parse)
{
    struct mw_table *table = parse->table;
    if (table->row_count < parse->row_capacity)
        return MW_OK;
    size_t rows = parse->row_capacity ? 2 * parse->row_capacity : 256;
    uint32_t *cells = realloc(table->cells, rows * table->column_count * sizeof *cells);
    if (cells)
        table->cells = cells;
    uint32_t *lines = realloc(table->lines, rows * sizeof *lines);
    if (lines)
        table->lines = lines;
    if (!cells || !lines)
        return mw_fail(parse->error, MW_NOMEM, "out of memory");
    parse->row_capacity = rows;
    return MW_OK;
}

static void on_row(int terminator, void *data)
{
    struct parse *parse = data;
    struct mw_table *table = parse->table;
    (void)terminator;
    parse->row_done = true;
    if (!parse->err && !table->header) {
        parse->err = take_header(parse);
    } else if (!parse->err && !is_decoration(parse)) {
        struct mw_error local;
        parse->err = check_width(parse, parse->error ? parse->error : &local);
        if (!parse->err)
            parse->err = grow(parse);
        if (!parse->err) {
            memcpy(table->cells + table->row_count * table->column_count, parse->fields,
                   table->column_count * sizeof *table->cells);
            table->lines[table->row_count++] = (uint32_t)parse->row_line;
        }
    }
    parse->field_count = 0;
}

/* "# key: value"; other remarks are dropped. */
static enum mw_err take_meta(struct mw_table *table, const char *line, size_t length, struct mw_error *error)
{
    const char *end = line + length, *key = line + 1, *colon = memchr(line, ':', length);
    while (key < end && isspace((unsigned char)*key))
        key++;
    if (!colon || colon <= key)
        return MW_OK;
    const char *value = colon + 1;
    while (value < end && isspace((unsigned char)*value))
        value++;
    while (end > value && isspace((unsigned char)end[-1]))
        end--;
    struct mw_meta *meta = realloc(table->meta, (table->meta_count + 1) * sizeof *meta);
    if (meta)
        table->meta = meta;
    char *k = strndup(key, (size_t)(colon - key)), *v = strndup(value, (size_t)(end - value));
    if (!meta || !k || !v) {
        free(k);
        free(v);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    table->meta[table->meta_count++] = (struct mw_meta){k, v};
    return MW_OK;
}

/* One physical line to the parser; a quoted cell may go on in the next. */
static enum mw_err feed(struct csv_parser *csv, struct parse *parse, const char *start, size_t length)
{
    const struct mw_line line = {start, length, 0};
    bool good = true, first = true;
    parse->row_done = false;
    if (parse->table->delimiter == ' ') {
        for (size_t at = 0, n; good && mw_line_word(&line, &at, &n); at += n, first = false)
            good = (first || csv_parse(csv, "\t", 1, on_field, on_row, parse) == 1) &&
                   csv_parse(csv, start + at, n, on_field, on_row, parse) == n;
    } else {
        good = csv_parse(csv, start, length, on_field, on_row, parse) == length;
    }
    if (!good || csv_parse(csv, "\n", 1, on_field, on_row, parse) != 1)
        return mw_fail(parse->error, MW_NOMEM, "out of memory");
    return parse->err;
}

static enum mw_err parse_lines(struct csv_parser *csv, struct parse *parse, const struct mw_bytes *bytes,
                               const struct mw_layout *layout)
{
    struct mw_table *table = parse->table;
    struct mw_line line = {0};
    size_t offset = 0;
    bool in_row = false;
    enum mw_err err = MW_OK;
    while (!err && mw_line_next(&line, bytes, &offset)) {
        if (!in_row && layout->header.start == line.start) {
            size_t skip = strcspn(line.start, "#%") + 1;
            parse->row_line = line.number;
            err = feed(csv, parse, line.start + skip, line.length - skip);
            in_row = !parse->row_done;
        } else if (!in_row && mw_line_is_remark(&line)) {
            err = take_meta(table, line.start, line.length, parse->error);
        } else if (line.number >= layout->body_line && (in_row || !mw_line_is_blank(&line))) {
            if (!in_row)
                parse->row_line = line.number;
            err = feed(csv, parse, line.start, line.length);
            in_row = !parse->row_done;
        }
    }
    if (!err && in_row)
        return mw_fail(parse->error, MW_DATA, "%s:%ld: a quote is opened here and never closed", table->name,
                       parse->row_line);
    if (!err && !table->row_count)
        return mw_fail(parse->error, MW_DATA, "%s:%ld: a header without rows", table->name, table->header_line);
    return err;
}

enum mw_err mw_table_parse(struct mw_table *table, const struct mw_bytes *bytes, struct mw_error *error)
{
    if (bytes->size >= UINT32_MAX - 2)
        return mw_fail(error, MW_DATA, "%s: a table of 4 GiB or more is not read", bytes->name);
    struct mw_table got = {.name = strdup(bytes->name), .text = calloc(1, bytes->size + 2)};
    memcpy(got.sha256, bytes->sha256, sizeof got.sha256);
    struct parse parse = {.table = &got, .error = error};
    struct mw_layout layout = {0};
    struct csv_parser csv;
    enum mw_err err = got.name && got.text ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_layout_find(&layout, &got, bytes, error);
    if (!err && csv_init(&csv, 0))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    else if (!err) {
        csv_set_delim(&csv, got.delimiter == ' ' ? '\t' : (unsigned char)got.delimiter);
        err = parse_lines(&csv, &parse, bytes, &layout);
        csv_free(&csv);
    }
    if (!err)
        err = mw_table_turn(&got, error);
    free(parse.fields);
    if (err)
        mw_table_release(&got);
    else
        *table = got;
    return err;
}

enum mw_err mw_table_read(struct mw_table *table, const char *path, struct mw_error *error)
{
    struct mw_bytes bytes;
    enum mw_err err = mw_bytes_read(&bytes, path, error);
    if (err)
        return err;
    err = mw_table_parse(table, &bytes, error);
    mw_bytes_release(&bytes);
    return err;
}
