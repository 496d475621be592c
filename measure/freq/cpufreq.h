// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CPUFREQ_H
#define MW_MEASURE_CPUFREQ_H

#include "data/error.h"
#include "measure/freq/cpufreq_driver.h"
#include "measure/freq/attribute.h"
#include "measure/machine/sysfile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Frequency control. Before the first write to a policy its settings go to the state file, so that they can be put back
 * by _restore, or after a kill by mw_cpufreq_recover (`memwall restore`, and the next scan by itself).
 */
struct mw_policy {
    unsigned number;
    char folder[80];           /* /sys/devices/system/cpu/cpufreq/policyN; cpuN/cpufreq on old kernels */
    struct mw_cpu_list cpus;   /* online ones */
    struct mw_cpu_list domain; /* CPUs that the hardware clocks together with them, maybe beyond the policy */
    const struct mw_cpufreq_driver *driver;
    char driver_name[32];
    bool has_userspace;
    long min_khz, max_khz; /* of the hardware */
    double *table_hz;      /* scaling_available_frequencies and boost ones, ascending; NULL: a range */
    size_t table_count;
    struct mw_policy_settings {
        char governor[32];
        long min_khz, max_khz, speed_khz; /* speed 0: not under userspace */
        char speed[24];                   /* what scaling_setspeed reads; empty where there is none */
    } saved, seen;                        /* before memwall; as read back after the last pin */
    bool is_saved, is_pinned;
};

struct mw_boost_saved {
    char path[128], value[8];
};

struct mw_cpufreq {
    struct mw_attributes attributes;
    struct mw_policy *policies; /* by number */
    size_t count;
    double *freqs_hz; /* what all policies offer, ascending */
    size_t freq_count;
    struct mw_boost_saved *boosts;
    size_t boost_count;
    long settle_ms; /* how long limits that were written may still be waited for */
};

/* What a setting came to. */
struct mw_freq_note {
    bool off;       /* not what was asked for */
    char text[256]; /* who is where and why, with the remedy; empty where nothing is to be said */
};

/* Reads the policies; MW_UNSUPPORTED where there are none. Nothing is written. */
enum mw_err mw_cpufreq_open(struct mw_cpufreq *cpufreq, const char *root, bool dry, struct mw_error *error) MW_CHECKED;
void mw_cpufreq_close(struct mw_cpufreq *cpufreq);

/*
 * Pins every policy that touches one of the CPUs, their SMT siblings or the CPUs clocked with those, and reads back.
 * A value that the kernel clamps is a note; what it refuses is an error (MW_PERM, MW_BUSY, MW_IO) with its remedy.
 */
enum mw_err mw_cpufreq_pin(struct mw_cpufreq *cpufreq, const unsigned *cpus, size_t count, double freq_hz,
                           struct mw_freq_note *note, struct mw_error *error) MW_CHECKED;

/* Whether the pinned policies still are as they were read back; what changed goes to the note (a daemon did it). */
void mw_cpufreq_verify(const struct mw_cpufreq *cpufreq, struct mw_freq_note *note);

/* Turns boost on or off everywhere; MW_UNSUPPORTED where the machine has no switch. */
enum mw_err mw_cpufreq_boost(struct mw_cpufreq *cpufreq, bool on, struct mw_error *error) MW_CHECKED;
/* 1 on, 0 off, -1 unknown. */
int mw_cpufreq_boost_state(const struct mw_cpufreq *cpufreq);

/* What the kernel says a CPU runs at (cpuinfo_cur_freq, else scaling_cur_freq); 0 where it does not. */
double mw_cpufreq_current(const struct mw_cpufreq *cpufreq, unsigned cpu);
const struct mw_policy *mw_cpufreq_policy(const struct mw_cpufreq *cpufreq, unsigned cpu); /* NULL: none */

void mw_cpufreq_governor(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, char *name, size_t size);

/* Puts all back and removes the state file. Goes through everything; the first failure is the result, the file stays then. */
enum mw_err mw_cpufreq_restore(struct mw_cpufreq *cpufreq, struct mw_error *error) MW_CHECKED;

/*
 * Puts back what a killed memwall left. *report: what was done, one line each, NULL where there was nothing; the caller
 * frees. A state from before the last boot is only removed.
 */
enum mw_err mw_cpufreq_recover(const char *root, char **report, struct mw_error *error) MW_CHECKED;

#endif
