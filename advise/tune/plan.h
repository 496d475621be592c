// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_PLAN_H
#define MW_ADVISE_PLAN_H

#include "advise/recommend/goal.h"
#include "data/dataset.h"

/*
 * What to measure next. For the best configuration: the tuner's rule (advise/tune/tune.h). For the whole surface: the points
 * that lower the variance of ln T over all candidates most, for the time they take (Cohn, Ghahramani, Jordan, J. Artif.
 * Intell. Res. 4, 1996). For a diagnosis: the points that tell the verdicts apart (advise/diagnose/diagnose.h). From nothing: a
 * first design for the machine. Several points at once are planned as if each came out as predicted.
 * Figures of the designs: docs/advice.md. Test: test_plan.c.
 */
enum mw_plan_purpose { MW_PLAN_BEST, MW_PLAN_SURFACE, MW_PLAN_DIAGNOSIS };

struct mw_plan_options {
    enum mw_plan_purpose purpose;
    struct mw_goal goal; /* for the best */
    double tolerance;    /* .02 */
    size_t count;        /* points wanted; 0: three next ones, or the whole first design */
    const struct mw_config *candidates;
    size_t candidate_count;
    const unsigned *boundaries; /* core counts after which a socket, node or other kind begins */
    size_t boundary_count;
    double memory_freq_hz; /* 0: MW_MEMORY_FREQ_ASSUMED_HZ */
    unsigned long seed;
};

struct mw_plan_point {
    struct mw_config candidate;
    bool has_time; /* false in a first design: nothing is known of times */
    double time_s; /* predicted cost of one run */
    char reason[200];
    char settles[200];
};

struct mw_plan {
    struct mw_plan_point *points;
    size_t count;
    bool settled;     /* nothing is left that is worth a run; points may be empty */
    bool memory_open; /* for a diagnosis: all points have one frequency, and one run at another would tell more */
    char state[240];  /* what is known so far, in a sentence */
};

/*
 * points may be empty (count 0): the first design. Points measured at no candidate count as further knowledge.
 * MW_USAGE for no candidates, MW_DATA where the points lack what the goal needs. _release frees.
 */
enum mw_err mw_plan_make(struct mw_plan *plan, const struct mw_points *points, const struct mw_plan_options *options,
                         struct mw_error *error) MW_CHECKED;
void mw_plan_release(struct mw_plan *plan);

#endif
