// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/energy_command.h"

#include "data/cell.h"
#include "data/units.h"
#include "measure/run/printed.h"
#include "measure/run/run_child.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than any node draws: what a number that stands still says of a short run is then not that run's. */
static const double power_max_w = 5000, allowance_s = 1;

/* --- what it prints ------------------------------------------------------------------ */

struct found {
    double energy_j;
    bool has_unit;
};

/* A word that begins like a number: all of it must be one, but for a unit behind it. */
static bool number_of(const char *word, const char *next, struct found *found, char *why, size_t size)
{
    char digits[64];
    size_t length = strspn(word, "+-0123456789.eE");
    while (length && strchr("eE+-", word[length - 1])) /* an exponent has digits */
        length--;
    const char *unit = word[length] ? word + length : next;
    bool touches = word[length] != '\0';
    double value, factor = 1;
    enum mw_dimension dimension = MW_DIM_NONE;
    snprintf(digits, sizeof digits, "%.*s", (int)length, word);
    if (mw_parse_number(digits, &value, NULL) || (touches && !isalpha((unsigned char)*unit))) {
        snprintf(why, size, "'%.40s' is no number%s", word, strchr(word, ',') ? ": write a decimal point" : "");
        return false;
    }
    bool known = unit && mw_unit_find(unit, &dimension, &factor);
    if (touches ? !known || dimension != MW_DIM_ENERGY : known && dimension != MW_DIM_ENERGY) {
        snprintf(why, size, "'%.20s' is no unit of energy", unit);
        return false;
    }
    *found = (struct found){value * (known ? factor : 1), known};
    return true;
}

bool mw_energy_parse(const char *line, double *energy_j, char *why, size_t size)
{
    char copy[256], *words[32], *rest = NULL;
    struct found plain = {0}, with_unit = {0}, one;
    size_t count = 0, plains = 0, units = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok_r(copy, " \t\r\n=:;", &rest); w && count < 32; w = strtok_r(NULL, " \t\r\n=:;", &rest))
        words[count++] = w;
    for (size_t i = 0; i < count; i++) {
        const char *w = words[i] + strspn(words[i], "+-");
        if (!isdigit((unsigned char)(*w == '.' ? w[1] : *w)))
            continue; /* a name, a unit, a word */
        if (!number_of(words[i], i + 1 < count ? words[i + 1] : NULL, &one, why, size))
            return false;
        *(one.has_unit ? &with_unit : &plain) = one;
        units += one.has_unit;
        plains += !one.has_unit;
    }
    if (units == 1 || (!units && plains == 1)) {
        *energy_j = units ? with_unit.energy_j : plain.energy_j;
        return true;
    }
    snprintf(why, size,
             units + plains ? "there are %zu numbers in it, and it is not clear which is the energy"
                            : "there is no number in it",
             units + plains);
    return false;
}

/* --- asking --------------------------------------------------------------------------- */

/* The last line that it prints. *good false, and why, where that is no energy. */
static enum mw_err ask(const struct mw_energy_command *meter, struct mw_stop *stop, bool *good, double *energy_j,
                       char *why, size_t size, struct mw_error *error)
{
    extern char **environ;
    char line[256], text[MW_RUN_DETAIL_SIZE];
    char *words[] = {"sh", "-c", (char *)meter->command, NULL};
    struct mw_run_result result;
    bool stopped = false;
    int out = -1, null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t signals;
    sigprocmask(SIG_BLOCK, NULL, &signals);
    enum mw_err err = mw_printed_open(&out, error);
    struct mw_child child = {.path = "/bin/sh",
                             .words = words,
                             .environment = environ,
                             .in = null,
                             .out = out,
                             .err = STDERR_FILENO,
                             .signals = stop && stop->fd >= 0 ? &stop->before : &signals,
                             .timeout_s = meter->timeout_s};
    if (!err)
        err = mw_child_run(&child, stop, &result, &stopped, error);
    if (!err && stopped)
        err = mw_fail(error, MW_INTERRUPTED, "interrupted");
    *good = !err && result.fault == MW_RUN_GOOD;
    if (!err && !*good) {
        mw_run_describe(&result, text, sizeof text);
        snprintf(why, size, "%s", text);
    } else if (!err) {
        mw_printed_tail(out, 1, line, sizeof line);
        *good = mw_energy_parse(line, energy_j, text, sizeof text);
        if (!*good)
            snprintf(why, size, "it printed '%.60s': %.120s", line, text);
    }
    if (out >= 0)
        close(out);
    if (null >= 0)
        close(null);
    return err;
}

enum mw_err mw_energy_command_open(struct mw_energy_command *meter, const char *command, enum mw_energy_kind kind,
                                   double timeout_s, struct mw_stop *stop, struct mw_error *error)
{
    struct mw_energy_command made = {command, kind, timeout_s > 0 ? timeout_s : MW_ENERGY_COMMAND_TIMEOUT_S, -1};
    double first_j = 0, later_j = 0;
    char why[256];
    bool good;
    enum mw_err err = ask(&made, stop, &good, &first_j, why, sizeof why, error);
    if (!err && !good) {
        mw_fail(error, MW_RUN, "'%s' failed or printed no number of joules: %s", command, why);
        return mw_hint(error, "--energy-command prints joules on its last line, as in 12.5 or 12.5 kJ");
    }
    if (!err && kind == MW_ENERGY_AUTO && mw_stop_sleep(stop, 1) != MW_STOP_AT_ONCE)
        err = ask(&made, stop, &good, &later_j, why, sizeof why, error);
    if (!err && kind == MW_ENERGY_AUTO && good && later_j > first_j)
        made.kind = MW_ENERGY_COUNTER;
    if (!err)
        *meter = made;
    return err;
}

enum mw_err mw_energy_command_start(struct mw_energy_command *meter, struct mw_stop *stop, struct mw_error *error)
{
    char why[256];
    bool good;
    meter->before_j = -1;
    if (meter->kind == MW_ENERGY_RUN)
        return MW_OK;
    double before_j = 0;
    enum mw_err err = ask(meter, stop, &good, &before_j, why, sizeof why, error);
    if (!err && good)
        meter->before_j = before_j;
    return err;
}

/* What two numbers tell of the run between them. */
static void judge(struct mw_energy_command *meter, double after_j, double time_s, struct mw_energy_reading *r)
{
    double before_j = meter->before_j;
    if (meter->kind == MW_ENERGY_AUTO && before_j > after_j)
        meter->kind = MW_ENERGY_RUN; /* no counter falls */
    r->energy_j = meter->kind == MW_ENERGY_COUNTER ? after_j - before_j : after_j;
    r->has = r->energy_j > 0;
    if (meter->kind == MW_ENERGY_COUNTER && before_j < 0) {
        snprintf(r->why, sizeof r->why, "the energy command failed before the run");
        r->has = false;
    } else if (!r->has) {
        snprintf(r->why, sizeof r->why,
                 meter->kind == MW_ENERGY_COUNTER ? "the energy command's counter did not move"
                                                  : "the energy command gave no energy above 0");
    } else if (meter->kind == MW_ENERGY_AUTO && before_j > 0 && after_j > before_j) {
        snprintf(r->why, sizeof r->why,
                 "the energy command's number grew, and stood still at rest: a counter, or this run's energy? "
                 "--energy-kind counter or run says it");
        r->has = false;
    } else if (meter->kind == MW_ENERGY_AUTO && after_j > power_max_w * (time_s + allowance_s)) {
        snprintf(r->why, sizeof r->why,
                 "%.6g J of the energy command are more than a run of %.3g s takes: a counter that stands still? "
                 "--energy-kind counter or run says it",
                 after_j, time_s);
        r->has = false;
    }
}

enum mw_err mw_energy_command_stop(struct mw_energy_command *meter, double time_s, struct mw_stop *stop,
                                   struct mw_energy_reading *reading, struct mw_error *error)
{
    struct mw_energy_reading r = {0};
    char why[256];
    double after_j = 0;
    bool good;
    enum mw_err err = ask(meter, stop, &good, &after_j, why, sizeof why, error);
    if (err)
        return err;
    if (good)
        judge(meter, after_j, time_s, &r);
    else
        snprintf(r.why, sizeof r.why, "the energy command failed: %.120s", why);
    if (!r.has)
        r.energy_j = 0;
    *reading = r;
    return MW_OK;
}
