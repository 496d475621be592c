// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/option.h"

#include "data/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const color_choices[] = {"auto", "always", "never", NULL};

/* The groups of shared options, as fields of struct cli_common. */
static const struct {
    unsigned group;
    struct cli_option option;
} shared[] = {
    {CLI_OUTPUT,
     {"o", CLI_STRING, CLI_FIELD(struct cli_common, output), "FILE", "write to FILE (default: standard output)", NULL,
      0, 0}},
    {CLI_OUTPUT,
     {"force", CLI_FLAG, CLI_FIELD(struct cli_common, force), NULL, "overwrite FILE where it exists", NULL, 0, 0}},
    {CLI_JSON, {"json", CLI_FLAG, CLI_FIELD(struct cli_common, json), NULL, "machine output as JSON", NULL, 0, 0}},
    {CLI_CSV, {"csv", CLI_FLAG, CLI_FIELD(struct cli_common, csv), NULL, "machine output as CSV", NULL, 0, 0}},
    {CLI_SEED,
     {"seed", CLI_COUNT, CLI_FIELD(struct cli_common, seed), "N", "seed of all random numbers (default 1)", NULL, 0,
      0}},
    {CLI_ROOT,
     {"root", CLI_STRING, CLI_FIELD(struct cli_common, root), "DIR",
      "read and write /sys, /proc and the like below DIR", NULL, 0, 0}},
    {CLI_DRY_RUN,
     {"dry-run", CLI_FLAG, CLI_FIELD(struct cli_common, dry_run), NULL, "print what would be done and stop", NULL, 0,
      0}},
    {CLI_STRICT,
     {"strict", CLI_FLAG, CLI_FIELD(struct cli_common, strict), NULL, "doubtful results end with exit status 5", NULL,
      0, 0}},
    {CLI_VERBOSE,
     {"verbose", CLI_FLAG, CLI_FIELD(struct cli_common, verbose), NULL,
      "all warnings, and tables of what these data can't tell", NULL, 0, 0}},
};
enum { SHARED_COUNT = sizeof shared / sizeof *shared };

static const struct cli_option color_option = {
    "color", CLI_CHOICE, CLI_FIELD(struct cli_common, color), "WHEN", "auto (default), always or never", color_choices,
    0,       0};

size_t cli_option_list(const struct cli_command *command, const struct cli_option **list, size_t capacity)
{
    size_t count = 0;
    for (const struct cli_option *o = command->options; o && o->name && count < capacity; o++)
        list[count++] = o;
    for (size_t i = 0; i < SHARED_COUNT && count < capacity; i++)
        if (command->groups & shared[i].group)
            list[count++] = &shared[i].option;
    if (count < capacity)
        list[count++] = &color_option;
    return count;
}

/* Own options lie in the command's struct, shared ones in struct cli_common. */
static bool is_shared(const struct cli_option *option)
{
    if (option == &color_option)
        return true;
    for (size_t i = 0; i < SHARED_COUNT; i++)
        if (option == &shared[i].option)
            return true;
    return false;
}

static enum mw_err parse_count(const char *text, unsigned long *value, struct mw_error *error)
{
    char *end;
    errno = 0;
    unsigned long parsed = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return mw_fail(error, MW_USAGE, "'%s' is not a whole number", text);
    *value = parsed;
    return MW_OK;
}

static enum mw_err parse_percent(const char *text, double *fraction, struct mw_error *error)
{
    char copy[64];
    size_t length = strlen(text);
    if (length >= sizeof copy)
        return mw_fail(error, MW_USAGE, "'%s' is not a percentage", text);
    memcpy(copy, text, length + 1);
    if (length && copy[length - 1] == '%')
        copy[length - 1] = '\0';
    double value;
    enum mw_err err = mw_parse_number(copy, &value, error);
    if (!err)
        *fraction = value / 100;
    return err;
}

static enum mw_err append_string(struct cli_strings *strings, const char *text, struct mw_error *error)
{
    const char **items = realloc(strings->items, (strings->count + 1) * sizeof *items);
    if (!items)
        return mw_fail(error, MW_NOMEM, "out of memory");
    strings->items = items;
    strings->items[strings->count++] = text;
    return MW_OK;
}

static enum mw_err check_choice(const struct cli_option *option, const char *text, struct mw_error *error)
{
    char list[200] = "";
    for (const char *const *c = option->choices; *c; c++) {
        if (!strcmp(*c, text))
            return MW_OK;
        strncat(list, c == option->choices ? "" : ", ", sizeof list - strlen(list) - 1);
        strncat(list, *c, sizeof list - strlen(list) - 1);
    }
    return mw_fail(error, MW_USAGE, "'%s' is not one of %s", text, list);
}

static enum mw_err check_range(const struct cli_option *option, double value, struct mw_error *error)
{
    if (option->low < option->high && (value < option->low || value > option->high))
        return mw_fail(error, MW_USAGE, "the valid range is %g to %g", option->low, option->high);
    return MW_OK;
}

static enum mw_err store(const struct cli_option *option, void *field, const char *text, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)field = true;
        break;
    case CLI_CHOICE:
        err = check_choice(option, text, error);
        if (err)
            break;
        /* fall through */
    case CLI_STRING:
        *(const char **)field = text;
        break;
    case CLI_NUMBER:
        err = mw_parse_number(text, field, error);
        if (!err)
            err = check_range(option, *(double *)field, error);
        break;
    case CLI_COUNT:
        err = parse_count(text, field, error);
        if (!err)
            err = check_range(option, (double)*(unsigned long *)field, error);
        break;
    case CLI_SIZE:
        err = mw_parse_size(text, field, error);
        break;
    case CLI_FREQ:
        err = mw_parse_freq(text, field, error);
        break;
    case CLI_DURATION:
        err = mw_parse_duration(text, field, error);
        break;
    case CLI_PERCENT:
        err = parse_percent(text, field, error);
        if (!err)
            err = check_range(option, *(double *)field * 100, error);
        break;
    case CLI_REPEATED:
        err = append_string(field, text, error);
        break;
    }
    return err;
}

static const struct cli_option *find(const struct cli_option *const *list, size_t count, const char *name,
                                     size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]->name) == length && !strncmp(list[i]->name, name, length))
            return list[i];
    return NULL;
}

static enum mw_err unknown_option(const struct cli_option *const *list, size_t count, const char *word,
                                  struct mw_error *error)
{
    const char *names[128];
    for (size_t i = 0; i < count; i++)
        names[i] = list[i]->name;
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + strspn(word, "-"), "="), word + strspn(word, "-"));
    const char *near = mw_nearest(bare, names, count);
    mw_fail(error, MW_USAGE, "unknown option '%s'", word);
    if (near)
        mw_hint(error, "did you mean '%s%s'?", strlen(near) == 1 ? "-" : "--", near);
    return MW_USAGE;
}

enum mw_err cli_option_parse(struct cli *cli, void *options, int argc, char **argv, struct mw_error *error)
{
    const struct cli_option *list[128];
    size_t count = cli_option_list(cli->command, list, 128);

    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!strcmp(word, "--")) {
            if (!cli->command->program)
                return mw_fail(error, MW_USAGE, "takes no command after '--'");
            cli->program = argv + i + 1;
            return MW_OK;
        }
        if (word[0] != '-' || !word[1]) {
            cli->operands[cli->operand_count++] = argv[i];
            continue;
        }
        const char *name = word + (word[1] == '-' ? 2 : 1);
        size_t length = strcspn(name, "=");
        bool is_long = word[1] == '-';
        const struct cli_option *option = is_long == (length > 1) ? find(list, count, name, length) : NULL;
        if (!option)
            return unknown_option(list, count, word, error);
        const char *text = name[length] == '=' ? name + length + 1 : NULL;
        if (option->kind == CLI_FLAG && text)
            return mw_fail(error, MW_USAGE, "option '%.*s' takes no value", (int)(length + (is_long ? 2 : 1)), word);
        if (option->kind != CLI_FLAG && !text) {
            if (i + 1 >= argc)
                return mw_fail(error, MW_USAGE, "option '%s' needs a value (%s)", word, option->argument);
            text = argv[++i];
        }
        char *base = is_shared(option) ? (char *)&cli->common : options;
        struct mw_error inner = {0};
        if (store(option, base + option->offset, text, &inner)) {
            mw_fail(error, inner.code == MW_DATA ? MW_USAGE : inner.code, "option '%s%s': %s",
                    strlen(option->name) == 1 ? "-" : "--", option->name, inner.message);
            if (inner.hint[0])
                mw_hint(error, "%s", inner.hint);
            return error->code;
        }
    }
    return MW_OK;
}
