// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/law.h"
#include "model/laws.h"

#include <string.h>

// clang-format off
const struct mw_law *const mw_laws[] = {
    &mw_law_vls,
    &mw_law_vls_contention,
    &mw_law_vls_onecore,
    &mw_law_amdahl,
    &mw_law_usl,
    &mw_law_amdahl_memory,
    &mw_law_usl_memory,
    &mw_law_contention_memory,
    &mw_law_saturating,
    &mw_law_granularity,
    &mw_law_power,
    &mw_law_socket,
    &mw_law_tiers,
    &mw_law_gustafson,
    &mw_law_sun_ni,
    NULL,
};
// clang-format on

const struct mw_law *mw_law_find(const char *name)
{
    for (const struct mw_law *const *law = mw_laws; *law; law++)
        if (!strcmp((*law)->name, name))
            return *law;
    return NULL;
}

void mw_law_limit(const struct mw_law *law, const struct mw_law_limits *limits, double *high)
{
    bool fills = law == &mw_law_saturating || law == &mw_law_tiers; /* the r of other laws is something else */
    for (size_t j = 0; j < law->param_count; j++) {
        double limit = !strcmp(law->params[j].name, "k")            ? limits->k_max
                       : fills && !strcmp(law->params[j].name, "r") ? limits->r_max
                                                                    : 0;
        if (limit > law->params[j].low && limit < high[j])
            high[j] = limit;
    }
}

double mw_law_h(const struct mw_law *law, const double *params, double p, double phi)
{
    double h;
    law->eval(params, 1, &p, &phi, &h);
    return h;
}
