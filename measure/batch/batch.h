// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_BATCH_H
#define MW_MEASURE_BATCH_H

#include "data/error.h"
#include "measure/process/stop.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Points measured by a batch system: each is a job (Slurm: an element of a job array) that runs one shell command on the
 * node or nodes it was given and leaves its result in a folder that all nodes see. What a point has given is known by its files alone, so
 * that a job which is requeued, killed or followed by another process is no special case:
 *   points              a line for each point: nodes, cores, kilohertz (0: the clock is left alone)
 *   map.S               the points of submission S, a line each
 *   run.sh POINT S.R    runs the command with $nodes, $cores, $khz and $out set, for submission S and its restart R
 *   jobs                a line for each job submitted: its id and S
 *   POINT.S.R.csv, .log, .done   result, output, and (last, by rename) the exit status
 */
struct mw_batch_point {
    unsigned nodes, cores;
    double freq_hz; /* 0: left alone */
};

struct mw_batch_setup {
    const char *folder, *name;                       /* the folder exists; the name is the job's */
    const char *command;                             /* shell text, see run.sh above */
    const char *partition, *constraint, *time_limit; /* Slurm's words for them; NULL: not asked for */
    bool shared;                                     /* ask for the CPUs of the point, not for whole nodes */
    const char *template_path; /* NULL: Slurm; else a script for another system, see docs/cluster.md */
    struct mw_stop *stop;
};

enum mw_batch_state {
    MW_BATCH_NEW, /* not submitted, or lost with its node: to be submitted (again) */
    MW_BATCH_QUEUED,
    MW_BATCH_RUNNING,
    MW_BATCH_DONE,      /* its command ended; see status */
    MW_BATCH_CANCELLED, /* by somebody: not submitted again */
    MW_BATCH_TIMEOUT,   /* the job's time limit */
    MW_BATCH_FAILED,    /* the job ended without its command having done so; the reason is the system's word */
};

struct mw_batch_job_state {
    enum mw_batch_state state;
    bool measured;     /* DONE, with a result: status 0, or 1 where runs failed */
    int status;        /* of the command, where DONE */
    unsigned attempts; /* times submitted by this process */
    bool held;         /* queued or running by the system's last answer: what ended without a result is started anew */
    size_t map;        /* the submission that it belongs to, the last one of the point */
    char reason[64];   /* the system's word for the state */
    char *result;      /* path without suffix of the attempt that is DONE, else NULL */
    bool accounted;    /* the accounting has the attempt as ended; the next two are from there */
    double energy_j, accounted_s; /* of its step, which had the node alone; 0: not told */
};

struct mw_batch {
    struct mw_batch_setup setup;
    const struct mw_batch_point *points; /* borrowed */
    struct mw_batch_job_state *jobs;     /* one for each point */
    size_t count;
    size_t submissions; /* files of points written so far */
    size_t chunk_max;   /* points that one submission may have */
    bool queue_full;    /* that is why the last submission failed */
};

/* Writes the folder's scripts, reads what earlier processes left there, and asks the system for their jobs. */
enum mw_err mw_batch_open(struct mw_batch *batch, const struct mw_batch_setup *setup,
                          const struct mw_batch_point *points, size_t count, struct mw_error *error) MW_CHECKED;

/*
 * Submits every point that is NEW, those that ask for the same together. Where the queue takes no more, the rest stays NEW: *full, and an
 * error only where nothing of ours is in the queue and that is not the reason. The system's own words are in the message.
 */
enum mw_err mw_batch_submit(struct mw_batch *batch, bool *full, struct mw_error *error) MW_CHECKED;

/* Reads the folder and asks the system; updates all states. *active: points queued or running. */
enum mw_err mw_batch_poll(struct mw_batch *batch, size_t *active, struct mw_error *error) MW_CHECKED;

/*
 * Asks the accounting (Slurm: sacct) for the energies of the points that were measured on one whole node each. *pending: those
 * which it does not have as ended yet. MW_UNSUPPORTED, MW_RUN where there is none to ask; a template's system is not asked.
 * Steps over several nodes are left alone: of fifteen with two tasks a node, Slurm 22.05 left out a node's energy in seven.
 * Tests: test_sacct.c, tests/slurm/energy.sh.
 */
enum mw_err mw_batch_account(struct mw_batch *batch, size_t *pending, struct mw_error *error) MW_CHECKED;

/* Takes back every job of the folder that the system still has. */
enum mw_err mw_batch_cancel(struct mw_batch *batch, struct mw_error *error) MW_CHECKED;

void mw_batch_close(struct mw_batch *batch);

/* The least number of CPUs of a node of the partition (NULL: the default one); MW_UNSUPPORTED without Slurm, MW_RUN with its words. */
enum mw_err mw_slurm_node_cores(const char *partition, struct mw_stop *stop, unsigned *cores,
                                struct mw_error *error) MW_CHECKED;

#endif
