// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RUN_CHILD_H
#define MW_MEASURE_RUN_CHILD_H

#include "measure/run/run.h"

#include <sched.h>
#include <sys/types.h>

/* Exit statuses of runs that gave none of their own, as timeout, env and shells give them. */
enum { MW_STATUS_TIMEOUT = 124, MW_STATUS_CHECK = 125, MW_STATUS_SIGNAL = 128 };

/* What a child is made of. */
struct mw_child {
    const char *path;
    char *const *words, *const *environment;
    const cpu_set_t *mask;
    cpu_set_t *mask_read;
    size_t mask_size; /* 0: not bound */
    int in, out, err;
    const sigset_t *signals; /* the mask that it starts with */
    double timeout_s;        /* 0: none */
    bool keep_children;      /* what it leaves running is not ended */
    bool count_events;
};

/*
 * Starts the child in a process group of its own and waits for its end; time_s is the wall time.
 *
 * A guard process stands in between: parent of the child, and of every process of its descent that loses its parent
 * (PR_SET_CHILD_SUBREAPER), also those of new sessions. So what a run leaves behind is known by descent alone, and ended:
 * SIGTERM, MW_CHILD_GRACE_S to clean up, SIGKILL; the same at a timeout and at an order to stop, where a further order
 * kills at once; and when this process itself is killed, the guard kills all of it.
 * *stopped: ended at an order to stop. Cost beside the run: one fork of this process, outside what is timed.
 */
#define MW_CHILD_GRACE_S 2.0 /* Open MPI and MPICH give their ranks one second between the two signals */
enum mw_err mw_child_run(const struct mw_child *child, struct mw_stop *stop, struct mw_run_result *result,
                         bool *stopped, struct mw_error *error) MW_CHECKED;

/*
 * What the guard does: starts the child, waits, ends it. `order` is readable (or closed) when it is to be ended before its
 * time: *ended then. Descendants that are left are counted in the result and not yet ended.
 */
enum mw_err mw_child_watch(const struct mw_child *child, int order, struct mw_run_result *result, bool *ended,
                           struct mw_error *error) MW_CHECKED;

#endif
