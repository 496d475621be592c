// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/process/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { CAPTURE_MAX = 16 << 20, STATUS_SIGNAL = 128 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum mw_err spawn(const char *const *words, int out, const sigset_t *signals, pid_t *pid, struct mw_error *error)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    short flags = POSIX_SPAWN_SETPGROUP; /* Ctrl-C on the terminal is for memwall alone */
    if (signals) {
        posix_spawnattr_setsigmask(&attributes, signals);
        flags |= POSIX_SPAWN_SETSIGMASK;
    }
    posix_spawnattr_setflags(&attributes, flags);
    int failed = posix_spawnp(pid, words[0], &files, &attributes, (char *const *)(uintptr_t)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failed == ENOENT)
        return mw_fail(error, MW_UNSUPPORTED, "there is no command '%s' here", words[0]);
    return failed ? mw_fail_errno(error, MW_RUN, failed, "cannot run '%s'", words[0]) : MW_OK;
}

/* What it said last tells why it does not end. */
static enum mw_err no_answer(const char *name, char *text, size_t size, struct mw_error *error)
{
    if (!size)
        return mw_fail(error, MW_RUN, "'%s' does not answer", name);
    text[size] = '\0';
    while (size && text[size - 1] == '\n')
        text[--size] = '\0';
    const char *last = strrchr(text, '\n');
    return mw_fail(error, MW_RUN, "'%s' does not end; it says: %.300s", name, last ? last + 1 : text);
}

/* Reads until the command closes its output. */
static enum mw_err collect(int in, const char *name, double deadline_s, struct mw_stop *stop, char **text, size_t *size,
                           struct mw_error *error)
{
    size_t room = 0;
    for (;;) {
        struct pollfd fds[2] = {{.fd = in, .events = POLLIN}, {.fd = stop ? stop->fd : -1, .events = POLLIN}};
        double left_s = deadline_s - now_s();
        if (left_s <= 0)
            return no_answer(name, *text, *size, error);
        if (poll(fds, 2, (int)(1000 * left_s) + 1) < 0 && errno != EINTR)
            return mw_fail_errno(error, MW_IO, errno, "cannot wait for '%s'", name);
        if (mw_stop_poll(stop) == MW_STOP_AT_ONCE)
            return mw_fail(error, MW_INTERRUPTED, "interrupted while '%s' ran", name);
        if (!fds[0].revents)
            continue;
        if (room - *size < 4096) {
            char *more = room < CAPTURE_MAX ? realloc(*text, room = room ? 2 * room : 65536) : NULL;
            if (!more)
                return mw_fail(error, MW_NOMEM, "'%s' prints more than %d MiB", name, CAPTURE_MAX >> 20);
            *text = more;
        }
        ssize_t got = read(in, *text + *size, room - *size - 1);
        if (got < 0 && errno != EINTR)
            return mw_fail_errno(error, MW_IO, errno, "cannot read from '%s'", name);
        if (got == 0)
            break;
        *size += got > 0 ? (size_t)got : 0;
    }
    while (*size && (*text)[*size - 1] == '\n')
        --*size;
    (*text)[*size] = '\0';
    return MW_OK;
}

enum mw_err mw_capture(const char *const *words, double timeout_s, struct mw_stop *stop, char **text, int *status,
                       struct mw_error *error)
{
    int ends[2], how;
    pid_t pid;
    char *taken = NULL;
    size_t size = 0;
    if (pipe2(ends, O_CLOEXEC))
        return mw_fail_errno(error, MW_IO, errno, "cannot make a pipe");
    enum mw_err err = spawn(words, ends[1], stop ? &stop->before : NULL, &pid, error);
    close(ends[1]);
    if (err) {
        close(ends[0]);
        return err;
    }
    err = collect(ends[0], words[0], now_s() + timeout_s, stop, &taken, &size, error);
    close(ends[0]);
    if (err)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
        ;
    if (err) {
        free(taken);
        return err;
    }
    *text = taken;
    *status = WIFSIGNALED(how) ? STATUS_SIGNAL + WTERMSIG(how) : WEXITSTATUS(how);
    return MW_OK;
}
