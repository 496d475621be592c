// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_TESTS_SIM_MEMORY_H
#define MW_TESTS_SIM_MEMORY_H

#include "measure/probe/cache_reported.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A simulated memory under the detectors of `measure cache`. Linked into a test, sim_memory.c takes the place of the
 * kernels that walk, sweep and flush, of the clock, of the count of context switches, of the arenas and of what the system reports: each load is looked up
 * in set-associative caches and TLBs of known sizes, and the clock moves by what it costs, with noise. The code that
 * measures is the one that is shipped.
 */
#define SIM_LEVELS 4

struct sim_level {
    size_t sets;
    unsigned ways;
    double latency_s; /* of a load that hits here */
};

struct sim_machine {
    size_t line_bytes;
    struct sim_level level[SIM_LEVELS];
    size_t level_count;
    double memory_s;
    uint64_t cold_loads; /* so many loads from memory after a flush take twice as long */
    bool pairs;          /* a line from memory brings its neighbour of two lines along, into all levels but the first */
    bool random_replacement;  /* in the last level; else least recently used */
    bool scattered;           /* every 4 KiB of memory lie somewhere else, also within huge pages */
    size_t tlb_entries[2];    /* for base pages; huge pages have as many */
    double tlb_miss_s[2];     /* added by a miss of each */
    size_t prefetch_bytes[2]; /* largest stride followed forward and backward; 0: none */
    double noise;             /* 0.02 … 0.1: what other work adds over some 20 ms, as a share, one-sided normal */
    double spikes;            /* a second: interruptions of 20 us to 5 ms, in which the thread loses its CPU */
    uint64_t seed;
    size_t scan_bytes; /* largest working set of the scan; 0: four times the last level, 10 to 24 MiB */
    struct mw_cache_reported reported;
};

void sim_start(const struct sim_machine *machine);
void sim_end(void);
size_t sim_capacity(const struct sim_machine *machine, size_t level);
/* Loads simulated since the start (those of laps that repeat themselves are not). */
uint64_t sim_loads(void);

#endif
