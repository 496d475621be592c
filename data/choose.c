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
     "ntasks parallelism "},
    {MW_FIELD_FREQ, " freq frequency f cpufreq corefreq clock clockspeed cpuclock coreclock cpufrequency corefrequency "
                    "clockfrequency clockrate  "},
    {MW_FIELD_FREQ_EFFECTIVE, " freqeffective effectivefreq effectivefrequency frequencyeffective "},
    {MW_FIELD_TIME,
     " time times walltime wall wallclock wallclocktime walltimes elapsed elapsedtime runtime runtimes executiontime "
     "exectime exetime duration real realtime totaltime timetosolution tts  "},
    {MW_FIELD_RATE, " throughput rate bandwidth flops kflops mflops gflops tflops mops mopstotal fps performance kbs "
                    "mbs gbs kbps mbps "
                    "gbps iops tps qps rps gups teps gteps mlups glups nsday nsperday itemspersecond bytespersecond "},
    {MW_FIELD_SPEEDUP, " speedup speedups "},
    {MW_FIELD_ENERGY, " energy energyconsumed consumedenergy consumedenergyraw totalenergy energyconsumption "
                      "energytosolution  "},
    {MW_FIELD_POWER, " power avgpower averagepower meanpower powerdraw  "},
    {MW_FIELD_CPU_TIME, " cpu cputime "}, /* "cpu" only with a unit of time: see is_alias */
    {MW_FIELD_EXIT_STATUS, " exitstatus exitcode returncode "},
    {MW_FIELD_VALID, " valid verified "},
    {MW_FIELD_REPETITION, " repetition rep repeat run iteration trial repetitionindex "},
    {MW_FIELD_USER_TIME, " user usertime utime cpuuser usercpu "},
    {MW_FIELD_CPU_PERCENT, " cpu cpupercent percentcpu pctcpu cpupct cpuusage cpuutilization "},
    {MW_FIELD_USAGE + MW_USAGE_SYS, " sys systime system systemtime stime cpusys syscpu "},
    {MW_FIELD_USAGE + MW_USAGE_MAIN_WAIT, " mainwait "},
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

/* Between repeats of a wide table there may stand one of these in place of a name of time. */
static const char repeat_names[] = " run rep repeat repetition trial sample measurement iter iteration r t ";

static bool is_word(const char *words, const char *word)
{
    char spaced[80];
    int n = snprintf(spaced, sizeof spaced, " %s ", word);
    return n > 0 && (size_t)n < sizeof spaced && strstr(words, spaced);
}

static bool is_alias(enum mw_field field, const struct mw_heading *heading)
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
            return is_word(aliases[i].names, heading->base);
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

static bool varies(const struct finder *f, size_t column)
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

/* Do two columns hold the same quantity? Within a millionth, units taken into account. */
static bool agree(const struct finder *f, size_t a, size_t b, enum mw_dimension dimension)
{
    const struct mw_number_style style = {'.', '\0'};
    const double tolerance = 1e-6; /* what is left of a value printed with seven digits in another unit */
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

static enum mw_err ambiguous(const struct finder *f, const bool *which, enum mw_field field, size_t first,
                             struct mw_error *error)
{
    char names[256];
    mw_finder_names(f, which, names, sizeof names);
    mw_fail(error, MW_DATA, "%s:%ld: %s could each be the %s", f->table->name, f->table->header_line, names,
            mw_field_name(field));
    char map[120];
    return mw_hint(error, "--map %s, or another of them%s",
                   mw_shell_word(map, sizeof map, mw_field_name(field), mw_table_header(f->table, first)),
                   field == MW_FIELD_CORES ? "; for processes x threads, a column of their product" : "");
}

/* Narrows candidates to one: not empty, not constant (cores), the same in different units. */
static enum mw_err pick(struct finder *f, bool *which, enum mw_field field, size_t *chosen, bool *found,
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
        varying += which[i] && varies(f, i);
    }
    for (size_t i = f->table->column_count; i-- > 0;) {
        if (field == MW_FIELD_CORES && varying && which[i])
            which[i] = varies(f, i);
        count += which[i];
        first = which[i] ? i : first;
    }
    *found = count > 0;
    *chosen = first;
    for (size_t i = first + 1; count > 1 && i < f->table->column_count; i++) {
        if (!which[i])
            continue;
        if (!agree(f, *chosen, i, mw_field_dimension(field)))
            return ambiguous(f, which, field, first, error);
        size_t other = i;
        if (f->headings[i].factor < f->headings[*chosen].factor) { /* the smaller unit is the less rounded */
            other = *chosen;
            *chosen = i;
        }
        f->taken[other] = true; /* says the same */
    }
    return MW_OK;
}

/* A column that is good to have only: other things go by these names too (a user's name). */
static bool holds_number(const struct finder *f, size_t column)
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
        which[i] = !f->taken[i] && f->headings[i].repeat < 0 && is_alias(field, &f->headings[i]) &&
                   (field < MW_FIELD_USER_TIME || holds_number(f, i));
    enum mw_err err = pick(f, which, field, &chosen, &found, error);
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

/* --- what is fitted ---------------------------------------------------------------- */

/* How good a name is for a time where none is plainly called so: 0 none, the smaller the better. */
static int time_rank(const struct mw_heading *heading)
{
    static const char *const no[] = {"cpu",   "user",    "sys",   "stamp", "std",   "stdev",    "err",     "variance",
                                     "limit", "timeout", "speed", "count", "ratio", "relative", "efficien"};
    static const char *const no_start[] = {"start", "end", "begin", "date", "dev", "var"};
    static const char *const statistics[][3] = {
        {"median", "med", "med"}, {"mean", "avg", "average"}, {"min", "best", "min"}};
    const char *base = heading->base;
    bool timed = strstr(base, "time") || strstr(base, "elapsed") || strstr(base, "duration") || strstr(base, "wall");
    if (heading->per_time || (heading->dimension != MW_DIM_NONE && heading->dimension != MW_DIM_TIME))
        return 0;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (strstr(base, no[i]))
            return 0;
    for (size_t i = 0; i < sizeof no_start / sizeof *no_start; i++)
        if (!strncmp(base, no_start[i], strlen(no_start[i])))
            return 0;
    if (!timed && heading->dimension != MW_DIM_TIME)
        return 0;
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < 3; i++)
            if (strstr(base, statistics[s][i]))
                return 2 + s;
    return strstr(base, "max") ? 5 : 1;
}

/* Marks the repeats of a wide table: two or more columns of one name with numbers, or of the same name. */
static size_t mark_repeats(const struct finder *f, enum mw_field field, bool *which)
{
    size_t best = 0, columns = f->table->column_count;
    for (size_t i = 0; i < columns; i++) {
        const struct mw_heading *a = &f->headings[i];
        struct mw_heading bare = *a;
        bare.repeat = -1;
        bool named =
            is_alias(field, &bare) ||
            (field == MW_FIELD_TIME && (time_rank(&bare) == 1 || (a->repeat >= 0 && is_word(repeat_names, a->base))));
        size_t same = 0;
        for (size_t j = 0; j < columns && named && !f->taken[i]; j++)
            same += !f->taken[j] && !strcmp(f->headings[j].base, a->base) &&
                    (f->headings[j].repeat >= 0) == (a->repeat >= 0) &&
                    (a->repeat >= 0 || !strcmp(mw_table_header(f->table, i), mw_table_header(f->table, j)));
        if (same < 2 || same <= best)
            continue;
        best = same;
        for (size_t j = 0; j < columns; j++)
            which[j] = !f->taken[j] && !strcmp(f->headings[j].base, a->base) &&
                       (f->headings[j].repeat >= 0) == (a->repeat >= 0);
    }
    return best;
}

static enum mw_err add_marked(struct finder *f, enum mw_field field, const bool *which, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    f->columns->value = field;
    for (size_t i = 0; i < f->table->column_count && !err; i++)
        if (which[i])
            err = mw_finder_add_repeat(f, i, error);
    return err;
}

/* Wide repeats, else a plain name, else (time) a name that speaks of time. */
static enum mw_err choose_value(struct finder *f, enum mw_field field, bool *which, struct mw_error *error)
{
    size_t columns = f->table->column_count, chosen;
    bool found;
    memset(which, 0, columns * sizeof *which);
    if (mark_repeats(f, field, which))
        return add_marked(f, field, which, error);
    memset(which, 0, columns * sizeof *which);
    for (size_t i = 0; i < columns; i++)
        which[i] = !f->taken[i] && is_alias(field, &f->headings[i]);
    enum mw_err err = pick(f, which, field, &chosen, &found, error);
    for (int rank = 1; !err && !found && field == MW_FIELD_TIME && rank <= 5; rank++) {
        for (size_t i = 0; i < columns; i++)
            which[i] = !f->taken[i] && time_rank(&f->headings[i]) == rank;
        err = pick(f, which, field, &chosen, &found, error);
    }
    if (err || !found)
        return err;
    f->columns->value = field;
    return mw_finder_add_repeat(f, chosen, error);
}

/* Files whose columns are known: what memwall measure writes (rates), hyperfine's CSV (the median, or the mean). */
static bool known_format(const struct finder *f, enum mw_field *field, size_t *column)
{
    size_t other;
    const struct mw_table *table = f->table;
    *field = MW_FIELD_RATE;
    if (mw_table_column(table, "kernel", &other) && mw_table_column(table, "best_mb_s", column))
        return true;
    *field = MW_FIELD_TIME;
    return mw_table_column(table, "command", &other) && mw_table_column(table, "user", &other) &&
           (mw_table_column(table, "median", column) || mw_table_column(table, "mean", column));
}

enum mw_err mw_finder_value(struct finder *f, bool energy_only, struct mw_error *error)
{
    static const enum mw_field order[] = {MW_FIELD_TIME, MW_FIELD_RATE, MW_FIELD_SPEEDUP};
    enum mw_field field;
    size_t column;
    if (known_format(f, &field, &column)) {
        f->columns->value = field;
        return mw_finder_add_repeat(f, column, error);
    }
    bool *which = calloc(f->table->column_count, sizeof *which);
    enum mw_err err = which ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < sizeof order / sizeof *order && !err && !f->columns->repeat_count; i++)
        err = choose_value(f, order[i], which, error);
    free(which);
    if (err || f->columns->repeat_count)
        return err;
    if (energy_only && f->columns->has[MW_FIELD_ENERGY]) {
        f->columns->value = MW_FIELD_ENERGY;
        return mw_finder_add_repeat(f, f->columns->of[MW_FIELD_ENERGY].index, error);
    }
    char names[256];
    mw_finder_names(f, NULL, names, sizeof names);
    if (f->columns->has[MW_FIELD_ENERGY]) {
        mw_fail(error, MW_DATA, "%s:%ld: energies without a time, a rate or a speedup; the columns are %s",
                f->table->name, f->table->header_line, names);
        return mw_hint(error,
                       "laws and causes are found from times: name them (--map time=COLUMN) or record them (memwall "
                       "scan); the least energy is found without: memwall tune --objective energy --replay FILE, "
                       "or plan --objective energy FILE for what to measure next");
    }
    mw_fail(error, MW_DATA, "%s:%ld: no column is known to hold a time, a rate or a speedup; the columns are %s",
            f->table->name, f->table->header_line, names);
    return mw_hint(error, "name it: --map time=COLUMN (or rate=, speedup=)%s",
                   f->columns->has[MW_FIELD_CORES] ? "" : " --map cores=COLUMN");
}
