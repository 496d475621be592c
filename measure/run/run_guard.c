// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/run_child.h"

#include "measure/probe/clock.h"
#include "measure/run/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the guard tells at the end. */
struct report {
    enum mw_err err;
    struct mw_error error;
    struct mw_run_result result;
    bool ended;
};

/* Signals every process of the run's descent; how many are there. */
static size_t signal_all(int number)
{
    struct mw_descendant *found;
    size_t count = mw_descendants_find(getpid(), &found), alive = 0;
    for (size_t i = 0; i < count; i++) {
        if (found[i].state == 'Z')
            continue;
        alive++;
        if (number)
            kill(found[i].pid, number);
    }
    free(found);
    return alive;
}

/* Ends what the run left: politely unless there is no one left to wait (nothing more can come of the control socket). */
static void end_all(bool at_once)
{
    const struct timespec step = {.tv_nsec = 10000000};
    const double patience_s = 5; /* what sits in the kernel that long does not end by any signal */
    double start_s = mw_now_s(), grace_s = at_once ? 0 : MW_CHILD_GRACE_S;
    if (grace_s > 0 && !signal_all(SIGTERM))
        return;
    while (mw_now_s() < start_s + grace_s && signal_all(0))
        nanosleep(&step, NULL);
    while (signal_all(SIGKILL) && mw_now_s() < start_s + grace_s + patience_s) {
        nanosleep(&step, NULL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
}

/*
 * The guard keeps none of this process's own files open (a lock would outlive its owner) but those of the child. Own are
 * those that would not survive an exec; others were handed down by whoever started memwall and are for the program too.
 */
static void close_own(const struct mw_child *child, int order)
{
    DIR *open_files = opendir("/proc/self/fd");
    for (struct dirent *entry; open_files && (entry = readdir(open_files));) {
        int fd = atoi(entry->d_name);
        bool needed = fd <= STDERR_FILENO || fd == child->in || fd == child->out || fd == child->err || fd == order ||
                      fd == dirfd(open_files);
        if (!needed && fcntl(fd, F_GETFD) & FD_CLOEXEC)
            close(fd);
    }
    if (open_files)
        closedir(open_files);
}

_Noreturn static void guard(const struct mw_child *child, int order)
{
    struct report report = {0};
    sigset_t all;
    char byte;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    close_own(child, order);
    report.err = mw_child_watch(child, order, &report.result, &report.ended, &report.error);
    bool orphaned = recv(order, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    bool over = orphaned || report.ended || report.result.fault == MW_RUN_TIMEOUT;
    if (report.result.left && (over || !child->keep_children))
        end_all(orphaned);
    _exit(send(order, &report, sizeof report, MSG_NOSIGNAL) != sizeof report);
}

/* Waits for the report; each order to stop is passed on. */
static bool await(int order, struct mw_stop *stop, struct report *report)
{
    struct pollfd fds[2] = {{.fd = order, .events = POLLIN}, {.fd = stop ? stop->fd : -1, .events = POLLIN}};
    int told = 0;
    for (;;) {
        if (mw_stop_poll(stop) == MW_STOP_AT_ONCE && told != stop->signal_count) {
            told = stop->signal_count;
            send(order, "", 1, MSG_NOSIGNAL);
        }
        if (poll(fds, 2, -1) <= 0 || !fds[0].revents)
            continue;
        ssize_t got = recv(order, report, sizeof *report, 0);
        if (got < 0 &&
            errno == ECONNRESET) /* an order came too late for the guard to read it; the report is there all the same */
            got = recv(order, report, sizeof *report, 0);
        return got == sizeof *report;
    }
}

enum mw_err mw_child_run(const struct mw_child *child, struct mw_stop *stop, struct mw_run_result *result,
                         bool *stopped, struct mw_error *error)
{
    struct report report;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return mw_fail_errno(error, MW_RUN, errno, "cannot start '%s'", child->words[0]);
    pid_t pid = fork();
    if (pid == 0)
        guard(child, ends[1]);
    int saved = errno;
    close(ends[1]);
    bool told = pid > 0 && await(ends[0], stop, &report);
    close(ends[0]);
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0)
        return mw_fail_errno(error, MW_RUN, saved, "cannot start '%s'", child->words[0]);
    if (!told)
        return mw_fail(error, MW_RUN, "the process that watches over '%s' was killed (%s %d)", child->words[0],
                       WIFSIGNALED(status) ? "signal" : "status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (report.err) {
        if (error)
            *error = report.error;
        return report.err;
    }
    *stopped = report.ended;
    *result = report.result;
    return MW_OK;
}
