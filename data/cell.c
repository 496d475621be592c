// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/cell.h"

#include "data/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Written forms: the first that matches exactly wins (mJ, MJ), then the first without regard to case. */
static const struct {
    const char *name;
    enum mw_dimension dimension;
    double factor;
} units[] = {
    {"s", MW_DIM_TIME, 1},
    {"sec", MW_DIM_TIME, 1},
    {"secs", MW_DIM_TIME, 1},
    {"second", MW_DIM_TIME, 1},
    {"seconds", MW_DIM_TIME, 1},
    {"ms", MW_DIM_TIME, 1e-3},
    {"msec", MW_DIM_TIME, 1e-3},
    {"msecs", MW_DIM_TIME, 1e-3},
    {"milliseconds", MW_DIM_TIME, 1e-3},
    {"us", MW_DIM_TIME, 1e-6},
    {"usec", MW_DIM_TIME, 1e-6},
    {"microseconds", MW_DIM_TIME, 1e-6},
    {"\xc2\xb5s", MW_DIM_TIME, 1e-6},
    {"\xce\xbcs", MW_DIM_TIME, 1e-6},
    {"ns", MW_DIM_TIME, 1e-9},
    {"nsec", MW_DIM_TIME, 1e-9},
    {"nanoseconds", MW_DIM_TIME, 1e-9},
    {"min", MW_DIM_TIME, 60},
    {"mins", MW_DIM_TIME, 60},
    {"minutes", MW_DIM_TIME, 60},
    {"h", MW_DIM_TIME, 3600},
    {"hr", MW_DIM_TIME, 3600},
    {"hours", MW_DIM_TIME, 3600},
    {"GHz", MW_DIM_FREQ, 1e9},
    {"MHz", MW_DIM_FREQ, 1e6},
    {"kHz", MW_DIM_FREQ, 1e3},
    {"Hz", MW_DIM_FREQ, 1},
    {"J", MW_DIM_ENERGY, 1},
    {"joule", MW_DIM_ENERGY, 1},
    {"joules", MW_DIM_ENERGY, 1},
    {"mJ", MW_DIM_ENERGY, 1e-3},
    {"MJ", MW_DIM_ENERGY, 1e6},
    {"kJ", MW_DIM_ENERGY, 1e3},
    {"uJ", MW_DIM_ENERGY, 1e-6},
    {"kWh", MW_DIM_ENERGY, 3.6e6},
    {"Wh", MW_DIM_ENERGY, 3600},
    {"mWh", MW_DIM_ENERGY, 3.6},
    {"Ws", MW_DIM_ENERGY, 1},
    {"W", MW_DIM_POWER, 1},
    {"watt", MW_DIM_POWER, 1},
    {"watts", MW_DIM_POWER, 1},
    {"mW", MW_DIM_POWER, 1e-3},
    {"MW", MW_DIM_POWER, 1e6},
    {"kW", MW_DIM_POWER, 1e3},
    {"uW", MW_DIM_POWER, 1e-6},
};
enum { UNIT_COUNT = sizeof units / sizeof *units };

bool mw_unit_find(const char *name, enum mw_dimension *dimension, double *factor)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < UNIT_COUNT; i++)
            if (!(pass ? strcasecmp(name, units[i].name) : strcmp(name, units[i].name))) {
                *dimension = units[i].dimension;
                *factor = units[i].factor;
                return true;
            }
    return false;
}

const char *const mw_thousands_signs[] = {",", ".", "'", "_", NULL};

/* 1.234 or 12.345.678: groups of three behind a first one of one to three digits that is no zero. */
static bool is_grouped(const char *text, size_t n, char sign, size_t *groups)
{
    size_t at = strspn(text, "0123456789");
    *groups = 0;
    if (at < 1 || at > 3 || *text == '0')
        return false;
    for (; at < n && text[at] == sign; at += 4, ++*groups)
        if (strspn(text + at + 1, "0123456789") != 3)
            return false;
    return at == n && *groups;
}

static void observe_dots(struct mw_style_evidence *evidence, const char *text, size_t n)
{
    size_t groups;
    if (!is_grouped(text, n, '.', &groups))
        evidence->dot_decimal = true;
    else if (groups > 1)
        evidence->dot_thousands = true;
    else
        evidence->dot_unclear = true;
}

void mw_style_observe(struct mw_style_evidence *evidence, const char *cell)
{
    const char *comma = strchr(cell, ','), *sign = cell + strspn(cell, "+-");
    if (!comma) {
        size_t n = strspn(sign, "0123456789.");
        if (memchr(sign, '.', n))
            observe_dots(evidence, sign, n);
        return;
    }
    const char *dot = strchr(cell, '.'), *last = strrchr(cell, ',');
    size_t digits = strspn(last + 1, "0123456789"), whole = strspn(cell, "+-0123456789");
    if (dot && dot < comma) {
        evidence->comma_decimal = evidence->dot_thousands = true;
    } else if (dot || comma != last) {
        evidence->comma_thousands = true;
    } else if (digits != 3 || cell + whole != comma || whole > 4 || *cell == '0') {
        evidence->comma_decimal = true; /* not groups of three */
    } else {
        evidence->comma_unclear = true;
    }
}

bool mw_style_settle(const struct mw_style_evidence *e, bool semicolons, char decimal, struct mw_number_style *style)
{
    const struct mw_number_style point = {'.', '\0'}, point_thousands = {'.', ','}, comma = {',', '.'};
    *style = point;
    if ((e->comma_decimal && e->comma_thousands) || (e->dot_decimal && e->dot_thousands))
        return false;
    if (e->comma_thousands) {
        *style = point_thousands;
    } else if (e->comma_decimal || e->dot_thousands) {
        *style = comma;
    } else if (e->comma_unclear) {
        bool is_decimal = decimal == ',' || (semicolons && decimal != '.');
        *style = is_decimal ? comma : point_thousands;
        return is_decimal || (decimal == '.' && !semicolons);
    } else if (e->dot_unclear && !e->dot_decimal && decimal == ',') {
        *style = comma;
    }
    return true;
}

bool mw_cell_missing(const char *cell)
{
    static const char *const words[] = {"",
                                        "-",
                                        "na",
                                        "n/a",
                                        "null",
                                        "none",
                                        "<not supported>",
                                        "nan",
                                        "-nan",
                                        "+nan",
                                        "inf",
                                        "-inf",
                                        "infinity",
                                        "<not counted>",
                                        "n.a.",
                                        "?",
                                        "#n/a",
                                        "#div/0!",
                                        "fail",
                                        "failed",
                                        "error",
                                        "oom",
                                        "timeout",
                                        "timed out",
                                        "killed",
                                        "crash",
                                        "crashed",
                                        "dnf",
                                        "--",
                                        "\xe2\x80\x93",
                                        "\xe2\x80\x94",
                                        "x",
                                        "aborted"};
    if (isdigit((unsigned char)*cell))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(cell, words[i]))
            return true;
    return false;
}

/* Bytes of a space, also one that does not break or is thin, between digits and a group of three; 0 where it is none. */
static size_t group_separator(const char *text)
{
    static const char *const spaces[] = {" ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "_", "'", "\xe2\x80\x99"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        size_t n = strlen(spaces[i]);
        if (!strncmp(text, spaces[i], n) && strspn(text + n, "0123456789") == 3)
            return n;
    }
    return 0;
}

/* Up to 15 digits, no exponent: then digits / 10^n is the correctly rounded value (both are exact doubles). */
static bool short_number(const char *text, double *value, const char **rest)
{
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *s = text + (*text == '-' || *text == '+');
    uint64_t digits = 0;
    int count = 0, fraction = 0;
    for (; *s >= '0' && *s <= '9' && count < 16; s++, count++)
        digits = digits * 10 + (uint64_t)(*s - '0');
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9' && count < 16; s++, count++, fraction++)
            digits = digits * 10 + (uint64_t)(*s - '0');
    if (!count || count > 15 || isalnum((unsigned char)*s) || (*s && strchr(",'._", *s)) || group_separator(s) > 0)
        return false;
    *value = (double)digits / power[fraction];
    if (*text == '-')
        *value = -*value;
    *rest = s;
    return true;
}

/* The number's letters with a point for the decimal sign and without thousands signs; the bytes of `text` they took. */
static size_t plain_form(const char *text, const struct mw_number_style *style, char *plain, size_t size)
{
    size_t used = 0, n = 0, skip;
    for (; text[used] && n + 1 < size; used++) {
        char c = text[used];
        bool digits_follow = isdigit((unsigned char)text[used + 1]) != 0;
        if (isdigit((unsigned char)c) || (!used && (c == '-' || c == '+')))
            plain[n++] = c;
        else if (c == style->decimal && !memchr(plain, '.', n) && (digits_follow || n))
            plain[n++] = '.';
        else if ((c == 'e' || c == 'E') && n && !memchr(plain, 'e', n) &&
                 (digits_follow ||
                  ((text[used + 1] == '-' || text[used + 1] == '+') && isdigit((unsigned char)text[used + 2])))) {
            plain[n++] = 'e';
            if (!digits_follow && n + 1 < size)
                plain[n++] = text[++used];
        } else if (n && digits_follow && c && c == style->thousands)
            continue;
        else if (n && !memchr(plain, '.', n) && (skip = group_separator(text + used)) > 0)
            used += skip - 1;
        else
            break;
    }
    plain[n] = '\0';
    return used;
}

bool mw_cell_number(const char *cell, const struct mw_number_style *style, double *value, const char **rest)
{
    if (style->decimal != '.' || !short_number(cell, value, rest)) {
        char plain[64], *end;
        size_t used = plain_form(cell, style, plain, sizeof plain);
        errno = 0;
        double parsed = strtod(plain, &end);
        if (end == plain || *end || !isfinite(parsed) || (errno == ERANGE && fabs(parsed) > 1))
            return false;
        *value = parsed;
        *rest = cell + used;
    }
    while (**rest == ' ')
        ++*rest;
    return true;
}

/* What follows "± 0.2" or "+- 0.2", the spread that some tables print in the cell; `rest` itself where there is none. */
static const char *after_spread(const char *rest, const struct mw_number_style *style)
{
    static const char *const signs[] = {"\xc2\xb1", "+/-", "+-"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        double spread;
        if (!strncmp(rest, signs[i], n) && mw_cell_number(rest + n + strspn(rest + n, " "), style, &spread, &rest))
            break;
    }
    return rest;
}

bool mw_cell_quantity(const char *cell, const struct mw_number_style *style, enum mw_dimension dimension, double factor,
                      double *value)
{
    const char *rest;
    double number, unit;
    enum mw_dimension of_unit;
    if (!mw_cell_number(cell, style, &number, &rest))
        return false;
    rest = after_spread(rest, style);
    if (!*rest || (mw_unit_find(rest, &of_unit, &unit) && of_unit == dimension)) {
        *value = number * (*rest ? unit : factor);
        return isfinite(*value);
    }
    return dimension == MW_DIM_TIME && !mw_parse_duration(cell, value, NULL);
}
