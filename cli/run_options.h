// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_RUN_OPTIONS_H
#define MW_CLI_RUN_OPTIONS_H

#include "cli/cli.h"
#include "measure/run/runner.h"

/* What scan and tune ask of the user in the same words: how the program is run. A command's options struct holds it as `run`. */
struct run_options {
    double timeout_s;
    struct cli_strings env;
    const char *launcher, *check, *time_regexp, *rate_regexp, *energy_command, *energy_kind, *unit, *setup, *prepare,
        *cleanup;
    unsigned long warmup;
    bool show_output, keep_children, counters;
};

extern const char *const run_energy_kinds[]; /* ends in NULL */

/* clang-format off */
#define RUN_OPTIONS(type)                                                                                               \
    {"timeout", CLI_DURATION, CLI_FIELD(type, run.timeout_s), "S", "end a run after S seconds and keep it as failed", NULL, 0, 0}, \
    {"env", CLI_REPEATED, CLI_FIELD(type, run.env), "NAME=VALUE", "set a variable; {cores} in VALUE is replaced; may be repeated", NULL, 0, 0}, \
    {"launcher", CLI_STRING, CLI_FIELD(type, run.launcher), "CMD", "start the program by CMD, as in 'mpirun -n {cores}'", NULL, 0, 0}, \
    {"check", CLI_STRING, CLI_FIELD(type, run.check), "CMD", "sh -c CMD after each run, its output on standard input; failing marks the run as failed", NULL, 0, 0}, \
    {"setup", CLI_STRING, CLI_FIELD(type, run.setup), "CMD", "sh -c CMD once, before the first run (it may build the program)", NULL, 0, 0}, \
    {"prepare", CLI_STRING, CLI_FIELD(type, run.prepare), "CMD", "sh -c CMD before each run; {cores} is replaced", NULL, 0, 0}, \
    {"cleanup", CLI_STRING, CLI_FIELD(type, run.cleanup), "CMD", "sh -c CMD once, after the last run, also of an interrupted one", NULL, 0, 0}, \
    {"warmup", CLI_COUNT, CLI_FIELD(type, run.warmup), "N", "runs before the first that are not kept (default 0)", NULL, 0, 1000}, \
    {"time-regexp", CLI_STRING, CLI_FIELD(type, run.time_regexp), "RE", "take the time that the program prints: last match of a POSIX extended expression, its first group", NULL, 0, 0}, \
    {"rate-regexp", CLI_STRING, CLI_FIELD(type, run.rate_regexp), "RE", "take a rate that the program prints; the time is 1/rate, and answers come in its unit (--unit)", NULL, 0, 0}, \
    {"unit", CLI_STRING, CLI_FIELD(type, run.unit), "UNIT", "of a time that the program prints without one: ns, us, ms, s (default), min, h; of a rate its name, as in ns/day", NULL, 0, 0}, \
    {"energy-command", CLI_STRING, CLI_FIELD(type, run.energy_command), "CMD", "sh -c CMD prints joules: a counter, or the energy of the last run", NULL, 0, 0}, \
    {"energy-kind", CLI_CHOICE, CLI_FIELD(type, run.energy_kind), "KIND", "what CMD prints: counter, run, or auto (default: what grows at rest is a counter)", run_energy_kinds, 0, 0}, \
    {"show-output", CLI_FLAG, CLI_FIELD(type, run.show_output), NULL, "let the program's output through to standard error", NULL, 0, 0}, \
    {"counters", CLI_FLAG, CLI_FIELD(type, run.counters), NULL, "count cycles, instructions, cache misses and stalls of each run, where the processor lets them be counted", NULL, 0, 0}, \
    {"keep-children", CLI_FLAG, CLI_FIELD(type, run.keep_children), NULL, "don't end the processes that a run leaves behind; its row is marked as disturbed", NULL, 0, 0}
/* clang-format on */

/* MW_USAGE where both a time and a rate are to be taken from the output. */
enum mw_err run_options_check(const struct run_options *options, struct mw_error *error) MW_CHECKED;
/* The unit that answers come in where a rate is taken; NULL: times. */
const char *run_options_rate_unit(const struct run_options *options);
enum mw_energy_kind run_options_energy_kind(const struct run_options *options);
/* As the runner takes them; texts are borrowed. */
struct mw_run_setup run_options_setup(const struct run_options *options, char *const *program);

/*
 * Of the very first run: MW_RUN, its last lines told, where it failed by what the next ones will fail by too (the command,
 * or what is to be found in its output). A time limit isn't that: more cores may keep it.
 */
enum mw_err run_first_check(const struct cli *cli, const struct mw_runner *runner, const struct mw_run_result *run,
                            struct mw_error *error) MW_CHECKED;

#endif
