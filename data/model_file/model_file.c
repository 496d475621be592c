// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/model_file/model_file.h"

#include "data/bind.h"
#include "data/json.h"
#include "data/model_file/model_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[] = {
    [MW_PARAM_IDENTIFIED] = "identified",
    [MW_PARAM_WEAK] = "weak",
    [MW_PARAM_AT_BOUND] = "at bound",
    [MW_PARAM_NOT_IDENTIFIABLE] = "not identifiable",
};
enum { STATUS_COUNT = sizeof status_names / sizeof *status_names };

const char *mw_param_status_name(enum mw_param_status status)
{
    return status_names[status];
}

static const char *const quantity_names[] = {[MW_TIME] = "time", [MW_SPEEDUP] = "speedup"};
enum { QUANTITY_COUNT = sizeof quantity_names / sizeof *quantity_names };

static bool find_name(const char *const *names, size_t count, const char *name, size_t *index)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name)) {
            *index = i;
            return true;
        }
    return false;
}

void mw_model_release(struct mw_model *model)
{
    for (size_t i = 0; i < model->ensemble.count; i++) {
        free(model->ensemble.fits[i].params);
        free(model->ensemble.fits[i].scale);
        free(model->ensemble.fits[i].sigma);
        free(model->ensemble.fits[i].kernel);
    }
    free(model->ensemble.fits);
    for (size_t i = 0; i < model->set_aside_count; i++)
        free(model->set_aside[i].reason);
    for (size_t i = 0; i < model->warning_count; i++)
        free(model->warnings[i]);
    free(model->set_aside);
    free(model->warnings);
    free(model->runs);
    free(model->boundaries);
    free(model->boundary_kinds);
    free(model->laws);
    free(model->combinations);
    mw_points_release(&model->points);
    free(model->power.draws);
    free(model->file);
    free(model->workload);
    free(model->input);
    free(model->command);
    free(model->rate_unit);
    *model = (struct mw_model){0};
}

/* --- the tables: one line is one field ---------------------------------------------------------------- */

#define FIELD(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define IF(type, member)    .has_offset = offsetof(type, member)

static const struct mw_bind top_fields[] = {
    {"law", MW_BIND_TEXT, FIELD(struct mw_model, law)},
    {"time_scale_s_ghz", MW_BIND_REAL, FIELD(struct mw_model, time_scale_s_ghz), IF(struct mw_model, has_time_scale),
     SCALE},
    {"memory_freq_ghz", MW_BIND_FREQ, FIELD(struct mw_model, memory_freq_hz), FREQ},
    {"memory_freq_assumed", MW_BIND_BOOL, FIELD(struct mw_model, memory_freq_assumed)},
    {"k_max", MW_BIND_REAL, FIELD(struct mw_model, k_max), .optional = true, NOT_NEGATIVE},
    {"r_max", MW_BIND_REAL, FIELD(struct mw_model, r_max), .optional = true, NOT_NEGATIVE},
    {"weak", MW_BIND_BOOL, FIELD(struct mw_model, weak), .optional = true},
    {"cores_per_socket", MW_BIND_UNSIGNED, FIELD(struct mw_model, cores_per_socket), .optional = true, CORES_OR_0},
    {0},
};

/* fit.wall_s stands in `run`, with all that differs between two equal runs. */
static const struct mw_bind fit_fields[] = {
    {"loss", MW_BIND_TEXT, FIELD(struct mw_model, loss)},
    {"loss_value", MW_BIND_REAL, FIELD(struct mw_model, loss_value)},
    {"method", MW_BIND_TEXT, FIELD(struct mw_model, method)},
    {"rmse_log_time", MW_BIND_REAL, FIELD(struct mw_model, rmse_log_time), NOT_NEGATIVE},
    {"mse_speedup", MW_BIND_REAL, FIELD(struct mw_model, mse_speedup), IF(struct mw_model, has_mse_speedup),
     NOT_NEGATIVE},
    {"cv_mape_percent", MW_BIND_REAL, FIELD(struct mw_model, cv_mape_percent), IF(struct mw_model, has_cv),
     NOT_NEGATIVE},
    {"evaluations", MW_BIND_ULONG, FIELD(struct mw_model, evaluations)},
    {"seed", MW_BIND_ULONG, FIELD(struct mw_model, seed)},
    {0},
};

static const struct mw_bind run_fields[] = {
    {"wall_s", MW_BIND_REAL, FIELD(struct mw_model, wall_s), .optional = true},
    {0},
};

static const struct mw_bind data_fields[] = {
    {"file", MW_BIND_STRING, FIELD(struct mw_model, file)},
    {"sha256", MW_BIND_TEXT, FIELD(struct mw_model, sha256)},
    {"workload", MW_BIND_STRING, FIELD(struct mw_model, workload)},
    {"input", MW_BIND_STRING, FIELD(struct mw_model, input)},
    {"rows", MW_BIND_SIZE, FIELD(struct mw_model, rows), NOT_NEGATIVE},
    {"used", MW_BIND_SIZE, FIELD(struct mw_model, used), NOT_NEGATIVE},
    {"detected", MW_BIND_SIZE, FIELD(struct mw_model, detected_count), .optional = true},
    {"main_wait_taken", MW_BIND_BOOL, FIELD(struct mw_model, points.main_wait_taken), .optional = true},
    {"cpu_limit", MW_BIND_REAL, FIELD(struct mw_model, points.cpu_limit), IF(struct mw_model, has_cpu_limit),
     .optional = true, NOT_NEGATIVE},
    {"clock_fixed", MW_BIND_BOOL, FIELD(struct mw_model, points.clock_fixed), .optional = true},
    {"command", MW_BIND_STRING, FIELD(struct mw_model, command), .optional = true},
    {"rate_unit", MW_BIND_STRING, FIELD(struct mw_model, rate_unit), .optional = true},
    {0},
};

static const struct mw_bind param_fields[] = {
    {"value", MW_BIND_REAL, FIELD(struct mw_model_param, value), ANY_NUMBER},
    {"low", MW_BIND_REAL, FIELD(struct mw_model_param, low), ANY_NUMBER},
    {"high", MW_BIND_REAL, FIELD(struct mw_model_param, high), ANY_NUMBER},
    {"settle", MW_BIND_TEXT, FIELD(struct mw_model_param, settle), .optional = true},
    {0},
};

/* --- writing ---------------------------------------------------------------------------------------------- */

static enum mw_err out_of_memory(struct mw_error *error)
{
    return mw_fail(error, MW_NOMEM, "out of memory");
}

static enum mw_err write_parameters(json_t *root, const struct mw_model *model, struct mw_error *error)
{
    json_t *all = json_object();
    if (json_object_set_new(root, "parameters", all))
        return out_of_memory(error);
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < model->param_count && !err; i++) {
        const struct mw_model_param *param = &model->params[i];
        json_t *one = json_object();
        if (json_object_set_new(all, param->name, one))
            return out_of_memory(error);
        err = mw_bind_write(one, param_fields, param, error);
        if (!err && json_object_set_new(one, "status", json_string(mw_param_status_name(param->status))))
            err = out_of_memory(error);
    }
    return err;
}

/* The measured values of cores and frequency: what predict answers for without lists. */
static enum mw_err write_domain(json_t *root, const struct mw_points *points, struct mw_error *error)
{
    json_t *domain = json_object(), *cores = json_array(), *freqs = json_array();
    if (json_object_set_new(root, "domain", domain) || json_object_set_new(domain, "cores", cores) ||
        json_object_set_new(domain, "freq_ghz", freqs))
        return out_of_memory(error);
    double last_freq = 0;
    unsigned last = 0;
    for (size_t i = 0; i < points->count; i++) { /* sorted by frequency */
        if (points->items[i].freq_hz > last_freq)
            json_array_append_new(freqs, json_real(points->items[i].freq_hz / 1e9));
        last_freq = points->items[i].freq_hz;
    }
    for (;;) { /* the next larger count each time: few, and in any order */
        unsigned next = 0;
        for (size_t i = 0; i < points->count; i++)
            if (points->items[i].cores > last && (!next || points->items[i].cores < next))
                next = points->items[i].cores;
        if (!next)
            return MW_OK;
        json_array_append_new(cores, json_integer(next));
        last = next;
    }
}

static enum mw_err write_data(json_t *root, const struct mw_model *model, struct mw_error *error)
{
    json_t *data = json_object(), *aside = json_array(), *warnings = json_array();
    if (json_object_set_new(root, "data", data))
        return out_of_memory(error);
    enum mw_err err = mw_bind_write(data, data_fields, model, error);
    if (err)
        return err;
    if (json_object_set_new(data, "set_aside", aside) || json_object_set_new(data, "warnings", warnings))
        return out_of_memory(error);
    for (size_t i = 0; i < model->set_aside_count; i++) {
        json_t *one = json_object();
        if (json_array_append_new(aside, one) ||
            json_object_set_new(one, "row", json_integer(model->set_aside[i].line)) ||
            json_object_set_new(one, "reason", json_string_nocheck(model->set_aside[i].reason)))
            return out_of_memory(error);
    }
    for (size_t i = 0; i < model->warning_count; i++)
        if (json_array_append_new(warnings, json_string_nocheck(model->warnings[i])))
            return out_of_memory(error);
    return MW_OK;
}

static enum mw_err write_run(json_t *root, const struct mw_model *model, const struct mw_provenance *provenance,
                             struct mw_error *error)
{
    json_t *run = provenance ? mw_provenance_json(provenance) : json_object();
    if (json_object_set_new(root, "run", run))
        return out_of_memory(error);
    return mw_bind_write(run, run_fields, model, error);
}

static enum mw_err write_section(json_t *root, const char *key, const struct mw_bind *table, const void *base,
                                 struct mw_error *error)
{
    json_t *object = json_object();
    if (json_object_set_new(root, key, object))
        return out_of_memory(error);
    return mw_bind_write(object, table, base, error);
}

static enum mw_err write_boundaries(json_t *root, const struct mw_model *model, struct mw_error *error)
{
    json_t *array = json_array();
    if (json_object_set_new(root, "boundaries", array))
        return out_of_memory(error);
    for (size_t i = 0; i < model->boundary_count; i++)
        if (json_array_append_new(array, json_integer(model->boundaries[i])))
            return out_of_memory(error);
    if (!model->boundary_kinds)
        return MW_OK;
    json_t *kinds = json_array();
    if (json_object_set_new(root, "boundary_kinds", kinds))
        return out_of_memory(error);
    for (size_t i = 0; i < model->boundary_count; i++)
        if (json_array_append_new(kinds, json_string(mw_boundary_name(model->boundary_kinds[i]))))
            return out_of_memory(error);
    return MW_OK;
}

enum mw_err mw_model_write(const struct mw_model *model, const char *path, bool force, const struct mw_provenance *run,
                           struct mw_error *error)
{
    json_t *root = json_object();
    enum mw_err err = MW_OK;
    if (json_object_set_new(root, "schema", json_string(MW_MODEL_SCHEMA)) ||
        json_object_set_new(root, "quantity", json_string(quantity_names[model->quantity])))
        err = out_of_memory(error);
    if (!err)
        err = mw_bind_write(root, top_fields, model, error);
    if (!err)
        err = write_parameters(root, model, error);
    if (!err)
        err = write_domain(root, &model->points, error);
    if (!err)
        err = write_section(root, "fit", fit_fields, model, error);
    if (!err)
        err = write_boundaries(root, model, error);
    if (!err)
        err = write_data(root, model, error);
    if (!err)
        err = mw_model_write_parts(root, model, error);
    if (!err)
        err = write_run(root, model, run, error);
    if (!err)
        err = mw_json_write_exact(root, path, force, error);
    json_decref(root);
    return err;
}

/* --- reading ---------------------------------------------------------------------------------------------- */

static enum mw_err read_parameters(struct mw_model *model, const json_t *root, struct mw_error *error)
{
    const json_t *all = json_object_get(root, "parameters");
    const char *name;
    json_t *one;
    if (!json_is_object(all))
        return mw_fail(error, MW_DATA, "'parameters' is missing");
    json_object_foreach((json_t *)(uintptr_t)all, name, one)
    {
        struct mw_model_param *param = &model->params[model->param_count];
        char where[64];
        size_t status;
        const char *text;
        if (model->param_count == sizeof model->params / sizeof *model->params || strlen(name) >= sizeof param->name)
            return mw_fail(error, MW_DATA, "'parameters' has too many members or too long names");
        strcpy(param->name, name);
        snprintf(where, sizeof where, "parameters.%s.", name);
        enum mw_err err = mw_bind_read(one, param_fields, param, where, error);
        if (!err)
            err = mw_json_string(one, "status", &text, NULL, error);
        if (err)
            return err;
        if (!find_name(status_names, STATUS_COUNT, text, &status))
            return mw_fail(error, MW_DATA, "'%sstatus' is '%.40s', which is not known", where, text);
        param->status = (enum mw_param_status)status;
        model->param_count++;
    }
    return MW_OK;
}

static enum mw_err read_set_aside(struct mw_model *model, const json_t *data, struct mw_error *error)
{
    const json_t *aside = json_object_get(data, "set_aside"), *warnings = json_object_get(data, "warnings");
    static const struct mw_bind fields[] = {
        {"row", MW_BIND_LONG, FIELD(struct mw_set_aside, line)},
        {"reason", MW_BIND_STRING, FIELD(struct mw_set_aside, reason)},
        {0},
    };
    size_t n = json_array_size(aside), w = json_array_size(warnings);
    model->set_aside = calloc(n + 1, sizeof *model->set_aside);
    model->warnings = calloc(w + 1, sizeof *model->warnings);
    if (!model->set_aside || !model->warnings)
        return out_of_memory(error);
    enum mw_err err = MW_OK;
    for (; model->set_aside_count < n && !err; model->set_aside_count++) {
        struct mw_set_aside *one = &model->set_aside[model->set_aside_count];
        err = mw_bind_read(json_array_get(aside, model->set_aside_count), fields, one, "data.set_aside.", error);
        if (!err && !one->reason)
            err = mw_fail(error, MW_DATA, "'data.set_aside[%zu].reason' is not a string", model->set_aside_count);
    }
    if (!err && model->detected_count > n)
        err = mw_fail(error, MW_DATA, "'data.detected' is more than the rows set aside");
    for (; model->warning_count < w && !err; model->warning_count++) {
        const char *text = json_string_value(json_array_get(warnings, model->warning_count));
        if (!text)
            return mw_fail(error, MW_DATA, "'data.warnings' holds something other than text");
        model->warnings[model->warning_count] = strdup(text);
        if (!model->warnings[model->warning_count])
            return out_of_memory(error);
    }
    return err;
}

static enum mw_err read_boundaries(struct mw_model *model, const json_t *root, struct mw_error *error)
{
    double *values = NULL;
    if (!json_object_get(root, "boundaries"))
        return MW_OK;
    enum mw_err err = mw_bind_read_reals(root, "boundaries", "", &values, &model->boundary_count, error);
    if (!err) {
        model->boundaries = calloc(model->boundary_count + 1, sizeof *model->boundaries);
        if (!model->boundaries)
            err = out_of_memory(error);
    }
    for (size_t i = 0; i < model->boundary_count && !err; i++) {
        if (values[i] < 1 || values[i] > 1e6)
            err = mw_fail(error, MW_DATA, "'boundaries' holds something other than core counts");
        else
            model->boundaries[i] = (unsigned)values[i];
    }
    free(values);
    return err ? err : mw_bind_read_boundary_kinds(root, &model->boundary_kinds, model->boundary_count, error);
}

static enum mw_err read_head(struct mw_model *model, const json_t *root, struct mw_error *error)
{
    const char *schema, *quantity;
    size_t index;
    enum mw_err err = json_is_object(root) ? mw_json_string(root, "schema", &schema, NULL, error)
                                           : mw_fail(error, MW_DATA, "not a model: no JSON object");
    if (err) {
        return mw_hint(error, "memwall fit writes models; this reads %s", MW_MODEL_SCHEMA);
    }
    if (strcmp(schema, MW_MODEL_SCHEMA)) {
        mw_fail(error, MW_DATA, "its schema is '%.60s'", schema);
        if (!strncmp(schema, "memwall-device/", strlen("memwall-device/")))
            return mw_hint(error, "over graphics processors: memwall predict --gpus LIST or --gpu-freq LIST");
        return mw_hint(error, "this version reads %s: fit the runs again", MW_MODEL_SCHEMA);
    }
    err = mw_json_string(root, "quantity", &quantity, NULL, error);
    if (err)
        return err;
    if (!find_name(quantity_names, QUANTITY_COUNT, quantity, &index))
        return mw_fail(error, MW_DATA, "'quantity' is '%.40s': time or speedup is known", quantity);
    model->quantity = (enum mw_quantity)index;
    return mw_bind_read(root, top_fields, model, "", error);
}

static enum mw_err read_model(struct mw_model *model, const json_t *root, struct mw_error *error)
{
    enum mw_err err = read_head(model, root, error);
    const json_t *data = json_object_get(root, "data"), *run = json_object_get(root, "run");
    if (!err)
        err = read_parameters(model, root, error);
    if (!err)
        err = mw_bind_read(json_object_get(root, "fit"), fit_fields, model, "fit.", error);
    if (!err)
        err = read_boundaries(model, root, error);
    if (!err)
        err = mw_bind_read(data, data_fields, model, "data.", error);
    if (!err)
        err = read_set_aside(model, data, error);
    if (!err && run)
        err = mw_bind_read(run, run_fields, model, "run.", error);
    if (!err)
        err = mw_model_read_parts(model, root, error);
    model->points.weak = model->weak;
    return err;
}

enum mw_err mw_model_read(struct mw_model *model, const char *path, struct mw_error *error)
{
    struct mw_error inner;
    json_t *root;
    enum mw_err err = mw_json_read(&root, path, error);
    if (err == MW_DATA && error && !*error->hint)
        mw_hint(error,
                "a model is wanted here; of a table of runs memwall fit makes one: memwall fit runs.csv -o model.json");
    if (err)
        return err;
    struct mw_model got = {0};
    err = read_model(&got, root, &inner);
    json_decref(root);
    if (err) {
        mw_model_release(&got);
        mw_fail(error, err, "%s: %s", !strcmp(path, "-") ? "standard input" : path, inner.message);
        return *inner.hint && error ? mw_hint(error, "%s", inner.hint) : err;
    }
    *model = got;
    return MW_OK;
}
