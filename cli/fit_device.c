// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/fit_device.h"

#include "cli/device_file.h"
#include "data/json.h"
#include "data/table.h"
#include "fit/device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct device_table {
    struct mw_table table;
    const char *axis; /* "gpus" or "gpu_freq_ghz" */
    size_t x, time, status;
    bool has_status, has_key[DEVICE_KEYS];
    size_t key[DEVICE_KEYS];
};

static enum mw_err find_columns(struct device_table *t, struct mw_error *error)
{
    const struct mw_table *table = &t->table;
    t->axis = "gpus";
    if (!mw_table_find(table, "gpus", &t->x)) {
        t->axis = "gpu_freq_ghz";
        if (!mw_table_find(table, "gpu_freq_ghz", &t->x)) {
            mw_fail(error, MW_DATA, "%s: no column gpus or gpu_freq_ghz", table->name);
            return mw_hint(error, "memwall scan --gpus LIST or --gpu-freq LIST writes one");
        }
    }
    if (!mw_table_find(table, "time_s", &t->time))
        return mw_fail(error, MW_DATA, "%s: no column time_s", table->name);
    t->has_status = mw_table_find(table, "exit_status", &t->status);
    for (size_t k = 0; k < DEVICE_KEYS; k++)
        t->has_key[k] = mw_table_find(table, device_keys[k], &t->key[k]);
    return MW_OK;
}

static bool same_group(const struct device_table *t, size_t a, size_t b)
{
    for (size_t k = 0; k < DEVICE_KEYS; k++)
        if (t->has_key[k] &&
            strcmp(mw_table_cell(&t->table, a, t->key[k]), mw_table_cell(&t->table, b, t->key[k])) != 0)
            return false;
    return true;
}

/* A failed run has no time; a cell that is no number is an error that names its line. */
static enum mw_err read_run(const struct device_table *t, size_t row, double *x, double *time_s, bool *good,
                            struct mw_error *error)
{
    const char *const cells[] = {mw_table_cell(&t->table, row, t->x), mw_table_cell(&t->table, row, t->time)};
    double *const values[] = {x, time_s};
    *good = !t->has_status || !strcmp(mw_table_cell(&t->table, row, t->status), "0");
    for (size_t i = 0; i < 2 && *good; i++) {
        char *end;
        *values[i] = strtod(cells[i], &end);
        if (end == cells[i] || *end || !(*values[i] > 0) || !isfinite(*values[i]))
            return mw_fail(error, MW_DATA, "%s:%u: '%s' in column %s is not a positive number", t->table.name,
                           t->table.lines[row], cells[i], i ? "time_s" : t->axis);
    }
    return MW_OK;
}

static void say(const struct cli *cli, const struct device_table *t, size_t row, const struct mw_device_split *s)
{
    char name[200] = "";
    const char *unit = !strcmp(t->axis, "gpus") ? (s->x0 > 1 ? " GPUs" : " GPU") : " GHz";
    for (size_t k = 0; k < DEVICE_KEYS; k++)
        if (t->has_key[k]) {
            size_t used = strlen(name);
            snprintf(name + used, sizeof name - used, "%s%s %s", used ? ", " : "", device_keys[k],
                     mw_table_cell(&t->table, row, t->key[k]));
        }
    if (s->told)
        cli_say(cli, "%s: at %.4g%s the host has %.4g s, the device %.4g s: %.0f %% of the time (%.0f to %.0f)", name,
                s->x0, unit, s->host_s, s->device_s, 100 * s->share, 100 * s->low, 100 * s->high);
    else
        cli_say(cli, "%s: host and device can't be told apart: %s", name, s->why);
}

static enum mw_err fit_group(const struct cli *cli, const struct device_table *t, size_t first, bool *done,
                             json_t *groups, size_t *told, struct mw_error *error)
{
    size_t rows = t->table.row_count, n = 0;
    double *x = calloc(rows + 1, sizeof *x), *time_s = calloc(rows + 1, sizeof *time_s);
    struct mw_device_split split;
    enum mw_err err = x && time_s ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t r = first; r < rows && !err; r++) {
        bool good;
        if (done[r] || !same_group(t, first, r))
            continue;
        done[r] = true;
        err = read_run(t, r, &x[n], &time_s[n], &good, error);
        n += good;
    }
    if (!err && n) {
        err = mw_device_split(x, time_s, n, &split, error);
        if (!err) {
            say(cli, t, first, &split);
            json_t *group = device_group_json(&split);
            for (size_t k = 0; k < DEVICE_KEYS; k++)
                if (t->has_key[k])
                    json_object_set_new(group, device_keys[k], json_string(mw_table_cell(&t->table, first, t->key[k])));
            json_array_append_new(groups, group);
            *told += split.told;
        }
    }
    free(x);
    free(time_s);
    return err;
}

static enum mw_err fit_all(struct cli *cli, struct device_table *t, size_t *told, struct mw_error *error)
{
    struct mw_provenance run = {0};
    bool *done = calloc(t->table.row_count + 1, sizeof *done);
    json_t *root = json_object(), *groups = json_array();
    enum mw_err err = done ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t r = 0; r < t->table.row_count && !err; r++)
        if (!done[r])
            err = fit_group(cli, t, r, done, groups, told, error);
    if (!err)
        err = mw_provenance_init(&run, cli->argc, cli->argv, error);
    json_object_set_new(root, "schema", json_string(DEVICE_SCHEMA));
    json_object_set_new(root, "axis", json_string(t->axis));
    json_object_set_new(root, "law", json_string("t(x) = host_s + device_s x0 / x"));
    json_object_set_new(root, "groups", groups);
    if (!err) {
        json_object_set_new(root, "run", mw_provenance_json(&run));
        err = mw_json_write(root, cli->common.output, cli->common.force, error);
    }
    json_decref(root);
    mw_provenance_release(&run);
    free(done);
    return err;
}

int fit_device(struct cli *cli, const char *path)
{
    struct device_table t = {0};
    size_t told = 0;
    enum mw_err err = mw_table_read(&t.table, path, &cli->error);
    if (!err)
        err = find_columns(&t, &cli->error);
    if (!err)
        err = fit_all(cli, &t, &told, &cli->error);
    mw_table_release(&t.table);
    if (!err && !told)
        err = mw_fail(&cli->error, MW_NOFIT, "host and device can't be told apart at any configuration");
    return err ? cli_fail(cli, &cli->error) : 0;
}
