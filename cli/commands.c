// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include <stddef.h>

/* In the order of the work: measure, fit, ask. */
const struct cli_command *const cli_commands[] = {
    &cmd_machine, &cmd_measure,  &cmd_scan,      &cmd_restore,  &cmd_import,  &cmd_export,
    &cmd_fit,     &cmd_predict,  &cmd_recommend, &cmd_diagnose, &cmd_compare, &cmd_plan,
    &cmd_tune,    &cmd_schedule, &cmd_plot,      &cmd_report,   NULL,
};
