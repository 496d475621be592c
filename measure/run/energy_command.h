// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_ENERGY_COMMAND_H
#define MW_MEASURE_ENERGY_COMMAND_H

#include "measure/energy/energy.h"
#include "measure/process/stop.h"

/* A command of the user's that prints joules: a counter, or the energy of the last run. */
enum mw_energy_kind {
    MW_ENERGY_AUTO,    /* found out: what grows at rest counts, what falls doesn't */
    MW_ENERGY_COUNTER, /* runs get differences */
    MW_ENERGY_RUN,     /* asked after each run */
};

struct mw_energy_command {
    const char *command; /* borrowed; `sh -c` */
    enum mw_energy_kind kind;
    double timeout_s; /* of one asking */
    double before_j;  /* < 0: not known */
};

/*
 * Asks twice, a second apart, where the kind is to be found out. MW_RUN where the command fails, takes longer than
 * timeout_s (0: MW_ENERGY_COMMAND_TIMEOUT_S) or prints no energy (mw_energy_parse); MW_INTERRUPTED at an order to stop.
 */
#define MW_ENERGY_COMMAND_TIMEOUT_S 30
enum mw_err mw_energy_command_open(struct mw_energy_command *meter, const char *command, enum mw_energy_kind kind,
                                   double timeout_s, struct mw_stop *stop, struct mw_error *error) MW_CHECKED;

/* Around a run of time_s. What cannot be told to be of this run is missing, and `why` says it. */
enum mw_err mw_energy_command_start(struct mw_energy_command *meter, struct mw_stop *stop,
                                    struct mw_error *error) MW_CHECKED;
enum mw_err mw_energy_command_stop(struct mw_energy_command *meter, double time_s, struct mw_stop *stop,
                                   struct mw_energy_reading *reading, struct mw_error *error) MW_CHECKED;

/*
 * The energy in a line: one number that stands alone, with its unit (J, mJ, kJ, MJ, Wh, kWh, joules) if it has one, which
 * may touch it. False, and why, where there is none, where there are several and not just one has a unit of energy, for a
 * decimal comma, and for another unit.
 */
bool mw_energy_parse(const char *line, double *energy_j, char *why, size_t size);

#endif
