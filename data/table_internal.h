// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_TABLE_INTERNAL_H
#define MW_DATA_TABLE_INTERNAL_H

#include "data/table.h"

/* Shared by table.c, table_layout.c and table_turn.c. */

/* A line of the buffer: start, length without the line end. */
struct mw_line {
    const char *start;
    size_t length;
    long number;
};
bool mw_line_next(struct mw_line *line, const struct mw_bytes *bytes, size_t *offset);
bool mw_line_is_blank(const struct mw_line *line);
bool mw_line_is_remark(const struct mw_line *line);
/* The next run of letters that are no spaces, from *at on; false where the line ends. */
bool mw_line_word(const struct mw_line *line, size_t *at, size_t *length);

/* What stands where: found before parsing, because a "#" line may prove to be the header. */
struct mw_layout {
    struct mw_line header; /* start NULL: the first row is the header */
    long body_line;        /* the first line of the table */
};
/* Also sets the table's delimiter. */
enum mw_err mw_layout_find(struct mw_layout *layout, struct mw_table *table, const struct mw_bytes *bytes,
                           struct mw_error *error) MW_CHECKED;

/*
 * A table with the cores across the top (threads | 1 | 2 | 4 over time | 80 | 41 | 22) with its rows made columns; others
 * stay. MW_DATA where the top holds numbers and the rows don't say what they are.
 */
enum mw_err mw_table_turn(struct mw_table *table, struct mw_error *error) MW_CHECKED;

#endif
