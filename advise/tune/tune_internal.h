// SPDX-License-Identifier: GPL-3.0-or-later
// Inside advise/tune*.c only.
#ifndef MW_ADVISE_TUNE_INTERNAL_H
#define MW_ADVISE_TUNE_INTERNAL_H

#include "advise/tune/tune.h"
#include "fit/surrogate.h"

enum { MW_TUNE_DESIGN = 5, MW_TUNE_LEAST = 5 };

struct mw_tuner {
    struct mw_goal goal;
    struct mw_tune_options options; /* .boundaries is `boundaries` */
    unsigned *boundaries;
    struct mw_config *candidates;
    struct mw_site *sites, *one_core_sites;
    size_t count;
    bool *measured, *excluded;
    size_t design[MW_TUNE_DESIGN];
    const char *design_reason[MW_TUNE_DESIGN];
    size_t design_count;
    size_t reference; /* candidate */
    bool one_frequency;

    struct mw_tune_step *steps;
    size_t step_count;
    struct mw_surrogate *time, *power, *energy; /* those that the goal needs */

    /* per candidate, after the last refit */
    struct mw_outlook *outlook;
    struct mw_outlook *smooth; /* of the measured: posterior means, whatever was read */
    size_t recommended;        /* candidate; where has_best */
    double *value, *variance, *chance;
    bool has_best;
    size_t best;              /* candidate */
    double best_value;        /* ln objective as read */
    double to_beat;           /* the same as believed: what a new configuration must improve on */
    double chance_left;       /* the largest of a configuration not measured */
    double chance_any;        /* that any of them is better, were they independent */
    double *reading_variance; /* per candidate: of ln time as measured; 0 where not known */
    double chance_measured;   /* the largest of a measured configuration other than the recommended one */
    size_t rival;             /* that one; where chance_measured > 0 */
    size_t taken;             /* measurements so far */
};

/* Predicts all candidates anew and finds the best measured and the chance that is left. */
enum mw_err mw_tuner_refit(struct mw_tuner *tuner, struct mw_error *error) MW_CHECKED;
/* Spread of one reading as far as it is known. */
double mw_tuner_noise(const struct mw_tuner *tuner);
const char *mw_tuner_thorough_why(const struct mw_tuner *tuner);
/* Chance that candidate i is better than the best by the tolerance and keeps the limits. */
double mw_tuner_chance_better(const struct mw_tuner *tuner, size_t i);
double mw_tuner_expected_improvement(const struct mw_tuner *tuner, size_t i);

#endif
