// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_BATCH_INTERNAL_H
#define MW_MEASURE_BATCH_INTERNAL_H

#include "measure/batch/batch.h"

enum { BATCH_ID_MAX = 64 };

/* A batch system: how a file of points becomes a job, what became of it, how it is taken back. */
struct mw_batch_system {
    const char *name;
    /* Submits the `count` points of map file number `map`, all with the same nodes; the job's id into id[BATCH_ID_MAX]. */
    enum mw_err (*submit)(struct mw_batch *batch, size_t map, const size_t *points, size_t count, char *id,
                          struct mw_error *error);
    /* States of the points of the jobs given (those that the folder does not call DONE). */
    enum mw_err (*ask)(struct mw_batch *batch, const char *ids, struct mw_error *error);
    enum mw_err (*cancel)(struct mw_batch *batch, const char *ids, struct mw_error *error);
    size_t (*chunk)(struct mw_batch *batch);
    /* Energies of the points of the jobs given; NULL: nobody to ask. */
    enum mw_err (*account)(struct mw_batch *batch, const char *ids, struct mw_error *error);
};
extern const struct mw_batch_system mw_batch_slurm, mw_batch_template;

/* The point that an element of a job is, and the submission; *job NULL where the folder has none of that id and number. */
enum mw_err mw_batch_element(struct mw_batch *batch, const char *id, size_t element, struct mw_batch_job_state **job,
                             size_t *map, struct mw_error *error) MW_CHECKED;
/* The columns that mw_sacct_take reads, and what it reads: lines as `sacct --noheader --parsable2` prints them, which it cuts up. */
extern const char mw_sacct_columns[];
enum mw_err mw_sacct_take(struct mw_batch *batch, char *text, struct mw_error *error) MW_CHECKED;
/* Writes text to folder/name beside its place and renames it. */
enum mw_err mw_batch_write(const struct mw_batch *batch, const char *name, const char *text,
                           struct mw_error *error) MW_CHECKED;

#endif
