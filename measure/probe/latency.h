// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_LATENCY_H
#define MW_MEASURE_LATENCY_H

#include "data/error.h"
#include "measure/probe/arena.h"
#include "measure/probe/kernels/chase.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Time of one load that waits for the load before, over the size of the working set. Each thread walks a ring of its own
 * that meets every line of the set once: lines in random order within a group of pages, groups in random order. Lines
 * less than a stride apart are met in different visits of their group, so that what a prefetcher fetches along is of no use.
 *
 * A walk is timed in windows of about a millisecond; those in which the thread lost its CPU are rejected, each place of
 * the ring keeps its least time over all walks, and the latency is the mean over the places. With several chains the walks
 * run side by side, evenly spread over the ring, and the time is that of a load: the time of a step over the chains.
 */
struct mw_latency_options {
    const unsigned *cpus; /* one thread on each, all at work at once */
    size_t cpu_count;
    const size_t *sizes_bytes; /* working sets of one thread, ascending */
    size_t size_count;
    const unsigned *chains; /* 1 … MW_CHASE_CHAINS_MAX */
    size_t chain_count;
    enum mw_pages pages;
    size_t line_bytes;
    size_t stride_bytes; /* a multiple of line_bytes that divides group_bytes: neighbours of one walk through a group */
    size_t group_bytes;  /* visited before the next group; 0: no groups, wholly random */
    int node;            /* where the memory lies, as for mw_arena_open */
    unsigned long rounds; /* times that all sizes are gone through, on fresh memory */
    /*
     * INFINITY: `rounds` whole walks of each ring. Else the first round looks at each size for a moment, the next ones share the
     * time that is left, and go on behind `rounds` while a point has fewer than MW_LATENCY_CLEAN windows that count.
     */
    double max_time_s;
    unsigned long seed;
    bool (*stop)(void); /* NULL: never */
};

#define MW_LATENCY_LEAST 2 /* one window alone may have met anything */
#define MW_LATENCY_CLEAN 5
struct mw_latency_point {
    size_t size_bytes;
    unsigned chains;
    double latency_s;         /* of a load; mean over the threads */
    size_t windows, rejected; /* of all threads; 0: the time was up before */
    bool disturbed;           /* some thread has fewer than MW_LATENCY_LEAST windows without a context switch */
};

struct mw_latency_result {
    struct mw_latency_point *points; /* sizes x chains, chains fastest */
    size_t point_count;
    unsigned long rounds;          /* done */
    struct mw_placement placement; /* of the first thread's memory */
};

/* MW_NOMEM, MW_RUN as arenas and teams do; MW_INTERRUPTED. Deterministic in the rings for a seed. */
enum mw_err mw_latency_run(const struct mw_latency_options *options, struct mw_latency_result *result,
                           struct mw_error *error) MW_CHECKED;
void mw_latency_release(struct mw_latency_result *result);

/*
 * Least time of a load that a processor at freq_hz can show: a first-level hit takes three cycles at least, and three
 * loads start in one cycle at most. Below it the loads were not done.
 */
double mw_latency_floor(double freq_hz, unsigned chains);

#endif
