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
                         .line = point->line};
    row.has |= point->freq_hz > 0 ? MW_HAS_FREQ : 0;
    row.has |= point->has_energy ? MW_HAS_ENERGY : 0;
    row.has |= point->has_power ? MW_HAS_POWER : 0;
    row.has |= point->has_cpu_time ? MW_HAS_CPU_TIME : 0;
    return row;
}

static enum mw_err add_set_aside(struct mw_dataset *dataset, const struct mw_model *model, struct mw_error *error)
{
    size_t total = dataset->set_aside_count + model->set_aside_count;
    struct mw_set_aside *grown = realloc(dataset->set_aside, (total + 1) * sizeof *grown);
    if (!grown)
        return mw_fail(error, MW_NOMEM, "out of memory");
    dataset->set_aside = grown;
    for (size_t i = 0; i < model->set_aside_count; i++) {
        char *reason = strdup(model->set_aside[i].reason);
        if (!reason)
            return mw_fail(error, MW_NOMEM, "out of memory");
        grown[dataset->set_aside_count++] = (struct mw_set_aside){model->set_aside[i].line, reason};
    }
    return MW_OK;
}

enum mw_err mw_dataset_add_model(struct mw_dataset *dataset, const struct mw_model *model, struct mw_error *error)
{
    if (dataset->quantity != model->quantity)
        return mw_fail(error, MW_DATA, "%s: the model to update holds %s, this file does not", dataset->file,
                       model->quantity == MW_TIME ? "times" : "speedups");
    size_t old = 0, at = 0;
    for (size_t i = 0; i < model->points.count; i++)
        old += model->points.items[i].count;
    char *name = NULL;
    struct mw_row *rows = malloc((old + dataset->count + 1) * sizeof *rows);
    if (!rows || asprintf(&name, "%s + %s", model->file, dataset->file) < 0) {
        free(rows);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < model->points.count; i++)
        for (size_t k = 0; k < model->points.items[i].count; k++)
            rows[at++] = row_of(&model->points.items[i]);
    if (dataset->count)
        memcpy(rows + at, dataset->rows, dataset->count * sizeof *rows);
    free(dataset->rows);
    free(dataset->file);
    dataset->rows = rows;
    dataset->count += old;
    dataset->file = name;
    return add_set_aside(dataset, model, error);
}
