// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_DIAGNOSE_H
#define MW_ADVISE_DIAGNOSE_H

#include "data/dataset.h"
#include "data/model_file/model_file.h"
#include "fit/posterior/cautious.h"
#include "memwall/diagnose.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What limits a program, judged from wall time and, where there is, CPU time: each draw of fit/posterior/posterior.h is
 * classed at all cores and the highest clock; the finest answer that enough of the draws agree on is the verdict: a cause,
 * else a pair (idle or busy, by the clock or not), else a family, else undetermined. docs/diagnosis.md derives rule and
 * thresholds. Beside it stands what was seen, which needs no law.
 */
const char *mw_family_name(enum mw_family family); /* "scales", "idle", "busy", "both", "superlinear" */
const char *mw_pair_name(enum mw_pair pair);       /* "idle-clock", …; "" of MW_PAIR_NONE */

/* Of a fitted model, its boundaries borrowed. */
struct mw_diagnose_options mw_diagnose_options_of(const struct mw_model *model, unsigned long seed);

/* What the points show by themselves, at the highest frequency: all cores against the fewest. */
struct mw_observation {
    bool present; /* two core counts at one frequency */
    unsigned base, cores;
    double freq_hz, time_base_s, time_s; /* of speedups 0 */
    double speedup, efficiency;          /* over `base` cores; 1 where the cores are all used as well as there */
    double speedup_error;                /* half of the 90 % interval of the speedup, by the scatter of repetitions */
    bool has_cpu;
    double busy_cores, busy_cores_base; /* CPU time over time */
    double busiest;                /* the most cores that any count had at work: CPU time over time, else the speedup */
    struct mw_interval idle, busy; /* ln 1/efficiency is their sum: cores without work, and work that takes longer */
    bool one_core;                 /* only one core ever worked, whatever the count */
    double clock_base_hz, clock_hz;  /* effective; 0: unknown */
    double others, steal, throttled; /* largest share of the cores' time; 0: none or unknown */
    double others_blind;             /* the same of others at points whose times could not be corrected for it */
    double taken;                    /* largest share of a time that was the main thread's wait */
    double wait_left_s;              /* that others' load may still have cost of the time with all cores */
    double switches;                 /* voluntary, a second and core, on all cores; negative: unknown */
    double threads;                  /* the most seen with all cores; 0: unknown */
    double faults_base, faults;      /* major page faults */
    double system;                   /* part of the CPU time spent in the kernel on all cores; negative: unknown */
    size_t disturbed, points;        /* of the points, those that other programs ran beside */
};

/* How a flat curve was told apart. */
enum mw_flat_fact { MW_FLAT_UNKNOWN, MW_FLAT_POWER };

struct mw_diagnosis {
    enum mw_verdict verdict;
    double confidence;                    /* posterior chance of the verdict; 0 where undetermined */
    double chance[MW_CAUSE_COUNT], other; /* of the causes, and that no law describes the program */
    double fixed_chance;                  /* that time which the clock does not move costs: memory, or waiting */
    double flat_chance;                   /* that more cores neither gain nor lose beyond what work that grows would */
    double family_chance[MW_FAMILY_COUNT], pair_chance[MW_PAIR_COUNT];
    enum mw_family family; /* that is sure enough; MW_FAMILY_COUNT: none */
    enum mw_pair pair;     /* MW_PAIR_NONE: none */
    enum mw_cause likeliest, second;
    struct mw_observation seen;
    struct mw_witnesses witness;
    double step_chance;  /* of a step of 8 % or more, whatever the cause */
    unsigned step_after; /* its place and size where step_chance >= .5 */
    double step_size;
    bool step_flag;   /* to be named beside another verdict */
    bool memory_open; /* memory is not excluded: the points hold one clock only */
    bool disturbed;   /* other programs' load can't be corrected for: no verdict */
    enum mw_flat_fact flat_fact;
    double power_per_core;       /* (P(p)/P(1) - 1)/(p - 1); only with flat_fact MW_FLAT_POWER */
    double limit_cores;          /* median of what works at once at most, of draws of such a cause; 0: none */
    struct mw_shares ends[4];    /* 1 and P cores at freq_max, then at freq_min where that is another */
    size_t end_count;            /* 0 for a flat curve */
    struct mw_interval fixed[2]; /* share of the first two ends that does not depend on the frequency */
    bool has_fixed;              /* two clocks and times */
    unsigned cores;
    double freq_max_hz, freq_min_hz; /* of the points used; 0: unknown */
    size_t points_given, points_used;
    double effective; /* effective sample size */
    double residual;  /* sd of ln value about the laws */
    bool speedups;    /* no times: what moves with the frequency alone is not seen */
    double cpu_limit; /* as given */
    bool clock_fixed; /* as given: no frequency can be set where it was measured */
    bool weak;        /* the work grew with the cores: all that is said is of equal work */
};

/*
 * Diagnoser: the options and a bank of prior draws, re-used over the steps of a sequential diagnosis. Times or speedups;
 * whole tables are thinned to 48 points. MW_DATA where nothing can be said (energies only, fewer than two points).
 * Deterministic for a seed. About 60 ms the first time, 40 ms again, 200 ms of 48 points. Not for several threads.
 */
struct mw_diagnoser;
enum mw_err mw_diagnoser_alloc(struct mw_diagnoser **diagnoser, const struct mw_diagnose_options *options,
                               struct mw_error *error) MW_CHECKED;
void mw_diagnoser_free(struct mw_diagnoser *diagnoser);
enum mw_err mw_diagnoser_run(struct mw_diagnoser *diagnoser, struct mw_diagnosis *diagnosis,
                             const struct mw_points *points, struct mw_error *error) MW_CHECKED;

/* All of it once. */
enum mw_err mw_diagnose(struct mw_diagnosis *diagnosis, const struct mw_points *points,
                        const struct mw_diagnose_options *options, struct mw_error *error) MW_CHECKED;

/* The next point to measure for a diagnosis. */
struct mw_diagnose_step {
    bool done;          /* the verdict stands; candidate is then not set */
    size_t candidate;   /* index into candidates */
    double information; /* expected, nats: ln of the variance between over within the causes; 0 for a design point */
    const char *between[2]; /* causes that it would tell apart; NULL where it is a design point */
    char reason[200];       /* one sentence for people */
};

/*
 * Design first: (P, Fmax), (P, Fmin), (P/4, Fmax), nearest candidates; then the candidate that best tells the causes
 * apart; both sides of every known boundary before a verdict stands that a step could change, and a count that does not
 * divide all cores before one that uneven pieces of work could. done where the verdict stands or every candidate is
 * measured. points may be empty. *diagnosis (may be NULL) gets the present one where there
 * are points enough. The diagnoser's options.cores and freq_max should be the machine's, not 0.
 */
enum mw_err mw_diagnoser_next(struct mw_diagnoser *diagnoser, struct mw_diagnose_step *step,
                              struct mw_diagnosis *diagnosis, const struct mw_points *points,
                              const struct mw_config *candidates, size_t count, struct mw_error *error) MW_CHECKED;

/* What the posterior of the last run expects at a configuration: a point with the value and CPU time (where it has them). */
struct mw_point mw_diagnoser_expect(const struct mw_diagnoser *diagnoser, const struct mw_config *config);

#endif
