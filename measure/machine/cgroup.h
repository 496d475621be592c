// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CGROUP_H
#define MW_MEASURE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Control groups of this process as /proc/self/cgroup below `root` names them. `look` is called with the folder of the own
 * group and then of each above it, in version 2 and, where the controller ("cpu", "memory") has a hierarchy of version 1,
 * there too. `path` is the group's name ("/" the highest). Files that a folder lacks are the caller's to miss.
 */
typedef void mw_cgroup_look(void *data, const char *folder, const char *path, bool v2);
void mw_cgroup_each(const char *root, const char *controller, mw_cgroup_look *look, void *data);

/* What the groups let this process use of the processors. */
struct mw_cpu_limit {
    double
        cpus; /* processors' worth of time: the least of cpu.max, or cfs_quota_us / cfs_period_us; INFINITY: no quota */
    char group[128]; /* the group that it is set on; empty: no quota */
};
void mw_cpu_limit(const char *root, struct mw_cpu_limit *limit);

/* Time that tasks of the own group and of those above were held back by a quota, in seconds; false where not counted. */
bool mw_cpu_throttled(const char *root, double *throttled_s);

/* The number behind "key " in a file of lines "key number"; `otherwise` where there is none. */
double mw_cgroup_entry(const char *root, const char *folder, const char *file, const char *key, double otherwise);

#endif
