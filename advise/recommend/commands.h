// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_COMMANDS_H
#define MW_ADVISE_COMMANDS_H

#include "advise/recommend/goal.h"

/*
 * Lines to type that put a choice into use, and back. Texts only: nothing is run.
 */
enum { MW_COMMAND_LINES = 5 };

struct mw_command_line {
    char use[16]; /* "local", "clock", "clock-back", "slurm", "batch" */
    char text[2600];
};

struct mw_command_facts {
    const char *cpus;    /* list of CPUs that the cores are, as in 0-11,24; NULL: unknown, the first ones */
    const char *program; /* "./solver -n 3", as a shell takes it; NULL, or of 500 characters and more: COMMAND */
    double freq_low_hz, freq_high_hz; /* range to put back; 0: unknown */
    bool clock_fixed;                 /* no frequency can be set: no line for the clock */
};

/* Fills lines[], returns how many (2 to MW_COMMAND_LINES): without a known frequency there is none for the clock. */
size_t mw_command_lines(const struct mw_config *choice, const struct mw_command_facts *facts,
                        struct mw_command_line lines[MW_COMMAND_LINES]);

#endif
