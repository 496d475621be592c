// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/run_child.h"

#include "measure/probe/clock.h"
#include "measure/run/descendants.h"
#include "measure/run/thread_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum failed_at { AT_NOTHING, AT_BIND, AT_MASK, AT_EXEC };

/* When threads are counted first, once the program has had time to start them; then at each doubling of the time. */
static const double threads_first_s = 0.05;

/* In the child, which borrows the parent's memory until exec: system calls only. */
static void child_exec(const struct mw_child *child, pid_t parent, volatile int *failed_at, volatile int *failed_errno)
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
    if (setpgid(0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
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
    pid_t parent = getpid(), made = vfork();
    if (made == 0)
        child_exec(child, parent, &failed_at, &failed_errno);
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

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/*
 * Waits until the process ends, or deadline_s (INFINITY: none), or an order; false where it has not ended. The process
 * stays to be waited for. 1 us of delay, 1 ms before Linux 5.3.
 */
static bool wait_until(pid_t pid, int pidfd, int order, double deadline_s)
{
    struct pollfd fds[2] = {{.fd = pidfd, .events = POLLIN}, {.fd = order, .events = POLLIN}};
    const double slice_s = pidfd < 0 ? 1e-3 : 3600;
    for (;;) {
        double left_s = fmin(deadline_s - mw_now_s(), slice_s);
        if (left_s < 0)
            return false;
        struct timespec time = {.tv_sec = (time_t)left_s};
        time.tv_nsec = (long)((left_s - (double)time.tv_sec) * 1e9);
        int ready = ppoll(fds, 2, &time, NULL);
        if (ready > 0 ? fds[0].revents : pidfd < 0 && has_ended(pid))
            return true;
        if (ready > 0)
            return false;
    }
}

/* The child's whole life; its threads are counted meanwhile. *timed_out, *ended: it was told to end. */
static void live(const struct mw_child *child, pid_t pid, double start_s, int order, struct mw_run_result *result,
                 struct mw_thread_waits *waits, bool *timed_out, bool *ended)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    double deadline_s = child->timeout_s > 0 ? start_s + child->timeout_s : (double)INFINITY, look_s = threads_first_s;
    bool over = false;
    while (!over && !*timed_out && !*ended) {
        double until_s = fmin(start_s + fmin(look_s, waits->next_s), deadline_s);
        over = wait_until(pid, pidfd, order, until_s);
        double now_s = mw_now_s();
        *timed_out = !over && now_s >= deadline_s;
        *ended = !over && now_s < until_s;
        if (over || *timed_out || *ended)
            break;
        if (now_s >= start_s + waits->next_s)
            mw_thread_waits_look(waits, pid, now_s - start_s);
        if (now_s < start_s + look_s)
            continue;
        result->threads = fmax(result->threads, mw_descendants_threads(pid));
        look_s *= 2;
    }
    result->wall_s = mw_now_s() - start_s;
    if (!over) {
        kill(-pid, SIGTERM);
        char further;
        if (*ended) /* what was ordered is done; another one is not waited for */
            over = read(order, &further, 1) <= 0;
        if (over || !wait_until(pid, pidfd, order, mw_now_s() + MW_CHILD_GRACE_S))
            kill(-pid, SIGKILL);
    }
    if (pidfd >= 0)
        close(pidfd);
}

/* The main thread's times: "ON-CPU WAITING TIMES", in ns. It has ended and is not yet waited for: the file is still there. */
static void read_main_wait(pid_t pid, struct mw_run_result *result)
{
    char path[64];
    unsigned long long run_ns, wait_ns;
    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (fscanf(f, "%llu %llu", &run_ns, &wait_ns) == 2 && run_ns > 0) {
        result->has_main_wait = true;
        result->main_run_s = (double)run_ns * 1e-9;
        result->main_wait_s = (double)wait_ns * 1e-9;
    }
    fclose(f);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void take_usage(const struct rusage *usage, struct mw_run_result *result)
{
    struct rusage own;
    result->sys_time_s = seconds(usage->ru_stime);
    result->cpu_time_s = seconds(usage->ru_utime) + result->sys_time_s;
    result->switches = (double)usage->ru_nvcsw;
    result->preempted = (double)usage->ru_nivcsw;
    result->faults = (double)usage->ru_majflt;
    /* the kernel's figure begins with the memory of the process that made the child, before exec: below it nothing is known */
    if (!getrusage(RUSAGE_SELF, &own) && usage->ru_maxrss > own.ru_maxrss)
        result->peak_memory_bytes = 1024.0 * (double)usage->ru_maxrss;
}

static void take_status(int status, bool timed_out, struct mw_run_result *result)
{
    if (timed_out) {
        result->fault = MW_RUN_TIMEOUT;
        result->exit_status = MW_STATUS_TIMEOUT;
    } else if (WIFSIGNALED(status)) {
        result->fault = MW_RUN_SIGNAL;
        result->exit_status = MW_STATUS_SIGNAL + WTERMSIG(status);
    } else if ((result->exit_status = WEXITSTATUS(status))) {
        result->fault = MW_RUN_EXIT;
    }
}

/* Who is still there of the child's descent, given a moment to go: a shell doesn't wait for all of its own. */
static void count_left(pid_t pid, struct mw_run_result *result)
{
    const double settle_s = 0.1;
    const struct timespec step = {.tv_nsec = 5000000};
    struct mw_descendant *found = NULL;
    double start_s = mw_now_s();
    size_t count = 0, alive;
    do {
        if (found)
            nanosleep(&step, NULL);
        free(found);
        count = mw_descendants_find(getpid(), &found);
        alive = 0;
        for (size_t i = 0; i < count; i++)
            alive += found[i].pid != pid && found[i].state != 'Z';
    } while (alive && mw_now_s() < start_s + settle_s);
    for (size_t i = 0; i < count; i++) {
        if (found[i].pid == pid || found[i].state == 'Z')
            continue;
        size_t used = strlen(result->left_names);
        if (used + strlen(found[i].name) + sizeof ", " <= sizeof result->left_names)
            snprintf(result->left_names + used, sizeof result->left_names - used, "%s%s", used ? ", " : "",
                     found[i].name);
        result->left++;
    }
    free(found);
}

enum mw_err mw_child_watch(const struct mw_child *child, int order, struct mw_run_result *result, bool *ended,
                           struct mw_error *error)
{
    struct mw_run_result r = {0};
    struct mw_thread_waits waits = {.next_s = threads_first_s / 10};
    struct mw_events events;
    struct rusage usage;
    struct mw_error ignored;
    pid_t pid;
    bool timed_out = false, counts = child->count_events && !mw_events_open(&events, &ignored);
    int status;
    double start_s = mw_now_s();
    enum mw_err err = spawn(child, &pid, error);
    if (!err) {
        live(child, pid, start_s, order, &r, &waits, &timed_out, ended);
        siginfo_t info;
        while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
            ;
        read_main_wait(pid, &r);
        r.has_thread_wait = mw_thread_waits_cost(&waits, r.main_run_s, r.wall_s, &r.thread_wait_s);
        mw_thread_waits_release(&waits);
        count_left(pid, &r);
        if (wait4(pid, &status, 0, &usage) < 0)
            err = mw_fail_errno(error, MW_RUN, errno, "cannot wait for '%s'", child->words[0]);
    }
    if (counts) {
        mw_events_read(&events, &r.events);
        mw_events_close(&events);
    }
    if (err)
        return err;
    r.time_s = r.wall_s;
    take_usage(&usage, &r);
    take_status(status, timed_out, &r);
    *result = r;
    return MW_OK;
}
