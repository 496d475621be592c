// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_MAN_H
#define MW_CLI_MAN_H

#include "cli/cli.h"

/* Manual pages and shell completion from the command table, to standard output (`memwall help --man`, `--bash`). */
void cli_man_command(const struct cli_command *command);
void cli_man_overview(void);
void cli_completion_bash(void);

#endif
