// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/output.h"

#include "data/syncer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum mw_err mw_output_open(struct mw_output *output, const char *path, bool force, struct mw_error *error)
{
    *output = (struct mw_output){0};
    if (!path || !strcmp(path, "-")) {
        output->stream = stdout;
        return MW_OK;
    }
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return mw_fail(error, MW_IO, "cannot write '%s': is a directory", path);
    if (exists && S_ISREG(info.st_mode) && !force) {
        mw_fail(error, MW_IO, "'%s' exists", path);
        return mw_hint(error, "--force overwrites it");
    }
    output->path = strdup(path);
    /* a device or a pipe (/dev/stdout) is written in place: there is nothing to rename */
    bool in_place = exists && !S_ISREG(info.st_mode);
    if (!output->path || (!in_place && asprintf(&output->temporary, "%s.part%ld", path, (long)getpid()) < 0)) {
        output->temporary = NULL;
        mw_output_release(output);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    output->stream = fopen(in_place ? path : output->temporary, "we");
    if (!output->stream) {
        int saved = errno;
        free(output->temporary);
        output->temporary = NULL;
        mw_output_release(output);
        return mw_fail_errno(error, MW_IO, saved, "cannot create '%s'", path);
    }
    return MW_OK;
}

enum mw_err mw_output_commit(struct mw_output *output, struct mw_error *error)
{
    const char *name = output->path ? output->path : "standard output";
    bool failed = fflush(output->stream) != 0 || ferror(output->stream);
    int saved = errno;
    if (output->path) {
        if (!failed && output->temporary && fsync(fileno(output->stream))) {
            failed = true;
            saved = errno;
        }
        if (fclose(output->stream) && !failed) {
            failed = true;
            saved = errno;
        }
        output->stream = NULL;
        if (!failed && output->temporary && rename(output->temporary, output->path)) {
            failed = true;
            saved = errno;
        }
        if (failed && output->temporary)
            unlink(output->temporary);
        free(output->temporary);
        output->temporary = NULL;
    }
    enum mw_err err = failed ? mw_fail_errno(error, MW_IO, saved, "cannot write '%s'", name) : MW_OK;
    mw_output_release(output);
    return err;
}

void mw_output_release(struct mw_output *output)
{
    if (output->path && output->stream)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    *output = (struct mw_output){0};
}

/* Cuts what follows the last newline: the row that a killed process was writing. */
static enum mw_err drop_torn_line(int fd, const char *path, struct mw_error *error)
{
    off_t size = lseek(fd, 0, SEEK_END), end = size;
    char c;
    while (end > 0 && pread(fd, &c, 1, end - 1) == 1 && c != '\n')
        end--;
    if (end < size && ftruncate(fd, end))
        return mw_fail_errno(error, MW_IO, errno, "cannot truncate '%s'", path);
    lseek(fd, 0, SEEK_END);
    return MW_OK;
}

enum mw_err mw_append_open(struct mw_append *append, const char *path, bool resume, bool force, struct mw_error *error)
{
    *append = (struct mw_append){.fd = -1};
    if (!strcmp(path, "-")) {
        append->fd = dup(STDOUT_FILENO);
    } else {
        int flags = O_RDWR | O_CREAT | O_CLOEXEC | (resume ? 0 : force ? O_TRUNC : O_EXCL);
        append->fd = open(path, flags, 0666);
    }
    if (append->fd < 0) {
        int saved = errno;
        if (saved == EEXIST) {
            mw_fail(error, MW_IO, "'%s' exists", path);
            return mw_hint(error, "--resume goes on with it, --force overwrites it");
        }
        return mw_fail_errno(error, MW_IO, saved, "cannot open '%s'", path);
    }
    append->path = strdup(path);
    enum mw_err err = append->path ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err && resume)
        err = drop_torn_line(append->fd, path, error);
    if (err)
        mw_append_close(append);
    return err;
}

enum mw_err mw_append_line(struct mw_append *append, struct mw_error *error, const char *format, ...)
{
    char *line = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0)
        return mw_fail(error, MW_NOMEM, "out of memory");
    line[length] = '\n'; /* in place of the terminating zero: line and newline go out in one write */
    enum mw_err err = MW_OK;
    size_t done = 0, total = (size_t)length + 1;
    while (done < total && !err) {
        ssize_t n = write(append->fd, line + done, total - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            err = mw_fail_errno(error, MW_IO, errno, "cannot write '%s'", append->path);
    }
    if (!err && append->syncer)
        err = mw_syncer_kick(append->syncer, error);
    /* EINVAL, EROFS: a pipe or terminal, which cannot be synced and need not be */
    else if (!err && fdatasync(append->fd) && errno != EINVAL && errno != EROFS)
        err = mw_fail_errno(error, MW_IO, errno, "cannot sync '%s'", append->path);
    free(line);
    return err;
}

enum mw_err mw_append_sync_behind(struct mw_append *append, struct mw_error *error)
{
    struct mw_syncer *syncer = malloc(sizeof *syncer);
    enum mw_err err = syncer ? mw_syncer_open(syncer, append->fd, error) : mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        free(syncer);
    else
        append->syncer = syncer;
    return err;
}

enum mw_err mw_append_finish(struct mw_append *append, struct mw_error *error)
{
    enum mw_err err = append->syncer ? mw_syncer_close(append->syncer, error) : MW_OK;
    free(append->syncer);
    append->syncer = NULL;
    return err;
}

void mw_append_close(struct mw_append *append)
{
    struct mw_error ignored;
    if (mw_append_finish(append, &ignored)) /* whoever wants to know has called it */
        append->syncer = NULL;
    if (append->fd >= 0)
        close(append->fd);
    free(append->path);
    *append = (struct mw_append){.fd = -1};
}
