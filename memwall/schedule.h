/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_SCHEDULE_H
#define MEMWALL_SCHEDULE_H

#include "memwall/dataset.h"

/*
 * Cores and frequency for several programs that run at the same time. In a library of its own, libmemwall-schedule
 * (pkg-config memwall-schedule), which alone needs GLPK.
 */
#ifdef __cplusplus
extern "C" {
#endif

struct mw_job_option {
    unsigned cores;
    double freq_hz;  /* 0: unknown */
    double time_s;   /* > 0; the deadline and the longest time are counted with it */
    double power_w;  /* 0: unknown; the cap is counted with it */
    double energy_j; /* 0: unknown */
};

/* Borrowed for the call. */
struct mw_job {
    const char *name;
    const struct mw_job_option *options;
    size_t option_count;
    double deadline_s; /* 0: none */
};

enum mw_jobs_objective { MW_JOBS_ENERGY, MW_JOBS_MAKESPAN };

struct mw_jobs_limits {
    unsigned cores;     /* of the machine; >= 1 */
    double power_cap_w; /* 0: none */
    double reserved[4];
};

/* Opaque. Never changed once made: any number of threads may read one. */
struct mw_assignment;

/*
 * One option of each job, sum of cores and of power within the limits, each time within its deadline; least sum of energy, or
 * least longest time and then energy. Exact. *assignment is overwritten, whatever it held, and is the caller's to free.
 * MW_USAGE for a job without options, MW_RUN where the solver fails, MW_NOMEM. That nothing fits is a result: see _feasible.
 * Deterministic. GLPK keeps its state by thread: any thread, without a lock.
 */
MW_API enum mw_err mw_assignment_alloc(struct mw_assignment **assignment, const struct mw_job *jobs, size_t count,
                                       const struct mw_jobs_limits *limits, enum mw_jobs_objective objective,
                                       struct mw_error *error) MW_CHECKED;
/* NULL is taken. */
MW_API void mw_assignment_free(struct mw_assignment *assignment);

MW_API bool mw_assignment_feasible(const struct mw_assignment *assignment);
/* Where infeasible: the constraint that breaks, and by how much; else empty. */
MW_API const char *mw_assignment_obstacle(const struct mw_assignment *assignment);
/* Index of the option of a job, where feasible. */
MW_API size_t mw_assignment_option(const struct mw_assignment *assignment, size_t job);
MW_API double mw_assignment_energy_j(const struct mw_assignment *assignment);
MW_API double mw_assignment_makespan_s(const struct mw_assignment *assignment);

#ifdef __cplusplus
}
#endif

#endif
