// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/columns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64 };

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static void trim(char *text)
{
    size_t n = strlen(text), skip = 0;
    while (n && !is_letter(text[n - 1]) && !strchr(")]", text[n - 1]))
        text[--n] = '\0';
    while (text[skip] && !is_letter(text[skip]) && !strchr("([", text[skip]))
        skip++;
    memmove(text, text + skip, n - skip + 1);
}

/* Cuts "[ms]" or "(ms)" at the end where it is a unit. */
static void take_bracket_unit(struct mw_heading *heading, char *text)
{
    size_t n = strlen(text);
    char *open = strrchr(text, '['), *round = strrchr(text, '(');
    open = !open || (round && round > open) ? round : open;
    if (!open || !n || !strchr(")]", text[n - 1]))
        return;
    text[n - 1] = '\0';
    if (mw_unit_find(open + 1, &heading->dimension, &heading->factor)) {
        *open = '\0';
        trim(text);
    }
}

/* Does the text say "per time"? GB/s, it/sec, per_s, mb_s; but not s/it. */
static bool says_per_time(const char *text)
{
    static const char *const after_slash[] = {"s", "sec", "second", "day", "h", "hour", "min"};
    static const char *const before_s[] = {"b",     "kb",   "mb",    "gb",    "tb",    "mib",    "gib",
                                           "bytes", "flop", "mflop", "gflop", "tflop", "op",     "ops",
                                           "mop",   "mops", "it",    "iter",  "items", "updates"};
    for (const char *s = strpbrk(text, "/"); s; s = strpbrk(s + 1, "/"))
        for (size_t i = 0; s > text && i < sizeof after_slash / sizeof *after_slash; i++) {
            size_t n = strlen(after_slash[i]);
            if (!strncasecmp(s + 1, after_slash[i], n) && !isalpha((unsigned char)s[1 + n]))
                return true;
        }
    size_t n = strlen(text), start = n;
    if (n < 2 || tolower((unsigned char)text[n - 1]) != 's' || is_letter(text[n - 2]))
        return strcasestr(text, "per_sec") || strcasestr(text, "per sec") || strcasestr(text, "per_day");
    for (start = n - 2; start && is_letter(text[start - 1]); start--)
        ;
    size_t length = n - 2 - start;
    for (size_t i = 0; i < sizeof before_s / sizeof *before_s; i++)
        if (length == strlen(before_s[i]) && !strncasecmp(text + start, before_s[i], length))
            return true;
    return length == 3 && !strncasecmp(text + start, "per", 3);
}

/* Cuts the number of a repeat: time1, time_2, "Run 3"; not of a name that is a number or one letter with one (m1). */
static void take_repeat(struct mw_heading *heading, char *text)
{
    size_t n = strlen(text), digits = 0;
    while (digits < n && isdigit((unsigned char)text[n - 1 - digits]))
        digits++;
    if (!digits || digits > 6 || digits == n)
        return;
    heading->repeat = strtol(text + n - digits, NULL, 10);
    text[n - digits] = '\0';
    trim(text);
}

/* Cuts "_ms" at the end, "MHz" without a separator, or all where the name is a unit only ("seconds"). */
static void take_suffix_unit(struct mw_heading *heading, char *text)
{
    static const char *const glued[] = {"GHz", "MHz", "kHz"};
    size_t n = strlen(text), start = n;
    while (start && is_letter(text[start - 1]))
        start--;
    /* "min" is the minimum, and a lone "s" or "h" could be anything */
    bool unit = strcasecmp(text + start, "min") && (start || n > 1) &&
                mw_unit_find(text + start, &heading->dimension, &heading->factor);
    if (unit) {
        text[start] = '\0';
    } else {
        for (size_t i = 0; i < sizeof glued / sizeof *glued; i++)
            if (n > 3 && !strcasecmp(text + n - 3, glued[i])) {
                mw_unit_find(glued[i], &heading->dimension, &heading->factor);
                text[n - 3] = '\0';
                break;
            }
    }
    trim(text);
}

void mw_heading_parse(struct mw_heading *heading, const char *text)
{
    char copy[2 * LONGEST];
    *heading = (struct mw_heading){.factor = 1, .repeat = -1};
    strncpy(copy, text, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    trim(copy);
    heading->percent = strchr(text, '%') || strcasestr(text, "percent") || strcasestr(text, "pct");
    heading->per_time = says_per_time(copy);
    if (!heading->per_time)
        take_bracket_unit(heading, copy);
    take_repeat(heading, copy);
    if (heading->dimension == MW_DIM_NONE && !heading->per_time)
        take_suffix_unit(heading, copy);
    size_t used = 0;
    for (const char *c = copy; *c && used + 1 < sizeof heading->base; c++)
        if (is_letter(*c))
            heading->base[used++] = (char)tolower((unsigned char)*c);
    heading->base[used] = '\0';
    static const char prefix[] = "parameter"; /* hyperfine: parameter_threads */
    if (!strncmp(heading->base, prefix, sizeof prefix - 1) && heading->base[sizeof prefix - 1])
        memmove(heading->base, heading->base + sizeof prefix - 1, used - sizeof prefix + 2);
}
