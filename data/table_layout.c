// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/table_internal.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Where in a text a table begins, what separates its columns and which line names them. */

bool mw_line_next(struct mw_line *line, const struct mw_bytes *bytes, size_t *offset)
{
    if (*offset >= bytes->size)
        return false;
    const char *start = bytes->data + *offset, *newline = memchr(start, '\n', bytes->size - *offset);
    size_t length = newline ? (size_t)(newline - start) : bytes->size - *offset;
    *offset += length + 1;
    if (length && start[length - 1] == '\r')
        length--;
    *line = (struct mw_line){start, length, line->number + 1};
    return true;
}

bool mw_line_is_blank(const struct mw_line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (!isspace((unsigned char)line->start[i]))
            return false;
    return true;
}

bool mw_line_is_remark(const struct mw_line *line)
{
    size_t i = 0;
    while (i < line->length && (line->start[i] == ' ' || line->start[i] == '\t'))
        i++;
    if (i >= line->length || (line->start[i] != '#' && line->start[i] != '%'))
        return false; /* "%" with a blank behind it, as Octave and gnuplot users write; "%CPU" is a name */
    return line->start[i] == '#' || i + 1 == line->length || strchr(" \t%", line->start[i + 1]);
}

static size_t count_outside_quotes(const struct mw_line *line, char wanted)
{
    size_t count = 0;
    bool quoted = false;
    for (size_t i = 0; i < line->length; i++) {
        quoted ^= line->start[i] == '"';
        count += !quoted && line->start[i] == wanted;
    }
    return count;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

bool mw_line_word(const struct mw_line *line, size_t *at, size_t *length)
{
    while (*at < line->length && is_space(line->start[*at]))
        ++*at;
    for (*length = 0; *at + *length < line->length && !is_space(line->start[*at + *length]);)
        ++*length;
    return *length > 0;
}

/* Fields of a line; a blank as the separator stands for a run of spaces. */
static size_t mw_line_fields(const struct mw_line *line, char delimiter)
{
    if (delimiter != ' ')
        return count_outside_quotes(line, delimiter) + 1;
    size_t count = 0;
    for (size_t at = 0, length; mw_line_word(line, &at, &length); at += length)
        count++;
    return count;
}

/*
 * Tab, semicolon and | before comma, because a comma may be a decimal one: the first that stands equally often in the
 * first two lines (but for one at the end), else the most frequent of the first line; with none of them, spaces where
 * the first lines have as many words.
 */
static char find_delimiter(const struct mw_line *first, const struct mw_line *second)
{
    static const char candidates[] = {'\t', ';', '|', ','};
    size_t most = 0;
    bool words =
        second->start && mw_line_fields(first, ' ') > 1 && mw_line_fields(first, ' ') == mw_line_fields(second, ' ');
    char best = words ? ' ' : ',';
    for (size_t i = 0; i < sizeof candidates; i++) {
        size_t a = count_outside_quotes(first, candidates[i]), b = count_outside_quotes(second, candidates[i]);
        if (a && (!second->start || a == b || a == b + 1 || b == a + 1))
            return candidates[i];
        if (a > most) {
            most = a;
            best = candidates[i];
        }
    }
    return best;
}

/* Does a cell of the line hold a plain number? Then the line is data, not a header. */
static bool has_number(const struct mw_line *line, char delimiter)
{
    size_t start = 0;
    for (size_t i = 0; i <= line->length; i++) {
        if (i < line->length && line->start[i] != delimiter)
            continue;
        size_t digits = 0, other = 0;
        for (size_t j = start; j < i; j++) {
            char c = line->start[j];
            digits += isdigit((unsigned char)c) != 0;
            other += !isdigit((unsigned char)c) && !strchr(" \t.,+-eE\"", c);
        }
        if (digits && !other)
            return true;
        start = i + 1;
    }
    return false;
}

/* Is the first cell empty or a word, not a number? */
static bool is_word_first(const struct mw_line *line, char delimiter)
{
    size_t i = 0;
    while (i < line->length && strchr(" \t\"", line->start[i]))
        i++;
    return i < line->length && (line->start[i] == delimiter || !isdigit((unsigned char)line->start[i]));
}

/* The rule of a Markdown table. */
static bool is_rule(const struct mw_line *line)
{
    size_t n = 0;
    while (n < line->length && strchr("-:|+= \t", line->start[n]))
        n++;
    return line->length && n == line->length;
}

/* Does a cell begin with a digit? Then the line may be data. */
static bool begins_number(const struct mw_line *line, char delimiter)
{
    bool start = true;
    for (size_t i = 0; i < line->length; i++) {
        char c = line->start[i];
        if (start && isdigit((unsigned char)c))
            return true;
        start = c == delimiter || (start && strchr(" \t\"'+-.", c));
    }
    return false;
}

/* Is `header` followed by data in as many columns (but for one separator at the end)? */
static bool is_header(const struct mw_line *header, const struct mw_line *data)
{
    char delimiter = find_delimiter(header, data);
    size_t a = mw_line_fields(header, delimiter), b = mw_line_fields(data, delimiter);
    return a > 1 && (a == b || a == b + 1 || b == a + 1) && !has_number(header, delimiter) &&
           begins_number(data, delimiter);
}

/* The first lines with something in them. */
struct top {
    struct mw_line lines[16];
    size_t offsets[16], count; /* of the lines in the text */
    struct mw_line remark;     /* the last "#" line before them */
    char fixed;                /* of a "sep=;" line */
};

static void read_top(struct top *top, const struct mw_bytes *bytes)
{
    struct mw_line line = {0};
    size_t offset = 0, before = 0;
    while (top->count < sizeof top->lines / sizeof *top->lines && mw_line_next(&line, bytes, &offset)) {
        bool content = !mw_line_is_blank(&line) && !mw_line_is_remark(&line);
        if (content && !top->count && line.length == 5 && !strncasecmp(line.start, "sep=", 4)) {
            top->fixed = line.start[4]; /* as spreadsheets write and read it */
        } else if (content && !(top->count && is_rule(&line))) {
            top->offsets[top->count] = before;
            top->lines[top->count++] = line;
        } else if (!top->count && mw_line_is_remark(&line)) {
            top->remark = line;
        }
        before = offset;
    }
    if (!top->count)
        top->lines[0].number = line.number;
}

/* The line that names the columns: the first that is followed by data in as many; titles above it are passed over. */
static size_t find_header(const struct top *top)
{
    for (size_t k = 0; k + 1 < top->count; k++)
        if (is_header(&top->lines[k], &top->lines[k + 1]))
            return k;
    return 0;
}

enum mw_err mw_layout_find(struct mw_layout *layout, struct mw_table *table, const struct mw_bytes *bytes,
                           struct mw_error *error)
{
    struct top top = {0};
    read_top(&top, bytes);
    if (!top.count)
        return mw_fail(error, MW_DATA, "%s:%ld: no header and no rows", table->name, top.lines[0].number);
    size_t k = top.fixed ? 0 : find_header(&top);
    const struct mw_line *first = &top.lines[k], none = {0};
    if (*top.lines[0].start == '{' || *top.lines[0].start == '[') {
        mw_fail(error, MW_DATA, "%s:%ld: this is JSON, not a table", table->name, top.lines[0].number);
        if (strstr(bytes->data, "\"memwall-model/"))
            return mw_hint(error, "it is a model already: memwall predict, diagnose and recommend take it");
        return mw_hint(error,
                       "memwall import reads the JSON of hyperfine, google-benchmark, pytest-benchmark and perf-stat");
    }
    layout->body_line = first->number;
    table->delimiter = top.fixed ? top.fixed : find_delimiter(first, k + 1 < top.count ? first + 1 : &none);
    if (!has_number(first, table->delimiter))
        return MW_OK;
    if (top.remark.start && mw_line_fields(&top.remark, table->delimiter) >= mw_line_fields(first, table->delimiter)) {
        layout->header = top.remark;
        return MW_OK;
    }
    if (is_word_first(first, table->delimiter)) /* the cores across the top, perhaps: mw_table_turn decides */
        return MW_OK;
    mw_fail(error, MW_DATA, "%s:%ld: the first line holds numbers, not the names of the columns", table->name,
            first->number);
    return mw_hint(
        error, "put a line of names on top, as in cores,freq_ghz,time_s; output of other tools: memwall help import");
}
