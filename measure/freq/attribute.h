// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_ATTRIBUTE_H
#define MW_MEASURE_ATTRIBUTE_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Files of the kernel that are written: below a root, and in a dry run only noted, so that what is read afterwards is what
 * would have been written. Paths begin with a slash and count from the root.
 */
struct mw_attributes {
    char root[256];
    bool dry;
    struct mw_attribute_write { /* dry: each write in its order */
        char path[160], value[48];
    } * writes;
    size_t write_count;
};

enum mw_err mw_attributes_init(struct mw_attributes *attributes, const char *root, bool dry,
                               struct mw_error *error) MW_CHECKED;
void mw_attributes_release(struct mw_attributes *attributes);

/* First line without its end; 0 or errno (ENOENT for what is not there). */
int mw_attribute_read(const struct mw_attributes *attributes, const char *path, char *value, size_t size);
/* A whole number; EINVAL where the file holds none. */
int mw_attribute_number(const struct mw_attributes *attributes, const char *path, long *value);
/* One write() of "value\n"; 0 or errno. */
int mw_attribute_write(struct mw_attributes *attributes, const char *path, const char *value);

/* Turns errno of a write into an error with its remedy: EACCES, EPERM, EROFS, EBUSY, EINVAL and others. */
enum mw_err mw_attribute_fail(int failed, const char *path, const char *value, struct mw_error *error);

#endif
