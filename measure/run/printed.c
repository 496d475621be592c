// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/printed.h"

#include "data/units.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mw_expression {
    regex_t regex;
    bool is_rate;
    double unit_s;
};

enum mw_err mw_printed_open(int *fd, struct mw_error *error)
{
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/memwall-output-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    int made = mkostemp(path, O_CLOEXEC | O_APPEND);
    enum mw_err err = made < 0 ? mw_fail_errno(error, MW_IO, errno, "cannot create '%s'", path) : MW_OK;
    if (!err) {
        unlink(path);
        *fd = made;
    }
    free(path);
    return err;
}

enum mw_err mw_printed_check(int fd, struct mw_error *error)
{
    if (write(fd, "\n", 1) == 1 || (errno != ENOSPC && errno != EDQUOT))
        return MW_OK;
    mw_fail_errno(error, MW_IO, errno, "the run failed, and what it printed could not be kept");
    return mw_hint(error, "TMPDIR names a folder with more room");
}

void mw_printed_tail(int fd, unsigned lines, char *text, size_t size)
{
    off_t end = lseek(fd, 0, SEEK_END), from = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t got = end < 0 ? -1 : pread(fd, text, size - 1, from);
    text[got > 0 ? got : 0] = '\0';
    for (ssize_t n = got; n > 0 && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = '\0';
    char *first = text + strlen(text);
    for (unsigned seen = 0; first > text; first--)
        if (first[-1] == '\n' && ++seen == lines)
            break;
    memmove(text, first, strlen(first) + 1);
    for (char *c = text; *c; c++) /* a program's output may hold anything, and this goes to a terminal */
        if (iscntrl((unsigned char)*c) && *c != '\n')
            *c = *c == '\t' ? ' ' : '?';
}

void mw_printed_copy(int fd, int to)
{
    char buffer[1 << 14];
    off_t at = 0;
    for (ssize_t got; (got = pread(fd, buffer, sizeof buffer, at)) > 0; at += got)
        for (ssize_t done = 0, n; done < got; done += n)
            if ((n = write(to, buffer + done, (size_t)(got - done))) <= 0)
                return;
}

/* --- expressions --------------------------------------------------------------- */

static enum mw_err refuse(const char *text, const char *what, size_t length, const char *instead,
                          struct mw_error *error)
{
    mw_fail(error, MW_USAGE, "expression '%s': POSIX extended expressions have no '%.*s'", text, (int)length, what);
    return instead ? mw_hint(error, "write %s", instead) : MW_USAGE;
}

/* A backslash and a letter: what of it GNU's regcomp knows, and what to write for the rest. */
static enum mw_err check_escape(const char *text, const char *at, bool in_brackets, struct mw_error *error)
{
    static const struct {
        char letter;
        const char *instead, *in_brackets;
    } perl[] = {{'d', "[0-9]", "0-9"},
                {'D', "[^0-9]", NULL},
                {'t', "the tab itself, or [[:blank:]]", "the tab itself, or [:blank:]"},
                {'s', NULL, "[:space:]"},
                {'w', NULL, "[:alnum:]_"}};
    if (!isalnum((unsigned char)at[1]) || (!in_brackets && strchr("wWsSbB", at[1])))
        return MW_OK;
    for (size_t i = 0; i < sizeof perl / sizeof *perl; i++)
        if (perl[i].letter == at[1])
            return refuse(text, at, 2, in_brackets ? perl[i].in_brackets : perl[i].instead, error);
    return refuse(text, at, 2, NULL, error);
}

/* What Perl has and POSIX takes as something else. */
static enum mw_err check_posix(const char *text, struct mw_error *error)
{
    bool in_brackets = false;
    enum mw_err err = MW_OK;
    for (const char *c = text; *c && !err; c++) {
        if (*c == '\\') {
            err = check_escape(text, c, in_brackets, error);
            c += !in_brackets && c[1];
        } else if (in_brackets) {
            bool class = *c == '[' && c[1] && strchr(":.=", c[1]) && strstr(c + 2, ":]");
            c = class ? strstr(c + 2, ":]") + 1 : c;
            in_brackets = class || *c != ']';
        } else if (*c == '[') {
            in_brackets = true;
            c += c[1] == '^';
            c += c[1] == ']';
        } else if (*c == '(' && c[1] == '?') {
            err =
                refuse(text, c, 3,
                       c[2] == ':' ? "( … ) around what is to be found first: the first group is taken" : NULL, error);
        } else if (strchr("*+?}", *c) && c[1] == '?') {
            err = refuse(text, c, 2, "what the text between cannot hold, as in [^ ]*", error);
        }
    }
    return err;
}

enum mw_err mw_expression_open(struct mw_expression **result, const char *text, bool is_rate, double unit_s,
                               struct mw_error *error)
{
    enum mw_err err = check_posix(text, error);
    if (err)
        return err;
    struct mw_expression *made = malloc(sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    int code = regcomp(&made->regex, text, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        char why[128];
        regerror(code, &made->regex, why, sizeof why);
        free(made);
        return mw_fail(error, MW_USAGE, "bad expression '%s': %s", text, why);
    }
    made->is_rate = is_rate;
    made->unit_s = unit_s;
    *result = made;
    return MW_OK;
}

void mw_expression_close(struct mw_expression *expression)
{
    if (expression)
        regfree(&expression->regex);
    free(expression);
}

/* The last match of the expression in what the program printed; its first group, else all of it. */
static bool last_match(const regex_t *expression, const char *text, char *found, size_t size)
{
    regmatch_t match[2];
    bool any = false;
    int flags = 0;
    while (regexec(expression, text, 2, match, flags) == 0) {
        regmatch_t m = match[1].rm_so >= 0 ? match[1] : match[0];
        while (m.rm_so < m.rm_eo && strchr(" \t", text[m.rm_so]))
            m.rm_so++;
        while (m.rm_eo > m.rm_so && strchr(" \t\r", text[m.rm_eo - 1]))
            m.rm_eo--;
        snprintf(found, size, "%.*s", (int)(m.rm_eo - m.rm_so), text + m.rm_so);
        any = true;
        regoff_t end = match[0].rm_eo > 0 ? match[0].rm_eo : 1;
        if (!text[end - 1] || !text[end])
            break;
        text += end;
        flags = text[-1] == '\n' ? 0 : REG_NOTBOL;
    }
    return any;
}

/* All that lies in the output file, with a zero behind; NULL when it cannot be read. */
static char *read_output(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    ssize_t got = text ? pread(fd, text, (size_t)size, 0) : -1;
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    for (ssize_t i = 0; i < got; i++) /* a zero byte would hide what follows from the expression */
        if (!text[i])
            text[i] = ' ';
    return text;
}

/* The number in `found`; a unit that is written there holds, else the one that was given. */
static bool parse(const struct mw_expression *e, const char *found, double *time_s, char *why, size_t size)
{
    struct mw_error wrong;
    double value = 0;
    enum mw_err err = mw_parse_number(found, &value, &wrong);
    if (!err)
        value *= e->is_rate ? 1 : e->unit_s;
    else if (!e->is_rate)
        err = mw_parse_duration(found, &value, &wrong);
    if (!err && value > 0) {
        *time_s = e->is_rate ? 1 / value : value;
        return true;
    }
    snprintf(why, size, "the expression found '%.60s', which is no %s%s", found, e->is_rate ? "rate" : "time",
             !err                 ? " above 0"
             : strchr(found, ',') ? " (write it with a decimal point)"
             : !*found            ? " (its first group is empty)"
                                  : "");
    return false;
}

enum mw_err mw_expression_time(const struct mw_expression *e, int fd, bool *found, double *time_s, char *why,
                               size_t why_size, struct mw_error *error)
{
    char match[64];
    char *text = read_output(fd);
    if (!text)
        return mw_fail(error, MW_NOMEM, "cannot read back what the program printed");
    bool any = last_match(&e->regex, text, match, sizeof match);
    free(text);
    for (char *c = match; any && *c; c++)
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    *found = any && parse(e, match, time_s, why, why_size);
    if (*found)
        return MW_OK;
    if (!any)
        snprintf(why, why_size, "the expression found nothing in what it printed");
    return mw_printed_check(fd, error);
}
