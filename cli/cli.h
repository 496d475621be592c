// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_CLI_H
#define MW_CLI_CLI_H

#include "data/error.h"
#include "data/output.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * One command is one value of struct cli_command in a file of its own, cli/cmd_NAME.c; main.c only dispatches.
 * One option table gives parsing, --help, completion and the OPTIONS of the manual page.
 */
enum cli_option_kind {
    CLI_FLAG,     /* bool */
    CLI_STRING,   /* const char * */
    CLI_NUMBER,   /* double, finite */
    CLI_COUNT,    /* unsigned long */
    CLI_SIZE,     /* size_t, bytes */
    CLI_FREQ,     /* double, hertz */
    CLI_DURATION, /* double, seconds */
    CLI_PERCENT,  /* double, as a fraction: "2%" and "2" are 0.02 */
    CLI_REPEATED, /* struct cli_strings: each use appends */
    CLI_CHOICE,   /* const char *, one of `choices` */
};

struct cli_strings {
    const char **items;
    size_t count;
};

struct cli_option {
    const char *name; /* without dashes: "cores" or "o" (one letter: -o) */
    enum cli_option_kind kind;
    size_t offset;              /* of the field in the command's options struct */
    const char *argument;       /* name of the value in help, NULL for flags */
    const char *help;           /* one line; say the default */
    const char *const *choices; /* CLI_CHOICE: ends in NULL */
    double low, high;           /* valid range of numbers where low < high */
};
#define CLI_FIELD(type, field) offsetof(type, field)

/* Options that several commands have; a command names the groups that it really uses. */
enum cli_group {
    CLI_OUTPUT = 1 << 0,  /* -o FILE, --force */
    CLI_JSON = 1 << 1,    /* --json */
    CLI_CSV = 1 << 2,     /* --csv */
    CLI_SEED = 1 << 3,    /* --seed N */
    CLI_ROOT = 1 << 4,    /* --root DIR */
    CLI_DRY_RUN = 1 << 5, /* --dry-run */
    CLI_STRICT = 1 << 6,  /* --strict */
    CLI_VERBOSE = 1 << 7, /* --verbose: without it three warnings at most, and no table that says nothing */
};

struct cli_common {
    const char *output; /* NULL: standard output */
    bool force, json, csv, dry_run, strict, verbose;
    unsigned long seed; /* default 1 */
    const char *root;   /* "" for the real machine */
    const char *color;  /* "auto", "always", "never" */
};

struct cli {
    const struct cli_command *command;
    struct cli_common common;
    char **operands; /* what is not an option */
    size_t operand_count;
    char **program; /* what follows "--", NULL-terminated; NULL where there is no "--" */
    int argc;       /* the whole command line, for provenance */
    char **argv;
    struct mw_error error; /* for the command's use */
};

struct cli_command {
    const char *name;
    const char *summary;              /* one line for `memwall help` */
    const char *usage;                /* after "memwall NAME": "[options] FILE" */
    const char *description;          /* a paragraph for help and the manual page */
    const struct cli_option *options; /* ends in {0} */
    unsigned groups;
    size_t options_size; /* sizeof of the options struct; it starts zeroed, then `defaults` runs */
    void (*defaults)(void *options);
    int (*run)(struct cli *cli, const void *options); /* exit status */
    const char *examples;              /* lines for help and the manual page; each runs in the tests; NULL where none */
    size_t operands_min, operands_max; /* operands other than these are wrong usage */
    bool program;                      /* takes "-- COMMAND ARGS" */
};

/* Prints "memwall NAME: message" and "hint: …"; returns the exit status of the error. */
int cli_fail(const struct cli *cli, const struct mw_error *error);
/* Prints "memwall NAME: …" on standard error (warnings and notes). */
void cli_say(const struct cli *cli, const char *format, ...) MW_PRINTF(2, 3);
/* Of a command with --verbose the first three alone without it; cli_run says how many more there are. */
void cli_warn(const struct cli *cli, const char *format, ...) MW_PRINTF(2, 3);
/* Wrong usage: prints the message and "hint: memwall help NAME", returns 2. */
int cli_usage(const struct cli *cli, const char *format, ...) MW_PRINTF(2, 3);

/*
 * Progress on standard error, only where it is a terminal and the work has taken over a second. Never call it inside a
 * timed region. done of total steps; total 0: unknown. cli_progress_end clears the line.
 */
void cli_progress(const struct cli *cli, size_t done, size_t total, const char *format, ...) MW_PRINTF(4, 5);
void cli_progress_end(void);

/* SGR sequences, empty where colour is off (NO_COLOR, TERM=dumb, no terminal, --color never). */
const char *cli_bold(void);
const char *cli_dim(void);
const char *cli_reset(void);

/* True after the first SIGINT, SIGTERM or SIGHUP; handlers are installed by cli_catch_signals. A second one kills. */
void cli_catch_signals(void);
bool cli_interrupted(void);

/* The table of main.c. */
extern const struct cli_command *const cli_commands[];
const struct cli_command *cli_command_find(const char *name);

int cli_run(const struct cli_command *command, int argc, char **argv);
void cli_help_command(const struct cli_command *command);

#endif
