// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CPUFREQ_DRIVER_H
#define MW_MEASURE_CPUFREQ_DRIVER_H

#include <stdbool.h>

/* How a cpufreq driver lists, pins and boosts: one row of a table per driver and mode. */
enum mw_pin {
    MW_PIN_USERSPACE, /* governor userspace and scaling_setspeed, where the kernel has that governor; else as below */
    MW_PIN_LIMITS,    /* scaling_min_freq = scaling_max_freq; userspace does not exist or is taken and ignored */
};

struct mw_cpufreq_driver {
    const char *name;   /* scaling_driver */
    const char *mode;   /* what the status file says; NULL: any */
    const char *status; /* status file, NULL: none */
    enum mw_pin pin;
    long step_khz;   /* of the list made where there is no scaling_available_frequencies */
    const char *cap; /* percentages that clamp silently, NULL: none */
};

/* What turns boost on and off; all that a machine has are set. */
struct mw_boost_attribute {
    const char *path; /* of a policy: a name in its folder */
    bool per_policy;
    const char *on, *off;
};

extern const struct mw_boost_attribute mw_boost_attributes[];
extern const unsigned mw_boost_attribute_count;

/* The row of a driver in a mode ("" where unknown); a driver that the table lacks gets the row of its kind, never NULL. */
const struct mw_cpufreq_driver *mw_cpufreq_driver_find(const char *name, const char *mode);

#endif
