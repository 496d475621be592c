// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/cgroup.h"

#include "measure/machine/sysfile.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOUNT "/sys/fs/cgroup"

/* The group `path` below `mount` and those above it. In a container the upper part of the path isn't there: no harm. */
static void climb(const char *mount, const char *path, bool v2, mw_cgroup_look *look, void *data)
{
    char at[PATH_MAX], folder[PATH_MAX];
    int n = snprintf(at, sizeof at, "%s", path);
    if (n <= 0 || (size_t)n >= sizeof at || *at != '/' || strstr(at, "/.."))
        return;
    for (;;) {
        n = snprintf(folder, sizeof folder, "%s%s", mount, strcmp(at, "/") ? at : "");
        if (n < 0 || (size_t)n >= sizeof folder)
            return;
        look(data, folder, at, v2);
        char *slash = strrchr(at, '/');
        if (!strcmp(at, "/"))
            return;
        slash[slash == at] = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
        if (strcspn(list, ",") == length && !strncmp(list, word, length))
            return true;
    return false;
}

void mw_cgroup_each(const char *root, const char *controller, mw_cgroup_look *look, void *data)
{
    char text[8192], mount[PATH_MAX], *rest = NULL;
    if (mw_sysfile_text(root, text, sizeof text, "/proc/self/cgroup"))
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        controllers++;
        if (!strncmp(line, "0:", 2) && !*controllers) { /* beside hierarchies of version 1 it has a folder of its own */
            bool hybrid = mw_sysfile_exists(root, MOUNT "/unified");
            climb(hybrid ? MOUNT "/unified" : MOUNT, path, true, look, data);
        } else if (has_word(controllers, controller)) {
            snprintf(mount, sizeof mount, MOUNT "/%s", controllers);
            if (strchr(controllers, ',') && !mw_sysfile_exists(root, mount))
                snprintf(mount, sizeof mount, MOUNT "/%s", controller);
            climb(mount, path, false, look, data);
        }
    }
}

double mw_cgroup_entry(const char *root, const char *folder, const char *file, const char *key, double otherwise)
{
    char text[8192];
    if (mw_sysfile_text(root, text, sizeof text, "%s/%s", folder, file))
        return otherwise;
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length) && line[length] == ' ')
            return strtod(line + length, NULL);
    }
    return otherwise;
}

struct look {
    const char *root;
    struct mw_cpu_limit limit;
    double throttled_s;
    bool counted;
};

/* "QUOTA PERIOD" or "max PERIOD" in microseconds; version 1 has two files and -1 for no quota. */
static void look_at_quota(void *data, const char *folder, const char *path, bool v2)
{
    struct look *l = data;
    double quota = 0, period = 0;
    char text[64], *end;
    if (v2) {
        if (mw_sysfile_text(l->root, text, sizeof text, "%s/cpu.max", folder))
            return;
        quota = strtod(text, &end);
        period = end > text ? strtod(end, NULL) : 0;
    } else if (mw_sysfile_number(l->root, &quota, "%s/cpu.cfs_quota_us", folder) ||
               mw_sysfile_number(l->root, &period, "%s/cpu.cfs_period_us", folder)) {
        return;
    }
    if (!(quota > 0 && period > 0) || !(quota / period < l->limit.cpus))
        return;
    l->limit.cpus = quota / period;
    snprintf(l->limit.group, sizeof l->limit.group, "%s", path);
}

void mw_cpu_limit(const char *root, struct mw_cpu_limit *limit)
{
    struct look l = {.root = root, .limit.cpus = INFINITY};
    mw_cgroup_each(root, "cpu", look_at_quota, &l);
    *limit = l.limit;
}

static void look_at_throttling(void *data, const char *folder, const char *path, bool v2)
{
    struct look *l = data;
    const double unit_s = v2 ? 1e-6 : 1e-9; /* throttled_usec; throttled_time is in nanoseconds */
    double count = mw_cgroup_entry(l->root, folder, "cpu.stat", v2 ? "throttled_usec" : "throttled_time", -1);
    (void)path;
    if (count < 0)
        return;
    l->throttled_s += count * unit_s;
    l->counted = true;
}

bool mw_cpu_throttled(const char *root, double *throttled_s)
{
    struct look l = {.root = root};
    mw_cgroup_each(root, "cpu", look_at_throttling, &l);
    if (l.counted)
        *throttled_s = l.throttled_s;
    return l.counted;
}
