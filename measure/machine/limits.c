// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/limits.h"

#include "measure/machine/cgroup.h"
#include "measure/machine/sysfile.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static void lower(struct mw_memory_limit *limit, size_t size_bytes, const char *what)
{
    if (size_bytes < limit->size_bytes) {
        limit->size_bytes = size_bytes;
        snprintf(limit->what, sizeof limit->what, "%s", what);
    }
}

/* A number of a cgroup file; "max" and what can't be read are no limit. */
static double read_or(const char *root, const char *dir, const char *file, double otherwise)
{
    double value = otherwise;
    return mw_sysfile_number(root, &value, "%s/%s", dir, file) ? otherwise : value;
}

struct look {
    const char *root;
    struct mw_memory_limit *limit;
};

static void look_at_memory(void *data, const char *folder, const char *path, bool v2)
{
    struct look *l = data;
    double most = read_or(l->root, folder, v2 ? "memory.max" : "memory.limit_in_bytes", 0);
    double used = read_or(l->root, folder, v2 ? "memory.current" : "memory.usage_in_bytes", 0);
    double cache = mw_cgroup_entry(l->root, folder, "memory.stat", v2 ? "inactive_file" : "total_inactive_file", 0);
    (void)path;
    if (most <= 0 || most >= (double)(SIZE_MAX / 2))
        return;
    double left = most - (used > cache ? used - cache : 0);
    lower(l->limit, left > 0 ? (size_t)left : 0, "the memory limit of the cgroup");
}

static void lower_by_rlimit(const char *root, int resource, const char *used_key, const char *what,
                            struct mw_memory_limit *limit)
{
    struct rlimit r;
    size_t used = 0;
    if (getrlimit((__rlimit_resource_t)resource, &r) || r.rlim_cur == RLIM_INFINITY)
        return;
    if (mw_sysfile_kb(root, "/proc/self/status", used_key, &used))
        used = 0;
    lower(limit, r.rlim_cur > used ? (size_t)r.rlim_cur - used : 0, what);
}

void mw_memory_limit(const char *root, struct mw_memory_limit *limit)
{
    size_t available;
    struct look look = {root, limit};
    *limit = (struct mw_memory_limit){.size_bytes = SIZE_MAX};
    if (!mw_sysfile_kb(root, "/proc/meminfo", "MemAvailable", &available) ||
        !mw_sysfile_kb(root, "/proc/meminfo", "MemFree", &available))
        lower(limit, available, "the available memory");
    mw_cgroup_each(root, "memory", look_at_memory, &look);
    lower_by_rlimit("", RLIMIT_AS, "VmSize", "the address space limit (ulimit -v)", limit);
    lower_by_rlimit("", RLIMIT_DATA, "VmData", "the data limit (ulimit -d)", limit);
}

size_t mw_memory_node_free(const char *root, unsigned os_index)
{
    char path[96], key[48];
    size_t size_bytes;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%u/meminfo", os_index);
    snprintf(key, sizeof key, "Node %u MemFree", os_index);
    return mw_sysfile_kb(root, path, key, &size_bytes) ? SIZE_MAX : size_bytes;
}
