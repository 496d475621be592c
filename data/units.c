// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/units.h"

#include "data/stats.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal number at the start of text, never hexadecimal, nan or inf; false where there is none. */
static bool leading_number(const char *text, double *value, const char **rest)
{
    const char *digits = text + (*text == '+' || *text == '-');
    if (!isdigit((unsigned char)*digits) && !(*digits == '.' && isdigit((unsigned char)digits[1])))
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return false;
    char *end;
    errno = 0;
    double parsed = strtod(text, &end);
    if (!isfinite(parsed) || (errno == ERANGE && fabs(parsed) > 1))
        return false;
    *value = parsed;
    *rest = end;
    return true;
}

enum mw_err mw_parse_number(const char *text, double *value, struct mw_error *error)
{
    const char *rest;
    double parsed;
    if (!leading_number(text, &parsed, &rest) || *rest)
        return mw_fail(error, MW_USAGE, "'%s' is not a number", text);
    *value = parsed;
    return MW_OK;
}

struct unit {
    const char *suffix;
    double factor;
};

/* number suffix, from a table that ends in {NULL}; names the valid suffixes on failure */
static enum mw_err parse_unit(const char *text, const struct unit *units, const char *what, double *value,
                              struct mw_error *error)
{
    const char *rest;
    double parsed;
    if (!leading_number(text, &parsed, &rest))
        return mw_fail(error, MW_USAGE, "'%s' is not a %s", text, what);
    while (*rest == ' ')
        rest++;
    char list[160] = "";
    for (const struct unit *u = units; u->suffix; u++) {
        if (!strcmp(rest, u->suffix)) {
            *value = parsed * u->factor;
            return MW_OK;
        }
        if (*u->suffix) {
            strncat(list, *list ? ", " : "", sizeof list - strlen(list) - 1);
            strncat(list, u->suffix, sizeof list - strlen(list) - 1);
        }
    }
    return mw_fail(error, MW_USAGE, "'%s': unit '%s' is not known, the valid ones are %s", text, rest, list);
}

enum mw_err mw_parse_freq(const char *text, double *freq_hz, struct mw_error *error)
{
    static const struct unit units[] = {{"", 1e9}, {"GHz", 1e9}, {"MHz", 1e6}, {"kHz", 1e3}, {"Hz", 1}, {NULL, 0}};
    double value;
    enum mw_err err = parse_unit(text, units, "frequency", &value, error);
    if (err)
        return err;
    if (value < 1 || value > 1e15)
        return mw_fail(error, MW_USAGE, "'%s': a frequency is at least 1 Hz and below 1e6 GHz", text);
    *freq_hz = nearbyint(value); /* whole hertz: 2.4GHz and 2400MHz are one frequency */
    return MW_OK;
}

enum mw_err mw_parse_size(const char *text, size_t *size_bytes, struct mw_error *error)
{
    static const struct unit units[] = {{"", 1},
                                        {"B", 1},
                                        {"KiB", 1024},
                                        {"MiB", 1048576},
                                        {"GiB", 1073741824.0},
                                        {"TiB", 1099511627776.0},
                                        {"kB", 1e3},
                                        {"MB", 1e6},
                                        {"GB", 1e9},
                                        {"TB", 1e12},
                                        {NULL, 0}};
    double value;
    enum mw_err err = parse_unit(text, units, "size", &value, error);
    if (err)
        return err;
    if (value < 1 || value >= 9e18)
        return mw_fail(error, MW_USAGE, "'%s': a size is at least 1 byte and below 9e18", text);
    *size_bytes = (size_t)(value + 0.5);
    return MW_OK;
}

/* D-HH:MM:SS, HH:MM:SS, MM:SS with a fraction in the last field; false where text is not of this form */
static bool parse_clock(const char *text, double *time_s)
{
    double total = 0;
    const char *s = text, *dash = strchr(text, '-');
    double part;
    if (!strchr(text, ':'))
        return false;
    if (dash) {
        if (!leading_number(s, &part, &s) || s != dash)
            return false;
        total = part * 24;
        s = dash + 1;
    }
    int colons = 0;
    for (;;) {
        if (!isdigit((unsigned char)*s) || !leading_number(s, &part, &s))
            return false;
        total += part;
        if (!*s)
            break;
        if (*s++ != ':' || ++colons > 2)
            return false;
        total *= 60;
    }
    if (dash && colons == 1) /* D-HH:MM */
        total *= 60;
    *time_s = total;
    return true;
}

enum mw_err mw_parse_duration(const char *text, double *time_s, struct mw_error *error)
{
    static const struct unit units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"d", 86400},
                                        {"h", 3600},  {"m", 60},    {"s", 1},     {NULL, 0}};
    double total = 0, part;
    const char *s = text;
    if (parse_clock(text, &total) && isfinite(total)) {
        *time_s = total;
        return MW_OK;
    }
    total = 0;
    do {
        if (!leading_number(s, &part, &s) || part < 0)
            return mw_fail(error, MW_USAGE, "'%s' is not a duration (as in 90, 250ms, 1m12.5s, 1:30, 2-03:04:05)",
                           text);
        const struct unit *u = units;
        while (*s && u->suffix && strncmp(s, u->suffix, strlen(u->suffix)))
            u++;
        if (*s && !u->suffix)
            return mw_fail(error, MW_USAGE,
                           "'%s': unit '%s' is not known, the valid ones are d, h, m, min, s, ms, us, ns", text, s);
        total += part * (*s ? u->factor : 1);
        s += *s ? strlen(u->suffix) : 0;
    } while (*s);
    if (!isfinite(total))
        return mw_fail(error, MW_USAGE, "'%s' is too long a time", text);
    *time_s = total;
    return MW_OK;
}

/* A growing list of values. */
struct values {
    double *items;
    size_t count, capacity;
};

enum { MW_LIST_MAX = 1 << 20 }; /* a list longer than this is a mistake in typing, not a plan */

static enum mw_err push(struct values *values, double value, struct mw_error *error)
{
    if (values->count == MW_LIST_MAX)
        return mw_fail(error, MW_USAGE, "a list has more than %d entries", MW_LIST_MAX);
    if (values->count == values->capacity) {
        size_t capacity = values->capacity ? 2 * values->capacity : 16;
        double *items = realloc(values->items, capacity * sizeof *items);
        if (!items)
            return mw_fail(error, MW_NOMEM, "out of memory");
        values->items = items;
        values->capacity = capacity;
    }
    values->items[values->count++] = value;
    return MW_OK;
}

typedef enum mw_err parse_value(const char *text, double *value, struct mw_error *error);

static enum mw_err parse_core(const char *text, double *value, struct mw_error *error)
{
    double parsed = 0;
    enum mw_err err = mw_parse_number(text, &parsed, error);
    if (err)
        return err;
    if (parsed < 1 || parsed != floor(parsed) || parsed > 1e6)
        return mw_fail(error, MW_USAGE, "'%s' is not a number of cores (a whole number from 1)", text);
    *value = parsed;
    return MW_OK;
}

/* a step of frequencies has its unit, and is a difference: 0.1 is 100 MHz */
static enum mw_err push_range(struct values *values, char *text, parse_value *parse, double unit,
                              struct mw_error *error)
{
    char *dash = strchr(text + 1, '-'), *colon = strchr(text, ':');
    double low, high, step = 0;
    *dash = '\0';
    if (colon)
        *colon = '\0';
    enum mw_err err = parse(text, &low, error);
    if (!err)
        err = parse(dash + 1, &high, error);
    if (!err && colon)
        err = parse(colon + 1, &step, error);
    if (err)
        return err;
    if (!colon)
        step = unit;
    if (high < low)
        return mw_fail(error, MW_USAGE, "range '%s-%s' runs backwards", text, dash + 1);
    double steps = floor((high - low) / step + 1e-3);
    if (steps >= MW_LIST_MAX)
        return mw_fail(error, MW_USAGE, "range '%s-%s' has more than %d entries", text, dash + 1, MW_LIST_MAX);
    for (double i = 0; i <= steps && !err; i++) {
        double value = low + i * step;
        err = push(values, unit == 1 ? value : nearbyint(value), error);
    }
    return err;
}

static enum mw_err push_word(struct values *values, const char *word, const double *offered, size_t offered_count,
                             struct mw_error *error)
{
    if (!offered_count)
        return mw_fail(error, MW_USAGE, "'%s' means nothing here: no values are known to choose from", word);
    if (!strcmp(word, "min"))
        return push(values, offered[0], error);
    if (!strcmp(word, "max"))
        return push(values, offered[offered_count - 1], error);
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < offered_count && !err; i++)
        err = push(values, offered[i], error);
    return err;
}

static enum mw_err parse_list(const char *text, const double *offered, size_t offered_count, parse_value *parse,
                              double unit, double **result, size_t *count, struct mw_error *error)
{
    struct values values = {0};
    enum mw_err err = MW_OK;
    char *copy = strdup(text);
    if (!copy)
        return mw_fail(error, MW_NOMEM, "out of memory");
    char *rest = copy, *item;
    while (!err && (item = strsep(&rest, ","))) {
        double value;
        if (!strcmp(item, "min") || !strcmp(item, "max") || !strcmp(item, "all"))
            err = push_word(&values, item, offered, offered_count, error);
        else if (*item && strchr(item + 1, '-'))
            err = push_range(&values, item, parse, unit, error);
        else if (!(err = parse(item, &value, error)))
            err = push(&values, value, error);
    }
    free(copy);
    if (err) {
        free(values.items);
        return err;
    }
    mw_sort(values.items, values.count);
    size_t kept = 0;
    for (size_t i = 0; i < values.count; i++)
        if (!kept || values.items[i] - values.items[kept - 1] > 1e-9 * values.items[i])
            values.items[kept++] = values.items[i];
    *result = values.items;
    *count = kept;
    return MW_OK;
}

enum mw_err mw_parse_cores(const char *text, const double *offered, size_t offered_count, double **values,
                           size_t *count, struct mw_error *error)
{
    return parse_list(text, offered, offered_count, parse_core, 1, values, count, error);
}

bool mw_freq_same(double a_hz, double b_hz)
{
    return fabs(a_hz - b_hz) <= MW_FREQ_TOLERANCE * fmax(a_hz, b_hz);
}

enum mw_err mw_parse_freqs(const char *text, const double *offered_hz, size_t offered_count, double **freq_hz,
                           size_t *count, struct mw_error *error)
{
    enum { STEP_HZ = 100000000 }; /* "1.2-2.4" without a step: the 0.1 GHz grid of most frequency tables */
    return parse_list(text, offered_hz, offered_count, mw_parse_freq, STEP_HZ, freq_hz, count, error);
}

/* Optimal string alignment distance (Damerau-Levenshtein without overlapping edits), words up to 63 letters. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t rows[3][LONGEST], n = strlen(b);
    if (strlen(a) >= LONGEST || n >= LONGEST)
        return SIZE_MAX;
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *swap = before;
        before = last;
        last = now;
        now = swap;
    }
    return last[n];
}

const char *mw_nearest(const char *word, const char *const *words, size_t count)
{
    size_t limit = strlen(word) / 3 < 2 ? strlen(word) / 3 + (strlen(word) > 2) : 2;
    const char *best = NULL;
    size_t best_distance = limit + 1;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, words[i]);
        if (d < best_distance) {
            best_distance = d;
            best = words[i];
        }
    }
    return best;
}
