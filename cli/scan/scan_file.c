// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan.h"

#include "fit/main_wait.h"
#include "measure/run/runner_columns.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD_MAX_BYTES = 1024 };

static void column_line(const struct scan *scan, unsigned set, char *text, size_t size)
{
    FILE *f = fmemopen(text, size, "w");
    *text = '\0';
    if (!f)
        return;
    const char *device = scan_device_column(&scan->device);
    fprintf(f, "workload%s,cores%s%s%s,repetition", scan->options->input ? ",input" : "",
            scan->freqs_hz ? ",freq_ghz" : "", device ? "," : "", device ? device : "");
    mw_runner_columns_head(f, set);
    fclose(f);
}

enum mw_err scan_file_row(struct scan *scan, const struct mw_sequence_entry *config,
                          const struct mw_runner_result *result, struct mw_error *error)
{
    char *row = NULL;
    size_t size;
    FILE *f = open_memstream(&row, &size);
    enum mw_err err = f ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err) {
        mw_output_cell(f, scan->workload);
        if (scan->options->input) {
            fputc(',', f);
            mw_output_cell(f, scan->options->input);
        }
        fprintf(f, ",%u,", config->cores);
        if (scan->freqs_hz)
            fprintf(f, "%.9g,", config->freq_hz / 1e9);
        if (scan->device.values)
            fprintf(f, "%.9g,", config->device / scan_device_unit(&scan->device));
        fprintf(f, "%u", config->done + 1);
        mw_runner_columns_write(f, scan->columns, result);
    }
    if (f && fclose(f) && !err)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_append_line(&scan->file, error, "%s", row);
    free(row);
    return err;
}

static void print_head(const struct scan *scan, FILE *f)
{
    char line[HEAD_MAX_BYTES];
    mw_provenance_print(&scan->facts, f);
    mw_provenance_print(&scan->plan, f);
    column_line(scan, scan->columns, line, sizeof line);
    fprintf(f, "%s\n", line);
}

/* The head goes out beside its place and is renamed: a file is either not there or has all of it. */
static enum mw_err write_head(struct scan *scan, bool force, struct mw_error *error)
{
    struct mw_output output;
    const char *path = scan->cli->common.output;
    enum mw_err err = mw_output_open(&output, path, force, error);
    if (err) {
        if (path && error->sys_errno == EEXIST)
            mw_hint(error, "--resume goes on with it, --force overwrites it");
        return err;
    }
    print_head(scan, output.stream);
    return mw_output_commit(&output, error);
}

/* A pipe or device is opened once, for head and rows: its reader takes a second opening for the end. */
static enum mw_err begin_stream(struct scan *scan, const char *path, struct mw_error *error)
{
    char *text = NULL;
    size_t size = 0;
    enum mw_err err = mw_append_open(&scan->file, path, false, true, error);
    FILE *f = err ? NULL : open_memstream(&text, &size);
    if (f)
        print_head(scan, f);
    if (!err && (!f || fclose(f) || !size))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err) {
        text[size - 1] = '\0'; /* the line's end comes with the line */
        err = mw_append_line(&scan->file, error, "%s", text);
    }
    free(text);
    return err;
}

/* One "# key: value" line against the plan; counts those that agree. */
static enum mw_err compare_plan(const struct scan *scan, const char *line, size_t *agreed, struct mw_error *error)
{
    for (size_t i = 0; i < scan->plan.count; i++) {
        const struct mw_provenance_item *item = &scan->plan.items[i];
        size_t length = strlen(item->key);
        if (strncmp(line + 2, item->key, length) || strncmp(line + 2 + length, ": ", 2))
            continue;
        const char *value = line + 2 + length + 2;
        if (strcmp(value, item->value)) {
            mw_fail(error, MW_USAGE, "'%s' was begun with %s '%s', not '%s'", scan->cli->common.output,
                    item->key + (strncmp(item->key, "scan_", 5) ? 0 : 5), value, item->value);
            return mw_hint(error, "--resume needs the same options; another -o begins another scan");
        }
        ++*agreed;
        return MW_OK;
    }
    if (strncmp(line, "# scan_", 7) && strncmp(line, "# rate_unit: ", 13))
        return MW_OK;
    mw_fail(error, MW_USAGE, "'%s' was begun with %s, and this scan is without", scan->cli->common.output,
            line + strlen(line[2] == 's' ? "# scan_" : "# "));
    return mw_hint(error, "--resume needs the same options; another -o begins another scan");
}

/* The columns that a scan of this plan wrote; which of the optional ones, the names say (a meter may be gone since). */
static enum mw_err read_columns(struct scan *scan, const char *line, size_t agreed, long number, struct mw_error *error)
{
    char want[HEAD_MAX_BYTES];
    unsigned set = mw_runner_columns_of(line);
    column_line(scan, set, want, sizeof want);
    if (!strcmp(line, want) && agreed == scan->plan.count) {
        scan->columns = set;
        return MW_OK;
    }
    mw_fail(error, MW_DATA, "%s:%ld: not a file of memwall scan", scan->cli->common.output, number);
    return mw_hint(error, "--resume goes on with a file that a scan of this version began");
}

/* Takes the last cell off the line: a number, or nothing (*empty). */
static enum mw_err last_number(const struct scan *scan, char *line, const char *column, long number, double *value,
                               bool *empty, struct mw_error *error)
{
    char *comma = strrchr(line, ','), *end = NULL;
    if (comma) {
        *value = strtod(comma + 1, &end);
        *empty = !comma[1];
    }
    if (!comma || (*end && !*empty))
        return mw_fail(error, MW_DATA, "%s:%ld: '%s' in column %s is not a number", scan->cli->common.output, number,
                       comma ? comma + 1 : line, column);
    *comma = '\0';
    return MW_OK;
}

/* A row's numbers from the right, since the texts on the left may hold commas. */
static enum mw_err read_row(struct scan *scan, char *line, long number, struct mw_error *error)
{
    double value = 0, freq_ghz = 0, device = 0, cores = 0;
    struct mw_runner_result result = {.run.exit_status = 1};
    bool empty = false;
    enum mw_err err = MW_OK;
    for (size_t i = mw_runner_column_count; i-- > 0 && !err;) {
        const struct mw_runner_column *c = &mw_runner_columns[i];
        if (c->bit && !(scan->columns & c->bit))
            continue;
        err = last_number(scan, line, c->name, number, &value, &empty, error);
        if (!err && !empty)
            mw_runner_columns_set(&result, c, value);
    }
    if (!err)
        err = last_number(scan, line, "repetition", number, &value, &empty, error);
    if (!err && scan->device.values)
        err = last_number(scan, line, scan_device_column(&scan->device), number, &device, &empty, error);
    if (!err && scan->freqs_hz)
        err = last_number(scan, line, "freq_ghz", number, &freq_ghz, &empty, error);
    if (!err)
        err = last_number(scan, line, "cores", number, &cores, &empty, error);
    if (err)
        return err;
    bool counts = cores >= 1 && cores <= UINT_MAX;
    struct mw_sequence_entry *config = counts ? mw_sequence_find(&scan->sequence, (unsigned)cores, freq_ghz * 1e9,
                                                                 device * scan_device_unit(&scan->device))
                                              : NULL;
    if (!config || config->done >= scan->sequence.plan.max_runs)
        return mw_fail(error, MW_DATA, "%s:%ld: a run that this scan has no place for", scan->cli->common.output,
                       number);
    struct mw_row row = mw_runner_row(&result, cores, freq_ghz * 1e9);
    mw_sequence_record(config, row.exit_status == 0 && row.has & MW_HAS_VALUE, mw_main_wait_without(&row));
    return MW_OK;
}

/* A last line without its end is the row that a killed scan was writing: not read, and cut off once all else is right. */
static enum mw_err read_lines(struct scan *scan, FILE *f, bool *has_head, struct mw_error *error)
{
    char *line = NULL;
    size_t room = 0, agreed = 0;
    ssize_t length;
    enum mw_err err = MW_OK;
    for (long number = 1; !err && (length = getline(&line, &room, f)) > 0 && line[length - 1] == '\n'; number++) {
        line[length - 1] = '\0';
        if (*line == '#') {
            err = compare_plan(scan, line, &agreed, error);
        } else if (!*has_head) {
            err = read_columns(scan, line, agreed, number, error);
            *has_head = true;
        } else {
            err = read_row(scan, line, number, error);
        }
    }
    free(line);
    return err;
}

/* Looks before it touches: a file that is not this scan's is left as it is. */
static enum mw_err read_back(struct scan *scan, const char *path, struct mw_error *error)
{
    bool has_head = false;
    FILE *f = fopen(path, "re");
    if (!f)
        return mw_fail_errno(error, MW_IO, errno, "cannot open '%s'", path);
    enum mw_err err = read_lines(scan, f, &has_head, error);
    fclose(f);
    if (err || has_head)
        return err;
    mw_fail(error, MW_DATA, "%s: not a file of memwall scan", path);
    return mw_hint(error, "it is left as it is; another -o begins a scan");
}

static enum mw_err resume(struct scan *scan, struct mw_error *error)
{
    const char *path = scan->cli->common.output;
    struct stat info;
    if (!path || !strcmp(path, "-"))
        return mw_fail(error, MW_USAGE, "--resume needs -o FILE");
    bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode))
        return mw_fail(error, MW_USAGE, "--resume goes on with a file, and '%s' is none", path);
    bool has_rows = exists && info.st_size > 0;
    enum mw_err err = has_rows ? read_back(scan, path, error) : write_head(scan, true, error);
    if (!err)
        err = mw_append_open(&scan->file, path, true, false, error);
    const char *remark = lock_options_remark(scan->cli, &scan->options->lock);
    size_t done, left;
    mw_sequence_progress(&scan->sequence, &done, &left);
    if (!err && remark && done && left) /* the head says it of the rows that are there */
        err = mw_append_line(&scan->file, error, "# lock: %s", remark);
    return err;
}

enum mw_err scan_file_open(struct scan *scan, struct mw_error *error)
{
    const char *path = scan->cli->common.output;
    struct stat info;
    bool is_stream = path && strcmp(path, "-") && stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    enum mw_err err;
    scan->file.fd = -1;
    if (scan->options->resume)
        err = resume(scan, error);
    else if (is_stream)
        err = begin_stream(scan, path, error);
    else
        err = write_head(scan, scan->cli->common.force, error);
    if (!err && !scan->options->resume && !is_stream)
        err = mw_append_open(&scan->file, path ? path : "-", true, false, error);
    return err ? err : mw_append_sync_behind(&scan->file, error);
}
