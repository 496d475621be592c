// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_options.h"

enum mw_err run_options_check(const struct run_options *options, struct mw_error *error)
{
    if (options->time_regexp && options->rate_regexp)
        return mw_fail(error, MW_USAGE, "--time-regexp and --rate-regexp exclude each other");
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
                                 .show_output = options->show_output,
                                 .keep_children = options->keep_children,
                                 .count_events = options->counters};
}
