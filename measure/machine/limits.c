// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/limits.h"

#include "measure/machine/sysfile.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static double stat_entry(const char *root, const char *dir, const char *key)
{
    char text[8192];
    if (mw_sysfile_text(root, text, sizeof text, "%s/memory.stat", dir))
        return 0;
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length) && line[length] == ' ')
            return strtod(line + length, NULL);
    }
    return 0;
}

/* The cgroup `path` and those above it, below `mount`. */
static void lower_by_cgroups(const char *root, const char *mount, char *path, bool v2, struct mw_memory_limit *limit)
{
    for (;;) {
        char dir[PATH_MAX];
        int n = snprintf(dir, sizeof dir, "%s%s", mount, strcmp(path, "/") ? path : "");
        if (n < 0 || (size_t)n >= sizeof dir)
            return;
        double most = read_or(root, dir, v2 ? "memory.max" : "memory.limit_in_bytes", 0);
        double used = read_or(root, dir, v2 ? "memory.current" : "memory.usage_in_bytes", 0);
        double cache = stat_entry(root, dir, v2 ? "inactive_file" : "total_inactive_file");
        if (most > 0 && most < (double)(SIZE_MAX / 2)) {
            double left = most - (used > cache ? used - cache : 0);
            lower(limit, left > 0 ? (size_t)left : 0, "the memory limit of the cgroup");
        }
        char *slash = strrchr(path, '/');
        if (!slash || !strcmp(path, "/"))
            return;
        slash[slash == path] = '\0';
    }
}

static void lower_by_own_cgroups(const char *root, struct mw_memory_limit *limit)
{
    char text[8192], *rest = NULL;
    if (mw_sysfile_text(root, text, sizeof text, "/proc/self/cgroup"))
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        if (!strcmp(line, "0:"))
            lower_by_cgroups(root, "/sys/fs/cgroup", path, true, limit);
        else if (strstr(controllers, "memory"))
            lower_by_cgroups(root, "/sys/fs/cgroup/memory", path, false, limit);
    }
}

static void lower_by_rlimit(const char *root, int resource, const char *used_key, const char *what,
                            struct mw_memory_limit *limit)
{
    struct rlimit r;
    size_t used = 0;
    if (getrlimit(resource, &r) || r.rlim_cur == RLIM_INFINITY)
        return;
    if (mw_sysfile_kb(root, "/proc/self/status", used_key, &used))
        used = 0;
    lower(limit, r.rlim_cur > used ? (size_t)r.rlim_cur - used : 0, what);
}

void mw_memory_limit(const char *root, struct mw_memory_limit *limit)
{
    size_t available;
    *limit = (struct mw_memory_limit){.size_bytes = SIZE_MAX};
    if (!mw_sysfile_kb(root, "/proc/meminfo", "MemAvailable", &available) ||
        !mw_sysfile_kb(root, "/proc/meminfo", "MemFree", &available))
        lower(limit, available, "the available memory");
    lower_by_own_cgroups(root, limit);
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
