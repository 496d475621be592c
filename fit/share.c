// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/share.h"

#include "data/stats.h"
#include "fit/predict/predict.h"

#include <math.h>
#include <string.h>

static double clamp(double share)
{
    return fmin(fmax(share, 0), 1);
}

static struct mw_combination *find(const struct mw_model *model, unsigned cores)
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
        const struct mw_config query[2] = {{ends[i], domain->freq_low_hz}, {ends[i], domain->freq_high_hz}};
        struct mw_prediction at[2];
        enum mw_err err = mw_predict(model, query, 2, at, error);
        if (err)
            return err;
        /* the two errors as if independent: on the safe side, since what they share cancels in the ratio */
        double ln_ratio = log(at[0].value / at[1].value), spread = MW_NORMAL_90 * hypot(at[0].ln_sd, at[1].ln_sd);
        c->value = clamp((1 - r * exp(ln_ratio)) / (1 - r));
        c->low = clamp((1 - r * exp(ln_ratio + spread)) / (1 - r));
        c->high = clamp((1 - r * exp(ln_ratio - spread)) / (1 - r));
        mw_share_describe(c, ends[i], domain->freq_high_hz);
    }
    return MW_OK;
}

/* m of a time C/F + m at another frequency, from what it is at one. */
static double carry(double share, double ratio)
{
    return share * ratio / (share * ratio + 1 - share);
}

struct mw_shares mw_shares_of(const struct mw_model *model)
{
    struct mw_shares shares = {.one = NULL};
    mw_domain_of(&shares.domain, &model->points);
    if (model->quantity == MW_TIME && shares.domain.freq_count > 1) {
        shares.one = find(model, shares.domain.cores_low);
        shares.all = find(model, shares.domain.cores_high);
    }
    return shares;
}

bool mw_share_at(const struct mw_shares *shares, double cores, double freq_hz, double *low, double *high)
{
    const struct mw_domain *domain = &shares->domain;
    const struct mw_combination *one = shares->one, *all = shares->all;
    if (!one || !all || cores > domain->cores_high)
        return false;
    double ratio = freq_hz / domain->freq_high_hz, w = 0;
    if (domain->cores_high > domain->cores_low)
        w = fmax(log(cores / domain->cores_low) / log((double)domain->cores_high / domain->cores_low), 0);
    *low = (1 - w) * carry(one->low, ratio) + w * carry(all->low, ratio);
    *high = (1 - w) * carry(one->high, ratio) + w * carry(all->high, ratio);
    return true;
}
