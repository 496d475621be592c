// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/groups.h"

#include "data/columns.h"
#include "data/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A column that nobody named may still tell the runs apart: sizes, models, governors, power caps. See data/groups.h.
 *
 * Constants were chosen on simulated tables (noise of 1 to 20 %, outliers, drift; columns of dates, hosts, counters and
 * temperatures) and checked on fresh seeds: tests/unit/test_factor.c, make bench-factor.
 */
static const double least_effect = 0.095; /* ln 1.1: what is pooled below it moves a median by 5 % */
static const double least_in_order = 0.4; /* ln 1.5, for what counts or dates the runs: drift and warm-up make less */
static const double noise = 0.1;          /* of one run; most programs repeat within 5 % */
static const double noise_dof = 4;
static const double deviates =
    3.2; /* one in 1,450 columns without effect; more refuses no fewer clean tables, and misses more */
static const double deviates_of_condition = 1; /* a name or unit of what is set before a run: one in six */

enum { LEVELS = 24, SPELLINGS = 48, NO_LEVEL = 255 }; /* with more values a column counts or measures something */

/* A row with a value: its configuration and ln value; `place` is its position in `rows`. */
struct reading {
    double freq_hz, ln_value;
    unsigned cores, configuration;
    uint32_t place;
};

struct cell {
    unsigned configuration;
    uint8_t level;
    double y, x; /* ln of the value and of the cores */
};

/* What the levels do: e_l + b_l x. */
struct effects {
    double mean[LEVELS], slope[LEVELS];
};

/* One column's values in the order of their appearance. */
struct levels {
    const char *name[LEVELS], *spelling[SPELLINGS];
    uint8_t level[SPELLINGS];
    size_t count, spellings;
    size_t last;
};

struct factor {
    size_t column;
    double score, effect; /* normal deviates; range of e_l */
    struct levels levels;
};

static int by_configuration(const void *a, const void *b)
{
    const struct reading *x = a, *y = b;
    if (x->freq_hz < y->freq_hz || x->freq_hz > y->freq_hz)
        return x->freq_hz < y->freq_hz ? -1 : 1;
    if (x->cores != y->cores)
        return x->cores < y->cores ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* The rows of configurations that were run more than once, sorted, numbered from 0; *groups of these. */
static size_t take_readings(const struct mw_dataset *dataset, const struct mw_table *table, const size_t *rows,
                            size_t count, struct reading *readings, size_t *groups)
{
    size_t n = 0, kept = 0, place = 0;
    for (size_t i = 0; i < dataset->count; i++) {
        const struct mw_row *row = &dataset->rows[i];
        while (place < count && (long)table->lines[rows[place]] != row->line)
            place++;
        if (place < count && !row->set_aside && row->has & MW_HAS_VALUE)
            readings[n++] = (struct reading){row->freq_hz, log(row->value), row->cores, 0, (uint32_t)place};
    }
    qsort(readings, n, sizeof *readings, by_configuration);
    *groups = 0;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1;
             to < n && readings[to].cores == readings[from].cores && !(readings[to].freq_hz > readings[from].freq_hz);
             to++)
            ;
        if (readings[to - 1].place == readings[from].place)
            continue; /* one row, or the repeats of one */
        for (size_t i = from; i < to; i++) {
            readings[kept] = readings[i];
            readings[kept++].configuration = (unsigned)*groups;
        }
        ++*groups;
    }
    return kept;
}

/* The level of a text; NO_LEVEL where there are too many of them. */
static uint8_t level_of(struct levels *levels, const char *text)
{
    if (levels->spellings && !strcmp(levels->spelling[levels->last], text))
        return levels->level[levels->last];
    size_t found = levels->spellings, level = levels->count;
    for (size_t i = 0; i < levels->spellings && found == levels->spellings; i++)
        if (!strcmp(levels->spelling[i], text))
            found = i;
    if (found < levels->spellings) {
        levels->last = found;
        return levels->level[found];
    }
    for (size_t i = 0; i < levels->count && level == levels->count; i++)
        if (mw_value_same(levels->name[i], text))
            level = i;
    if (level == LEVELS || levels->spellings == SPELLINGS)
        return NO_LEVEL;
    if (level == levels->count)
        levels->name[levels->count++] = text;
    levels->spelling[levels->spellings] = text;
    levels->level[levels->spellings] = (uint8_t)level;
    levels->last = levels->spellings++;
    return (uint8_t)level;
}

/* Medians of the cells; 0 where the column has too many values. `level` and `work` have room for the readings. */
static size_t take_cells(struct factor *factor, const struct mw_table *table, const size_t *rows,
                         const struct reading *readings, size_t n, uint8_t *level, double *work, struct cell *cells)
{
    size_t count = 0;
    factor->levels = (struct levels){0};
    for (size_t i = 0; i < n; i++) {
        level[i] = level_of(&factor->levels, mw_table_cell(table, rows[readings[i].place], factor->column));
        if (level[i] == NO_LEVEL)
            return 0;
    }
    for (size_t from = 0, to; from < n && factor->levels.count > 1; from = to) {
        for (to = from; to < n && readings[to].configuration == readings[from].configuration;)
            to++;
        for (size_t l = 0; l < factor->levels.count; l++) {
            size_t in = 0;
            for (size_t i = from; i < to; i++)
                if (level[i] == l)
                    work[in++] = readings[i].ln_value;
            if (in)
                cells[count++] = (struct cell){readings[from].configuration, (uint8_t)l, mw_median(work, in),
                                               log(readings[from].cores)};
        }
    }
    return count;
}

/* Drops what can't show an effect: levels of one configuration (where there are more), configurations of one level. */
static size_t keep_comparable(struct cell *cells, size_t n)
{
    size_t in_level[LEVELS] = {0}, kept = 0;
    bool several = n && cells[0].configuration != cells[n - 1].configuration;
    for (size_t i = 0; i < n; i++)
        in_level[cells[i].level]++;
    for (size_t i = 0; i < n; i++)
        if (!several || in_level[cells[i].level] > 1)
            cells[kept++] = cells[i];
    n = kept;
    kept = 0;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && cells[to].configuration == cells[from].configuration;)
            to++;
        for (size_t i = from; i < to && to - from > 1; i++)
            cells[kept++] = cells[i];
    }
    return kept;
}

static double said(const struct effects *effects, const struct cell *cell)
{
    return effects->mean[cell->level] + effects->slope[cell->level] * cell->x;
}

/* Takes from y the effects and the mean of its configuration (cells of one stand together). Returns the number of configurations. */
static size_t subtract_configurations(const struct cell *cells, size_t n, const struct effects *effects,
                                      double *residual)
{
    size_t groups = 0;
    for (size_t from = 0, to; from < n; from = to, groups++) {
        double mean = 0;
        for (to = from; to < n && cells[to].configuration == cells[from].configuration; to++)
            mean += cells[to].y - said(effects, &cells[to]);
        mean /= (double)(to - from);
        for (size_t i = from; i < to; i++)
            residual[i] = cells[i].y - said(effects, &cells[i]) - mean;
    }
    return groups;
}

/* Levels that occur in configurations with each other hang together: the number of such sets. */
static size_t count_sets(const struct cell *cells, size_t n, size_t *levels)
{
    uint8_t set[LEVELS];
    bool occurs[LEVELS] = {false};
    size_t sets = *levels = 0;
    for (size_t l = 0; l < LEVELS; l++)
        set[l] = (uint8_t)l;
    for (size_t i = 0; i < n; i++) {
        occurs[cells[i].level] = true;
        if (!i || cells[i].configuration != cells[i - 1].configuration)
            continue;
        uint8_t from = set[cells[i].level], to = set[cells[i - 1].level];
        for (size_t l = 0; l < LEVELS; l++)
            set[l] = set[l] == from ? to : set[l];
    }
    for (size_t l = 0; l < LEVELS; l++) {
        *levels += occurs[l];
        sets += occurs[l] && set[l] == l;
    }
    return sets;
}

/* Normal deviates of an F statistic (Paulson, Annals of Mathematical Statistics 13 (1942), 233). */
static double deviates_of(double f, double d1, double d2)
{
    double a = 2 / (9 * d1), b = 2 / (9 * d2), root = cbrt(f);
    return ((1 - b) * root - (1 - a)) / sqrt(b * root * root + a);
}

/* One turn of the levels' means, or lines in x, through what is left. Returns by how much they moved. */
static double turn_levels(const struct cell *cells, size_t n, bool lines, const double *residual,
                          struct effects *effects)
{
    double sum[LEVELS] = {0}, x[LEVELS] = {0}, xx[LEVELS] = {0}, xr[LEVELS] = {0}, moved = 0;
    size_t in[LEVELS] = {0};
    for (size_t i = 0; i < n; i++) {
        sum[cells[i].level] += residual[i];
        x[cells[i].level] += cells[i].x;
        in[cells[i].level]++;
    }
    for (size_t i = 0; i < n; i++) {
        double off = cells[i].x - x[cells[i].level] / (double)in[cells[i].level];
        xx[cells[i].level] += off * off;
        xr[cells[i].level] += off * residual[i];
    }
    for (size_t l = 0; l < LEVELS; l++) {
        if (!in[l])
            continue;
        double slope = lines && xx[l] > 0 ? xr[l] / xx[l] : 0, mean = sum[l] / (double)in[l];
        effects->slope[l] += slope;
        effects->mean[l] += mean - slope * x[l] / (double)in[l];
        moved += fabs(mean) + fabs(slope);
    }
    return moved;
}

/* The widest difference between what two levels do to one configuration. */
static double widest(const struct cell *cells, size_t n, const struct effects *effects)
{
    double most = 0;
    for (size_t from = 0, to; from < n; from = to) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (to = from; to < n && cells[to].configuration == cells[from].configuration; to++) {
            low = fmin(low, said(effects, &cells[to]));
            high = fmax(high, said(effects, &cells[to]));
        }
        most = fmax(most, high - low);
    }
    return most;
}

/* Levels that occur at more than one core count. */
static size_t count_sloped(const struct cell *cells, size_t n)
{
    double low[LEVELS], high[LEVELS];
    bool occurs[LEVELS] = {false};
    size_t sloped = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t l = cells[i].level;
        low[l] = occurs[l] ? fmin(low[l], cells[i].x) : cells[i].x;
        high[l] = occurs[l] ? fmax(high[l], cells[i].x) : cells[i].x;
        occurs[l] = true;
    }
    for (size_t l = 0; l < LEVELS; l++)
        sloped += occurs[l] && high[l] > low[l];
    return sloped;
}

/* y = a_g + e_l, or with lines a_g + e_l + b_l x, by turns of both sides, which converges where the design hangs together. */
static void judge(struct factor *factor, const struct cell *cells, size_t n, bool lines, double *residual)
{
    enum { TURNS = 200 };
    struct effects effects = {0};
    double total = 0, left = 0;
    size_t levels, sets = count_sets(cells, n, &levels);
    size_t groups = subtract_configurations(cells, n, &effects, residual);
    size_t sloped = lines ? count_sloped(cells, n) : 0;
    factor->score = factor->effect = 0;
    if (levels <= sets || (lines && (sloped <= sets || n < groups * levels))) /* lines: of complete designs alone */
        return;
    for (size_t i = 0; i < n; i++)
        total += residual[i] * residual[i];
    for (size_t turn = 0; turn < TURNS; turn++) {
        double moved = turn_levels(cells, n, lines, residual, &effects);
        subtract_configurations(cells, n, &effects, residual);
        if (moved < 1e-9)
            break;
    }
    for (size_t i = 0; i < n; i++)
        left += residual[i] * residual[i];
    double d1 = (double)(levels - sets) + (lines ? (double)(sloped - sets) : 0), parameters = (double)groups + d1;
    double dof = (double)n > parameters ? (double)n - parameters : 0;
    double variance = (left + noise_dof * noise * noise) / (dof + noise_dof);
    factor->effect = widest(cells, n, &effects);
    factor->score = deviates_of((total - left) / d1 / variance, d1, dof + noise_dof);
}

/* Results of a run rather than conditions of it: other times, rates, speedups, energies. */
static bool is_result(const char *header)
{
    static const char *const words[] = {"speedup", "efficien", "stddev", "error", "variance"};
    struct mw_heading heading;
    mw_heading_parse(&heading, header);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(heading.base, words[i]))
            return true;
    return heading.per_time || heading.dimension == MW_DIM_TIME || heading.dimension == MW_DIM_ENERGY;
}

/* Whole numbers without a gap (seeds, counters), or dates and times of day: such a column goes with the order of runs. */
static bool is_order(const struct levels *levels)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t dates = 0, whole = 0;
    for (size_t i = 0; i < levels->count; i++) {
        const char *text = levels->name[i];
        size_t digits = strspn(text, "0123456789"), signs = 0;
        for (const char *c = text; *c; c++)
            signs += strchr("-./:", *c) != NULL;
        dates += digits && signs >= 2 && !text[strspn(text, "0123456789-./:TZ +")];
        if (digits && digits < 10 && !text[digits]) {
            whole++;
            low = fmin(low, atof(text));
            high = fmax(high, atof(text));
        }
    }
    return dates == levels->count || (whole == levels->count && high - low + 1 <= (double)levels->count);
}

/* Is it set before a run, by its unit (a clock, a power limit) or its name? */
static bool is_condition(const char *header)
{
    static const char *const words[] = {
        "size",   "mesh",     "grid",    "model",    "governor", "cap",       "limit",    "uncore",    "mode",
        "scal",   "policy",   "version", "compiler", "flags",    "problem",   "case",     "turbo",     "smt",
        "page",   "memory",   "clock",   "freq",     "commit",   "branch",    "revision", "build",     "algorithm",
        "method", "solver",   "backend", "variant",  "config",   "dataset",   "network",  "precision", "dtype",
        "batch",  "affinity", "binding", "pinning",  "library",  "allocator", "schedul",  NULL};
    struct mw_heading heading;
    mw_heading_parse(&heading, header);
    bool named = heading.dimension == MW_DIM_FREQ || heading.dimension == MW_DIM_POWER;
    for (size_t i = 0; words[i] && !named; i++)
        named = strstr(heading.base, words[i]) != NULL;
    return named;
}

/* Far enough beyond what runs without an effect show? */
static bool is_effect(const struct factor *factor, const struct mw_table *table)
{
    bool condition = is_condition(mw_table_header(table, factor->column));
    double least = !condition && is_order(&factor->levels) ? least_in_order : least_effect;
    return factor->effect > least && factor->score > (condition ? deviates_of_condition : deviates);
}

static enum mw_err refuse(const struct factor *factor, const struct mw_dataset *dataset, const struct mw_table *table,
                          struct mw_error *error)
{
    char list[160], where[120], by[80];
    const char *name = mw_table_header(table, factor->column);
    mw_values_list(factor->levels.name, factor->levels.count, list, sizeof list);
    mw_fail(
        error, MW_DATA,
        "%s: runs on the same cores%s differ by a factor of %.3g, and column '%.60s' (%s) tells them apart: they are "
        "not repetitions of one run",
        table->name, dataset->rows[0].freq_hz > 0 ? " at one frequency" : "", exp(factor->effect), name, list);
    return mw_hint(error, "--where %s takes one of them, --by %s each on its own",
                   mw_shell_word(where, sizeof where, name, factor->levels.name[0]),
                   mw_shell_word(by, sizeof by, name, NULL));
}

enum mw_err mw_factor_check(const struct mw_dataset *dataset, const struct mw_table *table, const size_t *rows,
                            size_t count, const bool *used, struct mw_error *error)
{
    struct reading *readings = malloc((dataset->count + 1) * sizeof *readings);
    uint8_t *level = malloc(dataset->count + 1);
    double *work = malloc((dataset->count + 1) * sizeof *work);
    struct cell *cells = malloc((dataset->count + 1) * sizeof *cells);
    struct factor best = {0}, factor;
    size_t groups = 0, n = 0;
    enum mw_err err = readings && level && work && cells ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    bool any = false;
    for (size_t c = 0; c < table->column_count && !any; c++)
        any = !used[c] && !is_result(mw_table_header(table, c));
    if (!err && any)
        n = take_readings(dataset, table, rows, count, readings, &groups);
    for (size_t c = 0; c < table->column_count && !err && groups; c++) {
        factor.column = c;
        if (used[c] || is_result(mw_table_header(table, c)))
            continue;
        size_t cell_count = keep_comparable(cells, take_cells(&factor, table, rows, readings, n, level, work, cells));
        for (int lines = 0; lines < 2; lines++) {
            judge(&factor, cells, cell_count, lines, work);
            if (is_effect(&factor, table) && factor.score > best.score)
                best = factor;
        }
    }
    free(readings);
    free(level);
    free(work);
    free(cells);
    return !err && best.score > 0 ? refuse(&best, dataset, table, error) : err;
}
