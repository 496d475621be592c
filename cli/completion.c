// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/completion.h"

#include "cli/option.h"

#include <stdio.h>
#include <string.h>

enum { OPTIONS_MAX = 128 };

static const char licence[] = "# SPDX-License-Identifier: GPL-3.0-or-later\n";

static bool is_short(const struct cli_option *option)
{
    return strlen(option->name) == 1;
}

/* A text may be a file's name; numbers, sizes and times are not. */
static bool takes_file(const struct cli_option *option)
{
    return option->kind == CLI_STRING || option->kind == CLI_REPEATED;
}

/* The list stands between the quotes of each shell: a word that is a quote itself (--thousands) is not offered. */
static void print_choices(const char *const *words)
{
    bool first = true;
    for (size_t i = 0; words[i]; i++) {
        if (strchr(words[i], '\''))
            continue;
        printf("%s%s", first ? "" : " ", words[i]);
        first = false;
    }
}

static void print_options(const struct cli_option *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%s%s", i ? " " : "", is_short(list[i]) ? "-" : "--", list[i]->name);
}

/* Text inside '…' of a shell; zsh's specifications also give a meaning to brackets and colons, as `special` says. */
static void print_inside(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void bash_command(const struct cli_command *command)
{
    const struct cli_option *list[OPTIONS_MAX];
    size_t count = cli_option_list(command, list, OPTIONS_MAX);
    printf("    %s)\n        case $before in\n", command->name);
    for (size_t i = 0; i < count; i++) {
        if (!list[i]->argument)
            continue;
        printf("        %s%s) ", is_short(list[i]) ? "-" : "--", list[i]->name);
        if (list[i]->choices) {
            fputs("COMPREPLY=($(compgen -W '", stdout);
            print_choices(list[i]->choices);
            fputs("' -- \"$word\"))", stdout);
        } else {
            fputs(takes_file(list[i]) ? "COMPREPLY=($(compgen -f -- \"$word\"))" : ":", stdout);
        }
        puts("; return ;;");
    }
    fputs("        esac\n        case $word in\n        -*) COMPREPLY=($(compgen -W '", stdout);
    print_options(list, count);
    puts("' -- \"$word\")) ;;\n        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n        esac ;;");
}

void cli_completion_bash(void)
{
    printf(
        "%s_memwall()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} i\n"
        "    COMPREPLY=()\n"
        "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "        [ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
        "        if ((i == COMP_CWORD - 1)); then COMPREPLY=($(compgen -c -- \"$word\")); else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
        "        return\n    done\n    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '",
        licence);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        printf("%s ", (*c)->name);
    puts("help' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        bash_command(*c);
    fputs("    help) COMPREPLY=($(compgen -W '", stdout);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        printf("%s%s", c == cli_commands ? "" : " ", (*c)->name);
    puts("' -- \"$word\")) ;;\n    esac\n}\ncomplete -o filenames -F _memwall memwall");
}

static void zsh_option(const struct cli_option *option)
{
    printf(" \\\n        '%s%s%s", option->kind == CLI_REPEATED ? "*" : "", is_short(option) ? "-" : "--",
           option->name);
    fputs(option->argument && !is_short(option) ? "=[" : "[", stdout);
    print_inside(option->help, "[]\\:");
    putchar(']');
    if (option->argument) {
        putchar(':');
        print_inside(option->argument, "[]\\:");
        putchar(':');
        if (option->choices) {
            putchar('(');
            print_choices(option->choices);
            putchar(')');
        } else {
            fputs(takes_file(option) ? "_files" : " ", stdout);
        }
    }
    putchar('\'');
}

void cli_completion_zsh(void)
{
    printf("#compdef memwall\n%s_memwall()\n{\n    local -a commands\n    commands=(\n", licence);
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        printf("        '%s:", (*c)->name);
        print_inside((*c)->summary, "\\:");
        puts("'");
    }
    puts("        'help:options and examples of a command'\n    )\n"
         "    if ((CURRENT == 2)); then _describe command commands; return; fi\n"
         "    local command=${words[2]}\n    shift words\n    ((CURRENT--))\n    case $command in");
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        const struct cli_option *list[OPTIONS_MAX];
        size_t count = cli_option_list(*c, list, OPTIONS_MAX);
        printf("    %s) _arguments -s", (*c)->name);
        for (size_t i = 0; i < count; i++)
            zsh_option(list[i]);
        puts((*c)->program ? " \\\n        '*:: :_normal' ;;" : " \\\n        '*:file:_files' ;;");
    }
    puts("    help) _describe command commands ;;\n    esac\n}\n_memwall \"$@\"");
}

void cli_completion_fish(void)
{
    fputs(licence, stdout);
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        const struct cli_option *list[OPTIONS_MAX];
        size_t count = cli_option_list(*c, list, OPTIONS_MAX);
        printf("complete -c memwall -n '__fish_use_subcommand' -f -a %s -d '", (*c)->name);
        print_inside((*c)->summary, "");
        puts("'");
        for (size_t i = 0; i < count; i++) {
            printf("complete -c memwall -n '__fish_seen_subcommand_from %s' -%c %s", (*c)->name,
                   is_short(list[i]) ? 's' : 'l', list[i]->name);
            if (list[i]->choices) {
                fputs(" -x -a '", stdout);
                print_choices(list[i]->choices);
                putchar('\'');
            } else if (list[i]->argument) {
                fputs(takes_file(list[i]) ? " -r" : " -x", stdout);
            }
            fputs(" -d '", stdout);
            print_inside(list[i]->help, "");
            puts("'");
        }
    }
    puts("complete -c memwall -n '__fish_use_subcommand' -f -a help -d 'options and examples of a command'");
}
