// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_JSON_H
#define MW_DATA_JSON_H

#include "data/error.h"
#include "data/output.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * JSON by jansson. Reading helpers name the file and the key in their errors (MW_DATA); writing sorts nothing, puts
 * an array of plain values on one line, and prints reals with 12 significant digits, so the same values give the same
 * bytes; _exact prints as many digits as it takes to read the same bits back.
 */
enum mw_err mw_json_read(json_t **root, const char *path, struct mw_error *error) MW_CHECKED;
enum mw_err mw_json_write(const json_t *root, const char *path, bool force, struct mw_error *error) MW_CHECKED;
enum mw_err mw_json_write_exact(const json_t *root, const char *path, bool force, struct mw_error *error) MW_CHECKED;

/* The member `key` of `object`; dotted paths descend ("fit.seed"). Not there: MW_DATA, or *found = false if found is given. */
enum mw_err mw_json_number(const json_t *object, const char *key, double *value, bool *found,
                           struct mw_error *error) MW_CHECKED;
enum mw_err mw_json_string(const json_t *object, const char *key, const char **value, bool *found,
                           struct mw_error *error) MW_CHECKED;
const json_t *mw_json_member(const json_t *object, const char *key); /* NULL where absent */

/* A real, or null where !has. Reals that are whole stay reals. */
json_t *mw_json_real(bool has, double value);

/* The object `run`. */
json_t *mw_provenance_json(const struct mw_provenance *provenance);

#endif
