// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum mw_err mw_json_read(json_t **root, const char *path, struct mw_error *error)
{
    bool is_stdin = !strcmp(path, "-");
    FILE *f = is_stdin ? stdin : fopen(path, "re");
    if (!f)
        return mw_fail_errno(error, MW_IO, errno, "cannot open '%s'", path);
    json_error_t why;
    json_t *parsed = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    if (!is_stdin)
        fclose(f);
    if (!parsed)
        return mw_fail(error, MW_DATA, "%s:%d: not JSON: %s", path, why.line, why.text);
    *root = parsed;
    return MW_OK;
}

enum mw_err mw_json_write(const json_t *root, const char *path, bool force, struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, path, force, error);
    if (err)
        return err;
    if (json_dumpf(root, output.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) || fputc('\n', output.stream) == EOF) {
        int saved = errno;
        mw_output_release(&output);
        return mw_fail_errno(error, MW_IO, saved, "cannot write '%s'", path ? path : "standard output");
    }
    return mw_output_commit(&output, error);
}

const json_t *mw_json_member(const json_t *object, const char *key)
{
    while (object) {
        size_t length = strcspn(key, ".");
        char name[64];
        if (length >= sizeof name)
            return NULL;
        snprintf(name, sizeof name, "%.*s", (int)length, key);
        object = json_object_get(object, name);
        if (!key[length])
            return object;
        key += length + 1;
    }
    return NULL;
}

/* Shared head of the readers: the member, or the error or *found = false for its absence. */
static const json_t *member(const json_t *object, const char *key, bool *found, enum mw_err *err,
                            struct mw_error *error)
{
    const json_t *value = mw_json_member(object, key);
    bool there = value && !json_is_null(value);
    *err = MW_OK;
    if (found)
        *found = there;
    else if (!there)
        *err = mw_fail(error, MW_DATA, "'%s' is missing", key);
    return there ? value : NULL;
}

enum mw_err mw_json_number(const json_t *object, const char *key, double *value, bool *found, struct mw_error *error)
{
    enum mw_err err;
    const json_t *v = member(object, key, found, &err, error);
    if (!v)
        return err;
    if (!json_is_number(v) || !isfinite(json_number_value(v)))
        return mw_fail(error, MW_DATA, "'%s' is not a number", key);
    *value = json_number_value(v);
    return MW_OK;
}

enum mw_err mw_json_string(const json_t *object, const char *key, const char **value, bool *found,
                           struct mw_error *error)
{
    enum mw_err err;
    const json_t *v = member(object, key, found, &err, error);
    if (!v)
        return err;
    if (!json_is_string(v))
        return mw_fail(error, MW_DATA, "'%s' is not a string", key);
    *value = json_string_value(v);
    return MW_OK;
}

json_t *mw_json_real(bool has, double value)
{
    return has && isfinite(value) ? json_real(value) : json_null();
}
