// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/replay.h"

#include "data/stats.h"

#include <math.h>
#include <stdlib.h>

static bool usable(const struct mw_row *row)
{
    return !row->set_aside && row->has & MW_HAS_VALUE;
}

enum mw_err mw_replay_open(struct mw_replay *replay, const char *path, const struct mw_dataset_options *options,
                           struct mw_error *error)
{
    struct mw_replay r = {0};
    enum mw_err err = mw_dataset_read(&r.dataset, path, options, error);
    if (err)
        return err;
    bool energies = false;
    for (size_t i = 0; i < r.dataset.count; i++)
        energies = energies || (usable(&r.dataset.rows[i]) && r.dataset.rows[i].has & MW_HAS_ENERGY);
    if (r.dataset.quantity == MW_SPEEDUP && !(options->energy_only && energies))
        err = mw_fail(error, MW_DATA, "%s: a table of speedups has no times to give", path);
    r.cores = calloc(r.dataset.count + 1, sizeof *r.cores);
    r.freqs_hz = calloc(r.dataset.count + 1, sizeof *r.freqs_hz);
    if (!err && (!r.cores || !r.freqs_hz))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < r.dataset.count; i++) {
        const struct mw_row *row = &r.dataset.rows[i];
        if (!usable(row))
            continue;
        r.cores[r.core_count++] = row->cores;
        if (row->freq_hz > 0)
            r.freqs_hz[r.freq_count++] = row->freq_hz;
    }
    if (err) {
        mw_replay_close(&r);
        return err;
    }
    r.core_count = mw_sort_distinct(r.cores, r.core_count);
    r.freq_count = mw_sort_distinct(r.freqs_hz, r.freq_count);
    *replay = r;
    return MW_OK;
}

void mw_replay_close(struct mw_replay *replay)
{
    mw_dataset_release(&replay->dataset);
    free(replay->cores);
    free(replay->freqs_hz);
    *replay = (struct mw_replay){0};
}

/* How far a row is from what is asked for: 0 on the configuration itself (frequencies agree to a part in a thousand). */
static double distance(const struct mw_row *row, unsigned cores, double freq_hz)
{
    double apart = fabs(log((double)row->cores / cores));
    if (freq_hz > 0 && row->freq_hz > 0) {
        double ratio = fabs(log(row->freq_hz / freq_hz));
        apart += ratio > 1e-3 ? ratio : 0;
    } else if (freq_hz > 0) {
        apart += 1;
    }
    return apart;
}

enum mw_err mw_replay_row(const struct mw_replay *replay, unsigned cores, double freq_hz, unsigned repetition,
                          const struct mw_row **row, struct mw_error *error)
{
    const struct mw_dataset *d = &replay->dataset;
    const struct mw_row *nearest = NULL;
    size_t matches = 0, seen = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (!usable(&d->rows[i]))
            continue;
        double apart = distance(&d->rows[i], cores, freq_hz);
        matches += apart <= 0;
        if (!nearest || apart < distance(nearest, cores, freq_hz))
            nearest = &d->rows[i];
    }
    if (!matches && nearest && freq_hz > 0 && nearest->freq_hz > 0)
        return mw_fail(error, MW_DATA, "%s has no run on %u cores at %.6g GHz, the nearest is %u cores at %.6g GHz",
                       d->file, cores, freq_hz / 1e9, nearest->cores, nearest->freq_hz / 1e9);
    if (!matches && nearest && freq_hz > 0) {
        mw_fail(error, MW_DATA, "%s has no frequencies, so no run on %u cores at %.6g GHz", d->file, cores,
                freq_hz / 1e9);
        return mw_hint(error, "leave out the frequency; the nearest core count is %u", nearest->cores);
    }
    if (!matches)
        return mw_fail(error, MW_DATA, "%s has no run on %u cores, the nearest is %u cores", d->file, cores,
                       nearest ? nearest->cores : 0);
    for (size_t i = 0; i < d->count; i++)
        if (usable(&d->rows[i]) && distance(&d->rows[i], cores, freq_hz) <= 0 && seen++ == (repetition - 1) % matches)
            *row = &d->rows[i];
    return MW_OK;
}
