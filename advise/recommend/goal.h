// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_GOAL_H
#define MW_ADVISE_GOAL_H

#include "data/dataset.h"
#include "memwall/recommend.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What is wanted, shared by recommend, plan and tune. An objective is a product T^a P^b, so that its logarithm is
 * a ln T + b ln P and limits on T and P are limits on the same two quantities.
 */
const char *mw_objective_name(enum mw_objective objective); /* "time", "energy", "edp", "ed2p" */
const char *mw_objective_unit(enum mw_objective objective); /* "s", "J", "J s", "J s^2" */
bool mw_objective_find(const char *name, enum mw_objective *objective);
/* Exponents of time and power. */
double mw_objective_time_power(enum mw_objective objective);
double mw_objective_power_power(enum mw_objective objective);

/* goal->certainty, .9 where none is given: a certainty of 0 would keep every limit. */
double mw_goal_certainty(const struct mw_goal *goal);
bool mw_goal_needs_power(const struct mw_goal *goal);
bool mw_goal_needs_time(const struct mw_goal *goal); /* false: a table of energies is enough */
bool mw_goal_has_limits(const struct mw_goal *goal);

/* ln T and ln P of a configuration: known or predicted (variance > 0). */
struct mw_outlook {
    double ln_time, time_variance; /* of equal work, where it grows with the cores */
    double ln_work;                /* 0 unless it grows: ln of the work of a run over that of one core */
    double ln_power, power_variance;
    double ln_efficiency, efficiency_variance; /* speedup over one core at this frequency, over cores */
};

/* ln objective, its variance. */
double mw_goal_value(const struct mw_goal *goal, const struct mw_outlook *outlook, double *variance);

/*
 * Chance that all limits hold, as the product over them: each is a normal probability, 0 or 1 where the quantity is
 * known. reference: what has_slowdown counts from, as sure as its time is known; the reference itself is not slower.
 */
double mw_goal_chance(const struct mw_goal *goal, const struct mw_outlook *outlook, const struct mw_outlook *reference);

/* How far the limits are missed by the medians: the sum of ln(value/limit) over those that are; 0 where all are kept. */
double mw_goal_excess(const struct mw_goal *goal, const struct mw_outlook *outlook, double ln_reference_time);

/* Standard normal distribution function and density. */
double mw_normal_cdf(double z);
double mw_normal_pdf(double z);
/* z with mw_normal_cdf(z) = p, 0 < p < 1, to 1e-12. */
double mw_normal_quantile(double p);

/* Index of the candidate nearest to (cores, freq): frequency first, then the ratio of cores. count >= 1. */
size_t mw_config_nearest(const struct mw_config *candidates, size_t count, double cores, double freq_hz);
/* Index of that very configuration (frequency within .6 %), or count. */
size_t mw_config_find(const struct mw_config *candidates, size_t count, struct mw_config wanted);

#endif
