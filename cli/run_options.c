// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_options.h"

#include <string.h>

enum { UNIT_MOST = 32 };
static const char *const run_units[] = {"ns", "us", "ms", "s", "min", "h", NULL};
const char *const run_energy_kinds[] = {"auto", "counter", "run", NULL};
static const double unit_seconds[] = {1e-9, 1e-6, 1e-3, 1, 60, 3600};

const char *run_options_rate_unit(const struct run_options *options)
{
    return !options->rate_regexp ? NULL : options->unit ? options->unit : "rate";
}

static double unit_s(const char *unit)
{
    for (size_t i = 0; unit && run_units[i]; i++)
        if (!strcmp(unit, run_units[i]))
            return unit_seconds[i];
    return 1;
}

enum mw_energy_kind run_options_energy_kind(const struct run_options *options)
{
    const char *kind = options->energy_kind;
    return kind && !strcmp(kind, "counter") ? MW_ENERGY_COUNTER
           : kind && !strcmp(kind, "run")   ? MW_ENERGY_RUN
                                            : MW_ENERGY_AUTO;
}

enum mw_err run_options_check(const struct run_options *options, struct mw_error *error)
{
    if (options->time_regexp && options->rate_regexp)
        return mw_fail(error, MW_USAGE, "--time-regexp and --rate-regexp exclude each other");
    if (options->unit && !options->time_regexp && !options->rate_regexp)
        return mw_fail(error, MW_USAGE, "--unit is of what --time-regexp or --rate-regexp finds");
    for (size_t i = 0; options->unit && options->time_regexp; i++) {
        if (!run_units[i])
            return mw_fail(error, MW_USAGE, "option '--unit': '%s' is not one of ns, us, ms, s, min, h", options->unit);
        if (!strcmp(options->unit, run_units[i]))
            break;
    }
    if (options->unit &&
        (!*options->unit || strlen(options->unit) > UNIT_MOST || options->unit[strcspn(options->unit, "\n\r\t\"#,")]))
        return mw_fail(error, MW_USAGE, "option '--unit': a name of 1 to %d letters, as in ns/day", UNIT_MOST);
    return MW_OK;
}

struct mw_run_setup run_options_setup(const struct run_options *options, char *const *program)
{
    return (struct mw_run_setup){.program = program,
                                 .launcher = options->launcher,
                                 .env = options->env.items,
                                 .env_count = options->env.count,
                                 .timeout_s = options->timeout_s,
                                 .check = options->check,
                                 .time_regexp = options->time_regexp,
                                 .rate_regexp = options->rate_regexp,
                                 .prepare_once = options->setup,
                                 .prepare = options->prepare,
                                 .cleanup = options->cleanup,
                                 .unit_s = unit_s(options->unit),
                                 .show_output = options->show_output,
                                 .keep_children = options->keep_children,
                                 .count_events = options->counters};
}

enum mw_err run_first_check(const struct cli *cli, const struct mw_runner *runner, const struct mw_run_result *run,
                            struct mw_error *error)
{
    enum { LINES = 8 };
    char tail[1024], what[256];
    if (run->fault == MW_RUN_GOOD || run->fault == MW_RUN_TIMEOUT)
        return MW_OK;
    mw_runner_tail(runner, LINES, tail, sizeof tail);
    if (*tail)
        cli_say(cli, "its last lines were:\n%s", tail);
    mw_run_describe(run, what, sizeof what);
    mw_fail(error, MW_RUN, "the first run failed (%s), so nothing more is run", what);
    return mw_hint(error, "mend the command, then --force begins anew; where only this core count fails, leave it out "
                          "of --cores");
}
