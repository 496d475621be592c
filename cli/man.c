// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/man.h"

#include "cli/option.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text for roff: a backslash doubled, a hyphen kept as a hyphen, no line that begins with a control character. */
static void roff(const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        start = *text == '\n';
    }
}

static void upper(const char *text)
{
    for (; *text; text++)
        putchar(toupper((unsigned char)*text));
}

static void section(const char *title)
{
    printf("\n.SH %s\n", title);
}

void cli_man_command(const struct cli_command *command)
{
    const struct cli_option *list[128];
    size_t count = cli_option_list(command, list, 128);
    fputs(".TH MEMWALL\\-", stdout);
    upper(command->name);
    printf(" 1 \"\" \"memwall %s\" \"memwall manual\"", MW_VERSION);
    section("NAME");
    printf("memwall\\-%s \\- ", command->name);
    roff(command->summary);
    section("SYNOPSIS");
    printf(".B memwall %s\n", command->name);
    roff(command->usage);
    section("DESCRIPTION");
    roff(command->description);
    section("OPTIONS");
    for (size_t i = 0; i < count; i++) {
        printf(".TP\n.BI \\-%s", strlen(list[i]->name) == 1 ? "" : "\\-");
        roff(list[i]->name);
        if (list[i]->argument) {
            fputs(" \" ", stdout);
            roff(list[i]->argument);
            putchar('"');
        }
        putchar('\n');
        roff(list[i]->help);
        putchar('\n');
    }
    if (command->examples) {
        section("EXAMPLES");
        fputs(".nf\n", stdout);
        roff(command->examples);
        fputs(".fi\n", stdout);
    }
    section("EXIT STATUS");
    puts(cli_exit_statuses);
}

void cli_man_overview(void)
{
    printf(".TH MEMWALL 1 \"\" \"memwall %s\" \"memwall manual\"", MW_VERSION);
    section("NAME");
    fputs("memwall \\- how a parallel program scales over cores and frequencies, why it stops, and where to run it\n",
          stdout);
    section("SYNOPSIS");
    fputs(".B memwall\n.I COMMAND\n[options] ...\n", stdout);
    section("COMMANDS");
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        printf(".TP\n.BR memwall\\-%s (1)\n", (*c)->name);
        roff((*c)->summary);
        putchar('\n');
    }
    section("CONVENTIONS");
    fputs(
        "Results go to standard output or to the file of\n.BR \\-o ,\nall else to standard error;\n.B \\-\n"
        "is standard input wherever a file is read. Lists are written as 1,2,4\\-16:2,all for cores and 1.2\\-2.4:0.2,min,max,all "
        "for frequencies. A bare frequency is in GHz; 1800MHz and 2200000kHz are taken too. Sizes take KiB, MiB, GiB, kB, MB and GB.\n",
        stdout);
    section("FILES");
    fputs(".TP\n.I " MW_DATADIR "/profiles\nProfiles of machines, for\n.BR \"memwall predict \\-\\-target\" .\n"
          ".TP\n.I " MW_DOCDIR "\nThe laws and methods with their sources;\n.I profile.md\n"
          "explains a profile of a machine key by key.\n",
          stdout);
    section("EXIT STATUS");
    puts(cli_exit_statuses);
}
