// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/columns_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Frequencies, energies and powers under names of their own: known by their unit ("Takt [GHz]") or by a word in their
 * name ("package_energy_j"). One of a kind is taken, packages and memory are added up and said, and what could be either
 * is asked for.
 */

enum kind {
    NONE,
    ALONE,   /* nothing in the name says a part: the energy, the power, the frequency */
    TOTAL,   /* of the node, at the plug */
    PACKAGE, /* of one socket or all */
    MEMORY,
    PART,   /* cores, graphics, a peak: within a package, or beside what ran on the cores */
    CLOCK,  /* an effective frequency */
    SETTING /* a limit, or another clock: a condition of the run */
};

struct word {
    const char *text;
    enum kind kind;
};

static const struct word energy_words[] = {
    {"cap", SETTING},     {"limit", SETTING},     {"tdp", SETTING},    {"budget", SETTING},  {"target", SETTING},
    {"idle", SETTING},    {"total", TOTAL},       {"node", TOTAL},     {"system", TOTAL},    {"plug", TOTAL},
    {"wall", TOTAL},      {"psys", TOTAL},        {"board", TOTAL},    {"ipmi", TOTAL},      {"gesamt", TOTAL},
    {"dram", MEMORY},     {"ram", MEMORY},        {"mem", MEMORY},     {"speicher", MEMORY}, {"uncore", PART},
    {"gpu", PART},        {"igpu", PART},         {"core", PART},      {"pp0", PART},        {"pp1", PART},
    {"package", PACKAGE}, {"pkg", PACKAGE},       {"socket", PACKAGE}, {"cpu", PACKAGE},     {"rapl", PACKAGE},
    {"die", PACKAGE},     {"processor", PACKAGE}, {"max", PART},       {"peak", PART},       {"min", PART},
};
static const struct word freq_words[] = {
    {"uncore", SETTING},  {"mem", SETTING},    {"dram", SETTING},     {"ddr", SETTING},    {"ram", SETTING},
    {"bus", SETTING},     {"fsb", SETTING},    {"gpu", SETTING},      {"cache", SETTING},  {"llc", SETTING},
    {"fabric", SETTING},  {"ring", SETTING},   {"speicher", SETTING}, {"base", SETTING},   {"min", SETTING},
    {"effective", CLOCK}, {"actual", CLOCK},   {"measured", CLOCK},   {"observed", CLOCK}, {"achieved", CLOCK},
    {"avg", CLOCK},       {"average", CLOCK},  {"mean", CLOCK},       {"aperf", CLOCK},    {"real", CLOCK},
    {"ist", CLOCK},       {"gemessen", CLOCK},
};

static enum kind word_kind(const char *base, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(base, words[i].text))
            return words[i].kind;
    return ALONE;
}

/* What a column is of a field's dimension, by unit or by the word of the field in its name; NONE where it is no such. */
static enum kind kind_of(const struct finder *f, enum mw_field field, size_t column)
{
    static const char *const of_freq[] = {"freq", "clock", "takt", "frec", NULL};
    static const char *const of_energy[] = {"energ", "joule", NULL};
    static const char *const of_power[] = {"power", "leistung", "watt", "puissance", "potencia", NULL};
    static const char *const derived[] = {"delay", "per", "edp", "sav", "efficien", "std", "dev", "ratio", NULL};
    const struct mw_heading *h = &f->headings[column];
    enum mw_dimension dimension = mw_field_dimension(field);
    bool named = mw_has_word(h->base, field == MW_FIELD_FREQ     ? of_freq
                                      : field == MW_FIELD_ENERGY ? of_energy
                                                                 : of_power);
    if (f->taken[column] || h->per_time || h->percent || mw_has_word(h->base, derived) ||
        (h->dimension != dimension && !(named && h->dimension == MW_DIM_NONE)) || !mw_finder_holds_number(f, column))
        return NONE;
    if (field == MW_FIELD_FREQ)
        return word_kind(h->base, freq_words, sizeof freq_words / sizeof *freq_words);
    return word_kind(h->base, energy_words, sizeof energy_words / sizeof *energy_words);
}

/* --- frequency ---------------------------------------------------------------------------------------------------- */

/* What is set are multiples of 25 MHz; what is measured is not. */
static bool is_set_clock(const struct finder *f, size_t column)
{
    const double step_hz = 25e6, tolerance_hz = 1e5;
    const struct mw_number_style style = {'.', '\0'};
    double factor = f->headings[column].dimension == MW_DIM_FREQ ? f->headings[column].factor : 0, hz;
    for (size_t i = 0; i < f->count; i++) {
        const char *cell = mw_table_cell(f->table, f->rows[i], column);
        if (mw_cell_missing(cell) || !mw_cell_quantity(cell, &style, MW_DIM_FREQ, factor > 0 ? factor : 1, &hz))
            continue;
        if (!(factor > 0)) /* as guess_freq_unit has it */
            hz *= hz < 100 ? 1e9 : hz < 1e5 ? 1e6 : hz < 1e8 ? 1e3 : 1;
        if (fabs(hz - step_hz * round(hz / step_hz)) > tolerance_hz)
            return false;
    }
    return true;
}

/* The clock asked for is the axis; a measured one beside it is the effective one where the two agree, else it is asked. */
static enum mw_err find_freq(struct finder *f, bool *which, struct mw_error *error)
{
    size_t columns = f->table->column_count, sets = 0, clocks = 0, set = 0, clock = 0;
    for (size_t c = 0; c < columns; c++) {
        enum kind kind = kind_of(f, MW_FIELD_FREQ, c);
        which[c] = kind == ALONE || kind == CLOCK;
        if (kind == ALONE && is_set_clock(f, c)) {
            set = c;
            sets++;
        } else if (which[c]) {
            clock = c;
            clocks++;
        }
    }
    bool has = f->columns->has[MW_FIELD_FREQ], has_clock = f->columns->has[MW_FIELD_FREQ_EFFECTIVE];
    if (sets + clocks == 0 || (has && (has_clock || clocks != 1)))
        return MW_OK;
    if (has) {
        mw_finder_set(f, MW_FIELD_FREQ_EFFECTIVE, clock);
    } else if (sets == 1 && !clocks) {
        mw_finder_set(f, MW_FIELD_FREQ, set);
    } else if (clocks == 1 && !sets) {
        mw_finder_set(f, is_set_clock(f, clock) || has_clock ? MW_FIELD_FREQ : MW_FIELD_FREQ_EFFECTIVE, clock);
    } else if (sets == 1 && clocks == 1 && mw_finder_agree(f, set, clock, MW_DIM_FREQ, MW_CLOCK_TOLERANCE)) {
        mw_finder_set(f, MW_FIELD_FREQ, set);
        mw_finder_set(f, MW_FIELD_FREQ_EFFECTIVE, clock);
    } else {
        return mw_finder_ambiguous(f, which, MW_FIELD_FREQ, sets ? set : clock, error);
    }
    return MW_OK;
}

/* --- energy and power ----------------------------------------------------------------------------------------------- */

/* Packages and memory into one sum; a package that shows what another shows is the same counter read twice. */
static void add_parts(struct finder *f, enum mw_field field, const enum kind *kinds)
{
    char text[160] = "", same[80] = "";
    size_t used = 0;
    for (size_t c = 0; c < f->table->column_count; c++) {
        bool mirrored = false;
        if (kinds[c] != PACKAGE && kinds[c] != MEMORY)
            continue;
        for (size_t o = 0; o < c && !mirrored; o++)
            mirrored = kinds[o] == kinds[c] && f->count > 1 &&
                       mw_finder_agree(f, o, c, mw_field_dimension(field), MW_SAME_VALUE);
        const char *name = mw_table_header(f->table, c);
        if (mirrored)
            snprintf(same, sizeof same, "; '%.50s' shows the same", name);
        else
            mw_finder_add(f, field, c);
        if (!mirrored && used + strlen(name) + 8 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s'%s'", used ? " + " : "", name);
        f->taken[c] = true;
    }
    mw_finder_note(f, "%s is %s%s", mw_field_name(field), text, same);
}

static enum mw_err find_meter(struct finder *f, enum mw_field field, bool *which, struct mw_error *error)
{
    size_t columns = f->table->column_count, of[SETTING + 1] = {0}, last[SETTING + 1] = {0};
    enum kind *kinds = calloc(columns, sizeof *kinds);
    if (!kinds)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t c = 0; c < columns; c++) {
        kinds[c] = kind_of(f, field, c);
        of[kinds[c]]++;
        last[kinds[c]] = c;
    }
    enum kind taken = of[TOTAL] ? TOTAL : of[ALONE] ? ALONE : of[PACKAGE] ? PACKAGE : NONE;
    enum mw_err err = MW_OK;
    if (taken == PACKAGE) {
        add_parts(f, field, kinds);
    } else if (taken != NONE && of[taken] == 1) {
        mw_finder_set(f, field, last[taken]);
    } else if (taken != NONE) {
        for (size_t c = 0; c < columns; c++)
            which[c] = kinds[c] == taken;
        err = mw_finder_ambiguous(f, which, field, last[taken], error);
    }
    free(kinds);
    return err;
}

/* Which of several was taken, where they are not added: a total may hold the others, or not. */
static void say_others(struct finder *f, enum mw_field field)
{
    char others[160] = "";
    size_t used = 0;
    for (size_t c = 0; c < f->table->column_count; c++) {
        enum kind kind = kind_of(f, field, c);
        const char *name = mw_table_header(f->table, c);
        if ((kind == PACKAGE || kind == MEMORY || kind == TOTAL) && used + strlen(name) + 8 < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s'%s'", used ? ", " : "", name);
    }
    if (used)
        mw_finder_note(f, "%s is '%.60s' alone, nothing is added of %s: --map %s=A+B is a sum", mw_field_name(field),
                       mw_table_header(f->table, f->columns->of[field].index), others, mw_field_name(field));
}

enum mw_err mw_finder_meters(struct finder *f, struct mw_error *error)
{
    bool *which = calloc(f->table->column_count, sizeof *which);
    enum mw_err err = which ? find_freq(f, which, error) : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err && !f->columns->has[MW_FIELD_ENERGY])
        err = find_meter(f, MW_FIELD_ENERGY, which, error);
    if (!err && !f->columns->has[MW_FIELD_POWER])
        err = find_meter(f, MW_FIELD_POWER, which, error);
    for (enum mw_field field = MW_FIELD_ENERGY; !err && field <= MW_FIELD_POWER; field++)
        if (f->columns->has[field])
            say_others(f, field);
    free(which);
    return err;
}
