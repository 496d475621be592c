// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_MAN_H
#define MW_CLI_MAN_H

#include "cli/cli.h"

/* Manual pages from the command table, to standard output (`memwall help --man [COMMAND]`). */
void cli_man_command(const struct cli_command *command);
void cli_man_overview(void);

#endif
