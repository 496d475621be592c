// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/usage.h"

#include <math.h>

static const char *const names[MW_USAGE_COUNT] = {
    [MW_USAGE_SYS] = "sys_s",
    [MW_USAGE_WALL] = "wall_s",
    [MW_USAGE_MAIN_WAIT] = "main_wait_s",
    [MW_USAGE_THREAD_WAIT] = "thread_wait_s",
    [MW_USAGE_OTHER_CPU] = "other_cpu_s",
    [MW_USAGE_STEAL] = "steal_s",
    [MW_USAGE_THROTTLED] = "throttled_s",
    [MW_USAGE_SWITCHES] = "switches",
    [MW_USAGE_PREEMPTED] = "preempted",
    [MW_USAGE_FAULTS] = "faults",
    [MW_USAGE_THREADS] = "threads",
    [MW_USAGE_INSTRUCTIONS] = "instructions",
    [MW_USAGE_CYCLES] = "cycles",
    [MW_USAGE_CACHE_MISSES] = "cache_misses",
    [MW_USAGE_PEAK_MEMORY] = "peak_memory_bytes",
    [MW_USAGE_DISTURBED] = "disturbed",
    [MW_USAGE_RANKS] = "ranks",
    [MW_USAGE_NODES] = "nodes",
};

const char *mw_usage_name(enum mw_usage_item item)
{
    return names[item];
}

void mw_usage_set(struct mw_usage *usage, enum mw_usage_item item, double value)
{
    usage->has[item] = true;
    usage->of[item] = value;
}

double mw_usage_wait(const struct mw_usage *usage)
{
    double wait = fmax(usage->of[MW_USAGE_MAIN_WAIT], usage->of[MW_USAGE_THREAD_WAIT]);
    return usage->has[MW_USAGE_OTHER_CPU] ? fmin(wait, usage->of[MW_USAGE_OTHER_CPU]) : wait;
}

void mw_usage_mean(struct mw_usage *mean, const struct mw_usage *a, const struct mw_usage *b)
{
    struct mw_usage got = {0};
    for (enum mw_usage_item i = 0; i < MW_USAGE_COUNT; i++)
        if (a->has[i] && b->has[i])
            mw_usage_set(&got, i, a->of[i] + (b->of[i] - a->of[i]) / 2);
    *mean = got;
}
