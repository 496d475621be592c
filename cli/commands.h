// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_COMMANDS_H
#define MW_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct cli_command cmd_machine;
extern const struct cli_command cmd_measure;
extern const struct cli_command cmd_scan;
extern const struct cli_command cmd_restore;
extern const struct cli_command cmd_import;
extern const struct cli_command cmd_export;
extern const struct cli_command cmd_fit;
extern const struct cli_command cmd_predict;
extern const struct cli_command cmd_recommend;
extern const struct cli_command cmd_diagnose;
extern const struct cli_command cmd_compare;
extern const struct cli_command cmd_plan;
extern const struct cli_command cmd_tune;
extern const struct cli_command cmd_schedule;
extern const struct cli_command cmd_plot;
extern const struct cli_command cmd_report;

#endif
