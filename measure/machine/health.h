// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_HEALTH_H
#define MW_MEASURE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

/* What else the processors did around a run: read before and after, compared. */
struct mw_health {
    bool has_busy, has_throttled;
    double busy_s;      /* user, system and interrupts of the CPUs, in steps of a clock tick */
    double steal_s;     /* taken by the hypervisor */
    double throttled_s; /* held back by a CPU quota of the own control groups */
    double hot;         /* times that a core or package was slowed for heat; 0 where not counted */
};

/* From so long a run on a tick at each end is under 4 % of it (10 ms each); of a shorter one only what ticks can't explain tells. */
#define MW_HEALTH_LEAST_S 0.5

/* Of CPUs of this machine, where programs run whatever the root. */
struct mw_health mw_health_read(const unsigned *cpus, size_t count);

/*
 * Share of the CPUs' time that was used by others than the run (cpu_time_s) between two readings wall_s apart; 0 below
 * what the clock tick can tell.
 */
double mw_health_foreign(const struct mw_health *before, const struct mw_health *after, double cpu_time_s,
                         double wall_s, size_t count);

/* Hottest processor sensor (hwmon coretemp, k10temp, …; else a thermal zone) in degrees Celsius; false where none. */
bool mw_health_temperature(const char *root, double *celsius);

#endif
