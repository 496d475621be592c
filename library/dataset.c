// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/dataset.h"

#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum mw_err mw_dataset_alloc(struct mw_dataset **dataset, enum mw_quantity quantity, struct mw_error *error)
{
    if ((unsigned)quantity > MW_ENERGY)
        return mw_fail(error, MW_USAGE, "no quantity %d", (int)quantity);
    struct mw_dataset *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    made->quantity = quantity;
    made->file = strdup("runs in memory");
    made->workload = strdup("");
    made->input = strdup("");
    made->label = strdup("");
    if (!made->file || !made->workload || !made->input || !made->label) {
        mw_dataset_free(made);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    *dataset = made;
    return MW_OK;
}

enum mw_err mw_dataset_load(struct mw_dataset **dataset, const char *path, const struct mw_dataset_options *options,
                            struct mw_error *error)
{
    struct mw_dataset *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_dataset_read(made, path, options, error);
    if (err)
        free(made);
    else
        *dataset = made;
    return err;
}

void mw_dataset_free(struct mw_dataset *dataset)
{
    if (dataset)
        mw_dataset_release(dataset);
    free(dataset);
}

static bool is_run(const struct mw_run *run)
{
    const double known[] = {run->config.freq_hz, run->energy_j, run->power_w, run->cpu_time_s};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!isfinite(known[i]) || known[i] < 0)
            return false;
    return run->config.cores >= 1 && run->config.cores <= 1e9 && run->config.cores == floor(run->config.cores) &&
           isfinite(run->value) && run->value > 0;
}

enum mw_err mw_dataset_add(struct mw_dataset *dataset, const struct mw_run *run, struct mw_error *error)
{
    size_t n = dataset->count;
    if (!is_run(run))
        return mw_fail(error, MW_USAGE, "not a run: %g cores at %g GHz, value %g", run->config.cores,
                       run->config.freq_hz / 1e9, run->value);
    struct mw_row *rows = realloc(dataset->rows, (n + 1) * sizeof *rows);
    if (!rows)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu runs", n + 1);
    dataset->rows = rows;
    unsigned has = MW_HAS_VALUE;
    has |= run->config.freq_hz > 0 ? MW_HAS_FREQ : 0U;
    has |= run->energy_j > 0 ? MW_HAS_ENERGY : 0U;
    has |= run->power_w > 0 ? MW_HAS_POWER : 0U;
    has |= run->cpu_time_s > 0 ? MW_HAS_CPU_TIME : 0U;
    rows[n] = (struct mw_row){.has = has,
                              .cores = (unsigned)run->config.cores,
                              .freq_hz = run->config.freq_hz,
                              .value = run->value,
                              .energy_j = run->energy_j,
                              .power_w = run->power_w,
                              .cpu_time_s = run->cpu_time_s,
                              .line = (long)n + 1};
    dataset->count++;
    return MW_OK;
}

void mw_dataset_set_memory_freq(struct mw_dataset *dataset, double freq_hz)
{
    dataset->memory_freq_hz = freq_hz > 0 && isfinite(freq_hz) ? freq_hz : 0;
}

enum mw_quantity mw_dataset_quantity(const struct mw_dataset *dataset)
{
    return dataset->quantity;
}

size_t mw_dataset_count(const struct mw_dataset *dataset)
{
    return dataset->count;
}

void mw_dataset_run(const struct mw_dataset *dataset, size_t i, struct mw_run *run)
{
    if (i >= dataset->count)
        return;
    const struct mw_row *row = &dataset->rows[i];
    *run = (struct mw_run){.config = {row->cores, row->freq_hz},
                           .value = row->value,
                           .energy_j = row->energy_j,
                           .power_w = row->power_w,
                           .cpu_time_s = row->cpu_time_s};
}

const char *mw_dataset_warning(const struct mw_dataset *dataset, size_t i)
{
    return i < dataset->warning_count ? dataset->warnings[i] : NULL;
}
