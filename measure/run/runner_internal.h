// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RUNNER_INTERNAL_H
#define MW_MEASURE_RUNNER_INTERNAL_H

#include "data/replay.h"
#include "measure/energy/energy.h"
#include "measure/machine/cgroup.h"
#include "measure/run/energy_command.h"
#include "measure/run/session.h"
#include "measure/run/runner.h"

/* What the files of the runner share. */
struct mw_runner {
    struct mw_runner_setup setup;
    struct mw_stop *stop;
    struct mw_topology machine; /* below root: which CPUs the cores are */
    struct mw_topology here;    /* where programs run; used only where root is not "" */
    struct mw_replay replay;
    struct mw_session session;
    bool has_machine, has_here, has_replay, is_held;
    struct mw_cpu_limit limit;
    bool offers_event[MW_EVENT_COUNT];
    char events_missing[420];
    struct mw_energy *energy;                /* NULL: none */
    struct mw_energy_command energy_command; /* in its place; command NULL: none */
    char energy_missing[700];
    size_t writes_told;
    unsigned waits_in_vain; /* for a tree to say the frequency that was set */
    double *clock_hz;       /* by core count, where the frequency is left alone; 0: not measured yet */
    struct mw_process *process;
    double *cores;
    size_t core_count;
    unsigned *cpus, *bound; /* room for core_count: as the machine numbers them, and here */
    double *effective_hz;   /* room for core_count */
};

/* Pins the CPUs of the next measurement (runner->cpus); a clamp is noted in the result. */
enum mw_err mw_runner_set_freq(struct mw_runner *runner, unsigned cores, double freq_hz,
                               struct mw_runner_result *result, struct mw_error *error) MW_CHECKED;

#endif
