// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * STREAM 5.x:   "Number of Threads counted = 4", "Function    Best Rate MB/s  Avg time     Min time     Max time",
 *               "Triad:  14293.3  0.0532  0.0530  0.0537", "Solution Validates"; one log may hold many runs, and
 *               later ones only some kernels.
 * BabelStream:  "Function    MBytes/sec  Min (sec)   Max         Average", "Triad   39.135  0.01962 …"; a failed
 *               validation is reported before or after the table. With --csv: "function,num_times,n_elements,sizeof,
 *               max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime".
 */
struct stream {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    double threads, unit; /* of the rate, in MB = 10^6 bytes */
    bool counted, in_table, babel, validated;
    size_t in_run, unvalidated;
};

/* Rate, then times (STREAM: avg, min, max; BabelStream: min, max, average); the best time counts. */
static enum mw_err kernel_line(struct stream *s, const struct mw_lines *lines, bool *is_kernel)
{
    static const char *const kernels[] = {"copy", "scale", "mul", "add", "triad", "dot", "nstream", "init", "read"};
    char name[16];
    double v[4];
    int colon = 0;
    *is_kernel = false;
    if (sscanf(lines->text, " %15[A-Za-z]%n", name, &colon) != 1)
        return MW_OK;
    const char *numbers = lines->text + colon + (lines->text[colon] == ':');
    bool known = false;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        known |= !strcasecmp(name, kernels[i]);
    const char *form = *numbers == ',' ? ",%*d,%*d,%*d,%lf,%lf,%lf,%lf%n" : "%lf %lf %lf %lf%n";
    if (!known || !isdigit((unsigned char)numbers[strspn(numbers, " \t,")]))
        return MW_OK;
    int end = 0;
    if (sscanf(numbers, form, &v[0], &v[1], &v[2], &v[3], &end) != 4 || !end || numbers[end]) {
        mw_fail(s->error, MW_DATA, "%s:%ld: '%.60s' is not a rate and three times", s->bytes->name, lines->number,
                lines->text);
        return s->error ? mw_hint(s->error, "run it with LC_ALL=C where commas are decimal signs") : MW_DATA;
    }
    for (int i = 0; i < 4; i++)
        if (!(v[i] > 0 && v[i] < 1e15))
            return mw_fail(s->error, MW_DATA, "%s:%ld: a rate or time that is not greater than 0", s->bytes->name,
                           lines->number);
    *is_kernel = true;
    struct mw_import_run run = {.has = MW_RUN_TIME | MW_RUN_RATE,
                                .rate = v[0] * s->unit,
                                .time_s = s->babel ? v[1] : v[2],
                                .line = lines->number};
    if (s->threads > 0) {
        run.has |= MW_RUN_CORES;
        run.cores = (unsigned)s->threads;
    }
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    run.workload = strdup(name);
    if (!run.workload)
        return mw_fail(s->error, MW_NOMEM, "out of memory");
    s->in_run++;
    return mw_import_add(s->import, run, s->bytes, s->options, s->error);
}

/* The unit of the rates, from the heading: MB/s and MBytes/sec are 10^6 bytes a second, MiBytes/sec 2^20. */
static enum mw_err take_unit(struct stream *s, const char *heading, long line)
{
    static const struct {
        const char *word;
        double mb;
    } units[] = {{"MiB", 1.048576},     {"GiB", 1073.741824},     {"MB", 1},     {"GB", 1e3},
                 {"mibytes", 1.048576}, {"gibytes", 1073.741824}, {"mbytes", 1}, {"gbytes", 1e3}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strstr(heading, units[i].word)) {
            s->unit = units[i].mb;
            return MW_OK;
        }
    return mw_fail(s->error, MW_DATA,
                   "%s:%ld: '%.60s' names no unit of the rate that is known (MB/s, MBytes/sec, MiBytes/sec)",
                   s->bytes->name, line, heading);
}

static void end_run(struct stream *s)
{
    if (s->in_run && !s->validated)
        s->unvalidated++;
    s->in_run = 0;
    s->in_table = s->validated = false;
}

static enum mw_err stream_line(struct stream *s, const struct mw_lines *lines)
{
    const char *text = lines->text;
    double value;
    if (strcasestr(text, "failed validation") || strcasestr(text, "validation failed") ||
        strcasestr(text, "solution fails")) {
        mw_fail(s->error, MW_DATA, "%s:%ld: the benchmark reports a failed validation: its rates mean nothing",
                s->bytes->name, lines->number);
        return s->error ? mw_hint(s->error, "find out why it computed wrong results, and run it again") : MW_DATA;
    }
    if (strstr(text, "Solution Validates")) {
        s->validated = true;
    } else if (strstr(text, "Number of Threads requested") && mw_first_number(text, &value)) {
        end_run(s);
        s->threads = value;
        s->counted = false;
    } else if (strstr(text, "Number of Threads counted") && mw_first_number(text, &value)) {
        s->threads = value; /* what really ran, whatever was asked for */
    } else if (mw_after(text, "Function ") || mw_after(text, "Function\t") ||
               mw_after(text, "function,num_times,n_elements,sizeof,max_m") ||
               mw_after(text, "function,num_times,n_elements,sizeof,max_g")) {
        if (s->in_run)
            end_run(s);
        s->in_table = true;
        s->babel = strstr(text, "Bytes/sec") || strchr(text, ',');
        return take_unit(s, text, lines->number);
    } else if (s->in_table) {
        bool is_kernel;
        return kernel_line(s, lines, &is_kernel);
    }
    return MW_OK;
}

enum mw_err mw_import_stream(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error)
{
    struct stream s = {.import = import, .bytes = bytes, .options = options, .error = error};
    struct mw_lines lines = {0};
    size_t before = import->count;
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes))
        err = stream_line(&s, &lines);
    mw_lines_release(&lines);
    end_run(&s);
    if (err)
        return err;
    if (import->count == before)
        return mw_import_none(
            bytes, "the output of STREAM or BabelStream: a line \"Function …\", then \"Triad: …\" and the like", error);
    import->workload_column = "kernel";
    import->rate_column = "best_mb_s";
    if (s.unvalidated && !s.babel)
        return mw_import_warn(import, error, "%s: %zu run(s) without the line \"Solution Validates\"", bytes->name,
                              s.unvalidated);
    return MW_OK;
}
