// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_LOCK_H
#define MW_MEASURE_LOCK_H

#include "data/error.h"

/*
 * One memwall at a time measures on a machine: an advisory lock on the folder /sys/devices/system/cpu below `root`. That
 * folder is on every machine, readable by every user, the same one for all of them and needs no cleaning up; the lock
 * goes with its process, however it ends. MW_BUSY names the process that holds it.
 */
enum mw_err mw_lock_take(int *fd, const char *root, struct mw_error *error) MW_CHECKED;
void mw_lock_drop(int fd); /* takes -1 */

#endif
