// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tune/tune.h"

#include "measure/run/runner_columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char default_log[] = "memwall-tune.csv";
static const char first_columns[] = "workload,cores,freq_ghz,repetition";

static const char *log_path(const struct tune *tune)
{
    return tune->options->log ? tune->options->log : default_log;
}

/* The command in one line, as the log keeps it; the caller frees. */
static char *command_line(const struct tune *tune)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    if (tune->options->run.launcher)
        fprintf(f, "%s ", tune->options->run.launcher);
    for (char **word = tune->cli->program; *word; word++)
        fprintf(f, "%s%s", word == tune->cli->program ? "" : " ", *word);
    if (fclose(f)) {
        free(text);
        return NULL;
    }
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return text;
}

static enum mw_err write_head(struct tune *tune, const char *command, struct mw_error *error)
{
    struct mw_provenance facts = {0};
    struct mw_output output = {0};
    enum mw_err err = mw_provenance_init(&facts, tune->cli->argc, tune->cli->argv, error);
    if (!err)
        err = mw_provenance_add(&facts, error, "tune_command", "%s", command);
    const char *rate_unit = run_options_rate_unit(&tune->options->run);
    if (!err && rate_unit)
        err = mw_provenance_add(&facts, error, "rate_unit", "%s", rate_unit);
    if (!err)
        err = lock_options_describe(tune->cli, &tune->options->lock, &facts, error);
    if (!err)
        err = mw_runner_describe(tune->runner, (unsigned)tune->candidates[tune->candidate_count - 1].cores, &facts,
                                 error);
    if (!err)
        err = mw_output_open(&output, log_path(tune), tune->cli->common.force || tune->options->resume, error);
    if (err && error->sys_errno == EEXIST)
        mw_hint(error, "--resume goes on with it, --force overwrites it, --log names another");
    if (!err) {
        mw_provenance_print(&facts, output.stream);
        tune->columns = mw_runner_has(tune->runner);
        fputs(first_columns, output.stream);
        mw_runner_columns_head(output.stream, tune->columns);
        fputc('\n', output.stream);
        err = mw_output_commit(&output, error);
    }
    mw_provenance_release(&facts);
    return err;
}

/* The log must be of the same command: another program's times say nothing about this one. */
static enum mw_err check_command(const struct tune *tune, const char *command, struct mw_error *error)
{
    static const char key[] = "# tune_command: ";
    FILE *f = fopen(log_path(tune), "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false, same = false;
    while (f && !found && getline(&line, &size, f) > 0) {
        found = !strncmp(line, key, sizeof key - 1);
        line[strcspn(line, "\n")] = '\0';
        same = found && !strcmp(line + sizeof key - 1, command);
    }
    enum mw_err err = MW_OK;
    if (!found) {
        err = mw_fail(error, MW_DATA, "%s: not a log of memwall tune", log_path(tune));
    } else if (!same) {
        mw_fail(error, MW_USAGE, "'%s' was begun with the command '%s'", log_path(tune), line + sizeof key - 1);
        err = mw_hint(error, "--resume needs the same command; --log names another file");
    }
    free(line);
    if (f)
        fclose(f);
    return err;
}

/* The columns that the log was begun with (others than today's, by another version), and its rows: it may have none yet. */
static enum mw_err read_rows(struct tune *tune, struct mw_error *error)
{
    FILE *f = fopen(log_path(tune), "re");
    char *line = NULL;
    size_t size = 0;
    bool any = false;
    while (f && getline(&line, &size, f) > 0) {
        bool is_head = !strncmp(line, first_columns, sizeof first_columns - 1);
        if (is_head)
            tune->columns = mw_runner_columns_of(line);
        any = any || (line[0] != '#' && !is_head);
    }
    free(line);
    if (f)
        fclose(f);
    if (!any)
        return MW_OK;
    struct mw_dataset_options options = {.keep_failed = true};
    enum mw_err err = mw_dataset_read(&tune->done, log_path(tune), &options, error);
    tune->runs_done = err ? 0 : tune->done.count;
    return err;
}

enum mw_err tune_log_open(struct tune *tune, struct mw_error *error)
{
    struct stat info;
    char *command = command_line(tune);
    enum mw_err err = command ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    bool old = tune->options->resume && !stat(log_path(tune), &info) && info.st_size > 0;
    if (!err)
        err = old ? check_command(tune, command, error) : write_head(tune, command, error);
    free(command);
    if (!err) /* drops a torn last line */
        err = mw_append_open(&tune->log, log_path(tune), true, false, error);
    tune->log_open = !err;
    return !err && old ? read_rows(tune, error) : err;
}

enum mw_err tune_log_row(struct tune *tune, const struct mw_config *c, unsigned repetition,
                         struct mw_runner_result *result, struct mw_error *error)
{
    const char *workload = strrchr(tune->cli->program[0], '/');
    char *row = NULL;
    size_t size;
    FILE *f = open_memstream(&row, &size);
    if (!f)
        return mw_fail(error, MW_NOMEM, "out of memory");
    workload = workload ? workload + 1 : tune->cli->program[0];
    fprintf(f, "\"%.*s\",%.0f,", (int)strcspn(workload, "\""), workload, c->cores);
    if (c->freq_hz > 0)
        fprintf(f, "%.9g", c->freq_hz / 1e9);
    fprintf(f, ",%u", repetition);
    mw_runner_columns_write(f, tune->columns, result);
    mw_runner_columns_round(result, tune->columns); /* a resumed tune sees the same bits */
    enum mw_err err = fclose(f) ? mw_fail(error, MW_NOMEM, "out of memory") : MW_OK;
    tune->runs_done++;
    if (!err)
        err = mw_append_line(&tune->log, error, "%s", row);
    free(row);
    return err;
}

const struct mw_row *tune_log_find(const struct tune *tune, const struct mw_config *c, unsigned repetition)
{
    for (size_t i = 0; i < tune->done.count; i++) {
        const struct mw_row *row = &tune->done.rows[i];
        if (row->cores == c->cores && fabs(row->freq_hz - c->freq_hz) <= 1e-6 * c->freq_hz &&
            row->repetition == repetition)
            return row;
    }
    return NULL;
}
