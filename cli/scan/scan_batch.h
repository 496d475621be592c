// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_SCAN_BATCH_H
#define MW_CLI_SCAN_BATCH_H

#include "cli/scan/scan.h"
#include "data/table.h"
#include "measure/batch/batch.h"

/*
 * A scan whose points run as jobs of a batch system: each job is a `memwall scan` of its one point on the node that it was given,
 * with all that such a scan sees; here they are submitted, followed, and their rows put into one file.
 */
struct scan_batch {
    struct cli *cli;
    const struct scan_options *options;
    struct mw_stop stop;
    struct mw_batch batch;
    struct mw_batch_point *points;
    size_t count;
    unsigned node_cores; /* of one node, as used by points on several; 0: one node only */
    char *folder;        /* beside the output, gone when all is done */
    char *command;       /* shell text of a point, see struct mw_batch_setup */
    char *plan;          /* what a resumed scan must share: one line */
    struct mw_provenance facts;
    size_t merged;    /* points whose rows are in the output */
    size_t unpowered; /* of these, points whose energy by the accounting says nothing of their runs */
};

/* The whole of `memwall scan --slurm` and `--batch-template`; the exit status. */
int scan_batch_run(struct cli *cli, const struct scan_options *options);

/* Points, command and plan from the options. */
enum mw_err scan_batch_plan(struct scan_batch *scan, struct mw_error *error) MW_CHECKED;

/*
 * Writes the output anew with the rows of all points that are done, in the order of the points; *off counts rows whose clock
 * is not the one asked for. Columns are those that any point has.
 */
enum mw_err scan_batch_merge(struct scan_batch *scan, size_t *off, struct mw_error *error) MW_CHECKED;

/*
 * Asks the accounting for energies, some seconds long until it has what ended last, and merges again where it has any. No
 * accounting, or none of energies, is no error: the rows are what the nodes' own meters made them.
 */
enum mw_err scan_batch_energy(struct scan_batch *scan, size_t *off, struct mw_error *error) MW_CHECKED;

/*
 * The mean power, in watts, of the step in which the runs of `table` were made; a run's energy is that times its wall time. 0 where
 * the accounting has none, and, with *useless, where the runs did not fill nine tenths of the whole seconds that it counts.
 */
double scan_batch_power(const struct mw_batch_job_state *job, unsigned long warmup, const struct mw_table *table,
                        bool *useless);
/* Seconds that a row's run took, whatever its time_s is. */
double scan_batch_wall(const struct mw_table *table, size_t row);

#endif
