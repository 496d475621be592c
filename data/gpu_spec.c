// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/gpu_spec.h"

#include "data/json.h"

#include <stdio.h>
#include <string.h>

static const char *const bases[] = {"pixel/s", "texel/s", "FLOP/s", "B/s", "s"};

double mw_gpu_unit_factor(const char *unit, char *base, size_t size)
{
    static const struct {
        char prefix;
        double factor;
    } prefixes[] = {{'T', 1e12}, {'G', 1e9}, {'M', 1e6}, {'k', 1e3}, {'n', 1e-9}, {'u', 1e-6}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (!strcmp(unit, bases[i])) {
            snprintf(base, size, "%s", bases[i]);
            return 1;
        }
        for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
            if (*unit == prefixes[k].prefix && !strcmp(unit + 1, bases[i])) {
                snprintf(base, size, "%s", bases[i]);
                return prefixes[k].factor;
            }
    }
    return 0;
}

/* A text member that may be missing, shorter than `size`. */
static enum mw_err read_text(const json_t *object, const char *key, char *text, size_t size, struct mw_error *error)
{
    const char *value = NULL;
    bool found = false;
    enum mw_err err = mw_json_string(object, key, &value, &found, error);
    if (err || !found)
        return err;
    if (strlen(value) >= size)
        return mw_fail(error, MW_DATA, "'%s' is longer than %zu letters", key, size - 1);
    snprintf(text, size, "%s", value);
    return MW_OK;
}

static enum mw_err read_clock(const json_t *object, const char *key, double *clock_hz, struct mw_error *error)
{
    double ghz = 0;
    bool found = false;
    enum mw_err err = mw_json_number(object, key, &ghz, &found, error);
    if (!err && found && !(ghz > 0))
        err = mw_fail(error, MW_DATA, "'%s' is not positive", key);
    if (!err && found)
        *clock_hz = ghz * 1e9;
    return err;
}

static enum mw_err read_figure(struct mw_gpu_figure *figure, const json_t *object, struct mw_error *error)
{
    const char *unit = NULL;
    enum mw_err err = read_text(object, "kernel", figure->kernel, sizeof figure->kernel, error);
    if (!err && !*figure->kernel)
        err = mw_fail(error, MW_DATA, "a figure without 'kernel'");
    if (!err)
        err = mw_json_number(object, "value", &figure->value, NULL, error);
    if (!err && !(figure->value > 0))
        err = mw_fail(error, MW_DATA, "'value' of '%s' is not positive", figure->kernel);
    if (!err)
        err = mw_json_string(object, "unit", &unit, NULL, error);
    double factor = err ? 1 : mw_gpu_unit_factor(unit, figure->unit, sizeof figure->unit);
    if (!err && factor <= 0) {
        mw_fail(error, MW_DATA, "'unit' of '%s': '%s' is not known", figure->kernel, unit);
        err = mw_hint(error, "pixel/s, texel/s, FLOP/s, B/s or s, with k, M, G, T, n or u before it: Gpixel/s");
    }
    figure->value *= factor;
    if (!err)
        err = read_clock(object, "clock_ghz", &figure->clock_hz, error);
    if (!err)
        err = read_text(object, "format", figure->format, sizeof figure->format, error);
    if (!err)
        err = read_text(object, "filter", figure->filter, sizeof figure->filter, error);
    if (!err)
        err = read_text(object, "counting", figure->counting, sizeof figure->counting, error);
    return err;
}

static enum mw_err read_spec(struct mw_gpu_spec *spec, const json_t *object, struct mw_error *error)
{
    const json_t *figures = mw_json_member(object, "figures");
    if (!json_is_array(figures) || !json_array_size(figures))
        return mw_fail(error, MW_DATA, "'figures' is not an array with figures in it");
    if (json_array_size(figures) > MW_GPU_FIGURES_MAX)
        return mw_fail(error, MW_DATA, "'figures' has more than %d", MW_GPU_FIGURES_MAX);
    enum mw_err err = read_text(object, "device", spec->device, sizeof spec->device, error);
    if (!err)
        err = read_clock(object, "measured_clock_ghz", &spec->measured_clock_hz, error);
    for (size_t i = 0; i < json_array_size(figures) && !err; i++, spec->figure_count += !err)
        err = read_figure(&spec->figures[i], json_array_get(figures, i), error);
    return err;
}

/* The object of the device: the file's root, or the "spec" of the device of that name in a profile. */
static const json_t *find(const json_t *root, const char *device)
{
    const json_t *gpus = mw_json_member(root, "gpus");
    for (size_t i = 0; i < json_array_size(gpus); i++) {
        const json_t *gpu = json_array_get(gpus, i), *spec = mw_json_member(gpu, "spec");
        const char *name = json_string_value(mw_json_member(gpu, "name"));
        if (spec && name && !strcmp(name, device))
            return spec;
    }
    return gpus ? NULL : root;
}

enum mw_err mw_gpu_spec_read(struct mw_gpu_spec *spec, const char *path, const char *device, struct mw_error *error)
{
    struct mw_gpu_spec got = {0};
    struct mw_error inner;
    json_t *root = NULL;
    enum mw_err err = mw_json_read(&root, path, error);
    if (err)
        return err;
    const json_t *object = find(root, device);
    if (!object) {
        mw_fail(error, MW_DATA, "%s: no device '%s' with a 'spec' in 'gpus'", path, device);
        err = MW_DATA;
    } else if (read_spec(&got, object, &inner)) {
        mw_fail(error, inner.code, "%s: %s", path, inner.message);
        err = *inner.hint ? mw_hint(error, "%s", inner.hint) : inner.code;
    } else if (*got.device && !strstr(device, got.device)) {
        err = mw_fail(error, MW_DATA, "%s: is of '%s', and '%s' is measured", path, got.device, device);
    } else {
        *spec = got;
    }
    json_decref(root);
    return err;
}
