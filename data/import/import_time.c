// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/cell.h"
#include "data/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What `time` prints, one run or many in a file:
 *   bash       real 0m0.014s / user … / sys …          POSIX -p   real 0.01 / user … / sys …
 *   GNU -v     Elapsed (wall clock) time (h:mm:ss or m:ss): 0:00.00 / … / Exit status: 0
 *   zsh        ./a  1.00s user 0.50s system 75% cpu 2.000 total
 *   GNU        0.00user 0.00system 0:00.00elapsed 0%CPU …
 *   GNU -f     lines of values, as in -f "$n,%e,%x": cores, time and exit status, found by their forms, or by --map
 *              cores=1 --map time=2 --map exit_status=3 (positions)
 * "Command exited with non-zero status N" and "Command terminated by signal N" stand before the figures of that run;
 * GNU time gives a killed command an exit status of 0.
 */
struct timer {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    struct mw_import_run run;
    int failure; /* from the line before the figures; 0: none */
};

static enum mw_err end_run(struct timer *t)
{
    struct mw_import_run run = t->run;
    t->run = (struct mw_import_run){0};
    if (!(run.has & MW_RUN_TIME))
        return MW_OK;
    if (t->failure) {
        run.exit_status = t->failure;
        run.has |= MW_RUN_EXIT_STATUS;
    }
    t->failure = 0;
    return mw_import_add(t->import, run, t->bytes, t->options, t->error);
}

/* The first word as a time; where it has a comma, that is the locale's decimal sign ("0m9,412s"). */
static bool duration(const char *text, double *time_s)
{
    char word[32];
    if (sscanf(text, " %31s", word) != 1)
        return false;
    char *comma = strchr(word, ',');
    if (comma && !strchr(word, '.') && !strchr(comma + 1, ','))
        *comma = '.';
    return !mw_parse_duration(word, time_s, NULL);
}

/* A line that is one of time's, with a number that is not understood. */
static enum mw_err bad_time(const struct timer *t, const char *text, long line)
{
    return mw_fail(t->error, MW_DATA, "%s:%ld: '%.40s' is not a time", t->bytes->name, line, text);
}

/* user and sys add to the CPU time of the run. */
static void add_cpu(struct timer *t, double value)
{
    t->run.cpu_time_s += value;
    t->run.has |= MW_RUN_CPU_TIME;
}

static enum mw_err shell_line(struct timer *t, const char *text, long line, bool *taken)
{
    static const char *const words[] = {"real", "user", "sys"};
    const char *rest;
    double value;
    enum mw_err err = MW_OK;
    *taken = true;
    if ((rest = mw_after(text, "real")) && duration(rest, &value)) {
        err = end_run(t);
        t->run.time_s = value;
        t->run.has |= MW_RUN_TIME;
        t->run.line = line;
    } else if (((rest = mw_after(text, "user")) || (rest = mw_after(text, "sys"))) && duration(rest, &value)) {
        add_cpu(t, value);
    } else {
        *taken = false;
        for (size_t i = 0; i < 3; i++)
            if ((rest = mw_after(text, words[i])) && isspace((unsigned char)*rest) &&
                isdigit((unsigned char)rest[strspn(rest, " \t")]))
                err = bad_time(t, text, line);
    }
    return err;
}

/* The number before "s user" of zsh, whose line begins with the command; "" where there is none. */
static const char *before_user(const char *text)
{
    const char *at = strstr(text, "s user ");
    while (at && at > text && strchr("0123456789.", at[-1]))
        at--;
    return at ? at : "";
}

/* The counts of -v. */
static bool take_count(struct timer *t, const char *text)
{
    static const struct {
        const char *words;
        enum mw_usage_item item;
        double factor;
    } counts[] = {{"Voluntary context switches:", MW_USAGE_SWITCHES, 1},
                  {"Involuntary context switches:", MW_USAGE_PREEMPTED, 1},
                  {"Major (requiring I/O) page faults:", MW_USAGE_FAULTS, 1},
                  {"Maximum resident set size (kbytes):", MW_USAGE_PEAK_MEMORY, 1024}};
    double value;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *rest = mw_after(text, counts[i].words);
        if (rest && mw_first_number(rest, &value) && value >= 0) {
            mw_usage_set(&t->run.usage, counts[i].item, value * counts[i].factor);
            return true;
        }
    }
    return false;
}

static enum mw_err gnu_line(struct timer *t, const char *text, long line, bool *taken)
{
    const char *rest;
    double user, system, value;
    char elapsed[32];
    enum mw_err err = MW_OK;
    *taken = true;
    if (mw_after(text, "Command being timed:")) {
        err = end_run(t);
    } else if ((rest = mw_after(text, "Elapsed (wall clock) time (h:mm:ss or m:ss):")) && duration(rest, &value)) {
        t->run.time_s = value;
        t->run.has |= MW_RUN_TIME;
        t->run.line = line;
    } else if (mw_after(text, "Elapsed (wall clock) time")) {
        err = bad_time(t, text, line);
    } else if (((rest = mw_after(text, "User time (seconds):")) || (rest = mw_after(text, "System time (seconds):"))) &&
               duration(rest, &value)) {
        add_cpu(t, value);
        if (mw_after(text, "System"))
            mw_usage_set(&t->run.usage, MW_USAGE_SYS, value);
    } else if (take_count(t, text)) {
        ;
    } else if ((rest = mw_after(text, "Exit status:"))) {
        t->run.exit_status = atoi(rest);
        t->run.has |= MW_RUN_EXIT_STATUS;
        err = end_run(t);
    } else if ((sscanf(text, " %lfuser %lfsystem %31[0-9:.]elapsed", &user, &system, elapsed) == 3 ||
                sscanf(before_user(text), "%lfs user %lfs system %*f%% cpu %31[0-9:.] total", &user, &system,
                       elapsed) == 3) &&
               duration(elapsed, &value)) {
        err = end_run(t);
        t->run = (struct mw_import_run){.time_s = value, .has = MW_RUN_TIME, .line = line};
        add_cpu(t, user + system);
        if (!err)
            err = end_run(t);
    } else {
        *taken = false;
    }
    return err;
}

static bool failure_line(struct timer *t, const char *text)
{
    const char *rest;
    if ((rest = mw_after(text, "Command exited with non-zero status")))
        t->failure = atoi(rest);
    else if ((rest = mw_after(text, "Command terminated by signal")))
        t->failure = 128 + atoi(rest);
    return rest != NULL;
}

/* --- lines of -f ------------------------------------------------------------------------------------------------ */

enum { FIELDS = 8 };

static enum mw_err mapped_position(struct timer *t, const char *field, size_t n, size_t *position)
{
    const char *text = mw_import_mapped(t->options, field);
    if (!text)
        return MW_OK;
    char *end;
    unsigned long p = strtoul(text, &end, 10);
    if (*end || p < 1 || p > n)
        return mw_fail(t->error, MW_USAGE, "--map %s=%s: a position from 1 to %zu is meant", field, text, n);
    *position = p - 1;
    return MW_OK;
}

/* Whole numbers before the time are cores, after it the exit status; the time has a point or a colon. */
static enum mw_err find_positions(struct timer *t, char **fields, size_t n, size_t *cores, size_t *time, size_t *status)
{
    *cores = *time = *status = n;
    for (size_t i = 0; i < n; i++) {
        bool whole = *fields[i] && !fields[i][strspn(fields[i], "0123456789")];
        if (!whole && *time == n)
            *time = i;
        else if (whole && *time == n && *cores == n)
            *cores = i;
        else if (whole && *time < n && *status == n)
            *status = i;
    }
    enum mw_err err = mapped_position(t, "cores", n, cores);
    if (!err)
        err = mapped_position(t, "time", n, time);
    return err ? err : mapped_position(t, "exit_status", n, status);
}

static enum mw_err format_line(struct timer *t, const char *line, long number)
{
    char *copy = strdup(line), *rest = copy, *fields[FIELDS];
    size_t n = 0, cores, time, status;
    double value;
    if (!copy)
        return mw_fail(t->error, MW_NOMEM, "out of memory");
    for (char *field; n < FIELDS && (field = strsep(&rest, ",; \t"));)
        if (*field)
            fields[n++] = field;
    enum mw_err err = find_positions(t, fields, n, &cores, &time, &status);
    if (!err && time < n && isdigit((unsigned char)*fields[time]) && duration(fields[time], &value)) {
        struct mw_import_run run = {.time_s = value, .has = MW_RUN_TIME, .line = number};
        if (cores < n && cores != time) {
            double count = atof(fields[cores]);
            if (count >= 1 && count <= 1e6) {
                run.cores = (unsigned)count;
                run.has |= MW_RUN_CORES;
            }
        }
        if (status < n) {
            run.exit_status = atoi(fields[status]);
            run.has |= MW_RUN_EXIT_STATUS;
        }
        t->run = run;
        err = end_run(t);
    }
    free(copy);
    return err;
}

enum mw_err mw_import_time(struct mw_import *import, const struct mw_bytes *bytes,
                           const struct mw_import_options *options, struct mw_error *error)
{
    struct timer t = {.import = import, .bytes = bytes, .options = options, .error = error};
    struct mw_lines lines = {0};
    size_t before = import->count;
    bool taken;
    enum mw_err err = MW_OK;
    while (!err && mw_lines_next(&lines, bytes)) {
        if (failure_line(&t, lines.text))
            continue;
        err = shell_line(&t, lines.text, lines.number, &taken);
        if (!err && !taken)
            err = gnu_line(&t, lines.text, lines.number, &taken);
        if (!err && !taken && isdigit((unsigned char)*lines.text))
            err = format_line(&t, lines.text, lines.number);
    }
    mw_lines_release(&lines);
    if (!err)
        err = end_run(&t);
    if (!err && import->count == before)
        return mw_import_none(bytes, "what bash's time or GNU time (-v, or -f \"4,%e,%x\") prints", error);
    return err;
}
