// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_SCHEDULE_H
#define MW_ADVISE_SCHEDULE_H

#include "data/error.h"
#include "memwall/schedule.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Cores and frequency for several workloads that run at the same time, as a multiple-choice knapsack: one option of each
 * job, sum of cores <= cores, sum of power <= cap, each time <= its deadline; least sum of energy, or least longest time
 * and then energy. Solved exactly by GLPK (Kellerer, Pferschy, Pisinger, Knapsack Problems, 2004, ch. 11).
 * Test: test_schedule.c compares with brute force; make bench-advice times 100 jobs on 1,024 cores.
 */
struct mw_assignment {
    bool feasible;
    size_t *option; /* of each job */
    unsigned cores; /* sums, and the longest time */
    double power_w, energy_j, makespan_s;
    char obstacle[300]; /* where infeasible: the constraint that breaks, and by how much */
};

/* MW_USAGE for a job without options, MW_RUN where GLPK fails, MW_NOMEM. Deterministic. */
enum mw_err mw_jobs_assign(struct mw_assignment *assignment, const struct mw_job *jobs, size_t count,
                           const struct mw_jobs_limits *limits, enum mw_jobs_objective objective,
                           struct mw_error *error) MW_CHECKED;
void mw_assignment_release(struct mw_assignment *assignment);

#endif
