// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_STATE_FOLDER_H
#define MW_MEASURE_STATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The folder where memwall keeps what lives as long as the boot: the state file of frequencies, the lock of a user.
 * The first of: $MEMWALL_RUN_DIR; /run/memwall for who may write there; $XDG_RUNTIME_DIR/memwall; /tmp/memwall-UID, which must
 * be the user's own. Below a root that is not "" it is run/memwall, whatever the environment says.
 * make: it is made where it is missing; else only one that is there counts. Returns 0 or errno; folder is then the last one tried.
 */
int mw_state_folder(const char *root, bool make, char *folder, size_t size);

/* $MEMWALL_RUN_DIR where it is set and counts (root ""), else NULL. */
const char *mw_state_folder_given(const char *root);

#endif
