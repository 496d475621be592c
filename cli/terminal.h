// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_TERMINAL_H
#define MW_CLI_TERMINAL_H

#include "cli/cli.h"

/* Before the first output: on a terminal, standard output passes on no control characters but those of a text. */
void cli_terminal_open(void);
/* The same for a text that goes to standard error: in place. */
void cli_disarm(char *text);
/* Says how many warnings of this command were not shown. */
void cli_warn_end(const struct cli *cli);
/* Decides once whether standard output gets colour: "auto", "always", "never". */
void cli_color_init(const char *when);

#endif
