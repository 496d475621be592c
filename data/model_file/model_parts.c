// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/model_file/model_internal.h"

#include "data/bind.h"
#include "data/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define IF(type, member)    .has_offset = offsetof(type, member)

static const struct mw_bind law_fields[] = {
    {"name", MW_BIND_TEXT, FIELD(struct mw_model_law, name)},
    {"scale", MW_BIND_REAL, FIELD(struct mw_model_law, scale), SCALE},
    {"loss", MW_BIND_REAL, FIELD(struct mw_model_law, loss)},
    {"rmse_log", MW_BIND_REAL, FIELD(struct mw_model_law, rmse_log), NOT_NEGATIVE},
    {"mse_speedup", MW_BIND_REAL, FIELD(struct mw_model_law, mse_speedup), IF(struct mw_model_law, has_mse_speedup),
     NOT_NEGATIVE},
    {"cv_mape_percent", MW_BIND_REAL, FIELD(struct mw_model_law, cv_mape_percent), IF(struct mw_model_law, has_cv),
     NOT_NEGATIVE},
    {"log_evidence", MW_BIND_REAL, FIELD(struct mw_model_law, log_evidence), IF(struct mw_model_law, has_evidence),
     ANY_NUMBER},
    {"weight", MW_BIND_REAL, FIELD(struct mw_model_law, weight), SHARE},
    {0},
};

static const struct mw_bind combination_fields[] = {
    {"name", MW_BIND_TEXT, FIELD(struct mw_combination, name)},
    {"text", MW_BIND_TEXT, FIELD(struct mw_combination, text)},
    {"value", MW_BIND_REAL, FIELD(struct mw_combination, value)},
    {"low", MW_BIND_REAL, FIELD(struct mw_combination, low)},
    {"high", MW_BIND_REAL, FIELD(struct mw_combination, high)},
    {"identified", MW_BIND_BOOL, FIELD(struct mw_combination, identified)},
    {0},
};

static const struct mw_bind ensemble_fields[] = {
    {"law", MW_BIND_TEXT, FIELD(struct mw_ensemble_fit, law)},
    {"prior", MW_BIND_INT, FIELD(struct mw_ensemble_fit, prior), NOT_NEGATIVE},
    {"independent", MW_BIND_BOOL, FIELD(struct mw_ensemble_fit, independent)},
    {"log_evidence", MW_BIND_REAL, FIELD(struct mw_ensemble_fit, log_evidence), ANY_NUMBER},
    {"parameter_count", MW_BIND_SIZE, FIELD(struct mw_ensemble_fit, param_count)},
    {0},
};

static const struct mw_bind power_fields[] = {
    {"s0_w", MW_BIND_REAL, FIELD(struct mw_model_power, s0_w), ANY_NUMBER},
    {"s1_w", MW_BIND_REAL, FIELD(struct mw_model_power, s1_w), ANY_NUMBER},
    {"u3_w", MW_BIND_REAL, FIELD(struct mw_model_power, u3_w), ANY_NUMBER},
    {"c1_w", MW_BIND_REAL, FIELD(struct mw_model_power, c1_w), ANY_NUMBER},
    {"c3_w", MW_BIND_REAL, FIELD(struct mw_model_power, c3_w), ANY_NUMBER},
    {"freq_ref_ghz", MW_BIND_FREQ, FIELD(struct mw_model_power, freq_ref_hz), FREQ_OR_0},
    {"residual_sd", MW_BIND_REAL, FIELD(struct mw_model_power, residual_sd), NOT_NEGATIVE},
    {"cores_per_socket", MW_BIND_UNSIGNED, FIELD(struct mw_model_power, cores_per_socket), CORES_OR_0},
    {"source", MW_BIND_TEXT, FIELD(struct mw_model_power, source)},
    {0},
};

/* Points are written by column: each of these is an array as long as the others. */
static const struct mw_bind point_fields[] = {
    {"cores", MW_BIND_UNSIGNED, FIELD(struct mw_point, cores), CORES},
    {"freq_ghz", MW_BIND_FREQ, FIELD(struct mw_point, freq_hz), FREQ_OR_0},
    {"value", MW_BIND_REAL, FIELD(struct mw_point, value), MEASURED},
    {"spread", MW_BIND_REAL, FIELD(struct mw_point, spread), NOT_NEGATIVE},
    {"repetitions", MW_BIND_SIZE, FIELD(struct mw_point, count), CORES},
    {"energy_j", MW_BIND_REAL, FIELD(struct mw_point, energy_j), IF(struct mw_point, has_energy), NOT_NEGATIVE},
    {"power_w", MW_BIND_REAL, FIELD(struct mw_point, power_w), IF(struct mw_point, has_power), NOT_NEGATIVE},
    {"cpu_s", MW_BIND_REAL, FIELD(struct mw_point, cpu_time_s), IF(struct mw_point, has_cpu_time), NOT_NEGATIVE},
    {"noise_factor", MW_BIND_REAL, FIELD(struct mw_point, noise_factor), MEASURED},
    {"row", MW_BIND_LONG, FIELD(struct mw_point, line)},
    {"freq_effective_ghz", MW_BIND_FREQ, FIELD(struct mw_point, freq_effective_hz),
     IF(struct mw_point, has_freq_effective), .optional = true, FREQ_OR_0},
    {0},
};

/* Rows as read, by column too. */
static const struct mw_bind run_fields[] = {
    {"has", MW_BIND_UNSIGNED, FIELD(struct mw_row, has)},
    {"cores", MW_BIND_UNSIGNED, FIELD(struct mw_row, cores), CORES},
    {"freq_ghz", MW_BIND_FREQ, FIELD(struct mw_row, freq_hz), FREQ_OR_0},
    {"freq_effective_ghz", MW_BIND_FREQ, FIELD(struct mw_row, freq_effective_hz), FREQ_OR_0},
    {"repetition", MW_BIND_UNSIGNED, FIELD(struct mw_row, repetition)},
    {"value", MW_BIND_REAL, FIELD(struct mw_row, value), NOT_NEGATIVE},
    {"energy_j", MW_BIND_REAL, FIELD(struct mw_row, energy_j), NOT_NEGATIVE},
    {"power_w", MW_BIND_REAL, FIELD(struct mw_row, power_w), NOT_NEGATIVE},
    {"cpu_s", MW_BIND_REAL, FIELD(struct mw_row, cpu_time_s), NOT_NEGATIVE},
    {"row", MW_BIND_LONG, FIELD(struct mw_row, line)},
    {0},
};

/* `fields` and, where `usage_at` is the place of a struct mw_usage, its items behind them. The caller frees. */
static struct mw_bind *with_usage(const struct mw_bind *fields, size_t usage_at)
{
    size_t n = 0;
    while (fields[n].key)
        n++;
    struct mw_bind *all = calloc(n + MW_USAGE_COUNT + 1, sizeof *all);
    if (!all)
        return NULL;
    memcpy(all, fields, n * sizeof *all);
    for (enum mw_usage_item i = 0; i < MW_USAGE_COUNT; i++)
        all[n + i] = (struct mw_bind){.key = mw_usage_name(i),
                                      .kind = MW_BIND_REAL,
                                      .offset = usage_at + offsetof(struct mw_usage, of) + i * sizeof(double),
                                      .size = sizeof(double),
                                      .has_offset = usage_at + offsetof(struct mw_usage, has) + i * sizeof(bool),
                                      .optional = true};
    return all;
}

static enum mw_err out_of_memory(struct mw_error *error)
{
    return mw_fail(error, MW_NOMEM, "out of memory");
}

/* An array of objects, each from one struct of `size` bytes. */
static enum mw_err write_list(json_t *root, const char *key, const struct mw_bind *table, const void *items,
                              size_t size, size_t count, struct mw_error *error)
{
    json_t *array = json_array();
    if (json_object_set_new(root, key, array))
        return out_of_memory(error);
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && !err; i++) {
        json_t *object = json_object();
        if (json_array_append_new(array, object))
            return out_of_memory(error);
        err = mw_bind_write(object, table, (const char *)items + i * size, error);
    }
    return err;
}

/* The reverse; *items is allocated. A missing key is an empty list. */
static enum mw_err read_list(const json_t *root, const char *key, const struct mw_bind *table, void **items,
                             size_t size, size_t *count, struct mw_error *error)
{
    const json_t *array = json_object_get(root, key);
    size_t n = json_array_size(array);
    char *got = calloc(n + 1, size), where[64];
    if (!got)
        return out_of_memory(error);
    for (size_t i = 0; i < n; i++) {
        snprintf(where, sizeof where, "%s[%zu].", key, i);
        enum mw_err err = mw_bind_read(json_array_get(array, i), table, got + i * size, where, error);
        if (err) {
            free(got);
            return err;
        }
    }
    *items = got;
    *count = n;
    return MW_OK;
}

static enum mw_err write_laws(json_t *root, const struct mw_model *model, struct mw_error *error)
{
    enum mw_err err = write_list(root, "laws", law_fields, model->laws, sizeof *model->laws, model->law_count, error);
    for (size_t i = 0; i < model->law_count && !err; i++)
        if (json_object_set_new(json_array_get(json_object_get(root, "laws"), i), "parameters",
                                mw_bind_reals(model->laws[i].params, model->laws[i].param_count)))
            err = out_of_memory(error);
    return err;
}

static enum mw_err read_laws(struct mw_model *model, const json_t *root, struct mw_error *error)
{
    void *items = NULL;
    enum mw_err err = read_list(root, "laws", law_fields, &items, sizeof *model->laws, &model->law_count, error);
    model->laws = items;
    for (size_t i = 0; i < model->law_count && !err; i++) {
        double *params = NULL;
        size_t count;
        err = mw_bind_read_reals(json_array_get(json_object_get(root, "laws"), i), "parameters", "laws.", &params,
                                 &count, error);
        if (!err && count > sizeof model->laws->params / sizeof *model->laws->params)
            err = mw_fail(error, MW_DATA, "'laws[%zu].parameters' holds too many values", i);
        for (size_t k = 0; k < count && !err; k++)
            model->laws[i].params[k] = params[k];
        model->laws[i].param_count = err ? 0 : count;
        free(params);
    }
    return err;
}

/* --- points and runs, by column ---------------------------------------------------------------------------- */

/* Takes out of the table the optional fields that no item has. */
static void drop_absent(struct mw_bind *table, const void *items, size_t size, size_t count)
{
    struct mw_bind *kept = table;
    for (const struct mw_bind *field = table; field->key; field++) {
        bool has = !field->optional;
        for (size_t i = 0; i < count && !has; i++)
            has = *(const bool *)((const char *)items + i * size + field->has_offset);
        if (has)
            *kept++ = *field;
    }
    *kept = (struct mw_bind){0};
}

/* An object of arrays, one for each field, from structs of `size` bytes with their usage at usage_at. */
static enum mw_err write_columns(json_t *root, const char *key, const struct mw_bind *fields, size_t usage_at,
                                 const void *items, size_t size, size_t count, struct mw_error *error)
{
    json_t *object = json_object();
    struct mw_bind *table = with_usage(fields, usage_at);
    enum mw_err err = json_object_set_new(root, key, object) || !table ? out_of_memory(error) : MW_OK;
    if (!err)
        drop_absent(table, items, size, count);
    for (const struct mw_bind *field = table; !err && field->key; field++)
        if (json_object_set_new(object, field->key, json_array()))
            err = out_of_memory(error);
    for (size_t i = 0; i < count && !err; i++) {
        json_t *one = json_object();
        err = one ? mw_bind_write(one, table, (const char *)items + i * size, error) : out_of_memory(error);
        for (const struct mw_bind *field = table; !err && field->key; field++)
            if (json_array_append(json_object_get(object, field->key), json_object_get(one, field->key)))
                err = out_of_memory(error);
        json_decref(one);
    }
    free(table);
    return err;
}

/* The reverse; *items is allocated. A missing key is no items. */
static enum mw_err read_columns(const json_t *root, const char *key, const struct mw_bind *fields, size_t usage_at,
                                void **items, size_t size, size_t *count, struct mw_error *error)
{
    const json_t *object = json_object_get(root, key);
    size_t n = json_array_size(json_object_get(object, fields->key));
    char *got = calloc(n + 1, size), where[64];
    struct mw_bind *table = with_usage(fields, usage_at);
    enum mw_err err = got && table ? MW_OK : out_of_memory(error);
    snprintf(where, sizeof where, "%s.", key);
    for (const struct mw_bind *field = table; !err && field->key; field++)
        if (!(field->optional && !json_object_get(object, field->key)) &&
            json_array_size(json_object_get(object, field->key)) != n)
            err = mw_fail(error, MW_DATA, "'%s.%s' is not as long as '%s.%s'", key, field->key, key, table->key);
    for (size_t i = 0; i < n && !err; i++) {
        json_t *one = json_object();
        for (const struct mw_bind *field = table; field->key && !err; field++) {
            const json_t *column = json_object_get(object, field->key);
            if (column && json_object_set(one, field->key, json_array_get(column, i)))
                err = out_of_memory(error);
        }
        if (!err)
            err = mw_bind_read(one, table, got + i * size, where, error);
        json_decref(one);
    }
    free(table);
    if (err) {
        free(got);
        return err;
    }
    *items = got;
    *count = n;
    return MW_OK;
}

static bool usage_in_range(const struct mw_usage *usage)
{
    for (size_t i = 0; i < MW_USAGE_COUNT; i++)
        if (usage->of[i] < 0)
            return false;
    return true;
}

static enum mw_err check_point(const struct mw_point *p, const struct mw_point *before, size_t i,
                               struct mw_error *error)
{
    enum { MOST = 1000000000 }; /* repetitions are added up, and become rows where the runs are not there */
    if (p->cores < 1 || p->freq_hz < 0 || p->value <= 0 || p->spread < 0 || p->count < 1 || p->noise_factor < 1 ||
        p->count > MOST || (p->has_energy && p->energy_j <= 0) || (p->has_power && p->power_w <= 0) ||
        (p->has_cpu_time && p->cpu_time_s < 0) || (p->has_freq_effective && p->freq_effective_hz <= 0) ||
        !usage_in_range(&p->usage))
        return mw_fail(error, MW_DATA, "'points' has values out of range at position %zu", i);
    if (before && !(before->freq_hz < p->freq_hz || (before->freq_hz <= p->freq_hz && before->cores < p->cores)))
        return mw_fail(error, MW_DATA, "'points' are not in the order of frequency and cores at position %zu", i);
    return MW_OK;
}

static enum mw_err read_points(struct mw_points *points, const json_t *root, struct mw_error *error)
{
    void *items = NULL;
    enum mw_err err = read_columns(root, "points", point_fields, offsetof(struct mw_point, usage), &items,
                                   sizeof *points->items, &points->count, error);
    points->items = items;
    if (!err && !points->count)
        err = mw_fail(error, MW_DATA, "'points' is missing or empty");
    for (size_t i = 0; i < points->count && !err; i++)
        err = check_point(&points->items[i], i ? &points->items[i - 1] : NULL, i, error);
    return err;
}

/* What the reader of tables lets through, for both ways to mw_points_from_dataset. */
static bool run_in_range(const struct mw_row *run)
{
    return run->cores >= 1 && run->freq_hz >= 0 && run->freq_effective_hz >= 0 && run->has & MW_HAS_VALUE &&
           run->value > 0 && run->energy_j >= 0 && run->power_w >= 0 && run->cpu_time_s >= 0 &&
           usage_in_range(&run->usage);
}

static enum mw_err read_runs(struct mw_model *model, const json_t *root, struct mw_error *error)
{
    void *items = NULL;
    enum mw_err err = read_columns(root, "runs", run_fields, offsetof(struct mw_row, usage), &items,
                                   sizeof *model->runs, &model->run_count, error);
    model->runs = items;
    for (size_t i = 0; i < model->run_count && !err; i++)
        if (!run_in_range(&model->runs[i]))
            err = mw_fail(error, MW_DATA, "'runs' has values out of range at position %zu", i);
    return err;
}

/* --- ensemble and power ------------------------------------------------------------------------------------ */

static enum mw_err write_ensemble(json_t *root, const struct mw_ensemble *ensemble, struct mw_error *error)
{
    enum mw_err err =
        write_list(root, "ensemble", ensemble_fields, ensemble->fits, sizeof *ensemble->fits, ensemble->count, error);
    for (size_t i = 0; i < ensemble->count && !err; i++) {
        const struct mw_ensemble_fit *fit = &ensemble->fits[i];
        json_t *object = json_array_get(json_object_get(root, "ensemble"), i), *kernel = json_array();
        for (size_t k = 0; k < fit->draw_count; k++)
            json_array_append_new(kernel, json_integer(fit->kernel[k]));
        if (json_object_set_new(object, "parameters", mw_bind_reals(fit->params, fit->draw_count * fit->param_count)) ||
            json_object_set_new(object, "ln_scale", mw_bind_reals(fit->scale, fit->draw_count)) ||
            json_object_set_new(object, "sigma", mw_bind_reals(fit->sigma, fit->draw_count)) ||
            json_object_set_new(object, "kernel", kernel))
            err = out_of_memory(error);
    }
    return err;
}

/* A spread of e^100 and scales of e^±120: beyond what a table of ranges above allows any measured value. */
static const double sigma_most = 100, ln_scale_most = 120;

static enum mw_err read_ensemble_fit(struct mw_ensemble_fit *fit, const json_t *object, struct mw_error *error)
{
    size_t params, sigmas, kernels;
    double *kernel = NULL;
    enum mw_err err = mw_bind_read_reals(object, "parameters", "ensemble.", &fit->params, &params, error);
    if (!err)
        err = mw_bind_read_reals(object, "ln_scale", "ensemble.", &fit->scale, &fit->draw_count, error);
    if (!err)
        err = mw_bind_read_reals(object, "sigma", "ensemble.", &fit->sigma, &sigmas, error);
    if (!err)
        err = mw_bind_read_reals(object, "kernel", "ensemble.", &kernel, &kernels, error);
    if (!err && (sigmas != fit->draw_count || kernels != fit->draw_count || fit->param_count > 8 ||
                 params != fit->draw_count * fit->param_count))
        err = mw_fail(error, MW_DATA, "the arrays of 'ensemble' (%.15s) do not have the same length", fit->law);
    if (!err) {
        fit->kernel = malloc((fit->draw_count + 1) * sizeof *fit->kernel);
        if (!fit->kernel)
            err = out_of_memory(error);
    }
    for (size_t i = 0; !err && i < fit->draw_count; i++) {
        if (kernel[i] < 0 || kernel[i] > 1e6 || fit->sigma[i] < 0 || fit->sigma[i] > sigma_most ||
            fabs(fit->scale[i]) > ln_scale_most)
            err = mw_fail(error, MW_DATA, "'ensemble' (%.15s) has values out of range", fit->law);
        else
            fit->kernel[i] = (int)kernel[i];
    }
    free(kernel);
    return err;
}

static enum mw_err read_ensemble(struct mw_ensemble *ensemble, const json_t *root, struct mw_error *error)
{
    void *items = NULL;
    enum mw_err err =
        read_list(root, "ensemble", ensemble_fields, &items, sizeof *ensemble->fits, &ensemble->count, error);
    ensemble->fits = items;
    for (size_t i = 0; i < ensemble->count && !err; i++)
        err = read_ensemble_fit(&ensemble->fits[i], json_array_get(json_object_get(root, "ensemble"), i), error);
    return err;
}

enum { POWER_COEFFICIENTS = 5 };

static enum mw_err write_power(json_t *root, const struct mw_model_power *power, struct mw_error *error)
{
    json_t *object = power->present ? json_object() : json_null();
    if (json_object_set_new(root, "power", object))
        return out_of_memory(error);
    if (!power->present)
        return MW_OK;
    enum mw_err err = mw_bind_write(object, power_fields, power, error);
    if (!err &&
        json_object_set_new(object, "draws", mw_bind_reals(power->draws, power->draw_count * POWER_COEFFICIENTS)))
        err = out_of_memory(error);
    return err;
}

static enum mw_err read_power(struct mw_model_power *power, const json_t *root, struct mw_error *error)
{
    const json_t *object = json_object_get(root, "power");
    size_t count;
    if (!object || json_is_null(object))
        return MW_OK;
    enum mw_err err = mw_bind_read(object, power_fields, power, "power.", error);
    if (!err)
        err = mw_bind_read_reals(object, "draws", "power.", &power->draws, &count, error);
    if (err)
        return err;
    if (count % POWER_COEFFICIENTS)
        return mw_fail(error, MW_DATA, "'power.draws' is not a multiple of five values");
    power->draw_count = count / POWER_COEFFICIENTS;
    power->present = true;
    return MW_OK;
}

enum mw_err mw_model_write_parts(json_t *root, const struct mw_model *model, struct mw_error *error)
{
    enum mw_err err = write_laws(root, model, error);
    if (!err)
        err = write_list(root, "combinations", combination_fields, model->combinations, sizeof *model->combinations,
                         model->combination_count, error);
    if (!err)
        err = write_power(root, &model->power, error);
    if (!err)
        err = write_columns(root, "points", point_fields, offsetof(struct mw_point, usage), model->points.items,
                            sizeof *model->points.items, model->points.count, error);
    if (!err)
        err = write_columns(root, "runs", run_fields, offsetof(struct mw_row, usage), model->runs, sizeof *model->runs,
                            model->run_count, error);
    if (!err)
        err = write_ensemble(root, &model->ensemble, error);
    return err;
}

enum mw_err mw_model_read_parts(struct mw_model *model, const json_t *root, struct mw_error *error)
{
    void *items = NULL;
    enum mw_err err = read_laws(model, root, error);
    if (!err) {
        err = read_list(root, "combinations", combination_fields, &items, sizeof *model->combinations,
                        &model->combination_count, error);
        model->combinations = items;
    }
    if (!err)
        err = read_power(&model->power, root, error);
    if (!err)
        err = read_points(&model->points, root, error);
    model->points.quantity = model->quantity;
    if (!err)
        err = read_runs(model, root, error);
    if (!err)
        err = read_ensemble(&model->ensemble, root, error);
    return err;
}
