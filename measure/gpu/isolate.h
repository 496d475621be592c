// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_ISOLATE_H
#define MW_MEASURE_ISOLATE_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Drivers are other people's code of millions of lines, in this process: they crash, hang, print, leave threads and write
 * caches. So they are called in a child process that shares one piece of memory with its parent, prints nowhere, keeps
 * its caches in a folder that goes away, and is ended after its time.
 */
struct mw_isolated {
    void *shared; /* zeroed; both see it */
    size_t size_bytes;
    char *cache_folder;
    void *control;
    int pid, pipe;
};

/* In the child. Returns what mw_isolated_wait is to return. */
typedef enum mw_err (*mw_isolated_work)(void *shared, struct mw_error *error);
/* True in the child when the parent wants it to end; to be asked between windows. */
bool mw_isolated_stop(void);

/* MW_NOMEM, MW_IO. _close ends a child that still runs. */
enum mw_err mw_isolated_open(struct mw_isolated *isolated, size_t size_bytes, struct mw_error *error) MW_CHECKED;
enum mw_err mw_isolated_start(struct mw_isolated *isolated, mw_isolated_work work, struct mw_error *error) MW_CHECKED;
/*
 * Waits for the child. After max_time_s in which it has not called mw_isolated_stop (0: at once), or when stop() is true, it is
 * asked to end, and killed one second later.
 * What the work returned; MW_INTERRUPTED after stop(); MW_RUN where the child crashed or had to be killed.
 */
enum mw_err mw_isolated_wait(struct mw_isolated *isolated, double max_time_s, bool (*stop)(void),
                             struct mw_error *error) MW_CHECKED;
bool mw_isolated_gone(const struct mw_isolated *isolated); /* the child has ended, whatever way */
void mw_isolated_ask_to_stop(struct mw_isolated *isolated);
void mw_isolated_close(struct mw_isolated *isolated);

#endif
