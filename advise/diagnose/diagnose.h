// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_DIAGNOSE_H
#define MW_ADVISE_DIAGNOSE_H

#include "data/dataset.h"
#include "fit/mechanism.h"
#include "fit/predict/predict.h"
#include "memwall/diagnose.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What limits a program: each posterior draw of fit/mechanism.h is classed at all cores and the highest frequency by one
 * deterministic rule; a class that holds enough of the draws is the verdict. docs/diagnosis.md derives rule and thresholds.
 */
struct mw_interval {
    double low, median, high; /* 5, 50, 95 % of the posterior */
};

struct mw_diagnosis_shares { /* of the time at one end of the domain */
    double cores, freq_hz;   /* freq_hz 0: unknown */
    struct mw_interval serial, parallel, latency, nonscaling, overhead;
};

/* How a flat curve was told apart. */
enum mw_flat_fact { MW_FLAT_UNKNOWN, MW_FLAT_BUSY_CORES, MW_FLAT_POWER };

struct mw_diagnosis {
    enum mw_verdict verdict;
    double confidence; /* posterior chance of the verdict; of the likeliest class where undetermined */
    double chance[MW_VERDICT_CLASSES];
    enum mw_verdict likeliest, second;
    double step_chance;  /* of a step of 8 % or more, whatever the class */
    unsigned step_after; /* its place and size where step_chance >= .5 */
    double step_size;
    bool step_flag;                   /* to be named beside another verdict */
    bool scales_coarse, stops_coarse; /* one frequency: >= .88 for scales-well or latency; for serial or bandwidth */
    bool memory_open;                 /* memory is not excluded: the points hold one frequency only */
    enum mw_flat_fact flat_fact;
    double busy_cores;                  /* CPU time over time at all cores; 0: unknown */
    double power_per_core;              /* (P(p)/P(1) - 1)/(p - 1); only with flat_fact MW_FLAT_POWER */
    struct mw_diagnosis_shares ends[4]; /* 1 and P cores at freq_max, then at freq_min where that is another */
    size_t end_count;                   /* 0 for a flat curve */
    double memory_chance;               /* that memory takes a quarter of the time at P */
    unsigned cores;
    double freq_max_hz, freq_min_hz; /* of the points used; 0: unknown */
    size_t points_given, points_used;
    double effective; /* effective sample size */
    double residual;  /* sd of ln value about the laws */
    bool speedups;    /* no times: what moves with the frequency alone is not seen */
};

/*
 * Diagnoser: the options and banks of prior draws, re-used over the steps of a sequential diagnosis. Times or speedups;
 * whole tables are thinned to 48 points. MW_DATA where nothing can be said (energies only, fewer than two points).
 * Deterministic for a seed. About 50 ms the first time, 20 ms again; more than 20 points .5 s. Not for several threads.
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
    double information; /* expected, nats: ln of the variance between over within the classes; 0 for a design point */
    enum mw_verdict between[2]; /* what it would tell apart */
    char reason[200];           /* one sentence for people */
};

/*
 * Design first: (P, Fmax), (P, Fmin), (P/4, Fmax), nearest candidates; then the candidate that best tells the classes
 * apart; both sides of every known boundary before a verdict stands that a step could change, and a count that does not
 * divide all cores before one that uneven pieces of work could. done where the verdict stands or every candidate is
 * measured. points may be empty. *diagnosis (may be NULL) gets the present one where there
 * are points enough. The diagnoser's options.cores and freq_max should be the machine's, not 0.
 */
enum mw_err mw_diagnoser_next(struct mw_diagnoser *diagnoser, struct mw_diagnose_step *step,
                              struct mw_diagnosis *diagnosis, const struct mw_points *points,
                              const struct mw_config *candidates, size_t count, struct mw_error *error) MW_CHECKED;

/* Karp-Flatt serial fraction (1/S - 1/p)/(1 - 1/p), p > 1. */
double mw_karp_flatt(double speedup, double cores);

#endif
