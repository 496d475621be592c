// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/columns_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is fitted: times, rates, speedups or energies, in one column or in the repeats of a wide table. */

/* Between repeats of a wide table there may stand one of these in place of a name of time. */
static const char repeat_names[] = " run rep repeat repetition trial sample measurement iter iteration r t ";

/* How good a name is for a time where none is plainly called so: 0 none, the smaller the better. */
static int time_rank(const struct mw_heading *heading)
{
    static const char *const no[] = {"cpu",   "user",    "sys",   "stamp", "std",   "stdev",    "err",     "variance",
                                     "limit", "timeout", "speed", "count", "ratio", "relative", "efficien"};
    static const char *const no_start[] = {"start", "end", "begin", "date", "dev", "var"};
    static const char *const statistics[][3] = {
        {"median", "med", "med"}, {"mean", "avg", "average"}, {"min", "best", "min"}};
    const char *base = heading->base;
    static const char *const words[] = {"time",  "elapsed", "duration", "wall", "zeit",
                                        "dauer", "temps",   "tiempo",   NULL};
    bool timed = mw_has_word(base, words);
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

/* Columns that may be repeats of each other, in the order of their names. */
struct candidate {
    const struct mw_heading *heading;
    const char *header;
    size_t column;
};

/* The same name with a number, or the same name as a whole. */
static int by_name(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = strcmp(x->heading->base, y->heading->base);
    if (!order)
        order = (x->heading->repeat >= 0) - (y->heading->repeat >= 0);
    if (!order && x->heading->repeat < 0)
        order = strcmp(x->header, y->header);
    return order;
}

static int by_name_and_place(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = by_name(a, b);
    return order ? order : x->column < y->column ? -1 : x->column > y->column;
}

/* Numbers of repeats count 1, 2, 3 …; 1200, 1800, 2400 or 1, 2, 4, 8 are a frequency or cores. */
static bool numbers_count(const struct candidate *items, size_t n)
{
    long low = items[0].heading->repeat, high = low;
    for (size_t i = 1; i < n; i++) {
        low = items[i].heading->repeat < low ? items[i].heading->repeat : low;
        high = items[i].heading->repeat > high ? items[i].heading->repeat : high;
    }
    return low < 0 || high - low < (long)n;
}

static bool may_repeat(const struct mw_heading *heading, enum mw_field field)
{
    struct mw_heading bare = *heading;
    bare.repeat = -1;
    return mw_is_alias(field, &bare) ||
           (field == MW_FIELD_TIME &&
            (time_rank(&bare) == 1 || (heading->repeat >= 0 && mw_is_word(repeat_names, heading->base))));
}

/* Marks the repeats of a wide table: most columns of one name with numbers, or of the same name; *count of them. */
static enum mw_err mark_repeats(const struct finder *f, enum mw_field field, bool *which, size_t *count,
                                struct mw_error *error)
{
    struct candidate *items = malloc((f->table->column_count + 1) * sizeof *items), *best = NULL;
    size_t n = 0;
    *count = 0;
    if (!items)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t c = 0; c < f->table->column_count; c++)
        if (!f->taken[c] && may_repeat(&f->headings[c], field))
            items[n++] = (struct candidate){&f->headings[c], mw_table_header(f->table, c), c};
    qsort(items, n, sizeof *items, by_name_and_place);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && !by_name(&items[from], &items[to]);)
            to++;
        bool more = to - from > *count || (best && to - from == *count && items[from].column < best->column);
        if (to - from < 2 || !more)
            continue;
        best = &items[from];
        *count = to - from;
    }
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < *count; i++)
        which[best[i].column] = true;
    if (*count && !numbers_count(best, *count)) {
        mw_fail(
            error, MW_DATA,
            "%s:%ld: '%.40s' and '%.40s': the numbers in these names count no repetitions, and what they are is not "
            "said",
            f->table->name, f->table->header_line, best[0].header, best[1].header);
        err =
            mw_hint(error, "one row for each run, with the number in a column of its own; or take one: --map %s=%.60s",
                    mw_field_name(field), best[0].header);
    }
    free(items);
    return err;
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

/* "MB/s per core", "ops/s/thread": a rate of each core; *total is the heading of the rate without these words. */
static bool is_rate_per_core(const char *header, struct mw_heading *total)
{
    static const char *const ends[] = {"thread", "core", "cpu", "rank", "process", "proc", "worker", "pe", "task"};
    size_t n = strlen(header);
    char text[128];
    while (n && strchr(" )]", header[n - 1]))
        n--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = strlen(ends[i]), at = n - length;
        if (n < length + 2 || n >= sizeof text || strncasecmp(header + at, ends[i], length))
            continue;
        while (at && strchr(" _-", header[at - 1]))
            at--;
        bool per = at > 3 && !strncasecmp(header + at - 3, "per", 3);
        if (!per && header[at - 1] != '/')
            continue;
        at -= per ? 3 : 1;
        while (at && strchr(" _-([", header[at - 1]))
            at--;
        memcpy(text, header, at);
        text[at] = '\0';
        mw_heading_parse(total, text);
        return mw_is_alias(MW_FIELD_RATE, total) || (at && mw_is_word(" ops operations ", total->base));
    }
    return false;
}

/* Rates of all cores, else (per_core) of each. */
static void mark_rates(const struct finder *f, bool *which, bool per_core)
{
    struct mw_heading total;
    for (size_t i = 0; i < f->table->column_count; i++) {
        bool each = !f->taken[i] && is_rate_per_core(mw_table_header(f->table, i), &total);
        which[i] = !f->taken[i] && each == per_core && (each || mw_is_alias(MW_FIELD_RATE, &f->headings[i]));
    }
}

/* Efficiencies of a strong scaling: speedup over cores. */
static void mark_efficiencies(const struct finder *f, bool *which)
{
    static const char names[] =
        " efficiency eff parallelefficiency parallelleffizienz paralleleffizienz effizienz "
        "scalingefficiency strongscalingefficiency efficiencypercent efficiencypct parallelleff "
        "paralleleff eficiencia efficacite ";
    for (size_t i = 0; i < f->table->column_count; i++)
        which[i] = !f->taken[i] && f->headings[i].dimension == MW_DIM_NONE && !f->headings[i].per_time &&
                   mw_is_word(names, f->headings[i].base) && mw_finder_holds_number(f, i);
}

static double number_in(const struct finder *f, size_t row, size_t column)
{
    const struct mw_number_style style = {'.', '\0'};
    const char *rest;
    double value;
    return mw_cell_number(mw_table_cell(f->table, f->rows[row], column), &style, &value, &rest) ? value : 0;
}

static double largest_in(const struct finder *f, size_t column)
{
    double largest = 0;
    for (size_t i = 0; i < f->count; i++)
        largest = fmax(largest, number_in(f, i, column));
    return largest;
}

/* An efficiency is 1 at one core; what goes beyond 2 is in per cent, as a sign in cell or name says anyway. */
static void scale_efficiency(struct finder *f, size_t column)
{
    const double percent = 0.01, most = 2;
    struct mw_column *repeat = &f->columns->repeats[f->columns->repeat_count - 1];
    bool in_percent = f->headings[column].percent || largest_in(f, column) > most;
    repeat->factor = in_percent ? percent : 1;
    f->columns->per_core = true;
    mw_finder_note(f, "speedup is '%.60s' x cores%s", mw_table_header(f->table, column),
                   in_percent ? ", in per cent" : "");
}

static enum mw_err take_value(struct finder *f, enum mw_field field, size_t column, struct mw_error *error)
{
    f->columns->value = field;
    return mw_finder_add_repeat(f, column, error);
}

static enum mw_err choose_time(struct finder *f, bool *which, struct mw_error *error)
{
    size_t chosen;
    bool found;
    for (size_t i = 0; i < f->table->column_count; i++)
        which[i] = !f->taken[i] && mw_is_alias(MW_FIELD_TIME, &f->headings[i]);
    enum mw_err err = mw_finder_pick(f, which, MW_FIELD_TIME, &chosen, &found, error);
    for (int rank = 1; !err && !found && rank <= 5; rank++) {
        for (size_t i = 0; i < f->table->column_count; i++)
            which[i] = !f->taken[i] && time_rank(&f->headings[i]) == rank;
        err = mw_finder_pick(f, which, MW_FIELD_TIME, &chosen, &found, error);
    }
    return err || !found ? err : take_value(f, MW_FIELD_TIME, chosen, error);
}

static enum mw_err choose_rate(struct finder *f, bool *which, struct mw_error *error)
{
    size_t chosen;
    bool found = false, per_core = false;
    mark_rates(f, which, false);
    enum mw_err err = mw_finder_pick(f, which, MW_FIELD_RATE, &chosen, &found, error);
    if (!err && !found) {
        per_core = true;
        mark_rates(f, which, true);
        err = mw_finder_pick(f, which, MW_FIELD_RATE, &chosen, &found, error);
    }
    if (err || !found)
        return err;
    f->columns->per_core = per_core;
    if (per_core)
        mw_finder_note(f, "the rate is '%.60s' x cores", mw_table_header(f->table, chosen));
    return take_value(f, MW_FIELD_RATE, chosen, error);
}

static enum mw_err choose_speedup(struct finder *f, bool *which, struct mw_error *error)
{
    size_t chosen;
    bool found, efficiency = false;
    for (size_t i = 0; i < f->table->column_count; i++)
        which[i] = !f->taken[i] && mw_is_alias(MW_FIELD_SPEEDUP, &f->headings[i]);
    enum mw_err err = mw_finder_pick(f, which, MW_FIELD_SPEEDUP, &chosen, &found, error);
    if (!err && !found) {
        efficiency = true;
        mark_efficiencies(f, which);
        err = mw_finder_pick(f, which, MW_FIELD_SPEEDUP, &chosen, &found, error);
    }
    if (err || !found)
        return err;
    err = take_value(f, MW_FIELD_SPEEDUP, chosen, error);
    if (!err && efficiency)
        scale_efficiency(f, chosen);
    return err;
}

/* Wide repeats, else one column. */
static enum mw_err choose_value(struct finder *f, enum mw_field field, bool *which, struct mw_error *error)
{
    size_t repeats;
    memset(which, 0, f->table->column_count * sizeof *which);
    enum mw_err err = mark_repeats(f, field, which, &repeats, error);
    if (err || repeats)
        return err ? err : add_marked(f, field, which, error);
    return field == MW_FIELD_TIME   ? choose_time(f, which, error)
           : field == MW_FIELD_RATE ? choose_rate(f, which, error)
                                    : choose_speedup(f, which, error);
}

/* --- benchmarks of a fixed duration -------------------------------------------------------------------------------- */

/* Largest over smallest number of a column; 0 where one is missing. */
static double spread_of(const struct finder *f, size_t column)
{
    double low = HUGE_VAL, high = 0;
    for (size_t i = 0; i < f->count; i++) {
        double value = number_in(f, i, column);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return low > 0 ? high / low : 0;
}

static const char counts[] =
    " ops operations iterations iters transactions requests events count loops queries messages updates "
    "samples frames steps ";

/* What was counted, or how large the problem was, at so much a core: such times are of work that grows. */
static void note_work(struct finder *f)
{
    static const char sizes[] = " size elements cells particles points atoms rows items jobs work problem n ";
    const double same = 1.02, at_least = 1.9;
    if (f->columns->value != MW_FIELD_TIME || !f->columns->has[MW_FIELD_CORES] || mw_table_meta(f->table, "scan_weak"))
        return;
    size_t cores = f->columns->of[MW_FIELD_CORES].index;
    for (size_t i = 0; i < f->table->column_count; i++) {
        double low = HUGE_VAL, high = 0;
        if (f->taken[i] || !(mw_is_word(counts, f->headings[i].base) || mw_is_word(sizes, f->headings[i].base)))
            continue;
        for (size_t row = 0; row < f->count; row++) {
            double each = number_in(f, row, i) / number_in(f, row, cores);
            low = fmin(low, each);
            high = fmax(high, each);
        }
        if (low > 0 && high <= same * low && spread_of(f, cores) >= at_least)
            mw_finder_note(
                f,
                "'%.60s' is %.4g a core: where the work grows with the cores times don't compare as speedups: --weak "
                "scales them",
                mw_table_header(f->table, i), high);
    }
}

/*
 * A time that stays while the rate changes is how long the benchmark was told to run: the rate is the result. What was
 * counted in that time, without a rate, is asked for.
 */
static enum mw_err prefer_rate(struct finder *f, bool *which, struct mw_error *error)
{
    const double stays = 1.1, changes = 1.3;
    size_t time = f->columns->repeats[0].index;
    double spread = spread_of(f, time);
    if (f->columns->repeat_count != 1 || f->count < 3 || !(spread > 0) || spread > stays)
        return MW_OK;
    struct mw_columns before = *f->columns;
    f->columns->repeats = NULL;
    f->columns->repeat_count = 0;
    enum mw_err err = choose_rate(f, which, error);
    if (!err && f->columns->repeat_count && spread_of(f, f->columns->repeats[0].index) > changes) {
        free(before.repeats);
        mw_finder_note(f, "'%.60s' is the same on all cores and '%.60s' is not: the time was fixed, the rate is fitted",
                       mw_table_header(f->table, time), mw_table_header(f->table, f->columns->repeats[0].index));
        return MW_OK;
    }
    if (f->columns->repeat_count)
        f->taken[f->columns->repeats[0].index] = false;
    free(f->columns->repeats);
    *f->columns = before;
    for (size_t i = 0; i < f->table->column_count && !err; i++)
        if (!f->taken[i] && mw_is_word(counts, f->headings[i].base) && spread_of(f, i) > changes) {
            char map[100];
            mw_fail(error, MW_DATA, "%s:%ld: '%.60s' is the same on all cores while '%.60s' changes: a fixed time?",
                    f->table->name, f->table->header_line, mw_table_header(f->table, time),
                    mw_table_header(f->table, i));
            return mw_hint(error, "what was done in this time is the rate: --map %s; else --map time=%.60s",
                           mw_shell_word(map, sizeof map, "rate", mw_table_header(f->table, i)),
                           mw_table_header(f->table, time));
        }
    return err;
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

enum mw_err mw_finder_value(struct finder *f, struct mw_error *error)
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
    if (!err && f->columns->repeat_count && f->columns->value == MW_FIELD_TIME)
        err = prefer_rate(f, which, error);
    if (!err)
        note_work(f);
    free(which);
    if (err || f->columns->repeat_count)
        return err;
    if (f->options->energy_only && f->columns->has[MW_FIELD_ENERGY]) {
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
