// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/output.h"

#include "data/syncer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Nobody reads a pipe: waiting would be for ever, with all that is held meanwhile. A reader may be just about to start. */
static int open_in_place(const char *path)
{
    const struct timespec step = {.tv_nsec = 10000000};
    enum { STEPS = 100 };
    int fd = -1;
    for (int i = 0; i < STEPS && (fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0 && errno == ENXIO; i++)
        nanosleep(&step, NULL);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

/* A new file beside `path` under a name that nobody could foresee, with the mode and owner of the one that it replaces. */
static int open_beside(const char *path, const struct stat *old, char **name)
{
    if (asprintf(name, "%s.part-XXXXXX", path) < 0) {
        *name = NULL;
        errno = ENOMEM;
        return -1;
    }
    int fd = mkostemp(*name, O_CLOEXEC);
    if (fd < 0)
        return -1;
    mode_t mask = umask(0);
    umask(mask);
    /* the owner first, since that takes away set-id bits; only root may give a file away, and need not succeed */
    if (old && (old->st_uid != geteuid() || old->st_gid != getegid()) && fchown(fd, old->st_uid, old->st_gid))
        errno = 0;
    if (!fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask))
        return fd;
    int saved = errno;
    close(fd);
    unlink(*name);
    errno = saved;
    return -1;
}

/* Opens output->path, which is where links end; `exists` with `info`. 0 or errno. */
static int open_stream(struct mw_output *output, bool exists, const struct stat *info)
{
    /* a device or a pipe (/dev/stdout) is written in place: there is nothing to rename */
    bool in_place = exists && !S_ISREG(info->st_mode);
    int fd =
        in_place ? open_in_place(output->path) : open_beside(output->path, exists ? info : NULL, &output->temporary);
    output->stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (output->stream)
        return 0;
    int saved = errno;
    if (fd >= 0)
        close(fd);
    else
        free(output->temporary); /* it was not made: nothing to remove */
    if (fd < 0)
        output->temporary = NULL;
    return saved;
}

enum mw_err mw_output_open(struct mw_output *output, const char *path, bool force, struct mw_error *error)
{
    *output = (struct mw_output){0};
    if (!path || !strcmp(path, "-")) {
        output->stream = stdout;
        return MW_OK;
    }
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (!exists && lstat(path, &info) == 0)
        return mw_fail(error, MW_IO, "cannot write '%s': a symbolic link that leads nowhere", path);
    if (exists && S_ISDIR(info.st_mode))
        return mw_fail(error, MW_IO, "cannot write '%s': is a directory", path);
    if (exists && S_ISREG(info.st_mode) && !force) {
        mw_fail(error, MW_IO, "'%s' exists", path);
        if (error)
            error->sys_errno = EEXIST;
        return mw_hint(error, "--force overwrites it");
    }
    if (exists && access(path, W_OK))
        return mw_fail_errno(error, MW_IO, errno, "cannot write '%s'", path);
    /* through a link: the file at its end is replaced, the link stays */
    output->path = exists && S_ISREG(info.st_mode) ? realpath(path, NULL) : strdup(path);
    if (!output->path)
        return mw_fail(error, MW_NOMEM, "out of memory");
    int failed = open_stream(output, exists, &info);
    if (!failed)
        return MW_OK;
    mw_output_release(output);
    if (failed == ENXIO) {
        mw_fail(error, MW_IO, "cannot write '%s': nobody reads the pipe", path);
        return mw_hint(error, "start its reader first");
    }
    return mw_fail_errno(error, MW_IO, failed, "cannot create '%s'", path);
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

void mw_output_cell(FILE *stream, const char *text)
{
    bool quoted = text[strcspn(text, ",\"\r\n#")] || *text == ' ';
    fputs(quoted ? "\"" : "", stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, stream);
    }
    fputs(quoted ? "\"" : "", stream);
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

/* A pipe or device is written without blocking, so that a reader who has stopped reading holds nobody. */
static int open_to_append(const char *path, bool resume, bool force, bool *is_stream)
{
    struct stat info;
    *is_stream = stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    if (!*is_stream)
        return open(path, O_RDWR | O_CREAT | O_CLOEXEC | (resume ? 0 : force ? O_TRUNC : O_EXCL), 0666);
    int fd = open_in_place(path);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

enum mw_err mw_append_open(struct mw_append *append, const char *path, bool resume, bool force, struct mw_error *error)
{
    bool is_stream = !strcmp(path, "-");
    *append = (struct mw_append){.fd = -1};
    append->fd = is_stream ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open_to_append(path, resume, force, &is_stream);
    if (append->fd < 0) {
        int saved = errno;
        if (saved == EEXIST) {
            mw_fail(error, MW_IO, "'%s' exists", path);
            return mw_hint(error, "--resume goes on with it, --force overwrites it");
        }
        mw_fail_errno(error, MW_IO, saved, "cannot open '%s'", path);
        return saved == ENXIO ? mw_hint(error, "nobody reads the pipe: start its reader first") : MW_IO;
    }
    append->path = strdup(path);
    enum mw_err err = append->path ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err && resume && !is_stream)
        err = drop_torn_line(append->fd, path, error);
    if (err)
        mw_append_close(append);
    return err;
}

/*
 * Waits until something may be written; MW_INTERRUPTED at a signal that waits to be obeyed, since whoever measures has
 * those blocked (measure/process/stop.h) and a pipe that nobody empties would hold it for ever.
 */
static enum mw_err await_room(const struct mw_append *append, struct mw_error *error)
{
    enum { SLICE_MS = 100 };
    struct pollfd fd = {.fd = append->fd, .events = POLLOUT};
    while (poll(&fd, 1, SLICE_MS) == 0) {
        sigset_t waiting;
        sigpending(&waiting);
        if (sigismember(&waiting, SIGINT) || sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGHUP))
            return mw_fail(error, MW_INTERRUPTED, "interrupted: nobody reads '%s'", append->path);
    }
    return MW_OK;
}

/* All of it, in one write where the kernel takes it; what a full disk took of a row is taken back. */
static enum mw_err write_all(const struct mw_append *append, const char *line, size_t total, struct mw_error *error)
{
    size_t done = 0;
    off_t before = lseek(append->fd, 0, SEEK_CUR);
    enum mw_err err = MW_OK;
    while (done < total && !err) {
        err = await_room(append, error);
        ssize_t n = err ? 0 : write(append->fd, line + done, total - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR && errno != EAGAIN)
            err = mw_fail_errno(error, MW_IO, errno, "cannot write '%s'", append->path);
    }
    if (err && done && before >= 0 && (ftruncate(append->fd, before) || lseek(append->fd, before, SEEK_SET) < 0))
        mw_hint(error, "its last line may be torn; --resume cuts it off");
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
    enum mw_err err = write_all(append, line, (size_t)length + 1, error);
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
