// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_TABLE_H
#define MW_DATA_TABLE_H

#include "data/bytes.h"
#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A delimited text file as cells of text. Separator (comma, semicolon, tab, |, or spaces) found from the first lines; quotes,
 * CRLF, a byte-order mark, blank lines, rules of Markdown tables, a separator at the end of each line and a header
 * repeated by concatenation are understood. "# key: value" lines, wherever they stand, are metadata; a "#" line right
 * before rows that have no header is the header. _release frees all.
 */
struct mw_table {
    char *name; /* of the file, for messages */
    char sha256[65];
    char delimiter;
    char *text;       /* all cells, each ends in a zero */
    uint32_t *cells;  /* row-major offsets into text, row_count x column_count */
    uint32_t *lines;  /* line of each row, 1-based */
    uint32_t *header; /* column_count offsets */
    long header_line;
    size_t row_count, column_count;
    struct mw_meta {
        char *key, *value;
    } * meta;
    size_t meta_count;
};

/* MW_DATA with file, line and hint; see mw_bytes_read for what the bytes must be. */
enum mw_err mw_table_read(struct mw_table *table, const char *path, struct mw_error *error) MW_CHECKED;
enum mw_err mw_table_parse(struct mw_table *table, const struct mw_bytes *bytes, struct mw_error *error) MW_CHECKED;
void mw_table_release(struct mw_table *table);

const char *mw_table_header(const struct mw_table *table, size_t column);
/* Never NULL; "" where empty. Spaces around a cell without quotes are dropped. */
const char *mw_table_cell(const struct mw_table *table, size_t row, size_t column);
/* The value of "# key: value", NULL where there is none. */
const char *mw_table_meta(const struct mw_table *table, const char *key);

/* The column of exactly that name; false where there is none (mw_table_column of data/columns.h is more lenient). */
bool mw_table_find(const struct mw_table *table, const char *name, size_t *column);

#endif
