// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_SYNCER_H
#define MW_DATA_SYNCER_H

#include "data/error.h"

#include <pthread.h>
#include <stdbool.h>

/*
 * Brings what was written to a descriptor to the disk behind the writer's back: a scan appends a row and goes on, instead of
 * waiting milliseconds for the disk between short runs. Every row is synced; rows written while a sync goes on share the
 * next. The process may be killed at any time (the kernel has the row since its write); only a loss of power within those
 * milliseconds loses a row, which --resume then runs again.
 */
struct mw_syncer {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int fd;
    bool dirty, closing;
    int failed; /* errno of the first sync that failed */
};

enum mw_err mw_syncer_open(struct mw_syncer *syncer, int fd, struct mw_error *error) MW_CHECKED;
/* After a write; MW_IO where an earlier sync failed. */
enum mw_err mw_syncer_kick(struct mw_syncer *syncer, struct mw_error *error) MW_CHECKED;
/* Syncs what is left, waits for it. */
enum mw_err mw_syncer_close(struct mw_syncer *syncer, struct mw_error *error) MW_CHECKED;

#endif
