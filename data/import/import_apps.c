// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Logs of programs that print their own time and the number of processes or threads. */

static enum mw_err copy_word(char **target, const char *text, struct mw_error *error)
{
    while (*text == ' ' || *text == '=' || *text == ':' || *text == '\t')
        text++;
    free(*target);
    *target = strndup(text, strcspn(text, " \t"));
    return *target ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
}

/* --- NAS Parallel Benchmarks: a block of " Key = value" lines after "XX Benchmark Completed." ------------------- */

static enum mw_err npb_end(struct mw_import *import, struct mw_import_run *run, bool verified, size_t *rejected,
                           const struct mw_bytes *bytes, const struct mw_import_options *options,
                           struct mw_error *error)
{
    struct mw_import_run done = *run;
    *run = (struct mw_import_run){0};
    if (done.has & MW_RUN_TIME && verified)
        return mw_import_add(import, done, bytes, options, error);
    *rejected += (done.has & MW_RUN_TIME) != 0;
    free(done.workload);
    free(done.input);
    return MW_OK;
}

static enum mw_err npb_line(struct mw_import_run *run, bool *verified, const struct mw_lines *lines,
                            struct mw_error *error)
{
    const char *text = lines->text, *rest;
    double value;
    if (mw_after(text, "Class") && (rest = strchr(text, '=')))
        return copy_word(&run->input, rest, error);
    if (mw_after(text, "Time in seconds") && (rest = strchr(text, '=')) && mw_first_number(rest, &value)) {
        run->time_s = value;
        run->has |= MW_RUN_TIME;
    } else if ((mw_after(text, "Total threads") || mw_after(text, "Total processes")) && (rest = strchr(text, '=')) &&
               mw_first_number(rest, &value) && value >= 1 && value <= 1e6) {
        run->cores = (unsigned)value;
        run->has |= MW_RUN_CORES;
    } else if (mw_after(text, "Verification") && (rest = strchr(text, '='))) {
        *verified = mw_after(rest + 1, "SUCCESSFUL") != NULL;
    }
    return MW_OK;
}

enum mw_err mw_import_npb(struct mw_import *import, const struct mw_bytes *bytes,
                          const struct mw_import_options *options, struct mw_error *error)
{
    struct mw_lines lines = {0};
    struct mw_import_run run = {0};
    size_t before = import->count, rejected = 0;
    bool verified = false, inside = false;
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes)) {
        if (strstr(lines.text, "Benchmark Completed")) {
            err = npb_end(import, &run, verified, &rejected, bytes, options, error);
            verified = false;
            inside = true;
            run.line = lines.number;
            if (!err)
                err = copy_word(&run.workload, lines.text, error);
        } else if (inside) {
            err = npb_line(&run, &verified, &lines, error);
        }
    }
    mw_lines_release(&lines);
    if (!err)
        err = npb_end(import, &run, verified, &rejected, bytes, options, error);
    free(run.workload);
    free(run.input);
    if (err)
        return err;
    if (rejected && import->count == before) {
        mw_fail(error, MW_DATA, "%s:1: no run of the benchmark was verified", bytes->name);
        return error ? mw_hint(error, "\"Verification = SUCCESSFUL\" is what a run must print") : MW_DATA;
    }
    if (import->count == before)
        return mw_import_none(
            bytes, "the output of a NAS Parallel Benchmark: \"MG Benchmark Completed.\" and its lines", error);
    return rejected ? mw_import_warn(import, error, "%s: %zu run(s) without a successful verification left out",
                                     bytes->name, rejected)
                    : MW_OK;
}

/* --- LAMMPS: "Loop time of 0.81 on 4 procs for 100 steps with 32000 atoms" ------------------------------------------ */

/*
 * "99.2% CPU use with 4 MPI tasks x 2 OpenMP threads", below the time: CPU time over time of a process, near 100 % times
 * its threads where it computes (docs.lammps.org, "Screen and logfile output").
 */
static void lammps_use(struct mw_import_run *run, const char *text)
{
    double percent;
    unsigned ranks, threads;
    int end = 0;
    if (run->has & MW_RUN_CPU_TIME ||
        sscanf(text, " %lf%% CPU use with %u MPI tasks x %u OpenMP threads%n", &percent, &ranks, &threads, &end) != 3 ||
        !end || !(percent > 0 && percent < 1e6) || !ranks || !threads)
        return;
    run->cpu_time_s = percent / 100 * ranks * run->time_s;
    run->has |= MW_RUN_CPU_TIME;
    mw_usage_set(&run->usage, MW_USAGE_RANKS, ranks);
    mw_usage_set(&run->usage, MW_USAGE_THREADS, threads);
}

enum mw_err mw_import_lammps(struct mw_import *import, const struct mw_bytes *bytes,
                             const struct mw_import_options *options, struct mw_error *error)
{
    struct mw_lines lines = {0};
    size_t before = import->count;
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes)) {
        struct mw_import_run run = {.has = MW_RUN_TIME | MW_RUN_CORES, .line = lines.number};
        const char *text = mw_after(lines.text, "Loop time of "), *rest;
        long long steps, atoms;
        if (import->count > before)
            lammps_use(&import->runs[import->count - 1], lines.text);
        if (!text || sscanf(text, "%lf on %u procs", &run.time_s, &run.cores) != 2 || !(run.time_s >= 0) ||
            !(run.time_s < 1e12))
            continue;
        /* runs of one log differ in length: the work is part of what is compared */
        rest = strstr(text, " for ");
        if (rest && sscanf(rest, " for %lld steps with %lld atoms", &steps, &atoms) == 2 &&
            asprintf(&run.input, "%lld steps of %lld atoms", steps, atoms) < 0) {
            run.input = NULL;
            err = mw_fail(error, MW_NOMEM, "out of memory");
        }
        if (!err)
            err = mw_import_add(import, run, bytes, options, error);
    }
    mw_lines_release(&lines);
    if (!err && import->count == before)
        return mw_import_none(bytes, "a log of LAMMPS: \"Loop time of 0.81 on 4 procs for 100 steps with 32000 atoms\"",
                              error);
    return err;
}

/* --- GROMACS: "Performance:  ns/day  hour/ns"; a rate, kept as the time for one simulated nanosecond ------------------- */

enum mw_err mw_import_gromacs(struct mw_import *import, const struct mw_bytes *bytes,
                              const struct mw_import_options *options, struct mw_error *error)
{
    const double seconds_per_day = 86400;
    struct mw_lines lines = {0};
    size_t before = import->count;
    unsigned ranks = 0, threads = 0, count;
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes)) {
        const char *text = lines.text, *rest;
        double ns_per_day;
        char kind;
        if (sscanf(text, " Using %u MPI %c", &count, &kind) == 2) /* "threads" or "processes" */
            ranks = count;
        else if (sscanf(text, " Using %u OpenMP %c", &count, &kind) == 2)
            threads = count;
        if (!(rest = mw_after(text, "Performance:")) || sscanf(rest, "%lf", &ns_per_day) != 1)
            continue;
        if (!(ns_per_day > 0 && ns_per_day < 1e12)) {
            err =
                mw_fail(error, MW_DATA, "%s:%ld: a performance that is not greater than 0", bytes->name, lines.number);
            break;
        }
        struct mw_import_run run = {.has = MW_RUN_TIME, .time_s = seconds_per_day / ns_per_day, .line = lines.number};
        double cores = (ranks ? ranks : 1.0) * (threads ? threads : 1.0);
        if ((ranks || threads) && cores <= 1e6) {
            run.has |= MW_RUN_CORES;
            run.cores = (unsigned)cores;
        }
        err = mw_import_add(import, run, bytes, options, error);
        ranks = threads = 0;
    }
    mw_lines_release(&lines);
    if (!err && import->count == before)
        return mw_import_none(bytes, "an md.log of GROMACS that ends in \"Performance:\"", error);
    if (!err)
        err = mw_import_warn(import, error, "%s: time_s is the wall time of one simulated nanosecond", bytes->name);
    return err;
}

/* --- OpenFOAM: the last "ExecutionTime = 123.4 s  ClockTime = 125 s" of each run ------------------------------------------ */

static enum mw_err foam_end(struct mw_import *import, struct mw_import_run *run, const struct mw_bytes *bytes,
                            const struct mw_import_options *options, struct mw_error *error)
{
    struct mw_import_run done = *run;
    *run = (struct mw_import_run){0};
    if (done.has & MW_RUN_TIME)
        return mw_import_add(import, done, bytes, options, error);
    free(done.workload);
    return MW_OK;
}

enum mw_err mw_import_openfoam(struct mw_import *import, const struct mw_bytes *bytes,
                               const struct mw_import_options *options, struct mw_error *error)
{
    const double rounded_s = 50; /* ClockTime is in whole seconds: below this that is more than 1 % */
    struct mw_lines lines = {0};
    struct mw_import_run run = {0};
    size_t before = import->count;
    double value;
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes)) {
        const char *text = lines.text, *rest;
        if ((rest = mw_after(text, "Exec ")) && strchr(rest, ':')) {
            err = foam_end(import, &run, bytes, options, error);
            if (!err)
                err = copy_word(&run.workload, strchr(rest, ':'), error);
        } else if ((rest = mw_after(text, "nProcs")) && mw_first_number(rest, &value) && value >= 1 && value <= 1e6) {
            run.cores = (unsigned)value;
            run.has |= MW_RUN_CORES;
        } else if ((rest = strstr(text, "ClockTime =")) && mw_first_number(rest, &value) && value >= 0) {
            run.time_s = value;
            run.has |= MW_RUN_TIME;
            run.line = lines.number;
        }
    }
    mw_lines_release(&lines);
    if (!err)
        err = foam_end(import, &run, bytes, options, error);
    free(run.workload);
    if (err)
        return err;
    if (import->count == before)
        return mw_import_none(bytes, "a log of an OpenFOAM solver: \"ExecutionTime = 123.4 s  ClockTime = 125 s\"",
                              error);
    for (size_t i = before; i < import->count; i++)
        if (import->runs[i].time_s < rounded_s)
            return mw_import_warn(import, error, "%s: ClockTime is in whole seconds, more than 1 %% of a short run",
                                  bytes->name);
    return MW_OK;
}
