// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/process/stop.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static void stop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    struct sigaction hangup;
    if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN) /* under nohup it is to be ignored */
        sigaddset(set, SIGHUP);
}

enum mw_err mw_stop_open(struct mw_stop *stop, struct mw_error *error)
{
    sigset_t set, before;
    stop_signals(&set);
    if (sigprocmask(SIG_BLOCK, &set, &before))
        return mw_fail_errno(error, MW_IO, errno, "cannot block signals");
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        int saved = errno;
        sigprocmask(SIG_SETMASK, &before, NULL);
        return mw_fail_errno(error, MW_IO, saved, "cannot wait for signals");
    }
    *stop = (struct mw_stop){.fd = fd, .before = before};
    return MW_OK;
}

enum mw_stop_level mw_stop_poll(struct mw_stop *stop)
{
    if (!stop || stop->fd < 0)
        return MW_STOP_NONE;
    struct signalfd_siginfo info;
    while (read(stop->fd, &info, sizeof info) == sizeof info) {
        stop->signal_number = (int)info.ssi_signo;
        stop->signal_count++;
        if (info.ssi_signo == SIGINT && stop->level == MW_STOP_NONE)
            stop->level = MW_STOP_AFTER_RUN;
        else
            stop->level = MW_STOP_AT_ONCE;
    }
    return stop->level;
}

enum mw_stop_level mw_stop_sleep(struct mw_stop *stop, double time_s)
{
    struct pollfd fd = {.fd = stop ? stop->fd : -1, .events = POLLIN};
    struct timespec time = {.tv_sec = (time_t)time_s};
    time.tv_nsec = (long)((time_s - (double)time.tv_sec) * 1e9);
    if (ppoll(&fd, 1, &time, NULL) > 0)
        return mw_stop_poll(stop);
    return stop ? stop->level : MW_STOP_NONE;
}

void mw_stop_close(struct mw_stop *stop)
{
    if (stop->fd < 0)
        return;
    mw_stop_poll(stop); /* what has been obeyed must not strike again when the signals are let in */
    close(stop->fd);
    sigprocmask(SIG_SETMASK, &stop->before, NULL);
    stop->fd = -1;
}
