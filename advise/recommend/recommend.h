// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_RECOMMEND_H
#define MW_ADVISE_RECOMMEND_H

#include "advise/recommend/goal.h"
#include "data/model_file/model_file.h"

/*
 * From a fitted model to a configuration. All that is said here comes from mw_predict, the same mixture that `memwall
 * predict` prints, so that no two commands contradict each other; the tuner alone uses its own quicker surrogate, and
 * only between measurements. Of the measured configurations that keep the limits with the certainty asked for, the choice has
 * the least expected objective, exp(mean + variance/2) of a log-normal. One that was not measured takes its place where it is
 * better with 90 %, or where no measured one keeps the limits, and is then to be measured first. Figures: make
 * bench-recommend. Test: test_recommend.c.
 */
struct mw_spread { /* 90 % interval about the median */
    double value, low, high;
};

struct mw_option {
    struct mw_config candidate;
    bool measured;
    bool baseline_measured;    /* one core at this frequency was: else efficiency rests on an estimate of it */
    bool has_time, has_energy; /* time: not from tables of energies or speedups; energy: with a power model */
    struct mw_spread time_s, power_w, energy_j, objective, efficiency;
    double expected; /* mean of the objective */
    double chance;   /* that all limits hold */
    double ahead;    /* chance that the objective is better than the best measured one's; 0 where that is this one */
    bool gain_kept;  /* no rule of `gains` forbids this frequency */
    bool extrapolated;
    struct mw_outlook outlook;
};

enum { MW_VERIFY = 3 };

struct mw_recommendation {
    struct mw_option *options; /* every candidate, by frequency and cores */
    size_t count;
    bool feasible; /* something keeps the limits with the certainty */
    size_t choice; /* index; where infeasible what comes nearest to the limits */
    struct mw_option reference;
    struct mw_spread time_change, energy_change; /* fractions, choice over reference - 1 */
    size_t *ties;                                /* expected objective within 2 % of the choice's, the best first */
    size_t tie_count;
    size_t cheapest; /* of choice and ties the one with the fewest cores */
    size_t *front;   /* not beaten in both expected time and energy, the fastest first */
    size_t front_count;
    size_t verify[MW_VERIFY]; /* best ones not measured yet: to be run before the choice is relied on */
    size_t verify_count;
    bool relative;      /* speedups only: objective and changes are relative, one frequency is compared */
    char obstacle[200]; /* where infeasible: the limit that breaks, and by how much */
};

/*
 * MW_NOFIT where the model lacks what the goal needs (energy without a power model) or its points hold too few core counts
 * to say anything about those to choose from (one; two for counts beyond them), with the remedy as hint;
 * MW_USAGE for a reference or lists outside what can be predicted. Deterministic. _release frees all.
 */
enum mw_err mw_recommend(struct mw_recommendation *recommendation, const struct mw_model *model,
                         const struct mw_goal *goal, const struct mw_recommend_options *options,
                         struct mw_error *error) MW_CHECKED;
/* The same under another goal, among the candidates of one made for this model with the usual options: its predictions are taken over. */
enum mw_err mw_recommend_again(struct mw_recommendation *recommendation, const struct mw_recommendation *looked,
                               const struct mw_model *model, const struct mw_goal *goal,
                               struct mw_error *error) MW_CHECKED;
void mw_recommendation_release(struct mw_recommendation *recommendation);

/*
 * Frequencies that a machine with these points can be supposed to have, ascending, the caller frees: the measured ones, and
 * where all are multiples of 100 MHz the steps between.
 */
enum mw_err mw_supposed_freqs(const struct mw_points *points, double **freqs_hz, size_t *count,
                              struct mw_error *error) MW_CHECKED;

/* "2.4:2.5,2.5:5" -> gains in ascending frequency, fractions; the caller frees. MW_USAGE. */
enum mw_err mw_gains_parse(const char *text, struct mw_gain **gains, size_t *count, struct mw_error *error) MW_CHECKED;

#endif
