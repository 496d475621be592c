// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_BYTES_H
#define MW_DATA_BYTES_H

#include "data/error.h"

#include <stddef.h>

/* A whole text file in memory. _release frees it. */
struct mw_bytes {
    char *data; /* `size` bytes and a terminating zero */
    size_t size;
    char sha256[65];  /* of all bytes read, in hexadecimal */
    const char *name; /* for messages: the path, or "standard input"; not owned */
};

/*
 * Reads `path`, "-" for standard input. MW_IO where it cannot be opened; MW_DATA for a directory, an empty file and
 * one that is not text (a zero byte, UTF-16), with file, line and remedy. A byte-order mark of UTF-8 is skipped.
 */
enum mw_err mw_bytes_read(struct mw_bytes *bytes, const char *path, struct mw_error *error) MW_CHECKED;
/* The same for `size` bytes at `data`, which are copied; `name` must outlive the result. */
enum mw_err mw_bytes_copy(struct mw_bytes *bytes, const char *data, size_t size, const char *name,
                          struct mw_error *error) MW_CHECKED;
void mw_bytes_release(struct mw_bytes *bytes);

#endif
