// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man.h"
#include "cli/option.h"
#include "cli/terminal.h"

#include "data/units.h"
#include "fit/numeric/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    return NULL;
}

/* A result that did not reach its reader is a failure, but a closed pipe (`| head`) ends quietly. */
static int close_stdout(int status)
{
    errno = 0;
    if (fclose(stdout) && errno != EPIPE && status == 0) {
        fprintf(stderr, "memwall: cannot write to standard output: %s\n", strerror(errno));
        return mw_err_exit_status(MW_IO);
    }
    return status;
}

int cli_run(const struct cli_command *command, int argc, char **argv)
{
    int status = mw_err_exit_status(MW_NOMEM);
    struct cli cli = {.command = command, .argc = argc, .argv = argv};
    cli.common.seed = 1;
    cli.common.root = "";
    cli.common.color = "auto";
    void *options = calloc(1, command->options_size + 1);
    cli.operands = calloc((size_t)argc + 1, sizeof *cli.operands);
    if (!options || !cli.operands) {
        cli_say(&cli, "out of memory");
        goto out;
    }
    if (command->defaults)
        command->defaults(options);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            cli_help_command(command);
            status = 0;
            goto out;
        }
    }
    if (cli_option_parse(&cli, options, argc - 2, argv + 2, &cli.error)) {
        if (!cli.error.hint[0])
            mw_hint(&cli.error, "memwall help %s", command->name);
        status = cli_fail(&cli, &cli.error);
        goto out;
    }
    cli_color_init(cli.common.color);
    if (cli.operand_count < command->operands_min)
        status = cli_usage(&cli, "too few arguments: memwall %s %s", command->name, command->usage);
    else if (cli.operand_count > command->operands_max)
        status = cli_usage(&cli, "unexpected argument '%s'", cli.operands[command->operands_max]);
    else
        status = command->run(&cli, options);
    cli_progress_end();
    cli_warn_end(&cli);
out:
    if (options)
        for (const struct cli_option *o = command->options; o && o->name; o++)
            if (o->kind == CLI_REPEATED)
                free(((struct cli_strings *)((char *)options + o->offset))->items);
    free(options);
    free(cli.operands);
    return status;
}

static int unknown_command(const char *word)
{
    const char *names[64];
    size_t count = 0;
    for (const struct cli_command *const *c = cli_commands; *c && count < 64; c++)
        names[count++] = (*c)->name;
    const char *near = mw_nearest(word, names, count);
    char plain[128];
    snprintf(plain, sizeof plain, "%s", word);
    cli_disarm(plain);
    fprintf(stderr, "memwall: unknown command '%s'\n", plain);
    if (near)
        fprintf(stderr, "hint: did you mean 'memwall %s'?\n", near);
    else
        fprintf(stderr, "hint: memwall help\n");
    return mw_err_exit_status(MW_USAGE);
}

static int help(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*print)(void);
    } shells[] = {{"--bash", cli_completion_bash}, {"--zsh", cli_completion_zsh}, {"--fish", cli_completion_fish}};
    for (size_t i = 0; argc > 2 && i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(argv[2], shells[i].word)) {
            shells[i].print();
            return 0;
        }
    if (argc > 2 && !strcmp(argv[2], "--man")) {
        const struct cli_command *command = argc > 3 ? cli_command_find(argv[3]) : NULL;
        if (argc > 3 && !command)
            return unknown_command(argv[3]);
        if (command)
            cli_man_command(command);
        else
            cli_man_overview();
        return 0;
    }
    if (argc > 2) {
        const struct cli_command *command = cli_command_find(argv[2]);
        if (!command)
            return unknown_command(argv[2]);
        cli_help_command(command);
        return 0;
    }
    puts("memwall measures how a parallel program scales over cores and frequencies,\n"
         "says why it stops, predicts what was not measured and recommends a configuration.\n\n"
         "usage: memwall COMMAND [options] …\n\ncommands:");
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        printf("  %-10s %s\n", (*c)->name, (*c)->summary);
    puts(
        "  help       this list, or all about one COMMAND (--man: as a manual page; --bash, --zsh, --fish: completion)\n\nmemwall --version prints the version.");
    return 0;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    cli_terminal_open();
    mw_guard_enter(); /* for good: no library may end this program */
    if (argc < 2) {
        fprintf(stderr, "memwall: no command given\nhint: memwall help\n");
        return mw_err_exit_status(MW_USAGE);
    }
    if (!strcmp(argv[1], "--version")) {
        printf("memwall %s\n", MW_VERSION);
        return close_stdout(0);
    }
    if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return close_stdout(help(argc, argv));
    const struct cli_command *command = cli_command_find(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    return close_stdout(cli_run(command, argc, argv));
}
