// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/option.h"

#include <stdio.h>
#include <string.h>

const char cli_exit_statuses[] =
    "0 done; 1 failure at run time, or nothing keeps the limits asked for; 2 wrong usage; 3 bad input data; "
    "4 no usable fit; 5 result not trustworthy; 77 not supported on this machine; 130 interrupted.";

/* Prints text folded at 78 columns, indented. */
static void fold(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (column && column + 1 + (int)word > 78 - indent) {
            putchar('\n');
            column = 0;
        }
        printf("%*s%.*s", column ? 1 : indent, "", (int)word, text);
        column += (column ? 1 : 0) + (int)word;
        text += word;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    putchar('\n');
}

void cli_help_command(const struct cli_command *command)
{
    printf("memwall %s: %s\n\nusage: memwall %s %s\n\n", command->name, command->summary, command->name,
           command->usage);
    fold(command->description, 0);
    const struct cli_option *list[128];
    size_t count = cli_option_list(command, list, 128);
    printf("\noptions:\n");
    for (size_t i = 0; i < count; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s%s %s", strlen(list[i]->name) == 1 ? "-" : "--", list[i]->name,
                 list[i]->argument ? list[i]->argument : "");
        printf("  %-26s %s\n", left, list[i]->help);
    }
    if (command->examples)
        printf("\nexamples:\n%s", command->examples);
    printf("\nexit status:\n");
    fold(cli_exit_statuses, 2);
}
