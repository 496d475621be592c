// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_COMPLETION_H
#define MW_CLI_COMPLETION_H

/*
 * Shell completion from the command table, to standard output (`memwall help --bash`, `--zsh`, `--fish`): commands, the options
 * of each, the words of options that take one of a few, file names elsewhere, and commands after "--".
 */
void cli_completion_bash(void);
void cli_completion_zsh(void);
void cli_completion_fish(void);

#endif
