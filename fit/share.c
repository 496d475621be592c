// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/share.h"

#include "fit/predict.h"

#include <math.h>
#include <string.h>

static const double normal_95 = 1.645;

static double clamp(double share)
{
    return fmin(fmax(share, 0), 1);
}

static struct mw_combination *find(struct mw_model *model, unsigned cores)
{
    char name[64];
    mw_share_name(name, sizeof name, cores);
    for (size_t i = 0; i < model->combination_count; i++)
        if (!strcmp(model->combinations[i].name, name))
            return &model->combinations[i];
    return NULL;
}

enum mw_err mw_shares_from_predictions(struct mw_model *model, const struct mw_domain *domain, struct mw_error *error)
{
    const unsigned ends[2] = {domain->cores_low, domain->cores_high};
    if (model->quantity != MW_TIME || domain->freq_count < 2 || !model->combination_count)
        return MW_OK;
    double r = domain->freq_low_hz / domain->freq_high_hz;
    for (size_t i = 0; i < 2; i++) {
        struct mw_combination *c = find(model, ends[i]);
        if (!c)
            continue;
        const struct mw_query query[2] = {{ends[i], domain->freq_low_hz}, {ends[i], domain->freq_high_hz}};
        struct mw_prediction at[2];
        enum mw_err err = mw_predict(model, query, 2, at, error);
        if (err)
            return err;
        /* the two errors as if independent: on the safe side, since what they share cancels in the ratio */
        double ln_ratio = log(at[0].value / at[1].value), spread = normal_95 * hypot(at[0].ln_sd, at[1].ln_sd);
        c->value = clamp((1 - r * exp(ln_ratio)) / (1 - r));
        c->low = clamp((1 - r * exp(ln_ratio + spread)) / (1 - r));
        c->high = clamp((1 - r * exp(ln_ratio - spread)) / (1 - r));
        mw_share_describe(c, ends[i], domain->freq_high_hz);
    }
    return MW_OK;
}
