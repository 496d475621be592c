// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_ENERGY_H
#define MW_MEASURE_ENERGY_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Energy of a stretch of time, from the first of these that can be read: powercap (RAPL), perf's `power` events, Cray's
 * pm_counters, hwmon (energy counters, power meters, INA sensors of boards). A command of the user's: run/energy_command.h.
 * A thread reads the counters often enough that none wraps twice unseen, and integrates sensors of power.
 */
struct mw_energy;

/*
 * The machine's meters below `root`.
 * MW_UNSUPPORTED where there is no meter, MW_PERM where there is one that may not be read (with the remedy).
 */
enum mw_err mw_energy_open(struct mw_energy **energy, const char *root, struct mw_error *error) MW_CHECKED;
void mw_energy_close(struct mw_energy *energy); /* takes NULL */

/* What the number is made of and what it leaves out, one line. */
const char *mw_energy_describe(const struct mw_energy *energy);

struct mw_energy_reading {
    bool has;        /* false: missing, `why` says it; else `why` is empty or a remark */
    double energy_j; /* > 0 */
    char why[256];
};

/*
 * Around what is to be measured. A reading is missing where a counter vanished or wrapped and its range is not known,
 * where the time is too short for the meter (below ten of its updates), where it did not move, and where it is impossible
 * (above 5 kW a counter).
 */
void mw_energy_start(struct mw_energy *energy);
void mw_energy_stop(struct mw_energy *energy, struct mw_energy_reading *reading);

/* How long a stretch has to be for the meter, in seconds. */
double mw_energy_least_s(const struct mw_energy *energy);

#endif
