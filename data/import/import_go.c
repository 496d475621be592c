// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/cell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * go test -bench . -cpu 1,2,4: "BenchmarkSolve-4   	 200	  6345678 ns/op	 12 B/op": the number behind the last dash is
 * GOMAXPROCS, left out where it is 1; the time is that of one operation (testing.BenchmarkResult, pkg.go.dev/testing).
 * A name that ends in a number of its own ("n-10") is told by another that goes on behind it ("n-10-2"), or by one without
 * a number that none goes on from: then GOMAXPROCS was 1 throughout.
 */
struct line {
    char *name;
    long number;
    double time_s;
};

struct go {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    struct line *lines;
    size_t count, failed;
};

/* The value before the unit "ns/op" in the words behind the name; false where there is none. */
static bool nanoseconds(const char *text, double *time_s)
{
    const struct mw_number_style style = {'.', '\0'};
    const char *unit = strstr(text, " ns/op"), *start = unit, *rest;
    while (start && start > text && !isspace((unsigned char)start[-1]))
        start--;
    if (!unit || !mw_cell_number(start, &style, time_s, &rest) || rest != unit + 1)
        return false;
    *time_s *= 1e-9;
    return true;
}

static enum mw_err take_line(struct go *g, const struct mw_lines *lines)
{
    const char *text = lines->text;
    size_t n = strcspn(text, " \t");
    double time_s;
    if (!strncmp(text, "--- FAIL: Benchmark", 19))
        g->failed++;
    if (strncmp(text, "Benchmark", 9) || !isdigit((unsigned char)text[n + strspn(text + n, " \t")]))
        return MW_OK;
    if (!nanoseconds(text + n, &time_s))
        return strstr(text, "/op") ? mw_fail(g->error, MW_DATA, "%s:%ld: '%.60s' has no ns/op that is a number",
                                             g->bytes->name, lines->number, text)
                                   : MW_OK;
    struct line *grown = realloc(g->lines, (g->count + 1) * sizeof *grown);
    if (grown)
        g->lines = grown;
    char *name = strndup(text, n);
    if (!grown || !name) {
        free(name);
        return mw_fail(g->error, MW_NOMEM, "out of memory");
    }
    g->lines[g->count++] = (struct line){name, lines->number, time_s};
    return MW_OK;
}

/* The dash before the last number of a name; NULL where it does not end so. */
static char *suffix(char *name)
{
    char *dash = strrchr(name, '-');
    return dash && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")] && dash[1] != '0' ? dash : NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Does another name go on with a dash and a number? `names` are all names, sorted. */
static bool goes_on(const char *name, char *const *names, size_t count)
{
    size_t n = strlen(name), low = 0, high = count;
    while (low < high) { /* the first that is greater than name + "-" less one */
        size_t middle = low + (high - low) / 2;
        if (strncmp(names[middle], name, n) < 0 || (!strncmp(names[middle], name, n) && names[middle][n] < '-'))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && !strncmp(names[low], name, n) && names[low][n] == '-'; low++)
        if (isdigit((unsigned char)names[low][n + 1]) && !names[low][n + 1 + strspn(names[low] + n + 1, "0123456789")])
            return true;
    return false;
}

static enum mw_err add_all(struct go *g)
{
    char **names = malloc((g->count + 1) * sizeof *names);
    enum mw_err err = names ? MW_OK : mw_fail(g->error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < g->count && !err; i++)
        names[i] = g->lines[i].name;
    if (!err)
        qsort(names, g->count, sizeof *names, by_text);
    bool one = false;
    for (size_t i = 0; i < g->count && !err && !one; i++)
        one = !suffix(g->lines[i].name) && !goes_on(g->lines[i].name, names, g->count);
    for (size_t i = 0; i < g->count && !err; i++) {
        struct mw_import_run run = {.has = MW_RUN_TIME | MW_RUN_CORES,
                                    .cores = 1,
                                    .time_s = g->lines[i].time_s,
                                    .workload = strdup(g->lines[i].name),
                                    .line = g->lines[i].number};
        char *dash = !one && run.workload && !goes_on(run.workload, names, g->count) ? suffix(run.workload) : NULL;
        unsigned long cores = dash ? strtoul(dash + 1, NULL, 10) : 1;
        if (!run.workload)
            err = mw_fail(g->error, MW_NOMEM, "out of memory");
        else if (dash && cores <= 1000000) {
            run.cores = (unsigned)cores;
            *dash = '\0';
        }
        if (!err)
            err = mw_import_add(g->import, run, g->bytes, g->options, g->error);
    }
    free(names);
    return err;
}

enum mw_err mw_import_go(struct mw_import *import, const struct mw_bytes *bytes,
                         const struct mw_import_options *options, struct mw_error *error)
{
    struct go g = {.import = import, .bytes = bytes, .options = options, .error = error};
    struct mw_lines lines = {0};
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes))
        err = take_line(&g, &lines);
    mw_lines_release(&lines);
    if (!err && g.count)
        err = add_all(&g);
    else if (!err)
        err = mw_import_none(bytes, "what go test -bench prints: \"BenchmarkSolve-4  200  6345678 ns/op\"", error);
    for (size_t i = 0; i < g.count; i++)
        free(g.lines[i].name);
    free(g.lines);
    if (!err && g.failed)
        err = mw_import_warn(import, error, "%s: %zu failed benchmark(s) left out", bytes->name, g.failed);
    return err;
}
