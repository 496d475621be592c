// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mw_row row_of(const struct mw_point *point)
{
    struct mw_row row = {.has = MW_HAS_VALUE,
                         .cores = point->cores,
                         .freq_hz = point->freq_hz,
                         .value = point->value,
                         .energy_j = point->energy_j,
                         .power_w = point->power_w,
                         .cpu_time_s = point->cpu_time_s,
                         .freq_effective_hz = point->freq_effective_hz,
                         .usage = point->usage,
                         .line = point->line};
    row.has |= point->freq_hz > 0 ? MW_HAS_FREQ : 0;
    row.has |= point->has_energy ? MW_HAS_ENERGY : 0;
    row.has |= point->has_power ? MW_HAS_POWER : 0;
    row.has |= point->has_cpu_time ? MW_HAS_CPU_TIME : 0;
    row.has |= point->has_freq_effective ? MW_HAS_FREQ_EFFECTIVE : 0;
    return row;
}

/* Rows that a detector set aside are among the runs, and looked at again. */
static enum mw_err add_set_aside(struct mw_dataset *dataset, const struct mw_model *model, struct mw_error *error)
{
    size_t old = model->set_aside_count - (model->run_count ? model->detected_count : 0);
    size_t total = dataset->set_aside_count + old;
    struct mw_set_aside *grown = realloc(dataset->set_aside, (total + 1) * sizeof *grown);
    if (!grown)
        return mw_fail(error, MW_NOMEM, "out of memory");
    dataset->set_aside = grown;
    for (size_t i = 0; i < old; i++) {
        char *reason = strdup(model->set_aside[i].reason);
        if (!reason)
            return mw_fail(error, MW_NOMEM, "out of memory");
        grown[dataset->set_aside_count++] = (struct mw_set_aside){model->set_aside[i].line, reason};
    }
    return MW_OK;
}

/* The runs; where the model does not hold them its points, each as often as it was repeated. */
static size_t old_rows(const struct mw_model *model, struct mw_row *rows)
{
    size_t count = 0;
    if (model->run_count) {
        if (rows)
            memcpy(rows, model->runs, model->run_count * sizeof *rows);
        return model->run_count;
    }
    for (size_t i = 0; i < model->points.count; i++)
        for (size_t k = 0; k < model->points.items[i].count; k++, count++)
            if (rows)
                rows[count] = row_of(&model->points.items[i]);
    return count;
}

enum mw_err mw_dataset_add_model(struct mw_dataset *dataset, const struct mw_model *model, struct mw_error *error)
{
    if (dataset->quantity != model->quantity)
        return mw_fail(error, MW_DATA, "%s: the model to update holds %s, this file does not", dataset->file,
                       model->quantity == MW_TIME ? "times" : "speedups");
    size_t old = old_rows(model, NULL);
    char *name = NULL;
    struct mw_row *rows = malloc((old + dataset->count + 1) * sizeof *rows);
    if (!rows || asprintf(&name, "%s + %s", model->file, dataset->file) < 0) {
        free(rows);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    old_rows(model, rows);
    if (dataset->count)
        memcpy(rows + old, dataset->rows, dataset->count * sizeof *rows);
    free(dataset->rows);
    free(dataset->file);
    dataset->rows = rows;
    dataset->count += old;
    dataset->file = name;
    return add_set_aside(dataset, model, error);
}
