// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_LOCK_H
#define MW_MEASURE_LOCK_H

#include "data/error.h"
#include "measure/process/stop.h"

#include <stdbool.h>

/*
 * Advisory locks that keep memwalls from measuring each other. They go with their process, however it ends.
 * - Of the machine: the folder /sys/devices/system/cpu below `root`, on every machine, readable by all. Who sets frequencies has it
 *   alone; who leaves them as they are shares it, so that one user's work does not stop another's.
 * - Of the user: the folder of measure/machine/state_folder.h; one memwall of a user measures at a time.
 * With $MEMWALL_RUN_DIR that folder is the only lock: tests and containers that share a machine on purpose set it.
 */
struct mw_lock {
    int machine, user; /* -1: not held */
};
#define MW_LOCK_NONE ((struct mw_lock){-1, -1})

enum mw_lock_mode {
    MW_LOCK_TRY,  /* MW_BUSY, naming the process where the kernel tells it, while another memwall is in the way */
    MW_LOCK_WAIT, /* until it is done; MW_INTERRUPTED at an order to stop */
    MW_LOCK_OFF,  /* none is taken */
};

/* sets: frequencies or boost will be written. `stop` may be NULL. */
enum mw_err mw_lock_take(struct mw_lock *lock, const char *root, bool sets, enum mw_lock_mode mode,
                         struct mw_stop *stop, struct mw_error *error) MW_CHECKED;
void mw_lock_drop(struct mw_lock *lock);

#endif
