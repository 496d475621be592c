/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_RECOMMEND_H
#define MEMWALL_RECOMMEND_H

#include "memwall/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An objective is a product T^a P^b. */
enum mw_objective { MW_OBJECTIVE_TIME, MW_OBJECTIVE_ENERGY, MW_OBJECTIVE_EDP, MW_OBJECTIVE_ED2P };

/* What is wanted. Zeroed: the least time, without limits. */
struct mw_goal {
    enum mw_objective objective;
    double deadline_s;  /* 0: none */
    double power_cap_w; /* 0: none */
    bool has_slowdown;
    double max_slowdown;   /* fraction over the time of the reference */
    double min_efficiency; /* speedup over one core at the same frequency, over cores; 0: none */
    bool has_reference;
    struct mw_config reference; /* else all cores at the highest frequency */
    double certainty;           /* that a limit holds where it was not measured; 0: .9 */
    double reserved[4];
};

/* A step up to this frequency only for a gain in time of at least `gain`. */
struct mw_gain {
    double freq_hz, gain;
};

/* Zeroed is good. Arrays are borrowed for the call. */
struct mw_recommend_options {
    const double *cores; /* to choose from, ascending; NULL: every number up to the largest measured */
    size_t core_count;
    const double *freqs_hz; /* ascending; NULL: what a machine with these points can be supposed to have */
    size_t freq_count;
    double within; /* fewest cores whose expected objective is within this fraction of the best; 0: the best */
    const struct mw_gain *gains; /* ascending in frequency; the base is the highest frequency below all of them */
    size_t gain_count;
    unsigned long seed;
    size_t reserved[4];
};

/* One configuration as it is expected. Intervals are 90 % ones, equal to the value where it was measured. */
struct mw_outcome {
    struct mw_config config;
    bool measured, extrapolated;
    bool has_time, has_energy;
    double time_s, time_low_s, time_high_s;
    double power_w, energy_j, energy_low_j, energy_high_j;
    double objective; /* T^a P^b in SI units */
    double chance;    /* that all limits hold */
    double reserved[6];
};

/* Opaque. Never changed once made: any number of threads may read one. */
struct mw_recommendation;

/*
 * The configuration with the least expected objective among those that keep the limits with the certainty asked for.
 * options NULL: the defaults. *recommendation is overwritten, whatever it held, and is the caller's to free.
 * MW_NOFIT where the model lacks what the goal needs (energy without power; too few core counts), MW_USAGE for a reference
 * or lists that cannot be predicted, MW_NOMEM. That nothing keeps the limits is a result: see _feasible. Deterministic.
 */
MW_API enum mw_err mw_recommendation_alloc(struct mw_recommendation **recommendation, const struct mw_model *model,
                                           const struct mw_goal *goal, const struct mw_recommend_options *options,
                                           struct mw_error *error) MW_CHECKED;
/* NULL is taken. */
MW_API void mw_recommendation_free(struct mw_recommendation *recommendation);

/* Whether something keeps the limits; if not, the choice is what comes nearest, and the obstacle says which limit breaks. */
MW_API bool mw_recommendation_feasible(const struct mw_recommendation *recommendation);
MW_API const char *mw_recommendation_obstacle(const struct mw_recommendation *recommendation);
/* *outcome is overwritten: the choice; what it is compared with; option i < count (unchanged beyond the last). */
MW_API void mw_recommendation_choice(const struct mw_recommendation *recommendation, struct mw_outcome *outcome);
MW_API void mw_recommendation_reference(const struct mw_recommendation *recommendation, struct mw_outcome *outcome);
MW_API size_t mw_recommendation_count(const struct mw_recommendation *recommendation);
MW_API void mw_recommendation_option(const struct mw_recommendation *recommendation, size_t i,
                                     struct mw_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
