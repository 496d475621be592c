// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/units.h"

#include <ctype.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * Extra-P's inputs. Text: PARAMETER p (one or more), POINTS ( 4 1.2 ) ( 8 1.2 ) …, REGION main, METRIC time, then a line
 * "DATA r1 r2 r3" for each point. JSON lines: {"params": {"p": 4}, "value": 1.2 or [1.2, 1.3], "metric": "time",
 * "callpath": "main"}. Of several metrics the time is taken.
 */
enum { PARAMETERS = 8 };

struct extra_p {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    char names[PARAMETERS][32];
    size_t name_count;
    double *points;           /* point_count x name_count */
    size_t point_count, next; /* of the DATA lines of one region and metric */
    char region[64];
    bool is_time;
};

static bool means_time(const struct extra_p *x, const char *metric)
{
    const char *mapped = mw_import_mapped(x->options, "time");
    return mapped ? !strcmp(mapped, metric) : !strcasecmp(metric, "time") || !strcasecmp(metric, "runtime") || !*metric;
}

/* Gives the parameter its meaning; what is neither cores nor frequency becomes the input. */
static enum mw_err take_parameter(const struct extra_p *x, struct mw_import_run *run, const char *name, double value)
{
    const char *cores = mw_import_mapped(x->options, "cores"), *freq = mw_import_mapped(x->options, "freq");
    if (cores ? !strcmp(cores, name) : mw_import_names_cores(name) && !(run->has & MW_RUN_CORES)) {
        if (!(value >= 1 && value <= 1e6))
            return mw_fail(x->error, MW_DATA, "%s:%ld: parameter '%s' is %g, not a number of cores", x->bytes->name,
                           run->line, name, value);
        run->cores = (unsigned)value;
        run->has |= MW_RUN_CORES;
    } else if (freq ? !strcmp(freq, name) : mw_import_names_freq(name) && !(run->has & MW_RUN_FREQ)) {
        run->freq_hz = value * 1e9;
        run->has |= MW_RUN_FREQ;
    } else {
        char *text = NULL;
        if (asprintf(&text, "%s%s%s=%g", run->input ? run->input : "", run->input ? " " : "", name, value) < 0)
            return mw_fail(x->error, MW_NOMEM, "out of memory");
        free(run->input);
        run->input = text;
    }
    return MW_OK;
}

static enum mw_err add_value(const struct extra_p *x, const struct mw_import_run *pattern, double time_s)
{
    struct mw_import_run run = *pattern;
    if (!(time_s >= 0 && time_s < 1e15))
        return mw_fail(x->error, MW_DATA, "%s:%ld: a time that is negative or no number", x->bytes->name, run.line);
    run.time_s = time_s;
    run.has |= MW_RUN_TIME;
    run.workload = run.workload ? strdup(run.workload) : NULL;
    run.input = run.input ? strdup(run.input) : NULL;
    return mw_import_add(x->import, run, x->bytes, x->options, x->error);
}

/* --- text -------------------------------------------------------------------------------------------------------- */

static enum mw_err points_line(struct extra_p *x, const char *text, long line)
{
    double value;
    size_t in_point = 0;
    bool bracketed = strchr(text, '(') != NULL, open = !bracketed;
    if (!x->name_count)
        return mw_fail(x->error, MW_DATA, "%s:%ld: POINTS before any PARAMETER", x->bytes->name, line);
    for (char *end; *text; text = end) {
        end = (char *)(uintptr_t)text + 1;
        if (*text == '(' || *text == ')') {
            if (*text == ')' && in_point)
                return mw_fail(x->error, MW_DATA, "%s:%ld: a point has not as many values as there are parameters",
                               x->bytes->name, line);
            open = *text == '(';
        } else if (!isspace((unsigned char)*text)) {
            value = strtod(text, &end);
            if (end == text || !open || !(value > -1e300 && value < 1e300))
                return mw_fail(x->error, MW_DATA, "%s:%ld: '%.20s' is not a value of a point", x->bytes->name, line,
                               text);
            double *points = realloc(x->points, (x->point_count + 1) * x->name_count * sizeof *points);
            if (!points)
                return mw_fail(x->error, MW_NOMEM, "out of memory");
            x->points = points;
            points[x->point_count * x->name_count + in_point++] = value;
            if (in_point == x->name_count) {
                x->point_count++;
                in_point = 0;
            }
        }
    }
    if (in_point)
        return mw_fail(x->error, MW_DATA, "%s:%ld: a point has not as many values as there are parameters",
                       x->bytes->name, line);
    return MW_OK;
}

static enum mw_err data_line(struct extra_p *x, const char *text, long line)
{
    if (x->next >= x->point_count)
        return mw_fail(x->error, MW_DATA, "%s:%ld: more DATA lines than points", x->bytes->name, line);
    const double *point = x->points + x->next++ * x->name_count;
    struct mw_import_run run = {.line = line, .workload = *x->region ? x->region : NULL};
    enum mw_err err = MW_OK;
    if (!x->is_time)
        return MW_OK;
    for (size_t i = 0; i < x->name_count && !err; i++)
        err = take_parameter(x, &run, x->names[i], point[i]);
    for (char *end; !err && *text; text = end) {
        double value = strtod(text, &end);
        if (end == text && text[strspn(text, " \t")])
            err = mw_fail(x->error, MW_DATA, "%s:%ld: '%.20s' is not a number", x->bytes->name, line, text);
        else if (end == text)
            break;
        else
            err = add_value(x, &run, value);
    }
    free(run.input);
    return err;
}

static enum mw_err text_line(struct extra_p *x, const char *text, long line)
{
    const char *rest;
    if ((rest = mw_after(text, "PARAMETER"))) {
        if (x->name_count == PARAMETERS || x->point_count)
            return mw_fail(x->error, MW_DATA, "%s:%ld: too many parameters, or one after POINTS", x->bytes->name, line);
        rest += strspn(rest, " \t");
        snprintf(x->names[x->name_count++], sizeof x->names[0], "%.*s", (int)strcspn(rest, " \t"), rest);
    } else if ((rest = mw_after(text, "POINTS"))) {
        return points_line(x, rest, line);
    } else if ((rest = mw_after(text, "REGION"))) {
        snprintf(x->region, sizeof x->region, "%s", rest + strspn(rest, " \t"));
        x->next = 0;
        x->is_time = means_time(x, "");
    } else if ((rest = mw_after(text, "METRIC"))) {
        x->is_time = means_time(x, rest + strspn(rest, " \t"));
        x->next = 0;
    } else if ((rest = mw_after(text, "DATA"))) {
        return data_line(x, rest, line);
    }
    return MW_OK;
}

/* --- JSON lines ------------------------------------------------------------------------------------------------------ */

static enum mw_err json_line(struct extra_p *x, const char *text, long line)
{
    json_error_t why;
    json_t *object = json_loads(text, 0, &why), *value, *params, *values;
    const char *name, *metric, *path;
    if (!object)
        return mw_fail(x->error, MW_DATA, "%s:%ld: not JSON: %s", x->bytes->name, line, why.text);
    metric = json_string_value(json_object_get(object, "metric"));
    path = json_string_value(json_object_get(object, "callpath"));
    struct mw_import_run run = {.line = line, .workload = path ? (char *)(uintptr_t)path : NULL};
    enum mw_err err = MW_OK;
    params = json_object_get(object, "params");
    values = json_object_get(object, "value");
    if (json_is_object(params) && means_time(x, metric ? metric : "")) {
        json_object_foreach(params, name, value) if (!err) err =
            take_parameter(x, &run, name, json_number_value(value));
        if (!err && json_is_number(values))
            err = add_value(x, &run, json_number_value(values));
        for (size_t i = 0; i < json_array_size(values) && !err; i++)
            err = add_value(x, &run, json_number_value(json_array_get(values, i)));
    }
    free(run.input);
    json_decref(object);
    return err;
}

enum mw_err mw_import_extra_p(struct mw_import *import, const struct mw_bytes *bytes,
                              const struct mw_import_options *options, struct mw_error *error)
{
    struct extra_p x = {.import = import, .bytes = bytes, .options = options, .error = error};
    struct mw_lines lines = {0};
    size_t before = import->count;
    enum mw_err err = MW_OK;
    x.is_time = means_time(&x, "");
    while (!err && mw_lines_next(&lines, bytes))
        err = *lines.text == '{' ? json_line(&x, lines.text, lines.number) : text_line(&x, lines.text, lines.number);
    mw_lines_release(&lines);
    free(x.points);
    if (!err && import->count == before)
        return mw_import_none(
            bytes, "Extra-P text (PARAMETER, POINTS, METRIC time, DATA) or JSON lines; --map time=METRIC", error);
    return err;
}

/* --- export ------------------------------------------------------------------------------------------------------------ */

enum mw_err mw_export_extra_p(const struct mw_dataset *dataset, FILE *stream, struct mw_error *error)
{
    struct mw_points points;
    enum mw_err err = mw_points_from_dataset(&points, dataset, error);
    if (err)
        return err;
    bool several = points.items[0].freq_hz < points.items[points.count - 1].freq_hz;
    fprintf(stream, "PARAMETER p\n%sPOINTS", several ? "PARAMETER f\n" : "");
    for (size_t i = 0; i < points.count; i++)
        if (several)
            fprintf(stream, " ( %u %.12g )", points.items[i].cores, points.items[i].freq_hz / 1e9);
        else
            fprintf(stream, " ( %u )", points.items[i].cores);
    fprintf(stream, "\nREGION %s\nMETRIC %s\n", *dataset->workload ? dataset->workload : "main",
            dataset->quantity == MW_TIME      ? "time"
            : dataset->quantity == MW_SPEEDUP ? "speedup"
                                              : "energy");
    for (size_t i = 0; i < points.count; i++) {
        fputs("DATA", stream);
        for (size_t r = 0; r < dataset->count; r++) {
            const struct mw_row *row = &dataset->rows[r];
            if (!row->set_aside && row->cores == points.items[i].cores && !(row->freq_hz < points.items[i].freq_hz) &&
                !(row->freq_hz > points.items[i].freq_hz))
                fprintf(stream, " %.12g", row->value);
        }
        fputc('\n', stream);
    }
    mw_points_release(&points);
    return MW_OK;
}
