// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json.h"

#include "data/bytes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mw_err mw_json_read(json_t **root, const char *path, struct mw_error *error)
{
    struct mw_bytes bytes;
    enum mw_err err = mw_bytes_read(&bytes, path, error);
    if (err)
        return err;
    json_error_t why;
    json_t *parsed = json_loadb(bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &why);
    if (parsed)
        *root = parsed;
    else {
        size_t blank = strspn(bytes.data, " \t\r\n");
        err = mw_fail(error, MW_DATA, "%s:%d: not JSON: %s", bytes.name, why.line, why.text);
        if (json_error_code(&why) == json_error_premature_end_of_input &&
            (bytes.data[blank] == '{' || bytes.data[blank] == '['))
            mw_hint(error, "it begins as JSON and ends too early: the file seems to be cut short");
    }
    mw_bytes_release(&bytes);
    return err;
}

/* The shortest of 15, 16 and 17 digits that reads back to the same bits, or 12 digits; always with a point or exponent. */
static void print_real(FILE *f, double value, bool exact)
{
    char text[40];
    int digits = exact ? 15 : 12;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (exact && digits++ < 17 && (strtod(text, NULL) < value || strtod(text, NULL) > value));
    fprintf(f, "%s%s", text, text[strcspn(text, ".e")] ? "" : ".0");
}

static bool is_flat(const json_t *array)
{
    size_t i;
    const json_t *item;
    json_array_foreach((json_t *)(uintptr_t)array, i,
                       item) if (json_is_object(item) || json_is_array(item)) return false;
    return true;
}

static void newline(FILE *f, int depth)
{
    fprintf(f, "\n%*s", depth, "");
}

/* False where memory ran out; errors of the stream are seen at its commit. */
static bool dump(FILE *f, const json_t *value, int depth, bool exact)
{
    if (json_is_real(value)) {
        print_real(f, json_real_value(value), exact);
    } else if (json_is_array(value)) {
        bool flat = is_flat(value), good = true;
        size_t n = json_array_size(value);
        fputc('[', f);
        for (size_t i = 0; i < n && good; i++) {
            fputs(!i ? "" : flat ? ", " : ",", f);
            if (!flat)
                newline(f, depth + 1);
            good = dump(f, json_array_get(value, i), depth + 1, exact);
        }
        if (!flat)
            newline(f, depth);
        fputc(']', f);
        return good;
    } else if (json_is_object(value)) {
        const char *key;
        json_t *member;
        bool good = true, first = true;
        fputc('{', f);
        json_object_foreach((json_t *)(uintptr_t)value, key, member)
        {
            json_t *name = json_string_nocheck(key);
            fputs(first ? "" : ",", f);
            newline(f, depth + 1);
            good = good && name && !json_dumpf(name, f, JSON_ENCODE_ANY);
            fputs(": ", f);
            good = good && dump(f, member, depth + 1, exact);
            json_decref(name);
            first = false;
        }
        if (!first)
            newline(f, depth);
        fputc('}', f);
        return good;
    } else {
        return !json_dumpf(value, f, JSON_ENCODE_ANY);
    }
    return true;
}

static enum mw_err write_json(const json_t *root, const char *path, bool force, bool exact, struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, path, force, error);
    if (err)
        return err;
    if (!dump(output.stream, root, 0, exact) && !ferror(output.stream)) {
        mw_output_release(&output);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    fputc('\n', output.stream);
    return mw_output_commit(&output, error);
}

enum mw_err mw_json_write(const json_t *root, const char *path, bool force, struct mw_error *error)
{
    return write_json(root, path, force, false, error);
}

enum mw_err mw_json_write_exact(const json_t *root, const char *path, bool force, struct mw_error *error)
{
    return write_json(root, path, force, true, error);
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
