// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/json.h"
#include "data/table.h"
#include "data/cell.h"
#include "data/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * hyperfine --export-json: {"results": [{command, mean, median, user, system, times[], exit_codes[], parameters{}}]};
 * times in seconds; older files lack median, exit_codes or times. Every time whose exit code is 0 is a repetition.
 */
struct hyperfine {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    size_t failed;
};

static bool is_named(const struct hyperfine *h, const char *field, const char *name, bool (*alias)(const char *))
{
    const char *mapped = mw_import_mapped(h->options, field);
    return mapped ? !strcmp(mapped, name) : alias(name);
}

/* Cores and frequency from the parameters; the others, in words, are the input. */
static enum mw_err take_parameter(struct hyperfine *h, struct mw_import_run *run, const char *name, const char *value)
{
    double number;
    enum mw_err err = MW_OK;
    if (is_named(h, "cores", name, mw_import_names_cores) && !(run->has & MW_RUN_CORES)) {
        err = mw_parse_number(value, &number, h->error);
        if (err || number < 1 || number > 1e6)
            return mw_fail(h->error, MW_DATA, "%s:%ld: parameter '%s' is '%.40s', not a number of cores",
                           h->bytes->name, run->line, name, value);
        run->cores = (unsigned)number;
        run->has |= MW_RUN_CORES;
        return MW_OK;
    }
    if (is_named(h, "freq", name, mw_import_names_freq) && !(run->has & MW_RUN_FREQ)) {
        if (mw_parse_freq(value, &run->freq_hz, NULL))
            return mw_fail(h->error, MW_DATA, "%s:%ld: parameter '%s' is '%.40s', not a frequency", h->bytes->name,
                           run->line, name, value);
        run->has |= MW_RUN_FREQ;
        return MW_OK;
    }
    char *text = NULL;
    if (asprintf(&text, "%s%s%s=%s", run->input ? run->input : "", run->input ? " " : "", name, value) < 0)
        return mw_fail(h->error, MW_NOMEM, "out of memory");
    free(run->input);
    run->input = text;
    return MW_OK;
}

/* *text with each whole word `value` replaced by {name}: the command as it was given to hyperfine. */
static enum mw_err put_back_parameter(char **text, const char *name, const char *value, struct mw_error *error)
{
    char *out = NULL;
    size_t size, n = strlen(value);
    FILE *f = n ? open_memstream(&out, &size) : NULL;
    if (!f)
        return n ? mw_fail(error, MW_NOMEM, "out of memory") : MW_OK;
    for (const char *c = *text; *c;) {
        bool starts = c == *text || !isalnum((unsigned char)c[-1]);
        if (starts && !strncmp(c, value, n) && !isalnum((unsigned char)c[n])) {
            fprintf(f, "{%s}", name);
            c += n;
        } else {
            fputc(*c++, f);
        }
    }
    if (fclose(f)) {
        free(out);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    free(*text);
    *text = out;
    return MW_OK;
}

/* The command of a result with its parameters put back, as its workload. */
static enum mw_err take_command(struct mw_import_run *run, const char *command, struct mw_error *error)
{
    run->workload = strdup(command);
    return run->workload ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
}

/* Commands are workloads only where two of them ran in one configuration; else they differ by their parameters alone. */
static void keep_commands(struct mw_import *import, size_t from)
{
    for (size_t i = from; i < import->count; i++)
        for (size_t j = from; j < i; j++) {
            const struct mw_import_run *a = &import->runs[i], *b = &import->runs[j];
            bool same = a->cores == b->cores && !(a->freq_hz < b->freq_hz) && !(a->freq_hz > b->freq_hz) &&
                        !strcmp(a->input ? a->input : "", b->input ? b->input : "");
            if (same && a->workload && b->workload && strcmp(a->workload, b->workload))
                return;
        }
    for (size_t i = from; i < import->count; i++) {
        free(import->runs[i].workload);
        import->runs[i].workload = NULL;
    }
}

/* By an expression only: what stands in a command is not said to be cores. The command then differs by them alone. */
static enum mw_err cores_from_command(struct hyperfine *h, struct mw_import_run *run, const char *command)
{
    unsigned cores = 0;
    enum mw_err err = mw_import_cores_by_map(h->options, command, &cores, h->error);
    if (err || !cores)
        return err;
    run->cores = cores;
    run->has |= MW_RUN_CORES;
    char number[16];
    snprintf(number, sizeof number, "%u", cores);
    return run->workload ? put_back_parameter(&run->workload, "cores", number, h->error) : MW_OK;
}

static enum mw_err add_copy(struct hyperfine *h, const struct mw_import_run *run, double time_s)
{
    struct mw_import_run copy = *run;
    if (!(time_s >= 0 && time_s < 1e15))
        return mw_fail(h->error, MW_DATA, "%s:%ld: a time that is negative or no number", h->bytes->name, run->line);
    copy.time_s = time_s;
    copy.has |= MW_RUN_TIME;
    copy.input = run->input ? strdup(run->input) : NULL;
    copy.workload = run->workload ? strdup(run->workload) : NULL;
    if ((run->input && !copy.input) || (run->workload && !copy.workload)) {
        free(copy.input);
        return mw_fail(h->error, MW_NOMEM, "out of memory");
    }
    return mw_import_add(h->import, copy, h->bytes, h->options, h->error);
}

static enum mw_err add_times(struct hyperfine *h, const json_t *result, const struct mw_import_run *run)
{
    const json_t *times = json_object_get(result, "times"), *codes = json_object_get(result, "exit_codes");
    enum mw_err err = MW_OK;
    if (!json_array_size(times)) {
        double time_s;
        bool found;
        err = mw_json_number(result, "median", &time_s, &found, h->error);
        if (!err && !found)
            err = mw_json_number(result, "mean", &time_s, NULL, h->error);
        return err ? err : add_copy(h, run, time_s);
    }
    for (size_t i = 0; i < json_array_size(times) && !err; i++) {
        const json_t *code = json_array_get(codes, i);
        if (code && !(json_is_integer(code) && json_integer_value(code) == 0)) /* null: ended by a signal */
            h->failed++;
        else if (!json_is_number(json_array_get(times, i)))
            err = mw_fail(h->error, MW_DATA, "%s:1: results[%ld].times[%zu] is not a number", h->bytes->name,
                          run->line - 1, i);
        else
            err = add_copy(h, run, json_number_value(json_array_get(times, i)));
    }
    return err;
}

static enum mw_err add_result(struct hyperfine *h, const json_t *result, long number)
{
    struct mw_import_run run = {.line = number};
    double user = 0, system = 0;
    bool has_user, has_system;
    const char *name;
    json_t *value;
    enum mw_err err = mw_json_number(result, "user", &user, &has_user, h->error);
    if (!err)
        err = mw_json_number(result, "system", &system, &has_system, h->error);
    if (!err && has_user && has_system && user + system > 0) {
        run.cpu_time_s = user + system;
        run.has |= MW_RUN_CPU_TIME;
    }
    json_t *parameters = json_object_get(result, "parameters");
    const char *command = json_string_value(json_object_get(result, "command"));
    if (!err && command)
        err = take_command(&run, command, h->error);
    if (!err && command)
        err = cores_from_command(h, &run, command);
    if (!err && json_is_object(parameters))
        json_object_foreach(parameters, name, value)
        {
            const char *text = json_string_value(value);
            if (!err)
                err = text ? take_parameter(h, &run, name, text)
                           : mw_fail(h->error, MW_DATA, "%s:1: parameter '%s' is not a string", h->bytes->name, name);
            if (!err && run.workload)
                err = put_back_parameter(&run.workload, name, text, h->error);
        }
    if (!err)
        err = add_times(h, result, &run);
    free(run.workload);
    free(run.input);
    return err;
}

static enum mw_err read_json(struct hyperfine *h)
{
    json_error_t why;
    json_t *root = json_loadb(h->bytes->data, h->bytes->size, 0, &why);
    if (!root)
        return mw_fail(h->error, MW_DATA, "%s:%d: not JSON: %s", h->bytes->name, why.line, why.text);
    json_t *results = json_object_get(root, "results");
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < json_array_size(results) && !err; i++)
        err = add_result(h, json_array_get(results, i), (long)i + 1);
    json_decref(root);
    return err;
}

/* --export-csv: command,mean,stddev,median,user,system,min,max,parameter_NAME,…: one row a result, its median. */
static enum mw_err read_csv(struct hyperfine *h)
{
    static const char prefix[] = "parameter_";
    const struct mw_number_style style = {'.', '\0'};
    struct mw_table table;
    size_t time, user, system, command;
    enum mw_err err = mw_table_parse(&table, h->bytes, h->error);
    if (err)
        return err;
    bool has_cpu = mw_table_find(&table, "user", &user) && mw_table_find(&table, "system", &system);
    if (!mw_table_find(&table, "median", &time) && !mw_table_find(&table, "mean", &time))
        err = mw_import_none(h->bytes, "the JSON or CSV that hyperfine exports", h->error);
    for (size_t row = 0; row < table.row_count && !err; row++) {
        struct mw_import_run run = {.line = table.lines[row]};
        double value, u, s;
        const char *rest;
        if (mw_table_find(&table, "command", &command))
            err = take_command(&run, mw_table_cell(&table, row, command), h->error);
        if (!err && run.workload)
            err = cores_from_command(h, &run, mw_table_cell(&table, row, command));
        for (size_t c = 0; c < table.column_count && !err; c++) {
            const char *name = mw_table_header(&table, c) + sizeof prefix - 1, *text = mw_table_cell(&table, row, c);
            if (strncmp(mw_table_header(&table, c), prefix, sizeof prefix - 1))
                continue;
            err = take_parameter(h, &run, name, text);
            if (!err && run.workload)
                err = put_back_parameter(&run.workload, name, text, h->error);
        }
        if (has_cpu && mw_cell_number(mw_table_cell(&table, row, user), &style, &u, &rest) &&
            mw_cell_number(mw_table_cell(&table, row, system), &style, &s, &rest) && u + s > 0) {
            run.cpu_time_s = u + s;
            run.has |= MW_RUN_CPU_TIME;
        }
        if (!err && !mw_cell_number(mw_table_cell(&table, row, time), &style, &value, &rest))
            err = mw_fail(h->error, MW_DATA, "%s:%ld: '%.40s' is not a time", h->bytes->name, run.line,
                          mw_table_cell(&table, row, time));
        if (!err)
            err = add_copy(h, &run, value);
        free(run.workload);
        free(run.input);
    }
    mw_table_release(&table);
    return err;
}

enum mw_err mw_import_hyperfine(struct mw_import *import, const struct mw_bytes *bytes,
                                const struct mw_import_options *options, struct mw_error *error)
{
    struct hyperfine h = {import, bytes, options, error, 0};
    size_t before = import->count;
    bool is_json = bytes->data[strspn(bytes->data, " \t\r\n")] == '{';
    enum mw_err err = is_json ? read_json(&h) : read_csv(&h);
    if (err)
        return err;
    keep_commands(import, before);
    if (h.failed && import->count == before) {
        mw_fail(error, MW_DATA, "%s:1: all %zu runs failed: nothing to import", bytes->name, h.failed);
        return error ? mw_hint(error, "hyperfine times failing commands with --ignore-failure; mend the command")
                     : MW_DATA;
    }
    if (import->count == before)
        return mw_import_none(bytes, "the JSON or CSV that hyperfine exports", error);
    if (h.failed)
        return mw_import_warn(import, error, "%s: %zu failed run(s) left out", bytes->name, h.failed);
    return MW_OK;
}
