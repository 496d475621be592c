// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_BIND_H
#define MW_DATA_BIND_H

#include "data/boundary.h"
#include "data/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Members of a struct and members of a JSON object, tied by a table: one line is a field, for reading and writing alike.
 * A new field goes at the end of its table with `optional` set, so that older files still read.
 */
enum mw_bind_kind {
    MW_BIND_REAL,     /* double, finite */
    MW_BIND_FREQ,     /* double in hertz, written in GHz; whole hertz after reading */
    MW_BIND_INT,      /* int */
    MW_BIND_UNSIGNED, /* unsigned */
    MW_BIND_ULONG,    /* unsigned long */
    MW_BIND_SIZE,     /* size_t */
    MW_BIND_LONG,     /* long */
    MW_BIND_BOOL,     /* bool */
    MW_BIND_TEXT,     /* char[size] */
    MW_BIND_STRING,   /* char *, owned; NULL is written as null */
};

struct mw_bind {
    const char *key;
    enum mw_bind_kind kind;
    size_t offset;
    size_t size;       /* of a MW_BIND_TEXT */
    size_t has_offset; /* of a bool that says whether the value exists (null in JSON where not); 0: none */
    bool optional;     /* left as it is where the key is missing */
    double low, high;  /* range of a number as the file has it; low < high, else any */
};
#define MW_BIND_AT(type, member) offsetof(type, member), sizeof(((type *)0)->member)

/* Adds the members of the struct at `base` to `object`. MW_NOMEM. Tables end in {0}. */
enum mw_err mw_bind_write(json_t *object, const struct mw_bind *table, const void *base,
                          struct mw_error *error) MW_CHECKED;
/* Fills the struct; `where` ("fit.") precedes a key in messages. Strings already there are freed. MW_DATA, MW_NOMEM. */
enum mw_err mw_bind_read(const json_t *object, const struct mw_bind *table, void *base, const char *where,
                         struct mw_error *error) MW_CHECKED;

/* Arrays of numbers; *values is allocated, and freed first if it is not NULL. */
json_t *mw_bind_reals(const double *values, size_t count);
enum mw_err mw_bind_read_reals(const json_t *object, const char *key, const char *where, double **values, size_t *count,
                               struct mw_error *error) MW_CHECKED;

/* The array `boundary_kinds` of `count` names; *kinds stays NULL where there is none. */
enum mw_err mw_bind_read_boundary_kinds(const json_t *object, enum mw_boundary_kind **kinds, size_t count,
                                        struct mw_error *error) MW_CHECKED;

#endif
