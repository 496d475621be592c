// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * likwid-perfctr -O: "TABLE,Region foo,Group 1 Metric,MEM,12", then "Metric,HWThread 0,HWThread 1,…" and a row for each
 * metric. Cores are the columns, the time is that of the slowest, the energy the sum over sockets (0 or empty on the
 * other threads). likwid-bench: "Using 4 threads", "Time: 1.2 sec", "MByte/s: 12345".
 */
struct likwid {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    struct mw_import_run run; /* of the table in progress */
    bool in_table, bench;
    double clock_sum_hz;
    unsigned clock_count;
};

static enum mw_err end_table(struct likwid *k)
{
    struct mw_import_run run = k->run;
    bool complete = run.has & (MW_RUN_TIME | MW_RUN_RATE);
    if (k->clock_count) {
        run.freq_effective_hz = k->clock_sum_hz / k->clock_count;
        run.has |= MW_RUN_FREQ_EFFECTIVE;
    }
    k->run = (struct mw_import_run){0};
    k->in_table = false;
    k->clock_sum_hz = 0;
    k->clock_count = 0;
    if (complete)
        return mw_import_add(k->import, run, k->bytes, k->options, k->error);
    free(run.workload);
    return MW_OK;
}

/* "TABLE,Group 1 Metric,FLOPS_DP,1" or "TABLE,Region name,Group 1 Metric,…"; raw counts and statistics are passed over. */
static enum mw_err begin_table(struct likwid *k, const char *text, long line)
{
    enum mw_err err = end_table(k);
    const char *region = strstr(text, "Region ");
    k->in_table = strstr(text, " Metric") && !strstr(text, " STAT") && !strstr(text, " Raw");
    k->run.line = line;
    if (err || !region || !k->in_table)
        return err;
    region += strlen("Region ");
    k->run.workload = strndup(region, strcspn(region, ","));
    return k->run.workload ? MW_OK : mw_fail(k->error, MW_NOMEM, "out of memory");
}

static enum mw_err metric_row(struct likwid *k, char *text)
{
    const struct mw_number_style style = {'.', '\0'};
    char *rest = text, *name = strsep(&rest, ","), *field;
    const char *end;
    double value, largest = 0, sum = 0;
    unsigned count = 0;
    bool heading = !strcmp(name, "Metric"), any = false;
    while ((field = strsep(&rest, ","))) {
        count += heading && (!strncmp(field, "HWThread", 8) || !strncmp(field, "Core", 4));
        if (!heading && mw_cell_number(field, &style, &value, &end) && value >= 0) {
            any = true;
            largest = value > largest ? value : largest;
            sum += value;
            count++;
        }
    }
    if (heading && count) {
        k->run.cores = count;
        k->run.has |= MW_RUN_CORES;
    } else if (any && !strcmp(name, "Runtime (RDTSC) [s]")) {
        k->run.time_s = largest;
        k->run.has |= MW_RUN_TIME;
    } else if (any && !strcmp(name, "Clock [MHz]")) {
        k->clock_sum_hz += sum * 1e6;
        k->clock_count += count;
    } else if (any && (!strcmp(name, "Energy [J]") || !strcmp(name, "Energy DRAM [J]")) && sum > 0) {
        k->run.energy_j += sum;
        k->run.has |= MW_RUN_ENERGY;
    }
    return MW_OK;
}

static enum mw_err bench_line(struct likwid *k, const char *text, long line)
{
    double value;
    unsigned threads;
    const char *rest;
    if (sscanf(text, " Using %u threads", &threads) == 1 && threads >= 1 && threads <= 1000000) {
        k->run.cores = threads;
        k->run.has |= MW_RUN_CORES;
    } else if ((rest = mw_after(text, "Test:"))) {
        rest += strspn(rest, " \t");
        free(k->run.workload);
        k->run.workload = strndup(rest, strcspn(rest, " \t"));
        if (!k->run.workload)
            return mw_fail(k->error, MW_NOMEM, "out of memory");
    } else if ((rest = mw_after(text, "MByte/s:")) && mw_first_number(rest, &value) && value > 0) {
        k->run.rate = value;
        k->run.has |= MW_RUN_RATE;
        k->run.line = line;
        k->bench = true;
        return end_table(k);
    }
    return MW_OK;
}

enum mw_err mw_import_likwid(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error)
{
    struct likwid k = {.import = import, .bytes = bytes, .options = options, .error = error};
    struct mw_lines lines = {0};
    size_t before = import->count;
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes)) {
        if (!strncmp(lines.text, "TABLE,", 6) || !strncmp(lines.text, "STRUCT,", 7))
            err = begin_table(&k, lines.text, lines.number);
        else if (k.in_table)
            err = metric_row(&k, lines.text);
        else
            err = bench_line(&k, lines.text, lines.number);
    }
    mw_lines_release(&lines);
    if (!err)
        err = end_table(&k);
    free(k.run.workload);
    if (err)
        return err;
    if (import->count == before)
        return mw_import_none(bytes, "likwid-perfctr -O (a metric table with Runtime) or the output of likwid-bench",
                              error);
    if (k.bench) {
        import->workload_column = "kernel";
        import->rate_column = "rate_mb_s";
    }
    return MW_OK;
}
