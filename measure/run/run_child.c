// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/run_child.h"

#include "measure/probe/clock.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum failed_at { AT_NOTHING, AT_BIND, AT_MASK, AT_EXEC };

/* In the child, which borrows the parent's memory until exec: system calls only. */
static void child_exec(const struct mw_child *child, volatile int *failed_at, volatile int *failed_errno)
{
    *failed_at = AT_BIND;
    if (child->mask_size) {
        if (sched_setaffinity(0, child->mask_size, child->mask) ||
            sched_getaffinity(0, child->mask_size, child->mask_read))
            goto failed;
        *failed_at = AT_MASK;
        if (!CPU_EQUAL_S(child->mask_size, child->mask, child->mask_read))
            goto failed;
    }
    *failed_at = AT_EXEC;
    if (setpgid(0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != child->parent)
        goto failed;
    if (dup2(child->in, STDIN_FILENO) < 0 || dup2(child->out, STDOUT_FILENO) < 0 || dup2(child->err, STDERR_FILENO) < 0)
        goto failed;
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, child->signals, NULL);
    execvpe(child->path, child->words, child->environment);
failed:
    *failed_errno = errno;
    _exit(127);
}

static enum mw_err spawn(const struct mw_child *child, pid_t *pid, struct mw_error *error)
{
    volatile int failed_at = AT_NOTHING, failed_errno = 0;
    pid_t made = vfork();
    if (made == 0)
        child_exec(child, &failed_at, &failed_errno);
    if (made < 0)
        return mw_fail_errno(error, MW_RUN, errno, "cannot start '%s'", child->words[0]);
    if (!failed_errno && failed_at != AT_MASK) {
        *pid = made;
        return MW_OK;
    }
    while (waitpid(made, NULL, 0) < 0 && errno == EINTR)
        ;
    if (failed_at == AT_MASK)
        return mw_fail(error, MW_RUN, "cannot bind '%s': the kernel gave it other CPUs than asked for",
                       child->words[0]);
    if (failed_at == AT_BIND) {
        mw_fail_errno(error, MW_RUN, failed_errno, "cannot bind '%s' to its CPUs", child->words[0]);
        return mw_hint(error, "are these CPUs online and in the allowed set (taskset -p $$, cpuset of the job)?");
    }
    return mw_fail_errno(error, MW_RUN, failed_errno, "cannot run '%s'", child->words[0]);
}

/* Waits until the process ends, its time is over or an order to stop comes; 1 us of delay, 1 ms before Linux 5.3. */
static void wait_end(pid_t pid, double deadline_s, struct mw_stop *stop, bool *timed_out, bool *stopped)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd fds[2] = {{.fd = pidfd, .events = POLLIN}, {.fd = stop ? stop->fd : -1, .events = POLLIN}};
    const long slice_ns = 1000000;
    for (;;) {
        double left_s = deadline_s - mw_now_s();
        *timed_out = deadline_s > 0 && left_s <= 0;
        *stopped = mw_stop_poll(stop) == MW_STOP_AT_ONCE;
        if (*timed_out || *stopped)
            break;
        struct timespec time = {.tv_nsec = slice_ns};
        if (pidfd >= 0 && deadline_s > 0) {
            time.tv_sec = (time_t)left_s;
            time.tv_nsec = (long)((left_s - (double)time.tv_sec) * 1e9);
        }
        if (ppoll(fds, 2, pidfd < 0 || deadline_s > 0 ? &time : NULL, NULL) > 0 && fds[0].revents)
            break;
        siginfo_t info = {0};
        if (pidfd < 0 && (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid))
            break;
    }
    if (pidfd >= 0)
        close(pidfd);
}

enum mw_err mw_child_run(const struct mw_child *child, double timeout_s, struct mw_stop *stop,
                         struct mw_run_result *result, bool *stopped, struct mw_error *error)
{
    struct mw_run_result r = {0};
    struct rusage usage;
    pid_t pid;
    bool timed_out = false;
    int status;
    double start_s = mw_now_s();
    enum mw_err err = spawn(child, &pid, error);
    if (err)
        return err;
    wait_end(pid, timeout_s > 0 ? start_s + timeout_s : 0, stop, &timed_out, stopped);
    r.wall_s = mw_now_s() - start_s;
    if (timed_out || *stopped)
        kill(-pid, SIGKILL);
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return mw_fail_errno(error, MW_RUN, errno, "cannot wait for '%s'", child->words[0]);
    r.time_s = r.wall_s;
    r.cpu_time_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    r.preempted = usage.ru_nivcsw;
    if (timed_out) {
        r.fault = MW_RUN_TIMEOUT;
        r.exit_status = MW_STATUS_TIMEOUT;
    } else if (WIFSIGNALED(status)) {
        r.fault = MW_RUN_SIGNAL;
        r.exit_status = MW_STATUS_SIGNAL + WTERMSIG(status);
    } else if ((r.exit_status = WEXITSTATUS(status))) {
        r.fault = MW_RUN_EXIT;
    }
    *result = r;
    return MW_OK;
}
