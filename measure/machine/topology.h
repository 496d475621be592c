// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_TOPOLOGY_H
#define MW_MEASURE_TOPOLOGY_H

#include "data/boundary.h"
#include "data/error.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The machine as hwloc sees it, restricted to the CPUs that this process may use. CPU numbers are the kernel's own.
 * root "" is this machine; DIR reads a captured tree (HWLOC_FSROOT) and ignores this process's affinity.
 */
struct mw_core {
    unsigned *cpus; /* allowed CPUs (hardware threads) of the core, ascending */
    size_t cpu_count;
    unsigned package;    /* logical indices */
    unsigned node;       /* nearest NUMA node with memory, logical index into nodes[] */
    unsigned kind;       /* hybrid kind, 0 = the most efficient; all 0 where there is one kind */
    unsigned last_cache; /* instance of the last-level cache it shares, index into caches; UINT_MAX: none known */
};

struct mw_cache {
    unsigned level;
    bool instruction;
    size_t size_bytes, line_bytes;
    unsigned ways;       /* 0: unknown or fully associative */
    unsigned core_count; /* allowed cores that share it */
};

struct mw_node {
    unsigned os_index;
    size_t memory_bytes;
    unsigned core_count; /* 0: memory only */
};

struct mw_topology {
    hwloc_topology_t hwloc;
    struct mw_core *cores; /* physical cores with at least one allowed CPU */
    size_t core_count;
    struct mw_cache *caches;
    size_t cache_count;
    struct mw_node *nodes;
    size_t node_count;
    unsigned package_count, kind_count;
    unsigned cpu_allowed_count, cpu_total_count, cpu_offline_count;
    bool smt; /* some core has more than one CPU, allowed or not */
    char root[256];
};

enum mw_err mw_topology_open(struct mw_topology *topology, const char *root, struct mw_error *error) MW_CHECKED;
void mw_topology_close(struct mw_topology *topology);

enum mw_order {
    MW_ORDER_COMPACT, /* fill a package, then the next; the most capable kind first */
    MW_ORDER_SPREAD,  /* round robin over packages and nodes */
};

/*
 * The first `count` CPUs to use, one a physical core in `order`, hyper-threads only after all cores are taken and only
 * when smt is allowed. cpus has room for count. MW_USAGE with the number there is where count is too large.
 */
enum mw_err mw_topology_select(const struct mw_topology *topology, size_t count, enum mw_order order, bool smt,
                               unsigned *cpus, struct mw_error *error) MW_CHECKED;

/* Core counts after which, filling in that order, the next CPU lies behind a boundary; caller frees *at and *what. */
enum mw_err mw_topology_boundaries(const struct mw_topology *topology, enum mw_order order, bool smt, unsigned **at,
                                   enum mw_boundary_kind **what, size_t *count, struct mw_error *error) MW_CHECKED;

/* Sum of the distinct last-level caches that the CPUs touch, in bytes; 0 where no size is known. */
size_t mw_topology_llc_bytes(const struct mw_topology *topology, const unsigned *cpus, size_t count);

/* Binds the calling thread and reads the mask back: MW_RUN where the kernel gave another one. */
enum mw_err mw_bind_thread(const unsigned *cpus, size_t count, struct mw_error *error) MW_CHECKED;

#endif
