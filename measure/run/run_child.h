// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RUN_CHILD_H
#define MW_MEASURE_RUN_CHILD_H

#include "measure/run/run.h"

#include <sched.h>
#include <sys/types.h>

/* Exit statuses of runs that gave none of their own, as timeout, env and shells give them. */
enum { MW_STATUS_TIMEOUT = 124, MW_STATUS_CHECK = 125, MW_STATUS_SIGNAL = 128 };

/* What a child is made of; all of it ready before vfork. */
struct mw_child {
    const char *path;
    char *const *words, *const *environment;
    const cpu_set_t *mask;
    cpu_set_t *mask_read;
    size_t mask_size; /* 0: not bound */
    int in, out, err;
    const sigset_t *signals;
    pid_t parent;
};

/*
 * Starts the child in a process group of its own and waits for its end; time_s is the wall time. *stopped: its group was
 * killed at an order to stop. timeout_s 0: none.
 */
enum mw_err mw_child_run(const struct mw_child *child, double timeout_s, struct mw_stop *stop,
                         struct mw_run_result *result, bool *stopped, struct mw_error *error) MW_CHECKED;

#endif
