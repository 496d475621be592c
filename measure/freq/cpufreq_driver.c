// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/freq/cpufreq_driver.h"

#include <stddef.h>
#include <string.h>

#define CPU_ROOT     "/sys/devices/system/cpu"
#define INTEL_STATUS CPU_ROOT "/intel_pstate/status"
#define INTEL_CAP    CPU_ROOT "/intel_pstate/max_perf_pct"
#define AMD_STATUS   CPU_ROOT "/amd_pstate/status"

/* A list of its own only where the driver has no table: 100 MHz is Intel's bus clock, and fine enough for CPPC. */
enum { STEP_KHZ = 100000 };

/* Linux Documentation/admin-guide/pm: intel_pstate, amd-pstate, cpufreq. */
static const struct mw_cpufreq_driver drivers[] = {
    {"acpi-cpufreq", NULL, NULL, MW_PIN_USERSPACE, STEP_KHZ, NULL},
    /* active: `userspace` is not offered, some kernels take it and change nothing (tcrp-addons#7) */
    {"intel_pstate", "active", INTEL_STATUS, MW_PIN_LIMITS, STEP_KHZ, INTEL_CAP},
    {"intel_pstate", NULL, INTEL_STATUS, MW_PIN_LIMITS, STEP_KHZ, INTEL_CAP},
    {"intel_cpufreq", NULL, INTEL_STATUS, MW_PIN_USERSPACE, STEP_KHZ, INTEL_CAP}, /* intel_pstate, passive */
    {"amd-pstate-epp", NULL, AMD_STATUS, MW_PIN_LIMITS, STEP_KHZ, NULL},          /* active */
    /* guided: the hardware picks within [min, max], so a speed between them is no pin */
    {"amd-pstate", "guided", AMD_STATUS, MW_PIN_LIMITS, STEP_KHZ, NULL},
    {"amd-pstate", NULL, AMD_STATUS, MW_PIN_USERSPACE, STEP_KHZ, NULL}, /* passive */
    {"cppc_cpufreq", NULL, NULL, MW_PIN_USERSPACE, STEP_KHZ, NULL},
    {"cpufreq-dt", NULL, NULL, MW_PIN_USERSPACE, STEP_KHZ, NULL},
    {NULL, NULL, NULL, MW_PIN_USERSPACE, STEP_KHZ,
     NULL}, /* scmi, qcom-cpufreq-hw, powernv-cpufreq and what will come */
};

const struct mw_boost_attribute mw_boost_attributes[] = {
    {CPU_ROOT "/cpufreq/boost", false, "1", "0"},
    {CPU_ROOT "/intel_pstate/no_turbo", false, "0", "1"},
    {"boost", true, "1", "0"},
    {"cpb", true, "1", "0"},
};
const unsigned mw_boost_attribute_count = sizeof mw_boost_attributes / sizeof *mw_boost_attributes;

const struct mw_cpufreq_driver *mw_cpufreq_driver_find(const char *name, const char *mode)
{
    const struct mw_cpufreq_driver *d = drivers;
    while (d->name && (strcmp(d->name, name) || (d->mode && strcmp(d->mode, mode))))
        d++;
    return d;
}
