// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_DIAGNOSE_INTERNAL_H
#define MW_ADVISE_DIAGNOSE_INTERNAL_H

#include "advise/diagnose/diagnose.h"

/* Shared by the files of diagnosis only. */

enum { MW_DIAGNOSE_MAX_BOUNDARIES = 16 };

/* The points of one inference: thinned, relative to the highest clock, with what the CPU time is good for. */
struct mw_diagnose_view {
    struct mw_posterior_point points[MW_POSTERIOR_POINTS];
    size_t count;
    bool ratio, has_cpu;
    unsigned cores;
    double freq_scale_hz, freq_min_hz;
    bool one_clock;
    double counts[MW_POSTERIOR_POINTS]; /* different core counts */
    size_t core_counts;
    unsigned places[MW_DIAGNOSE_MAX_BOUNDARIES]; /* where a step is known or the points themselves show one */
    size_t place_count;
    struct mw_witnesses witness;
};

struct mw_diagnoser {
    struct mw_diagnose_options options;
    unsigned *boundaries; /* copy of the caller's */
    struct mw_boundary places[MW_DIAGNOSE_MAX_BOUNDARIES];
    struct mw_frame frame; /* of the bank */
    struct mw_posterior_bank *bank;
    struct mw_posterior posterior;
    struct mw_diagnose_view view;
};

/*
 * A whole table would say its smooth misfit over and over: at most 48 points, three quarters of them at the highest
 * frequency.
 */
enum mw_err mw_diagnose_view_build(struct mw_diagnose_view *view, const struct mw_points *points,
                                   const struct mw_diagnose_options *options, struct mw_error *error) MW_CHECKED;

/* What the points show. Intervals of the two parts of the loss by `sigma`, the residual scale of ln T and ln C. */
void mw_observe(struct mw_observation *seen, const struct mw_points *points, const struct mw_diagnose_view *view,
                double sigma);

/* Chances of causes, families and pairs of the draws. */
void mw_diagnose_count(struct mw_diagnosis *d, const struct mw_posterior *posterior, const struct mw_frame *frame);
/* Which part of the measured corners' idle time and busy growth scales with the clock: NaN where they don't show it. */
struct mw_clock_parts {
    double idle, busy;
};
/* Verdict, confidence, family, pair and flags from the chances, the observation and what the view knows. */
void mw_diagnose_decide(struct mw_diagnosis *d, const struct mw_diagnose_view *view, const struct mw_points *points);
/* The verdict that is a cause; MW_VERDICT_UNDETERMINED for those that are none. */
enum mw_verdict mw_verdict_of_cause(enum mw_cause cause);

#endif
