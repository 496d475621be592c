// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/energy/energy_counter.h"
#include "measure/machine/sysfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CLASS "/sys/class/powercap"
enum { ZONES_MAX = 64, SUBZONES_MAX = 8 };

/* RAPL counts in microjoules and is updated every millisecond (Intel SDM 3B, 15.10). */
static const double unit_j = 1e-6, update_s = 1e-3;

static enum mw_err add_zone(const char *root, const char *zone, const char *name, struct mw_counters *counters,
                            bool *denied, struct mw_error *error)
{
    struct mw_counter c = {.fd = -1, .unit = unit_j, .update_s = update_s};
    double value;
    snprintf(c.name, sizeof c.name, "%s", name);
    snprintf(c.path, sizeof c.path, CLASS "/%s/energy_uj", zone);
    if (mw_sysfile_number(root, &c.range, CLASS "/%s/max_energy_range_uj", zone) || c.range <= 0)
        c.range = 0;
    int failed = mw_counter_read(root, &c, &value);
    if (failed) {
        *denied = *denied || failed == EACCES || failed == EPERM;
        return MW_OK;
    }
    mw_counters_tell(counters, name);
    return mw_counters_add(counters, &c, error);
}

static bool zone_name(const char *root, const char *zone, char *name, size_t size)
{
    return mw_sysfile_text(root, name, size, CLASS "/%s/name", zone) == 0;
}

/*
 * Packages and, beside them, their DRAM. A package includes its cores and uncore; psys includes all packages, so it is
 * taken only where there is no package. intel-rapl-mmio counts the packages once more.
 */
static enum mw_err find(const char *root, struct mw_counters *counters, bool *denied, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    char zone[48], name[40], psys[48] = "";
    for (unsigned z = 0; z < ZONES_MAX && !err; z++) {
        snprintf(zone, sizeof zone, "intel-rapl:%u", z);
        if (!zone_name(root, zone, name, sizeof name))
            continue;
        if (!strcmp(name, "psys"))
            snprintf(psys, sizeof psys, "%s", zone);
        if (strncmp(name, "package", 7))
            continue;
        err = add_zone(root, zone, name, counters, denied, error);
        for (unsigned s = 0; s < SUBZONES_MAX && !err; s++) {
            snprintf(zone, sizeof zone, "intel-rapl:%u:%u", z, s);
            char sub[40], label[48 + 40];
            if (!zone_name(root, zone, sub, sizeof sub) || strcmp(sub, "dram"))
                continue;
            snprintf(label, sizeof label, "%s dram", name);
            err = add_zone(root, zone, label, counters, denied, error);
        }
    }
    if (!err && !counters->count && *psys)
        err = add_zone(root, psys, "psys", counters, denied, error);
    return err;
}

const struct mw_energy_source mw_energy_powercap = {
    .name = "RAPL by powercap",
    .find = find,
    .remedy = "energy_uj may be read by root only (since Linux 5.10): run memwall with sudo, or "
              "chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj",
};
