// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/cell.h"
#include "data/table.h"
#include "data/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * Slurm's accounting: -P or -p (| between), another delimiter, or the table aligned under dashes. Of each job the numbered
 * steps, else the batch step, else the job itself: the job's figures contain those of its steps and are never added.
 * Energy in TRESUsage… is watts on some sites and not read.
 */
enum column {
    JOB,
    ELAPSED,
    ELAPSED_RAW,
    CPUS,
    CPU_TIME_RAW,
    CPU_FREQ,
    REQ_FREQ,
    ENERGY_RAW,
    ENERGY,
    TOTAL_CPU,
    STATE,
    EXIT,
    NODES,
    TASKS,
    COLUMNS
};

struct sacct {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    struct mw_table table;
    bool has[COLUMNS];
    size_t of[COLUMNS];
    size_t unfinished; /* rows left out: pending, cancelled, running, without CPUs */
};

/* The aligned table (widths given by a line of dashes) as one with |, so that one reader does for all. */
static enum mw_err to_separated(const struct mw_bytes *bytes, char **text, struct mw_error *error)
{
    struct mw_lines lines = {0};
    char *rule = NULL, *header = NULL, *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    if (!f)
        return mw_fail(error, MW_NOMEM, "out of memory");
    while (mw_lines_next(&lines, bytes)) {
        bool is_rule = *lines.text == '-' && !lines.text[strspn(lines.text, "- ")];
        if (!rule && !is_rule) {
            free(header);
            header = strdup(lines.text);
            continue;
        }
        if (!rule && !(rule = strdup(lines.text)))
            break;
        const char *line = is_rule ? header ? header : "" : lines.text;
        size_t length = strlen(line);
        for (const char *c = rule; *c;) { /* one cell under each run of dashes */
            size_t from = (size_t)(c - rule), width = strspn(c, "-");
            if (from < length)
                fprintf(f, "%.*s", (int)(width < length - from ? width : length - from), line + from);
            fputc('|', f);
            c += width;
            c += strspn(c, " ");
        }
        fputc('\n', f);
    }
    mw_lines_release(&lines);
    bool found = rule != NULL;
    free(rule);
    free(header);
    if (fclose(f)) {
        free(out);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    if (!found) {
        free(out);
        out = NULL;
    }
    *text = out;
    return MW_OK;
}

static const char *cell(const struct sacct *s, size_t row, enum column column)
{
    return s->has[column] ? mw_table_cell(&s->table, row, s->of[column]) : "";
}

/* "4.58M" is 4.58e6; Slurm's letters are powers of 1000 here. */
static bool scaled(const char *text, double *value)
{
    static const char letters[] = "KMGTP";
    const struct mw_number_style style = {'.', '\0'};
    const char *rest;
    if (!mw_cell_number(text, &style, value, &rest) || *value < 0)
        return false;
    const char *letter = *rest ? strchr(letters, toupper((unsigned char)*rest)) : NULL;
    if (*rest && (!letter || rest[1]))
        return false;
    if (letter)
        *value *= pow(1000, (double)(letter - letters + 1));
    return true;
}

/* Kilohertz without a letter; Unknown, 0, governors and words like High are no frequency. */
static bool frequency(const char *text, double *freq_hz)
{
    double khz;
    if (!scaled(text, &khz) || khz <= 0)
        return false;
    *freq_hz = nearbyint(isdigit((unsigned char)text[strlen(text) - 1]) ? khz * 1e3 : khz);
    return true;
}

static enum mw_err take_time(const struct sacct *s, size_t row, struct mw_import_run *run)
{
    const char *raw = cell(s, row, ELAPSED_RAW), *text = cell(s, row, ELAPSED);
    if (!mw_cell_missing(raw) ? !scaled(raw, &run->time_s) : mw_parse_duration(text, &run->time_s, NULL) != MW_OK)
        return mw_fail(s->error, MW_DATA, "%s:%ld: '%.40s' is not an elapsed time", s->bytes->name, run->line,
                       mw_cell_missing(raw) ? text : raw);
    run->has |= MW_RUN_TIME;
    return MW_OK;
}

static void take_cores(const struct sacct *s, size_t row, struct mw_import_run *run)
{
    double cpus = 0, cpu_time;
    if (!scaled(cell(s, row, CPUS), &cpus) || cpus < 1)
        /* CPUTimeRAW is elapsed time x CPUs by its definition */
        cpus = scaled(cell(s, row, CPU_TIME_RAW), &cpu_time) && run->time_s > 0 ? nearbyint(cpu_time / run->time_s) : 0;
    if (cpus >= 1 && cpus <= 1e6) {
        run->cores = (unsigned)cpus;
        run->has |= MW_RUN_CORES;
    }
}

static void take_energy_and_freq(const struct sacct *s, size_t row, struct mw_import_run *run)
{
    double value;
    if ((scaled(cell(s, row, ENERGY_RAW), &value) || scaled(cell(s, row, ENERGY), &value)) && value > 0) {
        run->energy_j = value;
        run->has |= MW_RUN_ENERGY;
    }
    if (!mw_parse_duration(cell(s, row, TOTAL_CPU), &value, NULL) && value > 0) {
        run->cpu_time_s = value;
        run->has |= MW_RUN_CPU_TIME;
    }
    if (frequency(cell(s, row, REQ_FREQ), &run->freq_hz))
        run->has |= MW_RUN_FREQ;
    if (frequency(cell(s, row, CPU_FREQ), &run->freq_effective_hz))
        run->has |= MW_RUN_FREQ_EFFECTIVE;
}

static void take_state(const struct sacct *s, size_t row, struct mw_import_run *run)
{
    const char *state = cell(s, row, STATE), *exit = cell(s, row, EXIT), *colon = strchr(exit, ':');
    if (!s->has[STATE] && !s->has[EXIT])
        return;
    run->has |= MW_RUN_EXIT_STATUS;
    run->exit_status = atoi(exit);
    if (!run->exit_status && colon && atoi(colon + 1))
        run->exit_status = 128 + atoi(colon + 1);
    if (!run->exit_status && *state && strncasecmp(state, "COMPLETED", 9))
        run->exit_status = 1; /* FAILED, TIMEOUT, CANCELLED by …: not a complete run */
}

/* Nodes and tasks, where the row has them. */
static void take_counts(const struct sacct *s, size_t row, struct mw_usage *usage)
{
    double value;
    if (scaled(cell(s, row, NODES), &value) && value >= 1)
        mw_usage_set(usage, MW_USAGE_NODES, value);
    if (scaled(cell(s, row, TASKS), &value) && value >= 1)
        mw_usage_set(usage, MW_USAGE_RANKS, value);
}

static enum mw_err add_row(const struct sacct *s, size_t row)
{
    struct mw_import_run run = {.line = s->table.lines[row]};
    enum mw_err err = take_time(s, row, &run);
    if (err)
        return err;
    take_cores(s, row, &run);
    take_energy_and_freq(s, row, &run);
    take_state(s, row, &run);
    take_counts(s, row, &run.usage);
    return mw_import_add(s->import, run, s->bytes, s->options, s->error);
}

/* What a row is: a numbered step, the batch step, the job, or none of these (extern). Higher is preferred. */
static int rank(const char *job)
{
    const char *dot = strchr(job, '.');
    if (!dot)
        return 1;
    if (isdigit((unsigned char)dot[1]))
        return 3;
    return !strncmp(dot + 1, "bat", 3) ? 2 : 0;
}

/* Runs that did not end, or never began: no measurement. */
static bool is_unfinished(const struct sacct *s, size_t row)
{
    static const char *const states[] = {"PENDING",  "CANCELLED", "RUNNING",     "REQUEUED",
                                         "RESIZING", "SUSPENDED", "CONFIGURING", "COMPLETING"};
    const char *state = cell(s, row, STATE);
    double cpus;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (!strncasecmp(state, states[i], strlen(states[i])))
            return true;
    return s->has[CPUS] && scaled(cell(s, row, CPUS), &cpus) && cpus < 1;
}

static double cpus_of(const struct sacct *s, size_t row)
{
    double cpus;
    return scaled(cell(s, row, CPUS), &cpus) ? cpus : 0;
}

struct entry {
    const char *job;
    size_t length, row; /* of the job's number in its name */
};

static int by_job(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    size_t n = x->length < y->length ? x->length : y->length;
    int order = strncmp(x->job, y->job, n);
    if (!order)
        order = (x->length > y->length) - (x->length < y->length);
    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

/*
 * Of the rows of one job: the numbered steps, else the batch step, else the job. The batch step runs on the first node
 * alone: where the job has more CPUs, something that is no step of Slurm's (mpirun) started the rest, and the job counts.
 */
static void choose_rows(const struct sacct *s, const struct entry *entries, size_t n, bool *wanted)
{
    int best = 0;
    double job_cpus = 0;
    for (size_t i = 0; i < n; i++)
        if (rank(entries[i].job) == 1)
            job_cpus = cpus_of(s, entries[i].row);
    for (size_t i = 0; i < n; i++) {
        int here = rank(entries[i].job);
        if (here == 2 && job_cpus > cpus_of(s, entries[i].row))
            here = 0;
        best = here > best ? here : best;
    }
    for (size_t i = 0; i < n; i++)
        wanted[entries[i].row] = best > 0 && rank(entries[i].job) == best;
}

static enum mw_err choose_all(const struct sacct *s, bool *wanted)
{
    size_t n = s->table.row_count;
    struct entry *entries = malloc((n + 1) * sizeof *entries);
    if (!entries)
        return mw_fail(s->error, MW_NOMEM, "out of memory");
    for (size_t row = 0; row < n; row++) {
        const char *job = cell(s, row, JOB);
        entries[row] = (struct entry){job, strcspn(job, "."), row};
    }
    qsort(entries, n, sizeof *entries, by_job);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && entries[to].length == entries[from].length &&
                            !strncmp(entries[to].job, entries[from].job, entries[from].length);)
            to++;
        choose_rows(s, entries + from, to - from, wanted);
    }
    free(entries);
    return MW_OK;
}

static enum mw_err add_rows(struct sacct *s)
{
    bool *wanted = calloc(s->table.row_count + 1, sizeof *wanted);
    enum mw_err err = wanted ? MW_OK : mw_fail(s->error, MW_NOMEM, "out of memory");
    if (!err && s->has[JOB])
        err = choose_all(s, wanted);
    for (size_t row = 0; row < s->table.row_count && !err; row++) {
        if (s->has[JOB] && !wanted[row])
            continue;
        if (is_unfinished(s, row))
            s->unfinished++;
        else
            err = add_row(s, row);
    }
    free(wanted);
    return err;
}

static void find_columns(struct sacct *s)
{
    static const struct {
        enum column column;
        const char *name;
    } names[] = {
        {JOB, "JobID"},
        {JOB, "JobIDRaw"},
        {ELAPSED, "Elapsed"},
        {ELAPSED_RAW, "ElapsedRaw"},
        {CPUS, "NCPUS"},
        {CPUS, "AllocCPUS"},
        {CPU_TIME_RAW, "CPUTimeRAW"},
        {CPU_FREQ, "AveCPUFreq"},
        {REQ_FREQ, "ReqCPUFreq"},
        {REQ_FREQ, "ReqCPUFreqMax"},
        {ENERGY_RAW, "ConsumedEnergyRaw"},
        {ENERGY, "ConsumedEnergy"},
        {TOTAL_CPU, "TotalCPU"},
        {STATE, "State"},
        {EXIT, "ExitCode"},
        {NODES, "NNodes"},
        {NODES, "AllocNodes"},
        {TASKS, "NTasks"},
    };
    const char *mapped = mw_import_mapped(s->options, "cores");
    for (size_t i = 0; i < s->table.column_count; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (!strcasecmp(mw_table_header(&s->table, i), names[n].name) && !s->has[names[n].column]) {
                s->has[names[n].column] = true;
                s->of[names[n].column] = i;
            }
    if (mapped && mw_table_find(&s->table, mapped, &s->of[CPUS]))
        s->has[CPUS] = true;
}

enum mw_err mw_import_sacct(struct mw_import *import, const struct mw_bytes *bytes,
                            const struct mw_import_options *options, struct mw_error *error)
{
    struct sacct s = {.import = import, .bytes = bytes, .options = options, .error = error};
    size_t before = import->count;
    char *aligned = NULL;
    enum mw_err err = to_separated(bytes, &aligned, error);
    if (!err && aligned) {
        struct mw_bytes text;
        err = mw_bytes_copy(&text, aligned, strlen(aligned), bytes->name, error);
        if (!err) {
            err = mw_table_parse(&s.table, &text, error);
            mw_bytes_release(&text);
        }
    } else if (!err) {
        err = mw_table_parse(&s.table, bytes, error);
    }
    free(aligned);
    if (err)
        return err;
    find_columns(&s);
    if (s.has[ELAPSED] || s.has[ELAPSED_RAW])
        err = add_rows(&s);
    mw_table_release(&s.table);
    if (!err && import->count == before && s.unfinished) {
        mw_fail(error, MW_DATA, "%s:1: no finished job: %zu rows are pending, cancelled or without CPUs", bytes->name,
                s.unfinished);
        return error ? mw_hint(error, "ask sacct again when the jobs are done (--state COMPLETED)") : MW_DATA;
    }
    if (!err && import->count == before)
        return mw_import_none(bytes, "sacct -P -o JobID,ElapsedRaw,NCPUS,State,ConsumedEnergyRaw", error);
    if (!err && s.unfinished)
        err = mw_import_warn(import, error, "%s: %zu row(s) left out: pending, cancelled, running or without CPUs",
                             bytes->name, s.unfinished);
    if (!err)
        err = mw_import_warn(import, error, "%s: Slurm counts hardware threads as CPUs where SMT is on", bytes->name);
    return err;
}
