// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/energy/meters.h"

#include "measure/machine/sysfile.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where meters lie: a pattern of files below the root, and the file beside it that names the meter, NULL: the file's own. */
static const struct {
    const char *source, *pattern, *name_file;
} sources[] = {
    {"powercap", "/sys/class/powercap/intel-rapl:*/energy_uj", "name"},
    {"perf", "/sys/bus/event_source/devices/power*/events/energy-*", NULL},
    {"cray", "/sys/cray/pm_counters/energy", NULL},
    {"hwmon", "/sys/class/hwmon/hwmon*/energy*_input", "name"},
    {"hwmon", "/sys/class/hwmon/hwmon*/power*_average", "name"},
    {"hwmon", "/sys/class/hwmon/hwmon*/power*_input", "name"},
    {"battery", "/sys/class/power_supply/*/energy_now", NULL},
};

static enum mw_err add(struct mw_meter **meters, size_t *count, const char *source, const char *root, const char *path,
                       const char *name_file, struct mw_error *error)
{
    struct mw_meter *grown = realloc(*meters, (*count + 1) * sizeof *grown);
    if (!grown)
        return mw_fail(error, MW_NOMEM, "out of memory");
    *meters = grown;
    struct mw_meter *m = &grown[(*count)++];
    char value[128];
    const char *slash = strrchr(path, '/');
    *m = (struct mw_meter){.source = source};
    snprintf(m->path, sizeof m->path, "%s", path);
    if (!name_file || mw_sysfile_text(root, m->name, sizeof m->name, "%.*s/%s", (int)(slash - path), path, name_file))
        snprintf(m->name, sizeof m->name, "%s", slash + 1);
    m->failed = mw_sysfile_text(root, value, sizeof value, "%s", path);
    return MW_OK;
}

/* A unit or scale of a perf event is no event of its own. */
static bool is_attribute(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".unit") || !strcmp(dot, ".scale"));
}

enum mw_err mw_meters_find(struct mw_meter **meters, size_t *count, const char *root, struct mw_error *error)
{
    struct mw_meter *found = NULL;
    size_t n = 0;
    enum mw_err err = MW_OK;
    for (size_t s = 0; s < sizeof sources / sizeof *sources && !err; s++) {
        char pattern[PATH_MAX];
        glob_t paths = {0};
        int length = snprintf(pattern, sizeof pattern, "%s%s", root, sources[s].pattern);
        if (length < 0 || (size_t)length >= sizeof pattern || glob(pattern, 0, NULL, &paths))
            continue;
        for (size_t i = 0; i < paths.gl_pathc && !err; i++)
            if (!is_attribute(paths.gl_pathv[i]))
                err = add(&found, &n, sources[s].source, root, paths.gl_pathv[i] + strlen(root), sources[s].name_file,
                          error);
        globfree(&paths);
    }
    if (err) {
        free(found);
        return err;
    }
    *meters = found;
    *count = n;
    return MW_OK;
}
