// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/batch/batch_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char mw_sacct_columns[] = "JobID,State,ElapsedRaw,ConsumedEnergyRaw";

/* A node draws less; what is more is a counter that began again, or Slurm's "no value", 2^64 - 2. */
static const double node_w_max = 1e5;

/*
 * "JOB_ELEMENT.0|STATE|SECONDS|JOULES": the step in which memwall measured. The batch step and the job have the waits around it too, and
 * further steps are the program's own. Of a requeued job sacct shows the last start, which is the one that measured unless the step was
 * cut off: COMPLETED, or FAILED where runs failed.
 */
static enum mw_err take_step(struct mw_batch *batch, char *line, struct mw_error *error)
{
    struct mw_batch_job_state *job;
    char id[BATCH_ID_MAX], *name = strsep(&line, "|"), *state = strsep(&line, "|"), *seconds = strsep(&line, "|"),
                           *joules = strsep(&line, "|");
    size_t element, map;
    int end = 0;
    if (!joules || sscanf(name, "%63[0-9]_%zu.0%n", id, &element, &end) != 2 || !end || name[end])
        return MW_OK;
    enum mw_err err = mw_batch_element(batch, id, element, &job, &map, error);
    /* one node, and the result is from that submission */
    if (err || !job || batch->points[job - batch->jobs].nodes != 1 || !job->measured || job->map != map)
        return err;
    if (!strcmp(state, "RUNNING") || !strcmp(state, "PENDING") || !strcmp(state, "SUSPENDED"))
        return MW_OK;
    double time_s = strtod(seconds, NULL), energy_j = strtod(joules, NULL);
    job->accounted = true;
    if ((strcmp(state, "COMPLETED") && strcmp(state, "FAILED")) || !(energy_j > 0) || !(time_s > 0) ||
        energy_j > time_s * node_w_max)
        return MW_OK;
    job->energy_j = energy_j;
    job->accounted_s = time_s;
    return MW_OK;
}

enum mw_err mw_sacct_take(struct mw_batch *batch, char *text, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    char *line;
    while (!err && (line = strsep(&text, "\n")))
        err = take_step(batch, line, error);
    return err;
}
