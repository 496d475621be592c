// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/energy/energy_counter.h"
#include "measure/machine/sysfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define CRAY  "/sys/cray/pm_counters"
#define HWMON "/sys/class/hwmon/hwmon%u"
enum { DEVICES_MAX = 64, CHANNELS_MAX = 64 };

static enum mw_err add(const char *root, const struct mw_counter *counter, struct mw_counters *counters, bool *denied,
                       struct mw_error *error)
{
    double value;
    int failed = mw_counter_read(root, counter, &value);
    if (failed) {
        *denied = *denied || failed == EACCES || failed == EPERM;
        return MW_OK;
    }
    mw_counters_tell(counters, counter->name);
    return mw_counters_add(counters, counter, error);
}

/* `energy` is the node with all that is in it: "123456 J 1234567890 us", ten times a second, readable by all. */
static enum mw_err find_cray(const char *root, struct mw_counters *counters, bool *denied, struct mw_error *error)
{
    const struct mw_counter c = {.name = "node", .path = CRAY "/energy", .fd = -1, .unit = 1, .update_s = 0.1};
    return mw_sysfile_exists(root, c.path) ? add(root, &c, counters, denied, error) : MW_OK;
}

const struct mw_energy_source mw_energy_cray = {.name = "Cray pm_counters", .find = find_cray, .remedy = ""};

/* amd_energy: sockets, not the cores that they include. */
static enum mw_err find_amd(const char *root, unsigned device, struct mw_counters *counters, bool *denied,
                            struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (unsigned i = 1; i <= CHANNELS_MAX * 4 && !err; i++) {
        char label[40];
        struct mw_counter c = {.fd = -1, .unit = 1e-6, .update_s = 1e-3};
        if (mw_sysfile_text(root, label, sizeof label, HWMON "/energy%u_label", device, i) ||
            strncmp(label, "Esocket", 7))
            continue;
        snprintf(c.name, sizeof c.name, "%s", label);
        snprintf(c.path, sizeof c.path, HWMON "/energy%u_input", device, i);
        err = add(root, &c, counters, denied, error);
    }
    return err;
}

/* A rail that feeds the others is taken alone. */
static bool is_total(const char *label)
{
    static const char *const words[] = {"VDD_IN", "5V_IN", "total", "Grace Power", "Module"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(label, words[i]))
            return true;
    return false;
}

/* Sensors of power in microwatts; `totals` takes only those that are_total. */
static enum mw_err find_power(const char *root, unsigned device, const char *name, bool totals,
                              struct mw_counters *counters, bool *denied, struct mw_error *error)
{
    static const char *const kinds[] = {"average", "input"};
    enum mw_err err = MW_OK;
    for (unsigned i = 1; i <= CHANNELS_MAX && !err; i++) {
        struct mw_counter c = {.fd = -1, .unit = 1e-6, .is_power = true, .update_s = 0.05};
        char label[32] = "";
        if (mw_sysfile_text(root, label, sizeof label, HWMON "/power%u_label", device, i) &&
            mw_sysfile_text(root, label, sizeof label, HWMON "/power%u_oem_info", device, i))
            snprintf(label, sizeof label, "power%u", i);
        if (totals != is_total(label))
            continue;
        snprintf(c.name, sizeof c.name, "%.14s %s", name, label);
        for (size_t k = 0; k < 2 && !err; k++) {
            size_t before = counters->count;
            snprintf(c.path, sizeof c.path, HWMON "/power%u_%s", device, i, kinds[k]);
            if (mw_sysfile_exists(root, c.path))
                err = add(root, &c, counters, denied, error);
            if (counters->count > before)
                break;
        }
    }
    return err;
}

static bool is_meter(const char *name)
{
    return !strcmp(name, "power_meter") || !strncmp(name, "ina", 3) || !strcmp(name, "acpi_power_meter") ||
           !strcmp(name, "xgene") || !strcmp(name, "scmi_sensors");
}

static enum mw_err find_hwmon(const char *root, struct mw_counters *counters, bool *denied, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    char name[40];
    for (unsigned d = 0; d < DEVICES_MAX && !err; d++)
        if (!mw_sysfile_text(root, name, sizeof name, HWMON "/name", d) && !strcmp(name, "amd_energy"))
            err = find_amd(root, d, counters, denied, error);
    for (int totals = 1; totals >= 0 && !counters->count && !err; totals--)
        for (unsigned d = 0; d < DEVICES_MAX && !err; d++)
            if (!mw_sysfile_text(root, name, sizeof name, HWMON "/name", d) && is_meter(name))
                err = find_power(root, d, name, totals, counters, denied, error);
    return err;
}

const struct mw_energy_source mw_energy_hwmon = {
    .name = "hwmon", .find = find_hwmon, .remedy = "run memwall with sudo: the sensor may not be read by this user"};
