// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CACHE_REPORTED_H
#define MW_MEASURE_CACHE_REPORTED_H

#include "measure/machine/topology.h"

#include <stddef.h>

#define MW_CACHE_LEVELS 5
#define MW_TLB_LEVELS   2

/* What the system says of the data caches and data TLBs that one CPU uses; 0 is unknown. */
struct mw_cache_reported {
    struct mw_cache_level {
        size_t capacity_bytes, line_bytes;
        unsigned ways;
        unsigned cpus;        /* that share it */
    } level[MW_CACHE_LEVELS]; /* level[0] is the first level */
    size_t level_count;
    unsigned tlb_entries[MW_TLB_LEVELS]; /* for base pages of 4 KiB */
};

/*
 * Caches by hwloc, TLBs by CPUID (Intel leaf 0x18, AMD 0x80000005 and 6) of the CPU that the caller runs on, which must
 * be `cpu`. Elsewhere the TLBs stay unknown.
 */
void mw_cache_reported_read(const struct mw_topology *topology, unsigned cpu, struct mw_cache_reported *reported);

#endif
