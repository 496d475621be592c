// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_TERMINAL_H
#define MW_CLI_TERMINAL_H

#include "cli/cli.h"

/* Decides once whether standard output gets colour: "auto", "always", "never". */
void cli_color_init(const char *when);

#endif
