// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_EVENTS_H
#define MW_MEASURE_EVENTS_H

#include "data/error.h"

#include <stdbool.h>

/*
 * The processor's event counters around a run, by perf_event_open: events at user level of the processes that the calling
 * thread starts, and of theirs, from their exec on. What the processor or the kernel does not offer is left out.
 */
enum mw_event { MW_EVENT_CYCLES, MW_EVENT_INSTRUCTIONS, MW_EVENT_CACHE_MISSES, MW_EVENT_STALLS, MW_EVENT_COUNT };

struct mw_event_counts {
    bool has[MW_EVENT_COUNT];
    double count[MW_EVENT_COUNT]; /* scaled by enabled/running time where the kernel multiplexed */
    double share; /* least part of the time in which one of them really counted; 1: no multiplexing; 0: none counted */
};

struct mw_events {
    int fd[MW_EVENT_COUNT]; /* -1: not offered */
};

/*
 * Opens what there is, stopped; started by the exec of a child. MW_UNSUPPORTED (a virtual machine, no driver), MW_PERM
 * (perf_event_paranoid, a container's filter) with why and what would help.
 */
enum mw_err mw_events_open(struct mw_events *events, struct mw_error *error) MW_CHECKED;
/* After the children's end. */
void mw_events_read(const struct mw_events *events, struct mw_event_counts *counts);
void mw_events_close(struct mw_events *events);

/* "cycles", "instructions", …: the columns of runs.csv. */
const char *mw_event_name(enum mw_event event);

#endif
