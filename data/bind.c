// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/bind.h"

#include "data/json.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static json_t *value_of(const struct mw_bind *bind, const void *base)
{
    const char *at = (const char *)base + bind->offset;
    if (bind->has_offset && !*(const bool *)((const char *)base + bind->has_offset))
        return json_null();
    switch (bind->kind) {
    case MW_BIND_REAL:
        return mw_json_real(true, *(const double *)at);
    case MW_BIND_FREQ:
        return mw_json_real(true, *(const double *)at / 1e9);
    case MW_BIND_INT:
        return json_integer(*(const int *)at);
    case MW_BIND_UNSIGNED:
        return json_integer(*(const unsigned *)at);
    case MW_BIND_ULONG:
        return json_integer((json_int_t) * (const unsigned long *)at);
    case MW_BIND_SIZE:
        return json_integer((json_int_t) * (const size_t *)at);
    case MW_BIND_LONG:
        return json_integer(*(const long *)at);
    case MW_BIND_BOOL:
        return json_boolean(*(const bool *)at);
    case MW_BIND_TEXT:
        return json_string_nocheck(at);
    case MW_BIND_STRING:
        return *(char *const *)at ? json_string_nocheck(*(char *const *)at) : json_null();
    }
    return NULL;
}

enum mw_err mw_bind_write(json_t *object, const struct mw_bind *table, const void *base, struct mw_error *error)
{
    for (; table->key; table++)
        if (json_object_set_new(object, table->key, value_of(table, base)))
            return mw_fail(error, MW_NOMEM, "out of memory");
    return MW_OK;
}

static enum mw_err wrong(const struct mw_bind *bind, const char *where, const char *what, struct mw_error *error)
{
    return mw_fail(error, MW_DATA, "'%s%s' is not %s", where, bind->key, what);
}

static enum mw_err read_integer(const struct mw_bind *bind, const json_t *value, char *at, const char *where,
                                struct mw_error *error)
{
    json_int_t low = 0, high = INT64_MAX;
    if (bind->kind == MW_BIND_INT) {
        low = INT_MIN;
        high = INT_MAX;
    } else if (bind->kind == MW_BIND_UNSIGNED) {
        high = UINT_MAX;
    } else if (bind->kind == MW_BIND_LONG) {
        low = LONG_MIN;
        high = LONG_MAX;
    }
    if (!json_is_integer(value) || json_integer_value(value) < low || json_integer_value(value) > high)
        return wrong(bind, where, "a whole number of the right size", error);
    json_int_t n = json_integer_value(value);
    if (bind->kind == MW_BIND_INT)
        *(int *)at = (int)n;
    else if (bind->kind == MW_BIND_UNSIGNED)
        *(unsigned *)at = (unsigned)n;
    else if (bind->kind == MW_BIND_LONG)
        *(long *)at = (long)n;
    else if (bind->kind == MW_BIND_ULONG)
        *(unsigned long *)at = (unsigned long)n;
    else
        *(size_t *)at = (size_t)n;
    return MW_OK;
}

static enum mw_err read_text(const struct mw_bind *bind, const json_t *value, char *at, const char *where,
                             struct mw_error *error)
{
    const char *text = json_string_value(value);
    if (!text)
        return wrong(bind, where, "a string", error);
    if (bind->kind == MW_BIND_TEXT) {
        if (strlen(text) >= bind->size)
            return wrong(bind, where, "short enough", error);
        strcpy(at, text);
        return MW_OK;
    }
    char *copy = strdup(text);
    if (!copy)
        return mw_fail(error, MW_NOMEM, "out of memory");
    free(*(char **)at);
    *(char **)at = copy;
    return MW_OK;
}

static enum mw_err read_one(const struct mw_bind *bind, const json_t *value, char *at, const char *where,
                            struct mw_error *error)
{
    switch (bind->kind) {
    case MW_BIND_REAL:
    case MW_BIND_FREQ:
        if (!json_is_number(value) || !isfinite(json_number_value(value)))
            return wrong(bind, where, "a number", error);
        *(double *)at =
            bind->kind == MW_BIND_REAL ? json_number_value(value) : nearbyint(json_number_value(value) * 1e9);
        return MW_OK;
    case MW_BIND_BOOL:
        if (!json_is_boolean(value))
            return wrong(bind, where, "true or false", error);
        *(bool *)at = json_is_true(value);
        return MW_OK;
    case MW_BIND_TEXT:
    case MW_BIND_STRING:
        return read_text(bind, value, at, where, error);
    default:
        return read_integer(bind, value, at, where, error);
    }
}

/* What no writer can have meant is refused here, so that no formula has to expect it. */
static enum mw_err check_range(const struct mw_bind *bind, const json_t *value, const char *where,
                               struct mw_error *error)
{
    double number = json_number_value(value);
    if (!(bind->low < bind->high) || (number >= bind->low && number <= bind->high))
        return MW_OK;
    return mw_fail(error, MW_DATA, "'%s%s' is %g, which is not within %g and %g", where, bind->key, number, bind->low,
                   bind->high);
}

enum mw_err mw_bind_read(const json_t *object, const struct mw_bind *table, void *base, const char *where,
                         struct mw_error *error)
{
    for (; table->key; table++) {
        const json_t *value = json_object_get(object, table->key);
        bool null = json_is_null(value);
        if (!value && table->optional)
            continue;
        if (!value)
            return mw_fail(error, MW_DATA, "'%s%s' is missing", where, table->key);
        if (table->has_offset)
            *(bool *)((char *)base + table->has_offset) = !null;
        if (null && (table->has_offset || table->kind == MW_BIND_STRING))
            continue;
        enum mw_err err = read_one(table, value, (char *)base + table->offset, where, error);
        if (!err)
            err = check_range(table, value, where, error);
        if (err)
            return err;
    }
    return MW_OK;
}

json_t *mw_bind_reals(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        if (json_array_append_new(array, mw_json_real(true, values[i]))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

enum mw_err mw_bind_read_reals(const json_t *object, const char *key, const char *where, double **values, size_t *count,
                               struct mw_error *error)
{
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array))
        return mw_fail(error, MW_DATA, "'%s%s' is not an array", where, key);
    size_t n = json_array_size(array);
    double *got = malloc((n + 1) * sizeof *got);
    if (!got)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_number(item) || !isfinite(json_number_value(item))) {
            free(got);
            return mw_fail(error, MW_DATA, "'%s%s[%zu]' is not a number", where, key, i);
        }
        got[i] = json_number_value(item);
    }
    free(*values);
    *values = got;
    *count = n;
    return MW_OK;
}

enum mw_err mw_bind_read_boundary_kinds(const json_t *object, enum mw_boundary_kind **kinds, size_t count,
                                        struct mw_error *error)
{
    const json_t *array = json_object_get(object, "boundary_kinds");
    enum mw_err err = MW_OK;
    if (!array || json_is_null(array))
        return MW_OK;
    if (!json_is_array(array) || json_array_size(array) != count)
        return mw_fail(error, MW_DATA, "'boundary_kinds' is not as long as 'boundaries'");
    enum mw_boundary_kind *list = calloc(count + 1, sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < count && !err; i++) {
        const char *name = json_string_value(json_array_get(array, i));
        if (!name)
            err = mw_fail(error, MW_DATA, "'boundary_kinds[%zu]' is no text", i);
        else if (*name && mw_boundary_parse(name, &list[i], error))
            err = mw_fail(error, MW_DATA, "'boundary_kinds[%zu]' is '%.40s', which is no kind of boundary", i, name);
    }
    if (err)
        free(list);
    else
        *kinds = list;
    return err;
}
