// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_TUNE_H
#define MW_ADVISE_TUNE_H

#include "advise/recommend/goal.h"
#include "memwall/tune.h"

/*
 * Measure, fit, choose, until the best configuration is known. Three points first (all cores at the highest and at the
 * lowest frequency, half of the cores at the highest), then the largest expected improvement of ln objective times the
 * chance that the limits hold (Jones et al., J. Global Optimization 13, 1998; Gardner et al., ICML 2014), by the
 * surrogate of fit/surrogate.h. Stops when no configuration left has a chance of 1 - confidence to be better by the tolerance.
 * Figures: make bench-advice. Test: test_tune.c.
 */

/* One step, as it is told to people. */
struct mw_tune_step {
    size_t candidate;
    struct mw_reading reading; /* of all times that it was measured */
    size_t times;
    char reason[160]; /* why this point */
    char taught[200]; /* what it taught */
    bool expected;    /* the model said beforehand: objective within low .. high (90 %) */
    double low, high;
    double objective; /* T^a P^b, SI units */
    bool feasible;
    double chance_left; /* largest chance of a point not measured to be better by the tolerance, after this step */
};

/*
 * Takes what is known already, `count` readings of distinct candidates, and refits once: to plan from a table. More than 64
 * points are thinned for the fit; every reading is still known at its own candidate.
 */
enum mw_err mw_tuner_preload(struct mw_tuner *tuner, const size_t *candidates, const struct mw_reading *readings,
                             size_t count, struct mw_error *error) MW_CHECKED;

struct mw_tune_result {
    const struct mw_tune_step *steps; /* in the order measured; owned by the tuner */
    size_t count;
    bool feasible; /* some measured point keeps the limits */
    size_t best;   /* step of the best reading that keeps the limits */
    /* Step: the best reading where readings repeat, the best posterior mean where they are known to differ; of readings
       without repetitions the best posterior mean, within their scatter of the best reading where that is small. */
    size_t recommended;
    double
        certainty;   /* that nothing, measured or not, is better by the tolerance; by the spread of what was measured */
    size_t taken;    /* measurements, repeated ones too */
    double noise_sd; /* of one reading, as believed */
    bool thorough;   /* the careful stop is in use */
    const char *thorough_why;
    double chance_recommended; /* that the limits hold there */
};
struct mw_tune_result mw_tuner_result(const struct mw_tuner *tuner);

/* ln T or ln P of every candidate as the tuner sees it now; arrays of count. variance 0: measured. */
const struct mw_outlook *mw_tuner_outlook(const struct mw_tuner *tuner);

/* Chance that a candidate that was not measured is better than the best measured by the tolerance, within the limits. */
double mw_tuner_chance(const struct mw_tuner *tuner, size_t candidate);

/* The loop: measures with `measure` until the tuner stops or `measure` fails (its error is passed on). */
typedef enum mw_err (*mw_tune_measure)(void *context, size_t candidate, const char *reason, struct mw_reading *reading,
                                       struct mw_error *error);
typedef void (*mw_tune_report)(void *context, const struct mw_tune_step *step);
enum mw_err mw_tune(struct mw_tuner *tuner, mw_tune_measure measure, mw_tune_report report, void *context,
                    enum mw_tune_stop *stopped, struct mw_error *error) MW_CHECKED;

#endif
