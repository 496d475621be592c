// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_USAGE_H
#define MW_DATA_USAGE_H

#include <stdbool.h>

/*
 * What a run tells beside its time, frequency, energy and CPU time: optional columns of runs.csv, all of the same span
 * as the time, and members of the points and runs of model.json under the same names. SI base units; counts are whole
 * numbers in a run, means of two in a point.
 */
enum mw_usage_item {
    MW_USAGE_SYS,          /* s: the part of the CPU time spent in the kernel */
    MW_USAGE_WALL,         /* s: around the run, where the time is what the program printed */
    MW_USAGE_MAIN_WAIT,    /* s: the main thread was ready and had no CPU */
    MW_USAGE_THREAD_WAIT,  /* s: what the longest wait of another thread can have cost */
    MW_USAGE_OTHER_CPU,    /* s: CPU time of other programs on the run's CPUs */
    MW_USAGE_STEAL,        /* s: taken by the hypervisor from these CPUs */
    MW_USAGE_THROTTLED,    /* s: stopped by a CPU quota */
    MW_USAGE_SWITCHES,     /* voluntary context switches */
    MW_USAGE_PREEMPTED,    /* involuntary ones */
    MW_USAGE_FAULTS,       /* major page faults */
    MW_USAGE_THREADS,      /* the most threads it was seen with (runs.csv), or threads of a rank (other tables) */
    MW_USAGE_INSTRUCTIONS, /* user mode */
    MW_USAGE_CYCLES,       /* user mode */
    MW_USAGE_CACHE_MISSES, /* of the last level */
    MW_USAGE_PEAK_MEMORY,  /* bytes: largest resident set */
    MW_USAGE_DISTURBED,    /* 0 or 1: other programs ran beside it */
    MW_USAGE_RANKS,        /* MPI processes */
    MW_USAGE_NODES,        /* hosts */
    MW_USAGE_COUNT,
};

struct mw_usage {
    bool has[MW_USAGE_COUNT];
    double of[MW_USAGE_COUNT]; /* >= 0; 0 where `has` is false */
};

const char *mw_usage_name(enum mw_usage_item item); /* "main_wait_s": the column and the JSON key */
void mw_usage_set(struct mw_usage *usage, enum mw_usage_item item, double value);
/* Seconds that the thread which waited longest was ready and had no CPU, as far as others can have had it (a program of more threads
   than cores waits for itself); 0 where none is known. */
double mw_usage_wait(const struct mw_usage *usage);
/* The mean of two runs, for what both have. */
void mw_usage_mean(struct mw_usage *mean, const struct mw_usage *a, const struct mw_usage *b);

#endif
