// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/predict/predict_device.h"

#include "cli/device_file.h"
#include "data/json.h"
#include "data/output.h"
#include "data/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device_query {
    const char *axis, *gpus, *gpu_freq;
    json_t *root;
    const json_t *groups;
};

static enum mw_err read_file(struct device_query *q, const char *path, struct mw_error *error)
{
    const char *schema, *axis;
    enum mw_err err = mw_json_read(&q->root, path, error);
    if (!err)
        err = mw_json_string(q->root, "schema", &schema, NULL, error);
    if (!err && strcmp(schema, DEVICE_SCHEMA) != 0) {
        err = mw_fail(error, MW_DATA, "%s: its schema is '%.60s', not " DEVICE_SCHEMA, path, schema);
        mw_hint(error, "memwall fit --device writes one, from a scan over --gpus or --gpu-freq");
    }
    if (!err)
        err = mw_json_string(q->root, "axis", &axis, NULL, error);
    if (!err && strcmp(axis, q->axis) != 0) {
        err = mw_fail(error, MW_USAGE, "%s was measured over %.40s", path, axis);
        mw_hint(error, "ask with --%s", strcmp(axis, "gpus") ? "gpu-freq" : "gpus");
    }
    q->groups = json_object_get(q->root, "groups");
    if (!err && !json_is_array(q->groups))
        err = mw_fail(error, MW_DATA, "%s: groups is no array", path);
    return err;
}

static enum mw_err values_of(const struct device_query *q, const struct mw_device_split *s, double **x, size_t *count,
                             struct mw_error *error)
{
    double ends[2] = {s->x0, s->x_most};
    enum mw_err err = q->gpus ? mw_parse_cores(q->gpus, ends, 2, x, count, error) : MW_OK;
    if (q->gpus || err)
        return err;
    ends[0] *= 1e9;
    ends[1] *= 1e9;
    err = mw_parse_freqs(q->gpu_freq, ends, 2, x, count, error);
    for (size_t i = 0; !err && i < *count; i++)
        (*x)[i] /= 1e9;
    return err;
}

static json_t *row_of(const struct device_query *q, const json_t *group, const struct mw_device_split *s, double x)
{
    json_t *row = json_object();
    double low, high, time_s = mw_device_time(s, x);
    mw_device_interval(s, x, &low, &high);
    for (size_t k = 0; k < DEVICE_KEYS; k++)
        if (json_object_get(group, device_keys[k]))
            json_object_set(row, device_keys[k], json_object_get(group, device_keys[k]));
    json_object_set_new(row, q->axis, json_real(x));
    json_object_set_new(row, "time_s", json_real(time_s));
    json_object_set_new(row, "time_low_s", json_real(low));
    json_object_set_new(row, "time_high_s", json_real(high));
    json_object_set_new(row, "speedup", json_real(mw_device_time(s, s->x0) / time_s));
    json_object_set_new(row, "extrapolated", json_boolean(x > 1.001 * s->x_most || x < .999 * s->x0));
    return row;
}

static enum mw_err add_group(struct cli *cli, const struct device_query *q, const json_t *group, json_t *rows,
                             struct mw_error *error)
{
    struct mw_device_split split = {0};
    double *x = NULL;
    size_t count = 0;
    bool beyond = false;
    if (!json_is_true(json_object_get(group, "told"))) {
        const char *why = json_string_value(json_object_get(group, "why"));
        cli_warn(cli, "a configuration is left out, host and device can't be told apart: %s",
                 why ? why : "no reason is given");
        return MW_OK;
    }
    enum mw_err err = device_group_read(&split, group, error);
    if (!err)
        err = values_of(q, &split, &x, &count, error);
    for (size_t i = 0; i < count && !err; i++) {
        json_array_append_new(rows, row_of(q, group, &split, x[i]));
        beyond |= x[i] > 1.001 * split.x_most;
    }
    if (beyond)
        cli_warn(
            cli,
            "beyond %g what only shows with more of them (communication, a power limit) is not in the data: one run there "
            "would tell",
            split.x_most);
    free(x);
    return err;
}

static void print_row(FILE *out, const json_t *row, bool head)
{
    const char *key;
    json_t *value;
    bool first = true;
    json_object_foreach((json_t *)row, key, value)
    {
        if (!first)
            fputc(',', out);
        first = false;
        if (head)
            fputs(key, out);
        else if (json_is_string(value))
            fputs(json_string_value(value), out);
        else if (json_is_boolean(value))
            fputs(json_is_true(value) ? "yes" : "no", out);
        else
            fprintf(out, "%.7g", json_number_value(value));
    }
    fputc('\n', out);
}

static enum mw_err write_csv(const struct cli *cli, const json_t *rows, const struct mw_provenance *run,
                             struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, cli->common.output, cli->common.force, error);
    if (err)
        return err;
    mw_provenance_print(run, output.stream);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        if (i == 0)
            print_row(output.stream, json_array_get(rows, i), true);
        print_row(output.stream, json_array_get(rows, i), false);
    }
    err = mw_output_commit(&output, error);
    mw_output_release(&output);
    return err;
}

int cli_predict_device(struct cli *cli, const char *gpus, const char *gpu_freq)
{
    struct device_query q = {.axis = gpus ? "gpus" : "gpu_freq_ghz", .gpus = gpus, .gpu_freq = gpu_freq};
    struct mw_provenance run = {0};
    json_t *rows = json_array();
    enum mw_err err = read_file(&q, cli->operands[0], &cli->error);
    for (size_t i = 0; !err && i < json_array_size(q.groups); i++)
        err = add_group(cli, &q, json_array_get(q.groups, i), rows, &cli->error);
    if (!err && !json_array_size(rows))
        err = mw_fail(&cli->error, MW_NOFIT, "host and device can't be told apart at any configuration");
    if (!err)
        err = mw_provenance_init(&run, cli->argc, cli->argv, &cli->error);
    if (!err && cli->common.json) {
        json_t *root = json_pack("{s:s, s:o, s:s, s:O}", "schema", "memwall-device-predictions/1", "run",
                                 mw_provenance_json(&run), "axis", q.axis, "predictions", rows);
        err = mw_json_write(root, cli->common.output, cli->common.force, &cli->error);
        json_decref(root);
    } else if (!err) {
        err = write_csv(cli, rows, &run, &cli->error);
    }
    mw_provenance_release(&run);
    json_decref(rows);
    json_decref(q.root);
    return err ? cli_fail(cli, &cli->error) : 0;
}
