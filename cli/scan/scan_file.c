// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* in the order of the file; 0: always there */
static const struct {
    const char *name;
    unsigned bit;
} columns[] = {
    {"workload", 0},     {"input", SCAN_INPUT},
    {"cores", 0},        {"freq_ghz", SCAN_FREQ},
    {"repetition", 0},   {"time_s", 0},
    {"cpu_s", SCAN_CPU}, {"energy_j", SCAN_ENERGY},
    {"exit_status", 0},  {"freq_effective_ghz", SCAN_EFFECTIVE},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns, LINE_MAX_BYTES = 65536 };

static void column_line(unsigned set, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < COLUMN_COUNT && used < size; i++)
        if (!columns[i].bit || (set & columns[i].bit))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", columns[i].name);
}

/* A CSV cell: quoted where it must be. The caller frees. */
static char *cell(const char *text)
{
    char *result = NULL;
    size_t size;
    FILE *f = open_memstream(&result, &size);
    if (!f)
        return NULL;
    bool quoted = text[strcspn(text, ",\"\n\r#")] != '\0';
    fputs(quoted ? "\"" : "", f);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', f);
        fputc(*c == '\n' || *c == '\r' ? ' ' : *c, f);
    }
    fputs(quoted ? "\"" : "", f);
    if (fclose(f)) {
        free(result);
        return NULL;
    }
    return result;
}

enum mw_err scan_file_row(struct scan *scan, const struct mw_sequence_entry *config,
                          const struct mw_runner_result *result, struct mw_error *error)
{
    unsigned set = scan->columns;
    char *row = NULL, *workload = cell(scan->workload), *input = cell(scan->options->input ? scan->options->input : "");
    size_t size;
    FILE *f = open_memstream(&row, &size);
    enum mw_err err = f && workload && input ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err) {
        fprintf(f, "%s,", workload);
        if (set & SCAN_INPUT)
            fprintf(f, "%s,", input);
        fprintf(f, "%u,", config->cores);
        if (set & SCAN_FREQ)
            fprintf(f, "%.9g,", config->freq_hz / 1e9);
        fprintf(f, "%u,", config->done + 1);
        if (result->has_time)
            fprintf(f, "%.9g", result->run.time_s);
        if (set & SCAN_CPU)
            result->has_cpu_time ? fprintf(f, ",%.9g", result->run.cpu_time_s) : fputc(',', f);
        if (set & SCAN_ENERGY)
            result->has_energy ? fprintf(f, ",%.9g", result->energy_j) : fputc(',', f);
        fprintf(f, ",%d", result->run.exit_status);
        if (set & SCAN_EFFECTIVE)
            result->has_freq_effective ? fprintf(f, ",%.6g", result->freq_effective_hz / 1e9) : fputc(',', f);
    }
    if (f && fclose(f) && !err)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_append_line(&scan->file, error, "%s", row);
    free(row);
    free(workload);
    free(input);
    return err;
}

/* The head goes out beside its place and is renamed: a file is either not there or has all of it. */
static enum mw_err write_head(struct scan *scan, bool force, struct mw_error *error)
{
    struct mw_output output;
    char line[256];
    const char *path = scan->cli->common.output;
    enum mw_err err = mw_output_open(&output, path, force, error);
    if (err) {
        if (path && !force)
            mw_hint(error, "--resume goes on with it, --force overwrites it");
        return err;
    }
    mw_provenance_print(&scan->facts, output.stream);
    mw_provenance_print(&scan->plan, output.stream);
    column_line(scan->columns, line, sizeof line);
    fprintf(output.stream, "%s\n", line);
    return mw_output_commit(&output, error);
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
                    item->key + strlen("scan_"), value, item->value);
            return mw_hint(error, "--resume needs the same options; another -o begins another scan");
        }
        ++*agreed;
    }
    return MW_OK;
}

static enum mw_err read_columns(struct scan *scan, const char *line, size_t agreed, long number, struct mw_error *error)
{
    char want[256];
    for (unsigned set = 0; set < 1u << 5; set++) {
        column_line(set, want, sizeof want);
        if (strcmp(line, want))
            continue;
        if (agreed < scan->plan.count)
            break;
        scan->columns = set;
        return MW_OK;
    }
    mw_fail(error, MW_DATA, "%s:%ld: not a file of memwall scan", scan->cli->common.output, number);
    return mw_hint(error, "--resume goes on with a file that a scan of this version began");
}

/* A row's numbers from the right, since the texts on the left may hold commas. */
static enum mw_err read_row(struct scan *scan, char *line, long number, struct mw_error *error)
{
    double value[COLUMN_COUNT] = {0};
    bool empty[COLUMN_COUNT] = {false};
    for (size_t i = COLUMN_COUNT; i-- > 2;) {
        if (columns[i].bit && !(scan->columns & columns[i].bit))
            continue;
        char *comma = strrchr(line, ','), *end = NULL;
        if (comma) {
            value[i] = strtod(comma + 1, &end);
            empty[i] = !comma[1];
        }
        if (!comma || (*end && !empty[i]))
            return mw_fail(error, MW_DATA, "%s:%ld: '%s' in column %s is not a number", scan->cli->common.output,
                           number, comma ? comma + 1 : line, columns[i].name);
        *comma = '\0';
    }
    struct mw_sequence_entry *config = mw_sequence_find(&scan->sequence, (unsigned)value[2], value[3] * 1e9);
    if (!config || config->done >= scan->sequence.plan.max_runs)
        return mw_fail(error, MW_DATA, "%s:%ld: a run that this scan has no place for", scan->cli->common.output,
                       number);
    mw_sequence_record(config, value[8] == 0 && !empty[5], value[5]);
    return MW_OK;
}

static enum mw_err read_lines(struct scan *scan, FILE *f, bool *has_head, struct mw_error *error)
{
    char *line = malloc(LINE_MAX_BYTES);
    size_t agreed = 0;
    enum mw_err err = line ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (long number = 1; !err && fgets(line, LINE_MAX_BYTES, f); number++) {
        line[strcspn(line, "\n")] = '\0';
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

static enum mw_err resume(struct scan *scan, struct mw_error *error)
{
    const char *path = scan->cli->common.output;
    struct stat info;
    bool has_head = false;
    if (!path || !strcmp(path, "-"))
        return mw_fail(error, MW_USAGE, "--resume needs -o FILE");
    enum mw_err err = MW_OK;
    if (stat(path, &info) || info.st_size == 0)
        err = write_head(scan, true, error);
    if (!err)
        err = mw_append_open(&scan->file, path, true, false, error);
    if (err)
        return err;
    FILE *f = fopen(path, "re");
    if (!f)
        return mw_fail_errno(error, MW_IO, errno, "cannot open '%s'", path);
    err = read_lines(scan, f, &has_head, error);
    fclose(f);
    if (!err && !has_head)
        err = mw_fail(error, MW_DATA, "%s: not a file of memwall scan", path);
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
    scan->file.fd = -1;
    enum mw_err err = scan->options->resume ? resume(scan, error) : write_head(scan, scan->cli->common.force, error);
    if (!err && !scan->options->resume)
        err = mw_append_open(&scan->file, path ? path : "-", true, false, error);
    return err ? err : mw_append_sync_behind(&scan->file, error);
}
