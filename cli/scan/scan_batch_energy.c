// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/scan/scan_batch.h"

#include <math.h>
#include <stdlib.h>

/* Slurm counts whole seconds, and what lies between the runs draws less than they do: a power is known to a tenth or not at all. */
static const double filled_min = .9;

double scan_batch_wall(const struct mw_table *table, size_t row)
{
    size_t column;
    bool has = mw_table_find(table, "wall_s", &column) || mw_table_find(table, "time_s", &column);
    return has ? strtod(mw_table_cell(table, row, column), NULL) : 0;
}

double scan_batch_power(const struct mw_batch_job_state *job, unsigned long warmup, const struct mw_table *table,
                        bool *useless)
{
    double busy_s = 0;
    *useless = false;
    if (!(job->energy_j > 0) || !table->row_count)
        return 0;
    for (size_t row = 0; row < table->row_count; row++)
        busy_s += scan_batch_wall(table, row);
    busy_s += (double)warmup * busy_s / (double)table->row_count; /* as long as the others, and drawing as much */
    *useless = busy_s < filled_min * (job->accounted_s + 1) || busy_s > job->accounted_s + 1;
    return *useless ? 0 : job->energy_j / fmax(busy_s, job->accounted_s);
}

enum mw_err scan_batch_energy(struct scan_batch *scan, size_t *off, struct mw_error *error)
{
    enum { ASKED_MAX = 15 };
    struct mw_error none;
    size_t pending = 1, with = 0;
    for (unsigned asked = 0; pending && asked < ASKED_MAX; asked++) {
        if (asked && mw_stop_sleep(&scan->stop, 1) != MW_STOP_NONE)
            break;
        enum mw_err err = mw_batch_account(&scan->batch, &pending, &none);
        if (err == MW_UNSUPPORTED || err == MW_RUN || err == MW_INTERRUPTED)
            break;
        if (err)
            return *error = none, err;
    }
    for (size_t i = 0; i < scan->count; i++)
        with += scan->batch.jobs[i].energy_j > 0;
    enum mw_err err = with ? scan_batch_merge(scan, off, error) : MW_OK;
    if (!err && scan->unpowered)
        cli_warn(
            scan->cli,
            "%zu points have no energy: their runs did not fill nine tenths of the seconds that Slurm counts; more "
            "--runs, or longer ones, do from ten seconds on",
            scan->unpowered);
    return err;
}
