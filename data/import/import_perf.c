// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/import.h"

#include "data/cell.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * perf stat. -x SEP: [time,][cpu,n,]value,unit,event,[var%,]runtime,percent[,metric,unit], found by the name of the event;
 * -j: an object a line; plain: "1.234 msec task-clock", "1.234 seconds time elapsed". One run a file, unless several
 * "# started on" lines stand in it. Energy is that of packages and memory; cores and graphics are parts of a package.
 */
struct perf {
    struct mw_import *import;
    const struct mw_bytes *bytes;
    const struct mw_import_options *options;
    struct mw_error *error;
    long line; /* of the first counter of the run; 0: none yet */
    double elapsed_s, last_stamp_s, task_clock_s, utilized, cycles, energy_j, user_s, system_s;
    double instructions, cache_misses, switches, major_faults;
    struct mw_number_style style; /* of a plain file */
    size_t derived;               /* runs whose time is task-clock / CPUs utilized */
};

static bool is_event(const char *text)
{
    static const char *const names[] = {"task-clock",
                                        "cpu-clock",
                                        "duration_time",
                                        "user_time",
                                        "system_time",
                                        "cycles",
                                        "cpu-cycles",
                                        "instructions",
                                        "ref-cycles",
                                        "context-switches",
                                        "cpu-migrations",
                                        "page-faults",
                                        "major-faults",
                                        "minor-faults",
                                        "branches",
                                        "branch-misses",
                                        "cache-misses",
                                        "cache-references",
                                        "bus-cycles",
                                        "stalled-cycles-frontend",
                                        "stalled-cycles-backend"};
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], text, length))
            return true;
    return !strncmp(text, "power/energy-", 13) || !strncmp(text, "cpu/", 4) || !strncmp(text, "cpu_core/", 9);
}

/* The same for an event with words behind it, as plain output has it. */
static bool is_event_word(const char *text)
{
    char word[64];
    size_t n = strcspn(text, " \t#");
    if (!n || n >= sizeof word)
        return false;
    memcpy(word, text, n);
    word[n] = '\0';
    return is_event(word);
}

static bool names(const char *event, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(event, name, n) && (!event[n] || event[n] == ':' || event[n] == ' ');
}

static void take_event(struct perf *p, const char *event, double value, const char *unit, double metric,
                       const char *metric_unit)
{
    if (names(event, "duration_time"))
        p->elapsed_s = value * 1e-9;
    else if (names(event, "user_time"))
        p->user_s += value * 1e-9;
    else if (names(event, "system_time"))
        p->system_s += value * 1e-9;
    else if (names(event, "task-clock") || names(event, "cpu-clock")) {
        p->task_clock_s += value * 1e-3; /* perf prints milliseconds in every form */
        if (strstr(metric_unit, "CPUs utilized"))
            p->utilized = metric;
    } else if (names(event, "cycles") || names(event, "cpu-cycles"))
        p->cycles += value;
    else if (names(event, "instructions"))
        p->instructions += value;
    else if (names(event, "cache-misses"))
        p->cache_misses += value;
    else if (names(event, "context-switches"))
        p->switches += value;
    else if (names(event, "major-faults"))
        p->major_faults += value;
    else if ((strstr(event, "energy-pkg") || strstr(event, "energy-ram")) && !strcmp(unit, "Joules"))
        p->energy_j += value;
}

/* Counts of the program alone (-a counts the machine). */
static void take_usage(struct mw_usage *usage, const struct perf *r)
{
    const struct {
        enum mw_usage_item item;
        double value;
    } parts[] = {{MW_USAGE_INSTRUCTIONS, r->instructions},
                 {MW_USAGE_CYCLES, r->cycles},
                 {MW_USAGE_CACHE_MISSES, r->cache_misses},
                 {MW_USAGE_SWITCHES, r->switches},
                 {MW_USAGE_FAULTS, r->major_faults}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].value > 0)
            mw_usage_set(usage, parts[i].item, parts[i].value);
}

static enum mw_err end_run(struct perf *p)
{
    struct perf r = *p;
    p->line = 0;
    p->elapsed_s = p->last_stamp_s = p->task_clock_s = p->utilized = p->cycles = p->energy_j = p->user_s = p->system_s =
        0;
    p->instructions = p->cache_misses = p->switches = p->major_faults = 0;
    if (!r.line)
        return MW_OK;
    struct mw_import_run run = {.line = r.line, .has = MW_RUN_TIME};
    run.time_s = r.last_stamp_s > 0 ? r.last_stamp_s : r.elapsed_s; /* of intervals (-I) the last ends the run */
    if (!(run.time_s > 0) && r.task_clock_s > 0 && r.utilized > 0) {
        run.time_s = r.task_clock_s / r.utilized;
        p->derived++;
    }
    if (!(run.time_s > 0)) {
        mw_fail(p->error, MW_DATA, "%s:%ld: the counters hold no elapsed time", p->bytes->name, r.line);
        return p->error ? mw_hint(p->error, "count it: perf stat -e duration_time,…") : MW_DATA;
    }
    if (r.energy_j > 0) { /* counted with -a: clock and cycles are those of the whole machine, not of the program */
        run.energy_j = r.energy_j;
        run.has |= MW_RUN_ENERGY;
        return mw_import_add(p->import, run, p->bytes, p->options, p->error);
    }
    run.cpu_time_s = r.user_s + r.system_s > 0 ? r.user_s + r.system_s : r.task_clock_s;
    if (run.cpu_time_s > 0)
        run.has |= MW_RUN_CPU_TIME;
    take_usage(&run.usage, &r);
    if (r.cycles > 0 && r.task_clock_s > 0) {
        run.freq_effective_hz = r.cycles / r.task_clock_s;
        run.has |= MW_RUN_FREQ_EFFECTIVE;
    }
    return mw_import_add(p->import, run, p->bytes, p->options, p->error);
}

/* --- -x SEP ------------------------------------------------------------------------------------------------------- */

enum { FIELDS = 24 };

static size_t split(char *line, char separator, char **fields)
{
    size_t n = 0;
    for (char *field; n < FIELDS && (field = strsep(&line, (char[]){separator, '\0'}));)
        fields[n++] = field;
    return n;
}

static enum mw_err comma_locale(const struct perf *p, long line)
{
    mw_fail(p->error, MW_DATA, "%s:%ld: a comma is both the decimal sign and the separator", p->bytes->name, line);
    return p->error ? mw_hint(p->error, "run perf again with LC_ALL=C, or with -x ';'") : MW_DATA;
}

static enum mw_err separated_line(struct perf *p, const struct mw_lines *lines, char separator)
{
    const struct mw_number_style plain = {'.', '\0'}, comma = {',', '\0'};
    const struct mw_number_style *style = separator != ',' && strchr(lines->text, ',') ? &comma : &plain;
    char *fields[FIELDS];
    const char *rest;
    char *copy = strdup(lines->text);
    if (!copy)
        return mw_fail(p->error, MW_NOMEM, "out of memory");
    size_t n = split(copy, separator, fields), at = 0;
    enum mw_err err = MW_OK;
    while (at < n && !is_event(fields[at]))
        at++;
    if (at >= n || at < 2) {
        free(copy);
        return MW_OK;
    }
    /* after the event: a control group, a spread in per cent, the run time in ns, then per cent with two decimals */
    size_t next = at + 1;
    while (next < n && (!isdigit((unsigned char)*fields[next]) || strchr(fields[next], '%')))
        next++;
    if (separator == ',' && next + 1 < n && !strchr(fields[next + 1], '.'))
        err = comma_locale(p, lines->number);
    double value, metric = 0, stamp;
    if (!err && mw_cell_number(fields[at - 2], style, &value, &rest) && !*rest && value >= 0) {
        if (next + 2 < n && !mw_cell_number(fields[next + 2], style, &metric, &rest))
            metric = 0;
        if (at >= 3 && strchr(fields[0], style->decimal) &&
            mw_cell_number(fields[0] + strspn(fields[0], " "), style, &stamp, &rest))
            p->last_stamp_s = stamp; /* -I: the value is of one interval, the sum is that of the run */
        take_event(p, fields[at], value, fields[at - 1], metric, next + 3 < n ? fields[next + 3] : "");
        p->line = p->line ? p->line : lines->number;
    } else if (!err && !mw_cell_missing(fields[at - 2])) {
        err = separator == ',' ? comma_locale(p, lines->number)
                               : mw_fail(p->error, MW_DATA, "%s:%ld: '%.40s' is not a count", p->bytes->name,
                                         lines->number, fields[at - 2]);
    }
    free(copy);
    return err;
}

/* The separator of the first line on which an event's name stands alone between two of the same kind. */
static char find_separator(const struct mw_bytes *bytes)
{
    static const char candidates[] = {';', '|', '\t', ',', '/'};
    struct mw_lines lines = {0};
    char found = '\0';
    while (!found && mw_lines_next(&lines, bytes)) {
        for (size_t i = 0; i < sizeof candidates && !found && *lines.text != '#'; i++) {
            char *fields[FIELDS], *copy = strdup(lines.text);
            size_t n = copy ? split(copy, candidates[i], fields) : 0;
            for (size_t f = 2; f < n && !found; f++)
                found = is_event(fields[f]) ? candidates[i] : '\0';
            free(copy);
        }
    }
    mw_lines_release(&lines);
    return found;
}

/* --- -j and plain ----------------------------------------------------------------------------------------------------- */

static enum mw_err json_line(struct perf *p, const struct mw_lines *lines)
{
    const struct mw_number_style style = {'.', '\0'};
    json_error_t why;
    json_t *object = json_loads(lines->text, 0, &why);
    if (!object)
        return mw_fail(p->error, MW_DATA, "%s:%ld: not JSON: %s", p->bytes->name, lines->number, why.text);
    const char *value = json_string_value(json_object_get(object, "counter-value")), *rest;
    const char *event = json_string_value(json_object_get(object, "event"));
    const char *unit = json_string_value(json_object_get(object, "unit"));
    const char *metric_unit = json_string_value(json_object_get(object, "metric-unit"));
    double number, stamp = json_number_value(json_object_get(object, "interval"));
    bool counted = value && mw_cell_number(value, &style, &number, &rest) && !*rest;
    if (value && event && is_event(event) && !counted && !mw_cell_missing(value)) {
        mw_fail(p->error, MW_DATA, "%s:%ld: '%.40s' is not a count", p->bytes->name, lines->number, value);
        json_decref(object);
        return p->error ? mw_hint(p->error, "run perf again with LC_ALL=C") : MW_DATA;
    }
    if (event && counted && number >= 0) {
        take_event(p, event, number, unit ? unit : "", json_number_value(json_object_get(object, "metric-value")),
                   metric_unit ? metric_unit : "");
        p->line = p->line ? p->line : lines->number;
        if (stamp > 0)
            p->last_stamp_s = stamp;
    }
    json_decref(object);
    return MW_OK;
}

/*
 * How a plain file writes numbers: perf groups and points them as the locale has it (1,234.56 or 1.234,56), the same in
 * all lines, and the elapsed time with nine decimals tells which.
 */
static bool plain_style(const struct mw_bytes *bytes, struct mw_number_style *style)
{
    struct mw_style_evidence evidence = {0};
    struct mw_lines lines = {0};
    while (mw_lines_next(&lines, bytes)) {
        char *text = lines.text + strspn(lines.text, " "), *end = text + strspn(text, "0123456789.,");
        if (end == text || !(*end == ' ' || (unsigned char)*end >= 0x80))
            continue;
        *end = '\0';
        mw_style_observe(&evidence, text);
    }
    mw_lines_release(&lines);
    return mw_style_settle(&evidence, false, evidence.comma_decimal ? ',' : evidence.dot_decimal ? '.' : '\0', style);
}

/* Words that stand in lines of counters only: a number before them that is not understood must not be passed over. */
static bool is_counter_line(const char *text)
{
    static const char *const words[] = {"seconds time elapsed", "seconds user",   "seconds sys",
                                        "msec task-clock",      "msec cpu-clock", "Joules power/"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/*
 * "     1,234.56 msec task-clock   # 0.9 CPUs utilized", "  1.23 seconds time elapsed", "1.23 +- 0.01 seconds time elapsed";
 * with -I a time stamp stands before the count.
 */
static enum mw_err plain_line(struct perf *p, const struct mw_lines *lines)
{
    const char *text = lines->text + strspn(lines->text, " "), *rest, *at;
    double value, utilized = 0;
    if (!mw_cell_number(text, &p->style, &value, &rest) || value < 0 ||
        !(rest[-1] == ' ' || (unsigned char)rest[-1] >= 0x80 || !*rest))
        return is_counter_line(text) && !strstr(text, "<not ")
                   ? mw_fail(p->error, MW_DATA, "%s:%ld: '%.40s' is not a count", p->bytes->name, lines->number, text)
                   : MW_OK;
    if (isdigit((unsigned char)*rest)) {
        double stamp = value;
        if (!mw_cell_number(rest, &p->style, &value, &rest))
            return MW_OK;
        p->last_stamp_s = stamp;
    }
    if (strstr(rest, "seconds time elapsed"))
        p->elapsed_s = value;
    else if (mw_after(rest, "seconds user"))
        p->user_s = value;
    else if (mw_after(rest, "seconds sys"))
        p->system_s = value;
    else if ((at = mw_after(rest, "msec "))) {
        const char *hash = strchr(at, '#'), *unused;
        if (!hash || !mw_cell_number(hash + 1 + strspn(hash + 1, " "), &p->style, &utilized, &unused))
            utilized = 0;
        take_event(p, at + strspn(at, " "), value, "msec", utilized, hash ? hash : "");
    } else if ((at = mw_after(rest, "Joules "))) {
        take_event(p, at + strspn(at, " "), value, "Joules", 0, "");
    } else if (is_event_word(rest)) {
        take_event(p, rest, value, "", 0, "");
    } else {
        return MW_OK;
    }
    p->line = p->line ? p->line : lines->number;
    return MW_OK;
}

/* The signs of perf stat in a file of which no event is one that is read. */
static bool looks_like_perf(const struct mw_bytes *bytes)
{
    if (strstr(bytes->data, "Performance counter stats") || strstr(bytes->data, "# started on"))
        return true;
    struct mw_lines lines = {0};
    bool found = false;
    while (!found && mw_lines_next(&lines, bytes)) { /* value,unit,event,runtime in ns,per cent */
        static const char separators[] = {';', ',', '|', '\t'};
        for (size_t s = 0; s < sizeof separators && !found; s++) {
            char *fields[FIELDS], *copy = strdup(lines.text);
            size_t n = copy ? split(copy, separators[s], fields) : 0;
            for (size_t f = 3; f + 1 < n && !found; f++) {
                size_t digits = strspn(fields[f], "0123456789"), percent = strspn(fields[f + 1], "0123456789.,");
                found = digits >= 6 && !fields[f][digits] && percent >= 4 && !fields[f + 1][percent] &&
                        isdigit((unsigned char)*fields[f - 3]) && isalpha((unsigned char)*fields[f - 1]);
            }
            free(copy);
        }
    }
    mw_lines_release(&lines);
    return found;
}

static enum mw_err nothing_read(const struct mw_bytes *bytes, struct mw_error *error)
{
    if (!looks_like_perf(bytes))
        return mw_import_none(bytes, "the output of perf stat (-x ';', -j or plain)", error);
    mw_fail(error, MW_DATA, "%s:1: perf stat wrote this without a time", bytes->name);
    return error ? mw_hint(error, "count it: perf stat -e duration_time,task-clock,…") : MW_DATA;
}

enum mw_err mw_import_perf_stat(struct mw_import *import, const struct mw_bytes *bytes,
                                const struct mw_import_options *options, struct mw_error *error)
{
    struct perf p = {.import = import, .bytes = bytes, .options = options, .error = error};
    struct mw_lines lines = {0};
    size_t before = import->count;
    char separator = find_separator(bytes);
    enum mw_err err = MW_OK;
    if (!separator && !strstr(bytes->data, "{\"") && !plain_style(bytes, &p.style)) {
        mw_fail(error, MW_DATA, "%s:1: commas and dots may be decimal signs or thousands separators", bytes->name);
        return error ? mw_hint(error, "run perf again with LC_ALL=C") : MW_DATA;
    }
    while (!err && mw_lines_next(&lines, bytes)) {
        if (mw_after(lines.text, "# started on") || mw_after(lines.text, "Performance counter stats"))
            err = end_run(&p);
        else if (*lines.text == '{')
            err = json_line(&p, &lines);
        else if (*lines.text && *lines.text != '#' && separator)
            err = separated_line(&p, &lines, separator);
        else
            err = plain_line(&p, &lines);
    }
    mw_lines_release(&lines);
    if (!err)
        err = end_run(&p);
    if (err)
        return err;
    if (import->count == before)
        return nothing_read(bytes, error);
    if (p.derived)
        return mw_import_warn(import, error,
                              "%s: time is task-clock / CPUs utilized, with three digits; -e duration_time is exact",
                              bytes->name);
    return MW_OK;
}
