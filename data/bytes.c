// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/bytes.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void hash(struct mw_bytes *bytes)
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, bytes->size, (const uint8_t *)bytes->data);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(bytes->sha256 + 2 * i, 3, "%02x", digest[i]);
}

static long line_of(const char *data, size_t offset)
{
    long line = 1;
    for (size_t i = 0; i < offset; i++)
        line += data[i] == '\n';
    return line;
}

static enum mw_err check_text(struct mw_bytes *bytes, struct mw_error *error)
{
    const char *data = bytes->data;
    if (bytes->size >= 2 && (!memcmp(data, "\xff\xfe", 2) || !memcmp(data, "\xfe\xff", 2))) {
        mw_fail(error, MW_DATA, "%s:1: the text is UTF-16", bytes->name);
        return mw_hint(error, "save it as UTF-8, or: iconv -f UTF-16 -t UTF-8");
    }
    const char *zero = memchr(data, 0, bytes->size);
    if (zero) {
        mw_fail(error, MW_DATA, "%s:%ld: not a text file: it holds a zero byte", bytes->name,
                line_of(data, (size_t)(zero - data)));
        return mw_hint(error, "memwall reads CSV and the text output of other tools (memwall help import)");
    }
    if (bytes->size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3)) {
        bytes->size -= 3;
        memmove(bytes->data, data + 3, bytes->size + 1);
    }
    if (!bytes->data[strspn(bytes->data, " \t\r\n")])
        return mw_fail(error, MW_DATA, "%s:1: the file is empty", bytes->name);
    return MW_OK;
}

static enum mw_err read_all(struct mw_bytes *bytes, FILE *stream, struct mw_error *error)
{
    size_t capacity = 1 << 16, got;
    do {
        char *data = realloc(bytes->data, capacity);
        if (!data)
            return mw_fail(error, MW_NOMEM, "out of memory reading '%s'", bytes->name);
        bytes->data = data;
        got = fread(data + bytes->size, 1, capacity - 1 - bytes->size, stream);
        bytes->size += got;
        capacity *= 2;
    } while (got && !feof(stream));
    if (ferror(stream))
        return mw_fail_errno(error, errno == EISDIR ? MW_DATA : MW_IO, errno, "cannot read '%s'", bytes->name);
    bytes->data[bytes->size] = '\0';
    return MW_OK;
}

enum mw_err mw_bytes_read(struct mw_bytes *bytes, const char *path, struct mw_error *error)
{
    bool is_stdin = !strcmp(path, "-");
    FILE *stream = is_stdin ? stdin : fopen(path, "re");
    if (!stream)
        return mw_fail_errno(error, MW_IO, errno, "cannot open '%s'", path);
    struct mw_bytes got = {.name = is_stdin ? "standard input" : path};
    struct stat info;
    enum mw_err err = MW_OK;
    if (!fstat(fileno(stream), &info) && S_ISDIR(info.st_mode))
        err = mw_fail(error, MW_DATA, "'%s' is a directory, not a file", path);
    if (!err)
        err = read_all(&got, stream, error);
    if (!is_stdin)
        fclose(stream);
    if (!err) {
        hash(&got);
        err = check_text(&got, error);
    }
    if (err)
        mw_bytes_release(&got);
    else
        *bytes = got;
    return err;
}

enum mw_err mw_bytes_copy(struct mw_bytes *bytes, const char *data, size_t size, const char *name,
                          struct mw_error *error)
{
    struct mw_bytes got = {.data = malloc(size + 1), .size = size, .name = name};
    if (!got.data)
        return mw_fail(error, MW_NOMEM, "out of memory");
    memcpy(got.data, data, size);
    got.data[size] = '\0';
    hash(&got);
    enum mw_err err = check_text(&got, error);
    if (err)
        mw_bytes_release(&got);
    else
        *bytes = got;
    return err;
}

void mw_bytes_release(struct mw_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct mw_bytes){0};
}
