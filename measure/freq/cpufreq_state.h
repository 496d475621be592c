// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CPUFREQ_STATE_H
#define MW_MEASURE_CPUFREQ_STATE_H

#include "measure/freq/cpufreq.h"

/* What the files of frequency control share. */
int mw_policy_read(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name, char *value,
                   size_t size);
int mw_policy_number(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name, long *value);
bool mw_cpu_list_has(const struct mw_cpu_list *list, unsigned cpu);

/* Reads the hardware's limits (boost moves them) and makes the list of what all policies offer. */
enum mw_err mw_cpufreq_list(struct mw_cpufreq *cpufreq, struct mw_error *error) MW_CHECKED;

/* Governor, limits and speed as they stand; 0 or errno. */
int mw_policy_settings(const struct mw_cpufreq *cpufreq, const struct mw_policy *policy,
                       struct mw_policy_settings *settings);

/* Writes name = value of a policy where it is not there already; *failed gets errno of a write, 0. */
void mw_policy_write(struct mw_cpufreq *cpufreq, const struct mw_policy *policy, const char *name, const char *value,
                     int *failed);

/*
 * scaling_min_freq and scaling_max_freq in an order in which min <= max holds all the time, the other one where the kernel
 * refuses that (EINVAL); 0 or errno, *name is then the file that failed. The kernel takes limits at once and shows them when its
 * work queue comes to it (cpufreq_notifier_min, Linux 5.4 and later): they are waited for, cpufreq->settle_ms at most in all.
 */
int mw_policy_limits(struct mw_cpufreq *cpufreq, const struct mw_policy *policy, long min_khz, long max_khz,
                     const char **name);

/* Writes the state file: all that is saved; synced before it returns. Nothing in a dry run. */
enum mw_err mw_state_write(const struct mw_cpufreq *cpufreq, struct mw_error *error) MW_CHECKED;
bool mw_state_exists(const char *root);
void mw_state_remove(const struct mw_cpufreq *cpufreq);
/* Reads it into the saved settings of the policies; *found false where there is none, or one from before the last boot. */
enum mw_err mw_state_read(struct mw_cpufreq *cpufreq, bool *found, struct mw_error *error) MW_CHECKED;

#endif
