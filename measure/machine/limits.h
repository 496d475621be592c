// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_LIMITS_H
#define MW_MEASURE_LIMITS_H

#include <stddef.h>

/*
 * Memory that this process may still take: the least of MemAvailable, each cgroup above it (limit - use, page cache that
 * can be dropped not counted as use), RLIMIT_AS and RLIMIT_DATA less what is mapped. `what` names the one that binds.
 * A limit that can't be read does not bind; with none read, size_bytes is SIZE_MAX.
 */
struct mw_memory_limit {
    size_t size_bytes;
    char what[64];
};
void mw_memory_limit(const char *root, struct mw_memory_limit *limit);

/* Free memory of a NUMA node (kernel's number); SIZE_MAX where it can't be read. */
size_t mw_memory_node_free(const char *root, unsigned os_index);

#endif
