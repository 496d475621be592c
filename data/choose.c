// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/columns_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names as mw_heading_parse leaves them. A name with a unit of its own dimension only ("seconds") is "". */
static const struct {
    enum mw_field field;
    const char *names;
} aliases[] = {
    {MW_FIELD_CORES,
     " cores core ncores numcores numberofcores corecount threads thread nthreads numthreads numberofthreads "
     "threadcount "
     "ompnumthreads ompthreads p procs nprocs nproc numprocs np processes nprocesses processors nprocessors "
     "numprocessors "
     "ranks nranks numranks mpiranks mpiprocs cpus ncpus numcpus alloccpus workers nworkers numworkers pes npes tasks "
     "ntasks parallelism kern kerne kernanzahl anzahlkerne prozessoren prozesse prozessorkerne coeurs nbcoeurs cœurs "
     "nucleos nú"
     "cleos hilos procesos"},
    {MW_FIELD_FREQ,
     " freq frequency f cpufreq corefreq clock clockspeed cpuclock coreclock cpufrequency corefrequency "
     "clockfrequency clockrate takt taktfrequenz frequenz cputakt frequence fréquence frecuencia frequenza  "},
    {MW_FIELD_FREQ_EFFECTIVE, " freqeffective effectivefreq effectivefrequency frequencyeffective "},
    {MW_FIELD_TIME,
     " time times walltime wall wallclock wallclocktime walltimes elapsed elapsedtime runtime runtimes executiontime "
     "exectime exetime duration real realtime totaltime timetosolution tts zeit laufzeit dauer wandzeit temps duré"
     "e duree tiempo tempo durata  "},
    {MW_FIELD_RATE,
     " throughput rate bandwidth flops kflops mflops gflops tflops mops mopstotal fps performance kbs "
     "mbs gbs kbps mbps "
     "gbps iops tps qps rps gups teps gteps mlups glups nsday nsperday itemspersecond bytespersecond durchsatz "},
    {MW_FIELD_SPEEDUP, " speedup speedups beschleunigung acceleration "},
    {MW_FIELD_ENERGY, " energy energyconsumed consumedenergy consumedenergyraw totalenergy energyconsumption "
                      "energytosolution energie energia energieverbrauch energía  "},
    {MW_FIELD_POWER, " power avgpower averagepower meanpower powerdraw leistung puissance potencia potenza  "},
    {MW_FIELD_CPU_TIME, " cpu cputime "}, /* "cpu" only with a unit of time: see is_alias */
    {MW_FIELD_EXIT_STATUS, " exitstatus exitcode returncode "},
    {MW_FIELD_VALID, " valid verified "},
    {MW_FIELD_REPETITION, " repetition rep repeat run iteration trial repetitionindex "},
    {MW_FIELD_USER_TIME, " user usertime utime cpuuser usercpu "},
    {MW_FIELD_CPU_PERCENT, " cpu cpupercent percentcpu pctcpu cpupct cpuusage cpuutilization "},
    {MW_FIELD_USAGE + MW_USAGE_SYS, " sys systime system systemtime stime cpusys syscpu "},
    {MW_FIELD_USAGE + MW_USAGE_MAIN_WAIT, " mainwait "},
    {MW_FIELD_USAGE + MW_USAGE_THREAD_WAIT, " threadwait "},
    {MW_FIELD_USAGE + MW_USAGE_OTHER_CPU, " othercpu "},
    {MW_FIELD_USAGE + MW_USAGE_STEAL, " steal stealtime "},
    {MW_FIELD_USAGE + MW_USAGE_THROTTLED, " throttled throttledtime "},
    {MW_FIELD_USAGE + MW_USAGE_SWITCHES, " switches voluntaryswitches voluntarycontextswitches nvcsw "},
    {MW_FIELD_USAGE + MW_USAGE_PREEMPTED, " preempted involuntaryswitches involuntarycontextswitches nivcsw "},
    {MW_FIELD_USAGE + MW_USAGE_FAULTS, " faults majorfaults majorpagefaults majflt "},
    {MW_FIELD_USAGE + MW_USAGE_INSTRUCTIONS, " instructions "},
    {MW_FIELD_USAGE + MW_USAGE_CYCLES, " cycles "},
    {MW_FIELD_USAGE + MW_USAGE_CACHE_MISSES, " cachemisses llcmisses "},
    {MW_FIELD_USAGE + MW_USAGE_PEAK_MEMORY, " peakmemorybytes "},
    {MW_FIELD_USAGE + MW_USAGE_DISTURBED, " disturbed "},
    {MW_FIELD_USAGE + MW_USAGE_NODES, " nodes nnodes numnodes numberofnodes "},
};

bool mw_has_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

bool mw_is_word(const char *words, const char *word)
{
    char spaced[80];
    int n = snprintf(spaced, sizeof spaced, " %s ", word);
    return n > 0 && (size_t)n < sizeof spaced && strstr(words, spaced);
}

bool mw_is_alias(enum mw_field field, const struct mw_heading *heading)
{
    enum mw_dimension dimension = mw_field_dimension(field);
    if (field == MW_FIELD_RATE && heading->per_time)
        return true;
    if (heading->per_time || (heading->dimension != MW_DIM_NONE && heading->dimension != dimension))
        return false;
    if (!*heading->base)
        return heading->dimension != MW_DIM_NONE && (field == MW_FIELD_FREQ || field == MW_FIELD_TIME ||
                                                     field == MW_FIELD_ENERGY || field == MW_FIELD_POWER);
    bool bare = !strcmp(heading->base, "cpu") && heading->dimension == MW_DIM_NONE; /* may be cores, or a processor */
    if ((field == MW_FIELD_CPU_TIME && (bare || heading->percent)) ||
        (field == MW_FIELD_CPU_PERCENT && !heading->percent))
        return false;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (aliases[i].field == field)
            return mw_is_word(aliases[i].names, heading->base);
    return false;
}

void mw_name_letters(const char *name, char *letters, size_t size)
{
    size_t used = 0;
    for (; *name && used + 1 < size; name++)
        if (isalnum((unsigned char)*name) || (unsigned char)*name >= 0x80)
            letters[used++] = (char)tolower((unsigned char)*name);
    letters[used] = '\0';
}

void mw_finder_names(const struct finder *f, const bool *which, char *text, size_t size)
{
    size_t left = 0, used = 0;
    for (size_t i = 0; i < f->table->column_count; i++)
        left += !which || which[i];
    *text = '\0';
    for (size_t i = 0; i < f->table->column_count; i++) {
        if (which && !which[i])
            continue;
        const char *name = mw_table_header(f->table, i);
        left--;
        if (used + strlen(name) + 12 > size) {
            snprintf(text + used, size - used, "%s…", used ? ", " : "");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", !used ? "" : left ? ", " : " and ", name);
    }
}

void mw_finder_set(struct finder *f, enum mw_field field, size_t column)
{
    const struct mw_heading *heading = &f->headings[column];
    bool unit = heading->dimension != MW_DIM_NONE && heading->dimension == mw_field_dimension(field);
    f->columns->has[field] = true;
    f->columns->of[field] = (struct mw_column){column, unit ? heading->factor : 1, {'.', '\0'}};
    f->taken[column] = true;
}

enum mw_err mw_finder_add_repeat(struct finder *f, size_t column, struct mw_error *error)
{
    struct mw_columns *columns = f->columns;
    struct mw_column *repeats = realloc(columns->repeats, (columns->repeat_count + 1) * sizeof *repeats);
    if (!repeats)
        return mw_fail(error, MW_NOMEM, "out of memory");
    columns->repeats = repeats;
    mw_finder_set(f, columns->value, column);
    repeats[columns->repeat_count++] = columns->of[columns->value];
    return MW_OK;
}

void mw_finder_add(struct finder *f, enum mw_field field, size_t column)
{
    struct mw_columns *columns = f->columns;
    if (!columns->has[field]) {
        mw_finder_set(f, field, column);
    } else if (columns->more_count < MW_COLUMNS_MORE) {
        struct mw_column first = columns->of[field];
        mw_finder_set(f, field, column);
        columns->more_field[columns->more_count] = field;
        columns->more[columns->more_count++] = columns->of[field];
        columns->of[field] = first;
    }
}

void mw_finder_note(struct finder *f, const char *format, ...)
{
    struct mw_columns *columns = f->columns;
    va_list args;
    if (columns->note_count == MW_COLUMNS_NOTES)
        return;
    va_start(args, format);
    vsnprintf(columns->notes[columns->note_count++], sizeof *columns->notes, format, args);
    va_end(args);
}

bool mw_finder_varies(const struct finder *f, size_t column)
{
    for (size_t i = 1; i < f->count; i++)
        if (strcmp(mw_table_cell(f->table, f->rows[0], column), mw_table_cell(f->table, f->rows[i], column)))
            return true;
    return false;
}

static bool all_missing(const struct finder *f, size_t column)
{
    for (size_t i = 0; i < f->count; i++)
        if (!mw_cell_missing(mw_table_cell(f->table, f->rows[i], column)))
            return false;
    return true;
}

bool mw_finder_agree(const struct finder *f, size_t a, size_t b, enum mw_dimension dimension, double tolerance)
{
    const struct mw_number_style style = {'.', '\0'};
    for (size_t i = 0; i < f->count; i++) {
        const char *x = mw_table_cell(f->table, f->rows[i], a), *y = mw_table_cell(f->table, f->rows[i], b);
        double u, v;
        if (!strcmp(x, y) && f->headings[a].factor == f->headings[b].factor) /* NOLINT */
            continue;
        if (!mw_cell_quantity(x, &style, dimension, f->headings[a].factor, &u) ||
            !mw_cell_quantity(y, &style, dimension, f->headings[b].factor, &v) || fabs(u - v) > tolerance * fabs(u))
            return false;
    }
    return true;
}

enum mw_err mw_finder_ambiguous(const struct finder *f, const bool *which, enum mw_field field, size_t first,
                                struct mw_error *error)
{
    char names[256];
    mw_finder_names(f, which, names, sizeof names);
    mw_fail(error, MW_DATA, "%s:%ld: %s could each be the %s", f->table->name, f->table->header_line, names,
            mw_field_name(field));
    char map[120];
    if (field == MW_FIELD_ENERGY || field == MW_FIELD_POWER)
        return mw_hint(error, "--map %s takes one of them, --map '%s=COLUMN+COLUMN' their sum",
                       mw_shell_word(map, sizeof map, mw_field_name(field), mw_table_header(f->table, first)),
                       mw_field_name(field));
    return mw_hint(error, "--map %s, or another of them%s",
                   mw_shell_word(map, sizeof map, mw_field_name(field), mw_table_header(f->table, first)),
                   field == MW_FIELD_CORES ? "; for processes x threads, a column of their product" : "");
}

/* Narrows candidates to one: not empty, not constant (cores), the same in different units. */
enum mw_err mw_finder_pick(struct finder *f, bool *which, enum mw_field field, size_t *chosen, bool *found,
                           struct mw_error *error)
{
    size_t count = 0, varying = 0, filled = 0, first = 0;
    bool needed =
        field == MW_FIELD_CORES || field == MW_FIELD_TIME || field == MW_FIELD_RATE || field == MW_FIELD_SPEEDUP;
    for (size_t i = 0; i < f->table->column_count; i++)
        filled += which[i] && !all_missing(f, i);
    for (size_t i = 0; i < f->table->column_count; i++) {
        /* empty throughout is as good as absent, but for a needed column: its rows will say that they lack it */
        which[i] = which[i] && (!all_missing(f, i) || (needed && !filled));
        varying += which[i] && mw_finder_varies(f, i);
    }
    for (size_t i = f->table->column_count; i-- > 0;) {
        if (field == MW_FIELD_CORES && varying && which[i])
            which[i] = mw_finder_varies(f, i);
        count += which[i];
        first = which[i] ? i : first;
    }
    *found = count > 0;
    *chosen = first;
    for (size_t i = first + 1; count > 1 && i < f->table->column_count; i++) {
        if (!which[i])
            continue;
        if (!mw_finder_agree(f, *chosen, i, mw_field_dimension(field), MW_SAME_VALUE))
            return mw_finder_ambiguous(f, which, field, first, error);
        size_t other = i;
        if (f->headings[i].factor < f->headings[*chosen].factor) { /* the smaller unit is the less rounded */
            other = *chosen;
            *chosen = i;
        }
        f->taken[other] = true; /* says the same */
    }
    return MW_OK;
}

bool mw_finder_holds_number(const struct finder *f, size_t column)
{
    const struct mw_number_style style = {'.', '\0'};
    for (size_t i = 0; i < f->count; i++) {
        const char *cell = mw_table_cell(f->table, f->rows[i], column), *rest;
        double value;
        if (!mw_cell_missing(cell))
            return mw_cell_number(cell, &style, &value, &rest);
    }
    return false;
}

enum mw_err mw_finder_choose(struct finder *f, enum mw_field field, struct mw_error *error)
{
    bool *which = calloc(f->table->column_count, sizeof *which), found;
    size_t chosen;
    if (!which)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < f->table->column_count; i++)
        which[i] = !f->taken[i] && f->headings[i].repeat < 0 && mw_is_alias(field, &f->headings[i]) &&
                   (field < MW_FIELD_USER_TIME || mw_finder_holds_number(f, i)); /* or a user's name, say */
    enum mw_err err = mw_finder_pick(f, which, field, &chosen, &found, error);
    if (!err && found)
        mw_finder_set(f, field, chosen);
    free(which);
    return err;
}

enum mw_err mw_finder_no_cores(const struct finder *f, struct mw_error *error)
{
    const struct mw_number_style style = {'.', '\0'};
    bool *which = calloc(f->table->column_count, sizeof *which), any = false;
    if (!which)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < f->table->column_count; i++) {
        which[i] = !f->taken[i];
        for (size_t r = 0; r < f->count && which[i]; r++) {
            double value;
            const char *rest;
            which[i] = mw_cell_number(mw_table_cell(f->table, f->rows[r], i), &style, &value, &rest) && !*rest &&
                       value >= 1 && value == floor(value); /* NOLINT */
        }
        any |= which[i];
    }
    char names[256];
    mw_finder_names(f, any ? which : NULL, names, sizeof names);
    free(which);
    mw_fail(error, MW_DATA, "%s:%ld: no column is known to hold the number of cores; %s %s", f->table->name,
            f->table->header_line, any ? "it could be" : "the columns are", names);
    return mw_hint(error, "name it: --map cores=COLUMN%s", f->columns->repeat_count ? "" : " --map time=COLUMN");
}
