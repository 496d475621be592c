// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_INTERVALS_H
#define MW_FIT_INTERVALS_H

#include "data/model_file/model_file.h"
#include "fit/search/limit.h"

/*
 * Profile likelihood (Venzon and Moolgavkar, Applied Statistics 37 (1988), doi 10.2307/2347496): a value of a parameter,
 * or of any function of the parameters, is in the 90 % interval if some fit with that value is inside the region that
 * fit/search/limit.h bounds. Unlike errors from a Jacobian these intervals may be one-sided and end at bounds.
 */
struct mw_region {
    struct mw_limit limit;
    bool informative; /* false where no degrees of freedom are left: every value is then in the interval */
    double no_wall; /* laws with a wall: how far out the best fit without one is, 1 at the limit; HUGE_VAL for others */
    double *params; /* count rows of MW_LAW_MAX_PARAMS: fits inside the region, met on the way */
    size_t count, capacity;
};
void mw_region_release(struct mw_region *region);

/*
 * The interval of every parameter of problem->law as value, low and high of params (room for law->param_count), and the
 * region. If a profile meets a better optimum than *optimum, that is taken over and the work begins anew.
 * Deterministic. Tests: tests/unit/test_intervals.c; coverage: `make bench-recovery`.
 */
enum mw_err mw_intervals(struct mw_model_param *params, struct mw_region *region, struct mw_optimum *optimum,
                         const struct mw_problem *problem, struct mw_error *error) MW_CHECKED;

/* A function of the parameters, finite everywhere. */
struct mw_functional {
    double (*of)(const void *context, const double *params);
    const void *context;
};

/*
 * Its extremes over the region, by differential evolution that starts from the region's fits and never leaves it.
 * Deterministic for a seed.
 */
enum mw_err mw_interval_of(double *low, double *high, const struct mw_functional *functional,
                           const struct mw_region *region, const struct mw_optimum *optimum,
                           const struct mw_problem *problem, unsigned long seed, struct mw_error *error) MW_CHECKED;

#endif
