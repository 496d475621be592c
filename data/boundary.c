// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/boundary.h"

#include "data/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"", "socket", "node", "kind", "smt"};

const char *mw_boundary_name(enum mw_boundary_kind kind)
{
    return names[kind];
}

enum mw_err mw_boundary_parse(const char *name, enum mw_boundary_kind *kind, struct mw_error *error)
{
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *kind = (enum mw_boundary_kind)i;
            return MW_OK;
        }
    if (strcmp(name, "slower"))
        return mw_fail(error, MW_USAGE, "'%s' is no kind of boundary: socket, node, slower or smt", name);
    *kind = MW_BOUNDARY_KIND;
    return MW_OK;
}

struct boundary {
    unsigned cores;
    enum mw_boundary_kind kind;
};

static int ascending(const void *a, const void *b)
{
    const struct boundary *x = a, *y = b;
    return (x->cores > y->cores) - (x->cores < y->cores);
}

/* One item, "4:smt" or a list of core counts without kind. */
static enum mw_err parse_item(const char *item, struct boundary **list, size_t *count, struct mw_error *error)
{
    char text[64];
    enum mw_boundary_kind kind = MW_BOUNDARY_UNNAMED;
    double *values = NULL;
    size_t found = 0;
    snprintf(text, sizeof text, "%s", item);
    char *colon = strchr(text, ':');
    if (colon && (colon[1] < '0' || colon[1] > '9')) { /* "2-8:2" is a range with a step */
        *colon = '\0';
        enum mw_err err = mw_boundary_parse(colon + 1, &kind, error);
        if (err)
            return err;
    }
    enum mw_err err = mw_parse_cores(text, NULL, 0, &values, &found, error);
    if (err)
        return err;
    struct boundary *more = realloc(*list, (*count + found + 1) * sizeof *more);
    if (!more)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    else
        *list = more;
    for (size_t i = 0; !err && i < found; i++)
        (*list)[(*count)++] = (struct boundary){(unsigned)values[i], kind};
    free(values);
    return err;
}

enum mw_err mw_boundaries_parse(const char *text, unsigned **cores, enum mw_boundary_kind **kinds, size_t *count,
                                struct mw_error *error)
{
    struct boundary *list = NULL;
    size_t n = 0;
    enum mw_err err = MW_OK;
    const char *from = text;
    do {
        char item[64];
        size_t length = strcspn(from, ",");
        if (length >= sizeof item)
            err = mw_fail(error, MW_USAGE, "'%s' is not a list of core counts, as in 12:socket,4:smt", text);
        snprintf(item, sizeof item, "%.*s", (int)length, from);
        if (!err)
            err = parse_item(item, &list, &n, error);
        from += length;
    } while (!err && *from++);
    if (!err)
        qsort(list, n, sizeof *list, ascending);
    unsigned *numbers = calloc(n + 1, sizeof *numbers);
    enum mw_boundary_kind *what = calloc(n + 1, sizeof *what);
    if (!err && (!numbers || !what))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < n; i++) {
        numbers[i] = list[i].cores;
        what[i] = list[i].kind;
    }
    free(list);
    if (err || !kinds)
        free(what);
    if (err) {
        free(numbers);
        return err;
    }
    *cores = numbers;
    if (kinds)
        *kinds = what;
    *count = n;
    return MW_OK;
}
