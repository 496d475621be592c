// SPDX-License-Identifier: GPL-3.0-or-later
#include "memwall/model.h"

#include "data/model_file/model_file.h"
#include "fit/fit.h"
#include "fit/numeric/guard.h"
#include "memwall/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum mw_err mw_model_load(struct mw_model **model, const char *path, struct mw_error *error)
{
    struct mw_model *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_model_read(made, path, error);
    if (err)
        free(made);
    else
        *model = made;
    return err;
}

enum mw_err mw_model_fit(struct mw_model **model, const struct mw_dataset *dataset,
                         const struct mw_fit_options *options, struct mw_error *error)
{
    static const struct mw_fit_options usual;
    struct mw_model *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    mw_guard_enter();
    enum mw_err err = mw_fit(made, dataset, options ? options : &usual, error);
    mw_guard_leave();
    if (err)
        free(made);
    else
        *model = made;
    return err;
}

enum mw_err mw_model_save(const struct mw_model *model, const char *path, bool replace, struct mw_error *error)
{
    static char name[] = "libmemwall";
    char *const words[] = {name, NULL};
    struct mw_provenance run = {0};
    enum mw_err err = mw_provenance_init(&run, 1, words, error);
    if (!err)
        err = mw_model_write(model, path, replace, &run, error);
    mw_provenance_release(&run);
    return err;
}

void mw_model_free(struct mw_model *model)
{
    if (model)
        mw_model_release(model);
    free(model);
}

enum mw_quantity mw_model_quantity(const struct mw_model *model)
{
    return model->quantity;
}

bool mw_model_has_power(const struct mw_model *model)
{
    return model->power.present && model->quantity == MW_TIME;
}

void mw_model_range(const struct mw_model *model, struct mw_range *range)
{
    struct mw_range found = {.cores_low = HUGE_VAL, .freq_low_hz = HUGE_VAL};
    for (size_t i = 0; i < model->points.count; i++) {
        const struct mw_point *point = &model->points.items[i];
        found.cores_low = fmin(found.cores_low, point->cores);
        found.cores_high = fmax(found.cores_high, point->cores);
        found.freq_low_hz = fmin(found.freq_low_hz, point->freq_hz);
        found.freq_high_hz = fmax(found.freq_high_hz, point->freq_hz);
    }
    if (!model->points.count)
        found.cores_low = found.freq_low_hz = 0;
    *range = found;
}

size_t mw_model_parameter_count(const struct mw_model *model)
{
    return model->param_count;
}

void mw_model_parameter(const struct mw_model *model, size_t i, struct mw_parameter *parameter)
{
    if (i >= model->param_count)
        return;
    const struct mw_model_param *p = &model->params[i];
    *parameter = (struct mw_parameter){.value = p->value, .low = p->low, .high = p->high, .status = p->status};
    snprintf(parameter->name, sizeof parameter->name, "%s", p->name);
    snprintf(parameter->settle, sizeof parameter->settle, "%s", p->settle);
}

const char *mw_model_warning(const struct mw_model *model, size_t i)
{
    return i < model->warning_count ? model->warnings[i] : NULL;
}
