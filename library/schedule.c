// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/schedule.h"

#include "advise/schedule/schedule.h"

#include <stdlib.h>

enum mw_err mw_assignment_alloc(struct mw_assignment **assignment, const struct mw_job *jobs, size_t count,
                                const struct mw_jobs_limits *limits, enum mw_jobs_objective objective,
                                struct mw_error *error)
{
    struct mw_assignment *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_jobs_assign(made, jobs, count, limits, objective, error);
    if (err)
        free(made);
    else
        *assignment = made;
    return err;
}

void mw_assignment_free(struct mw_assignment *assignment)
{
    if (assignment)
        mw_assignment_release(assignment);
    free(assignment);
}

bool mw_assignment_feasible(const struct mw_assignment *assignment)
{
    return assignment->feasible;
}

const char *mw_assignment_obstacle(const struct mw_assignment *assignment)
{
    return assignment->obstacle;
}

size_t mw_assignment_option(const struct mw_assignment *assignment, size_t job)
{
    return assignment->option[job];
}

double mw_assignment_energy_j(const struct mw_assignment *assignment)
{
    return assignment->energy_j;
}

double mw_assignment_makespan_s(const struct mw_assignment *assignment)
{
    return assignment->makespan_s;
}
