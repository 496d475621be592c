// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/cell.h"
#include "data/json.h"
#include "data/table.h"
#include "data/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * pytest-benchmark (--benchmark-json): {"benchmarks": [{name, params{}, extra_info{}, stats{data[], median, mean}}]}, in
 * seconds (pytest-benchmark.readthedocs.io); every entry of data is a repetition.
 * criterion (bheisler.github.io/criterion.rs): what it prints, "solve/threads/4  time:   [12.1 ms 12.4 ms 12.9 ms]", the
 * name on a line of its own where it is long; the messages of cargo-criterion, {"reason": "benchmark-complete", …}; and
 * raw.csv, "group,function,value,…,sample_measured_value,unit,iteration_count", whose rows are samples.
 * The cores stand in a parameter or in the name ("threads/4"); a number alone ("fib/20") is not taken for them.
 */
struct bench {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
};

static enum mw_err out_of_memory(struct mw_error *error)
{
    return mw_fail(error, MW_NOMEM, "out of memory");
}

/* The cores by --map, else by the words of the name; the name is the workload, its number of cores as N. */
static enum mw_err take_name(struct bench *b, struct mw_import_run *run, const char *name)
{
    unsigned cores = 0;
    enum mw_err err = run->has & MW_RUN_CORES ? MW_OK : mw_import_cores_by_map(b->options, name, &cores, b->error);
    if (err)
        return err;
    if (!(run->has & MW_RUN_CORES) && !cores)
        cores = mw_import_cores_in_name(name);
    run->workload = strdup(name);
    if (!run->workload)
        return out_of_memory(b->error);
    if (!cores)
        return MW_OK;
    run->cores = cores;
    run->has |= MW_RUN_CORES;
    char number[16];
    size_t n = (size_t)snprintf(number, sizeof number, "%u", cores);
    for (char *at = run->workload; (at = strstr(at, number)); at++) /* the same for all counts: one curve */
        if ((at == run->workload || !isalnum((unsigned char)at[-1])) && !isdigit((unsigned char)at[n])) {
            *at = 'N';
            memmove(at + 1, at + n, strlen(at + n) + 1);
            break;
        }
    return MW_OK;
}

static enum mw_err add_time(struct bench *b, const struct mw_import_run *run, double time_s)
{
    struct mw_import_run copy = *run;
    if (!(time_s >= 0 && time_s < 1e15))
        return mw_fail(b->error, MW_DATA, "%s:%ld: a time that is negative or no number", b->bytes->name, run->line);
    copy.time_s = time_s;
    copy.has |= MW_RUN_TIME;
    copy.workload = run->workload ? strdup(run->workload) : NULL;
    copy.input = run->input ? strdup(run->input) : NULL;
    if ((run->workload && !copy.workload) || (run->input && !copy.input)) {
        free(copy.workload);
        free(copy.input);
        return out_of_memory(b->error);
    }
    return mw_import_add(b->import, copy, b->bytes, b->options, b->error);
}

static void release(struct mw_import_run *run)
{
    free(run->workload);
    free(run->input);
}

/* --- pytest-benchmark --------------------------------------------------------------------------------------------- */

/* A parameter: the cores, or part of the input. */
static enum mw_err take_param(struct bench *b, struct mw_import_run *run, const char *name, const json_t *value)
{
    const char *mapped = mw_import_mapped(b->options, "cores");
    char *text = NULL, number[32];
    if (json_is_number(value))
        snprintf(number, sizeof number, "%.12g", json_number_value(value));
    const char *shown = json_is_number(value) ? number : json_string_value(value);
    if (mapped ? !strcmp(mapped, name) : name[0] && name[1] && mw_import_names_cores(name)) { /* n is a size */
        double cores = json_number_value(value);
        if (!json_is_number(value) || cores < 1 || cores > 1e6 || cores - (double)(unsigned)cores > 0)
            return mw_fail(b->error, MW_DATA, "%s:%ld: parameter '%s' is not a number of cores", b->bytes->name,
                           run->line, name);
        run->cores = (unsigned)cores;
        run->has |= MW_RUN_CORES;
        return MW_OK;
    }
    if (!shown)
        return MW_OK;
    if (asprintf(&text, "%s%s%s=%s", run->input ? run->input : "", run->input ? " " : "", name, shown) < 0)
        return out_of_memory(b->error);
    free(run->input);
    run->input = text;
    return MW_OK;
}

static enum mw_err add_stats(struct bench *b, const struct mw_import_run *run, const json_t *stats)
{
    const json_t *data = json_object_get(stats, "data");
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < json_array_size(data) && !err; i++)
        err = json_is_number(json_array_get(data, i))
                  ? add_time(b, run, json_number_value(json_array_get(data, i)))
                  : mw_fail(b->error, MW_DATA, "%s:1: stats.data[%zu] is not a number", b->bytes->name, i);
    if (err || json_array_size(data))
        return err;
    double time_s;
    err = mw_json_number(stats, "median", &time_s, NULL, b->error);
    return err ? err : add_time(b, run, time_s);
}

static enum mw_err add_pytest(struct bench *b, json_t *item, long number)
{
    struct mw_import_run run = {.line = number};
    const char *name = json_string_value(json_object_get(item, "name")), *key;
    json_t *params = json_object_get(item, "params"), *value;
    enum mw_err err =
        name ? MW_OK : mw_fail(b->error, MW_DATA, "%s:1: benchmarks[%ld] has no name", b->bytes->name, number - 1);
    if (!err && json_is_object(params))
        json_object_foreach(params, key, value) err = err ? err : take_param(b, &run, key, value);
    char *function = err ? NULL : strndup(name, run.has & MW_RUN_CORES ? strcspn(name, "[") : strlen(name));
    if (!err)
        err = function ? take_name(b, &run, function) : out_of_memory(b->error);
    free(function);
    if (!err)
        err = add_stats(b, &run, json_object_get(item, "stats"));
    release(&run);
    return err;
}

enum mw_err mw_import_pytest(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error)
{
    struct bench b = {import, bytes, options, error};
    size_t before = import->count;
    json_error_t why;
    json_t *root = json_loadb(bytes->data, bytes->size, 0, &why);
    if (!root)
        return mw_fail(error, MW_DATA, "%s:%d: not JSON: %s", bytes->name, why.line, why.text);
    json_t *list = json_object_get(root, "benchmarks");
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < json_array_size(list) && !err; i++)
        err = add_pytest(&b, json_array_get(list, i), (long)i + 1);
    json_decref(root);
    if (!err && import->count == before)
        return mw_import_none(bytes, "what pytest --benchmark-json writes", error);
    return err;
}

/* --- criterion ---------------------------------------------------------------------------------------------------- */

/* "12.345 ms" to seconds. */
static bool time_of(const char *value, const char *unit, double *time_s)
{
    const struct mw_number_style style = {'.', '\0'};
    enum mw_dimension dimension;
    double factor;
    const char *rest;
    if (!mw_cell_number(value, &style, time_s, &rest) || *rest || !mw_unit_find(unit, &dimension, &factor) ||
        dimension != MW_DIM_TIME)
        return false;
    *time_s *= factor;
    return true;
}

/* "name   time:   [12.1 ms 12.4 ms 12.9 ms]": the middle one; `above` is the line before, for long names. */
static enum mw_err printed_line(struct bench *b, const struct mw_lines *lines, const char *above)
{
    char *mark = strstr(lines->text, "time:"), value[32], unit[16];
    struct mw_import_run run = {.line = lines->number};
    double time_s;
    if (!mark || !strchr(mark, '['))
        return MW_OK;
    if (sscanf(strchr(mark, '['), "[%*s %*s %31s %15s", value, unit) != 2 || !time_of(value, unit, &time_s))
        return mw_fail(b->error, MW_DATA, "%s:%ld: '%.60s' is not criterion's time", b->bytes->name, lines->number,
                       mark);
    size_t n = (size_t)(mark - lines->text);
    while (n && isspace((unsigned char)lines->text[n - 1]))
        n--;
    char *name = n ? strndup(lines->text, n) : strdup(above);
    enum mw_err err = name ? take_name(b, &run, name) : out_of_memory(b->error);
    free(name);
    if (!err)
        err = add_time(b, &run, time_s);
    release(&run);
    return err;
}

static enum mw_err message_line(struct bench *b, const struct mw_lines *lines)
{
    struct mw_import_run run = {.line = lines->number};
    json_error_t why;
    json_t *object = json_loads(lines->text, 0, &why);
    const char *reason = json_string_value(json_object_get(object, "reason"));
    const char *id = json_string_value(json_object_get(object, "id"));
    const json_t *median = json_object_get(object, "median");
    const char *unit = json_string_value(json_object_get(median, "unit"));
    enum mw_dimension dimension;
    double factor, estimate;
    enum mw_err err = MW_OK;
    if (!object)
        return mw_fail(b->error, MW_DATA, "%s:%ld: not JSON: %s", b->bytes->name, lines->number, why.text);
    if (reason && !strcmp(reason, "benchmark-complete")) {
        if (!id || !unit || !mw_unit_find(unit, &dimension, &factor) || dimension != MW_DIM_TIME)
            err = mw_fail(b->error, MW_DATA, "%s:%ld: a message without id, or without a median in a unit of time",
                          b->bytes->name, lines->number);
        if (!err)
            err = mw_json_number(median, "estimate", &estimate, NULL, b->error);
        if (!err)
            err = take_name(b, &run, id);
        if (!err)
            err = add_time(b, &run, estimate * factor);
    }
    release(&run);
    json_decref(object);
    return err;
}

static enum mw_err raw_rows(struct bench *b, const struct mw_table *table)
{
    static const char *const names[] = {"group", "function",       "value", "sample_measured_value",
                                        "unit",  "iteration_count"};
    enum { GROUP, FUNCTION, VALUE, SAMPLE, UNIT, ITERATIONS, NAMES };
    const struct mw_number_style style = {'.', '\0'};
    size_t of[NAMES];
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < NAMES; i++)
        if (!mw_table_find(table, names[i], &of[i]))
            return MW_OK;
    for (size_t row = 0; row < table->row_count && !err; row++) {
        struct mw_import_run run = {.line = table->lines[row]};
        const char *cells[NAMES], *rest;
        char *name = NULL;
        double time_s, iterations;
        for (size_t i = 0; i < NAMES; i++)
            cells[i] = mw_table_cell(table, row, of[i]);
        if (!time_of(cells[SAMPLE], cells[UNIT], &time_s) ||
            !mw_cell_number(cells[ITERATIONS], &style, &iterations, &rest) || *rest || !(iterations > 0))
            return mw_fail(b->error, MW_DATA, "%s:%ld: '%.40s' %.20s of '%.20s' iterations is no time", b->bytes->name,
                           run.line, cells[SAMPLE], cells[UNIT], cells[ITERATIONS]);
        if (asprintf(&name, "%s%s%s%s%s", cells[GROUP], *cells[FUNCTION] ? "/" : "", cells[FUNCTION],
                     *cells[VALUE] ? "/" : "", cells[VALUE]) < 0)
            return out_of_memory(b->error);
        err = take_name(b, &run, name);
        free(name);
        if (!err)
            err = add_time(b, &run, time_s / iterations);
        release(&run);
    }
    return err;
}

static enum mw_err read_raw(struct bench *b)
{
    struct mw_table table;
    enum mw_err err = mw_table_parse(&table, b->bytes, b->error);
    if (err)
        return err;
    err = raw_rows(b, &table);
    mw_table_release(&table);
    return err;
}

enum mw_err mw_import_criterion(struct mw_import *import, const struct mw_bytes *bytes,
                                const struct mw_import_options *options, struct mw_error *error)
{
    struct bench b = {import, bytes, options, error};
    struct mw_lines lines = {0};
    size_t before = import->count;
    char *above = strdup("");
    enum mw_err err = above ? MW_OK : out_of_memory(error);
    if (!err && !strncmp(bytes->data, "group,function,value,", 21))
        err = read_raw(&b);
    else
        while (!err && mw_lines_next(&lines, bytes)) {
            err = *lines.text == '{' ? message_line(&b, &lines) : printed_line(&b, &lines, above);
            free(above);
            above = err ? NULL : strdup(lines.text);
            if (!err && !above)
                err = out_of_memory(error);
        }
    mw_lines_release(&lines);
    free(above);
    if (!err && import->count == before)
        return mw_import_none(bytes,
                              "what criterion prints (\"solve/threads/4  time: [12.1 ms 12.4 ms 12.9 ms]\"), "
                              "cargo-criterion's messages or raw.csv",
                              error);
    return err;
}
