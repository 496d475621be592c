// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_OPTION_H
#define MW_CLI_OPTION_H

#include "cli/cli.h"

/* All options of a command, its own first; returns their number. */
size_t cli_option_list(const struct cli_command *command, const struct cli_option **list, size_t capacity);

/* What each exit status means: one sentence for help and the manual pages. */
extern const char cli_exit_statuses[];

/*
 * Parses the words after the command's name. Own options go to *options, shared ones to cli->common, the rest to
 * cli->operands (has room for argc) and cli->program. MW_USAGE with a message that names the option.
 */
enum mw_err cli_option_parse(struct cli *cli, void *options, int argc, char **argv, struct mw_error *error) MW_CHECKED;

#endif
