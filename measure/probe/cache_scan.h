// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CACHE_SCAN_H
#define MW_MEASURE_CACHE_SCAN_H

#include "data/error.h"
#include "measure/probe/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The curves from which the parameters of caches are read; what they mean is decided in cache.c. */
struct mw_curve {
    double *x, *time_s; /* a load takes time_s at x; owned */
    bool *disturbed;    /* the thread lost its CPU in every window at x; owned */
    size_t count, capacity;
};
/* The least of some windows. One in which the thread kept its CPU goes before all in which it did not. */
struct mw_scan_time {
    double least_s; /* of a load; HUGE_VAL: none yet */
    bool clean;     /* of a window in which the thread kept its CPU */
};
#define MW_SCAN_NONE ((struct mw_scan_time){.least_s = HUGE_VAL})
void mw_scan_lower(struct mw_scan_time *time, struct mw_scan_time other);
enum mw_err mw_curve_init(struct mw_curve *curve, size_t capacity, struct mw_error *error) MW_CHECKED;
/* A point in its place; as mw_scan_lower where there is one already. */
void mw_curve_lower(struct mw_curve *curve, double x, struct mw_scan_time time);
/* Some point within from … to is disturbed. */
bool mw_curve_disturbed(const struct mw_curve *curve, double from, double to);
void mw_curve_release(struct mw_curve *curve);

/* What the scans work with; the calling thread is bound to the CPU under test and stays there. */
struct mw_cache_scan {
    struct mw_arena big;    /* huge pages where they can be had */
    struct mw_arena evict;  /* to push other data out of a level */
    uint64_t random;        /* state, never 0 */
    uint64_t memory_random; /* where the path through memory starts from, never 0 */
    double deadline_s;      /* on mw_now_s */
    double clock_cost_s;    /* of reading the clock twice */
    bool (*stop)(void);     /* asked between windows; may be NULL */
    void *sink;             /* keeps the compiler from dropping a walk */
};

/* At least 16 repetitions of each window, of which the least counts: other work only adds. */
#define MW_SCAN_REPETITIONS 16
#define MW_SCAN_LEAST_BYTES 2048
#define MW_SCAN_STEP_BYTES                                                                                             \
    64 /* places are this far apart: no cache line in use is shorter, so a place is a line or half of one */
#define MW_SCAN_ARRAY_BYTES 16384

/* MW_NOMEM. _close takes a zeroed one. */
enum mw_err mw_cache_scan_open(struct mw_cache_scan *scan, size_t size_bytes, uint64_t seed, double max_time_s,
                               struct mw_error *error) MW_CHECKED;
void mw_cache_scan_close(struct mw_cache_scan *scan);
/* True where the time is up or the user wants to stop. */
bool mw_cache_scan_over(const struct mw_cache_scan *scan);

/* One window; *p moves on. Windows take at least a thousand times what reading the clock takes. */
#define MW_SCAN_WINDOW_LOADS 16384
struct mw_scan_time mw_scan_window(struct mw_cache_scan *scan, void **p, uint64_t loads);
/* The least of the windows on a ring of n places, after one walk around it. */
struct mw_scan_time mw_scan_least(struct mw_cache_scan *scan, void *p, size_t n);

/*
 * Time of a dependent load over the size of the working set, 8 sizes an octave. Walked in random order within groups of
 * 64 pages, lines less than 256 bytes apart in different visits of their group. While the time up to until_s allows, two
 * rounds (four up to 2 MiB) spread over it: the minima of all. x in bytes.
 */
#define MW_SCAN_SIZES_MAX 320 /* 40 octaves */
enum mw_err mw_scan_sizes(struct mw_cache_scan *scan, double until_s, struct mw_curve *curve,
                          struct mw_error *error) MW_CHECKED;
/* More sizes (ascending) into a curve of mw_scan_sizes, or more visits of those it has: four, eight up to 2 MiB. */
enum mw_err mw_scan_refine(struct mw_cache_scan *scan, const double *sizes, size_t count, double until_s,
                           struct mw_curve *curve, struct mw_error *error) MW_CHECKED;
/*
 * Lowers the times of a load at some places of memory: a walk over lines that were just flushed from all caches, so that it
 * needs no set beyond the last level, and that is on its way for a millisecond and more when the first place begins.
 * Repeated for time_s. Unchanged where user programs have no flush; those that a small memory has no room for as well.
 */
#define MW_SCAN_MEMORY_PLACES 4
enum mw_err mw_scan_memory(struct mw_cache_scan *scan, double time_s, struct mw_scan_time *places,
                           struct mw_error *error) MW_CHECKED;
/* Mean over the places that have a clean time, as `measure latency` has it; over all where none has. */
struct mw_scan_time mw_scan_mean(const struct mw_scan_time *places, size_t count);

/*
 * The stride scan: an array of 16 KiB whose places, `stride` apart, are walked in random order after evict_bytes of other
 * data have pushed it out of a level. x in bytes.
 */
enum mw_err mw_scan_lines(struct mw_cache_scan *scan, size_t evict_bytes, struct mw_curve *curve,
                          struct mw_error *error) MW_CHECKED;

/*
 * Places `gap` apart from places that were flushed from all caches (those at multiples of 2 gap): slow while a place shares
 * the flushed line. x is the gap in bytes. An empty curve where no flush instruction exists.
 */
enum mw_err mw_scan_flush(struct mw_cache_scan *scan, struct mw_curve *curve, struct mw_error *error) MW_CHECKED;

/*
 * Lowers time[n - 1] to the time of a load over n lines that are stride_bytes apart, n from 1 to `most` (or as many as
 * the memory holds: the rest stays MW_SCAN_NONE). `fillers` further lines, at odd multiples of filler_stride, are walked with
 * them: lines of one set of a level that are no more than the ways of the level before would never leave that one.
 */
#define MW_SCAN_LINES_MAX   72
#define MW_SCAN_FILLERS_MAX 32
enum mw_err mw_scan_conflict(struct mw_cache_scan *scan, size_t stride_bytes, unsigned most, unsigned fillers,
                             size_t filler_stride, struct mw_scan_time *time, struct mw_error *error) MW_CHECKED;

/*
 * Cost of the TLB: a load over `count` base pages, one line in each, less a load over as many lines of the same pages side
 * by side: both fill the sets of the caches alike, where line_bytes is the caches' (0, not known: 64).
 * x is the number of pages; time_s = base_s + that difference, so that the curve is positive and steps show.
 */
enum mw_err mw_scan_tlb(struct mw_cache_scan *scan, size_t line_bytes, double base_s, struct mw_curve *curve,
                        struct mw_error *error) MW_CHECKED;

/* Loads that wait for each other at a stride, from memory: forward, backward, and the same places in random order. */
enum mw_walk_order { MW_WALK_FORWARD, MW_WALK_BACKWARD, MW_WALK_RANDOM };
enum mw_err mw_scan_prefetch(struct mw_cache_scan *scan, enum mw_walk_order order, struct mw_curve *curve,
                             struct mw_error *error) MW_CHECKED;

#endif
