// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/cell.h"
#include "data/json.h"
#include "data/table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Google Benchmark. JSON: context{}, benchmarks[]{name, run_name, run_type, threads, real_time, cpu_time, time_unit, …};
 * bare NaN and Infinity may stand where a number belongs. CSV: name,iterations,real_time,cpu_time,time_unit,…, the
 * threads only in the name ("/threads:4"). Time is real time for one iteration. Aggregates (mean, median) of
 * repetitions that are also listed are left out.
 */
struct google {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    size_t failed;
};

/* name without "/threads:N", whose number goes to *threads (0: none). */
static char *split_name(const char *name, unsigned *threads)
{
    const char *mark = strstr(name, "/threads:");
    char *text = strdup(name);
    *threads = 0;
    if (!mark || !text)
        return text;
    const char *end = mark + strlen("/threads:");
    unsigned long n = strtoul(end, NULL, 10);
    if (n >= 1 && n <= 1000000) {
        *threads = (unsigned)n;
        end += strspn(end, "0123456789");
        memmove(text + (mark - name), end, strlen(end) + 1);
    }
    return text;
}

static enum mw_err add_run(struct google *g, const char *name, unsigned threads, double real, double cpu,
                           const char *unit, long line)
{
    enum mw_dimension dimension;
    double factor;
    struct mw_import_run run = {.has = MW_RUN_TIME, .line = line};
    if (!mw_unit_find(unit, &dimension, &factor) || dimension != MW_DIM_TIME)
        return mw_fail(g->error, MW_DATA, "%s:%ld: time unit '%.20s' is not known", g->bytes->name, line, unit);
    if (!(real >= 0 && real < 1e300))
        return mw_fail(g->error, MW_DATA, "%s:%ld: '%.60s' has no usable real time", g->bytes->name, line, name);
    run.time_s = real * factor;
    if (cpu > 0 && strstr(name, "/process_time")) { /* else it is the main thread's alone */
        run.cpu_time_s = cpu * factor;
        run.has |= MW_RUN_CPU_TIME;
    }
    unsigned in_name;
    run.workload = split_name(name, &in_name);
    if (!run.workload)
        return mw_fail(g->error, MW_NOMEM, "out of memory");
    run.cores = threads ? threads : in_name;
    if (run.cores)
        run.has |= MW_RUN_CORES;
    return mw_import_add(g->import, run, g->bytes, g->options, g->error);
}

/* NaN, -NaN, Infinity and -Infinity outside strings become null, so that jansson reads the rest. */
static void patch_numbers(char *text)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-NaN", "NaN", "-nan", "nan", "-inf", "inf"};
    bool quoted = false;
    for (char *c = text; *c; c++) {
        if (*c == '\\' && quoted && c[1])
            c++;
        else if (*c == '"')
            quoted = !quoted;
        for (size_t i = 0; !quoted && i < sizeof words / sizeof *words; i++) {
            size_t n = strlen(words[i]);
            if (!strncmp(c, words[i], n) && !isalpha((unsigned char)c[n])) {
                memset(c, ' ', n);
                memcpy(c, n >= 4 ? "null" : "0  ", n >= 4 ? 4 : n);
                break;
            }
        }
    }
}

static enum mw_err add_benchmark(struct google *g, const json_t *item, bool aggregates, long number)
{
    const char *type = json_string_value(json_object_get(item, "run_type"));
    const char *aggregate = json_string_value(json_object_get(item, "aggregate_name"));
    const char *name = json_string_value(json_object_get(item, "run_name"));
    const char *unit = json_string_value(json_object_get(item, "time_unit"));
    if (!name)
        name = json_string_value(json_object_get(item, "name"));
    if (json_is_true(json_object_get(item, "error_occurred")) || json_is_true(json_object_get(item, "skipped"))) {
        g->failed++;
        return MW_OK;
    }
    bool is_aggregate = type && !strcmp(type, "aggregate");
    if (is_aggregate != aggregates || (is_aggregate && (!aggregate || strcmp(aggregate, "median"))))
        return MW_OK;
    const json_t *real = json_object_get(item, "real_time"), *threads = json_object_get(item, "threads");
    if (!name || !unit || !json_is_number(real))
        return mw_fail(g->error, MW_DATA, "%s:1: benchmarks[%ld] has no name, real_time or time_unit", g->bytes->name,
                       number);
    double n = json_is_number(threads) ? json_number_value(threads) : 0;
    return add_run(g, name, n >= 1 && n <= 1e6 ? (unsigned)n : 0, json_number_value(real),
                   json_number_value(json_object_get(item, "cpu_time")), unit, number + 1);
}

static enum mw_err warn_context(struct google *g, const json_t *context)
{
    const char *build = json_string_value(json_object_get(context, "library_build_type"));
    enum mw_err err = MW_OK;
    if (build && !strcmp(build, "debug"))
        err = mw_import_warn(g->import, g->error, "%s: the benchmark library was built for debugging", g->bytes->name);
    if (!err && json_is_true(json_object_get(context, "cpu_scaling_enabled")))
        err = mw_import_warn(g->import, g->error, "%s: the clock was free to change during the runs", g->bytes->name);
    return err;
}

static enum mw_err read_json(struct google *g)
{
    json_error_t why;
    char *text = strdup(g->bytes->data);
    if (!text)
        return mw_fail(g->error, MW_NOMEM, "out of memory");
    patch_numbers(text);
    json_t *root = json_loads(text, 0, &why);
    free(text);
    if (!root)
        return mw_fail(g->error, MW_DATA, "%s:%d: not JSON: %s", g->bytes->name, why.line, why.text);
    json_t *list = json_object_get(root, "benchmarks");
    size_t before = g->import->count;
    enum mw_err err = MW_OK;
    for (int aggregates = 0; aggregates < 2 && g->import->count == before; aggregates++)
        for (size_t i = 0; i < json_array_size(list) && !err; i++)
            err = add_benchmark(g, json_array_get(list, i), aggregates, (long)i);
    if (!err)
        err = warn_context(g, json_object_get(root, "context"));
    json_decref(root);
    return err;
}

/* Rows of single runs, or (aggregates) those of medians, whose names end so. */
static bool is_wanted(const char *name, bool aggregates, size_t *length)
{
    static const char *const endings[] = {"_median", "_mean", "_stddev", "_cv"};
    *length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (*length > n && !strcmp(name + *length - n, endings[i])) {
            *length -= n;
            return aggregates && !i;
        }
    }
    return !aggregates;
}

static enum mw_err read_rows(struct google *g, const struct mw_table *table, bool aggregates)
{
    const struct mw_number_style style = {'.', '\0'};
    size_t name, real, cpu, unit, failed, length;
    enum mw_err err = MW_OK;
    bool may_fail = mw_table_find(table, "error_occurred", &failed);
    if (!mw_table_find(table, "name", &name) || !mw_table_find(table, "real_time", &real) ||
        !mw_table_find(table, "cpu_time", &cpu) || !mw_table_find(table, "time_unit", &unit))
        return MW_OK;
    for (size_t row = 0; row < table->row_count && !err; row++) {
        double real_time, cpu_time;
        const char *end;
        if (may_fail && !strcmp(mw_table_cell(table, row, failed), "true")) {
            g->failed += !aggregates;
            continue;
        }
        if (!is_wanted(mw_table_cell(table, row, name), aggregates, &length))
            continue;
        if (!mw_cell_number(mw_table_cell(table, row, real), &style, &real_time, &end))
            return mw_fail(g->error, MW_DATA, "%s:%u: '%.40s' is not a time", g->bytes->name, table->lines[row],
                           mw_table_cell(table, row, real));
        if (!mw_cell_number(mw_table_cell(table, row, cpu), &style, &cpu_time, &end))
            cpu_time = 0;
        char *text = strndup(mw_table_cell(table, row, name), length);
        err = text ? add_run(g, text, 0, real_time, cpu_time, mw_table_cell(table, row, unit), table->lines[row])
                   : mw_fail(g->error, MW_NOMEM, "out of memory");
        free(text);
    }
    return err;
}

/* What stands before the header (context lines) is skipped. */
static enum mw_err read_csv(struct google *g)
{
    const char *header = strstr(g->bytes->data, "name,iterations,real_time");
    size_t before = g->import->count;
    struct mw_bytes rest;
    struct mw_table table;
    if (!header)
        return MW_OK;
    enum mw_err err =
        mw_bytes_copy(&rest, header, g->bytes->size - (size_t)(header - g->bytes->data), g->bytes->name, g->error);
    if (err)
        return err;
    err = mw_table_parse(&table, &rest, g->error);
    mw_bytes_release(&rest);
    if (err)
        return err;
    err = read_rows(g, &table, false);
    if (!err && g->import->count == before)
        err = read_rows(g, &table, true);
    mw_table_release(&table);
    return err;
}

enum mw_err mw_import_google_benchmark(struct mw_import *import, const struct mw_bytes *bytes,
                                       const struct mw_import_options *options, struct mw_error *error)
{
    struct google g = {import, bytes, options, error, 0};
    size_t before = import->count;
    bool is_json = bytes->data[strspn(bytes->data, " \t\r\n")] == '{';
    enum mw_err err = is_json ? read_json(&g) : read_csv(&g);
    if (err)
        return err;
    if (import->count == before)
        return mw_import_none(bytes, "the JSON or CSV of Google Benchmark (--benchmark_format=json)", error);
    if (g.failed)
        return mw_import_warn(import, error, "%s: %zu failed benchmark(s) left out", bytes->name, g.failed);
    return MW_OK;
}
