// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RUNNER_H
#define MW_MEASURE_RUNNER_H

#include "data/error.h"
#include "data/output.h"
#include "measure/freq/attribute.h"
#include "measure/run/lock.h"
#include "measure/run/energy_command.h"
#include "measure/run/run.h"
#include "measure/machine/topology.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The machine made ready to run one program at chosen configurations (cores, frequency), or a measured table that answers
 * in its place. While a runner is open no other memwall measures on this machine; _close puts everything back.
 */
enum mw_boost { MW_BOOST_KEEP, MW_BOOST_OFF, MW_BOOST_ON };

struct mw_runner_setup {
    struct mw_run_setup run;
    const char *root;    /* "" for this machine; else /sys and the like below it, programs still run here */
    const char *replay;  /* a table of runs that answers instead; NULL: measure. run and the rest are then unused */
    enum mw_order order; /* how cores are filled */
    bool unbound;        /* the launcher places the processes: any core count, no clock is set or measured */
    bool smt;            /* hyper-threads count as cores once all cores are taken */
    enum mw_boost boost;
    const char *energy_command; /* prints joules; NULL: the machine's own meters */
    enum mw_energy_kind energy_kind;
    unsigned long warmup;   /* runs before the first that are not kept */
    double cool_to_c;       /* wait before each run until the processor is no hotter; 0: don't */
    bool dry_run;           /* what would be written is collected instead, see mw_runner_writes; no lock is taken */
    bool sets_freq;         /* frequencies are going to be asked for; boost counts by itself */
    enum mw_lock_mode lock; /* as in struct mw_session_setup */
};

/* What is known of a run: bits of the has of a result, and of mw_runner_has. */
enum mw_runner_fields {
    MW_RUNNER_TIME = 1 << 0, /* false only in replay of tables that lack it, as the next */
    MW_RUNNER_CPU_TIME = 1 << 1,
    MW_RUNNER_ENERGY = 1 << 2,
    MW_RUNNER_EFFECTIVE = 1 << 3,
    MW_RUNNER_WALL = 1 << 4,  /* apart from the time: where that is what the program printed */
    MW_RUNNER_USAGE = 1 << 5, /* system time, switches, page faults */
    MW_RUNNER_MAIN_WAIT = 1 << 6,
    MW_RUNNER_THREADS = 1 << 7,
    MW_RUNNER_PEAK_MEMORY = 1 << 8,
    MW_RUNNER_OTHERS = 1 << 9, /* other_cpu_s */
    MW_RUNNER_STEAL = 1 << 10,
    MW_RUNNER_THROTTLED = 1 << 11,
    MW_RUNNER_DISTURBED = 1 << 12,
    MW_RUNNER_COUNTED = 1 << 13, /* any of the events, each by MW_RUNNER_EVENT << its number */
    MW_RUNNER_THREAD_WAIT = 1 << 14,
    MW_RUNNER_EVENT = 1 << 15,
    MW_RUNNER_RATE = 1 << 30, /* what the program printed, where the time is its inverse */
};

struct mw_runner_result {
    struct mw_run_result run;
    unsigned has; /* bits of enum mw_runner_fields */
    double
        freq_effective_hz; /* of the core in use that is farthest from what was asked for (the slowest, if nothing was) */
    bool freq_off;         /* asked for a frequency and not confirmed within MW_FREQ_TOLERANCE */
    double energy_j;
    double
        other_cpu_s; /* that other programs used on the run's CPUs; known from half a second on, or above what ticks explain */
    double steal_s;     /* that the hypervisor took from them */
    double throttled_s; /* held back by a CPU quota, summed over processors */
    double
        foreign_share; /* of the CPUs' time that others and the hypervisor used; 0 below what the clock tick can tell */
    double disturbed;  /* 1: the run is not the program's alone (others, heat, processes left behind); else 0 */
    char note[256];    /* what to tell the user of this run ("core 3 ran at 1.2 GHz …"); empty where nothing */
};

struct mw_runner;

/*
 * Takes the machine: MW_BUSY while another memwall holds it, MW_PERM, MW_UNSUPPORTED … with a remedy. Nothing is changed
 * before the first measurement that needs it. `stop` may be NULL; texts of the setup are borrowed.
 */
enum mw_err mw_runner_open(struct mw_runner **runner, const struct mw_runner_setup *setup, struct mw_stop *stop,
                           struct mw_error *error) MW_CHECKED;

/*
 * Runs what is to be run after the last run, restores frequencies and lets the machine go. Returns the first thing that
 * could not be put back. Takes NULL.
 */
enum mw_err mw_runner_close(struct mw_runner *runner, struct mw_error *error) MW_CHECKED;

/* What can be asked for, ascending, owned by the runner: core counts, and frequencies (*count 0: no control here). */
const double *mw_runner_cores(const struct mw_runner *runner, size_t *count);
const double *mw_runner_freqs(const struct mw_runner *runner, size_t *count);

/*
 * Measures one configuration once. freq_hz 0 leaves the frequency alone. repetition counts from 1 (a table with several
 * rows of a configuration gives them in turn).
 * Returns MW_OK also for a failed run (result->run.fault); MW_INTERRUPTED at an order to stop at once; MW_PERM, MW_IO …
 * where the machine cannot be set; in replay MW_DATA naming the nearest configuration of the table.
 */
enum mw_err mw_runner_measure(struct mw_runner *runner, unsigned cores, double freq_hz, unsigned repetition,
                              struct mw_runner_result *result, struct mw_error *error) MW_CHECKED;

/* mw_process_renew; nothing in replay. */
void mw_runner_renew(struct mw_runner *runner);

/* mw_process_tail of the last run; "" in replay. */
void mw_runner_tail(const struct mw_runner *runner, unsigned lines, char *text, size_t size);

/* Why energy is not measured (a sentence with the remedy); NULL where it is, or where the machine has no meter. */
const char *mw_runner_energy_missing(const struct mw_runner *runner);

/* Why events are not counted though they were asked for; else NULL. */
const char *mw_runner_events_missing(const struct mw_runner *runner);

/* Power of the machine at rest over time_s, at least ten updates of the meter; *has false without a meter or where it fails. */
void mw_runner_idle_power(struct mw_runner *runner, double time_s, bool *has, double *power_w);

/* What was put back at opening because a killed memwall had left it, one line each; NULL where there was nothing. */
const char *mw_runner_recovered(const struct mw_runner *runner);

/*
 * In a dry run: the writes that measuring a configuration would do to the machine (all since the last call), and with
 * cores 0 those of putting all back. They belong to the runner.
 */
enum mw_err mw_runner_writes(struct mw_runner *runner, unsigned cores, double freq_hz,
                             const struct mw_attribute_write **writes, size_t *count,
                             struct mw_error *error) MW_CHECKED;

/* What results can have; a single one may still lack it. */
unsigned mw_runner_has(const struct mw_runner *runner);

/* Processors' worth of time that a quota of the control groups leaves (of `root`); INFINITY where there is none, and in replay. */
double mw_runner_cpu_limit(const struct mw_runner *runner);

/* Adds what a reader of the results should know: CPUs and their order, boundaries, driver, governor, boost, energy meters, CPU limit. */
enum mw_err mw_runner_describe(const struct mw_runner *runner, unsigned max_cores, struct mw_provenance *facts,
                               struct mw_error *error) MW_CHECKED;

/* The CPUs that `cores` cores are, in order; count entries are written (= cores). Not in replay. */
enum mw_err mw_runner_cpus(const struct mw_runner *runner, unsigned cores, unsigned *cpus,
                           struct mw_error *error) MW_CHECKED;

#endif
