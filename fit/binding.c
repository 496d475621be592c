// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/binding.h"

#include "model/law.h"

#include <math.h>
#include <string.h>

const char *mw_binding_name(enum mw_binding binding)
{
    static const char *const names[] = {"compute", "serial", "latency", "bandwidth"};
    return names[binding];
}

/* The law's own parameters where the model is one of that law or a mixture, else those of its fit beside the others. */
static bool find_params(const struct mw_model *model, double params[4])
{
    static const char *const letters[] = {"f", "k", "m1", "m2"};
    size_t found = 0;
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < model->param_count; i++)
            if (!strcmp(model->params[i].name, letters[j])) {
                params[j] = model->params[i].value;
                found++;
            }
    for (size_t i = 0; found < 4 && i < model->law_count; i++)
        if (!strcmp(model->laws[i].name, "vls")) {
            memcpy(params, model->laws[i].params, 4 * sizeof *params);
            found = 4;
        }
    return found == 4;
}

enum mw_binding mw_binding_at(const struct mw_model *model, double p, double phi)
{
    double v[4];
    if (!find_params(model, v))
        return MW_BIND_COMPUTE;
    double mu = fmin(v[MW_VLS_M1] + v[MW_VLS_M2] / p, 1), slow = 1 + v[MW_VLS_K] * phi * mu;
    double serial = 1 - v[MW_VLS_F], work = serial + v[MW_VLS_F] / p;
    if ((1 + v[MW_VLS_K] * phi) * mu > slow * work)
        return MW_BIND_BANDWIDTH;
    double latency_share = (slow - 1) / slow, serial_share = serial / work / slow;
    double compute_share = 1 - latency_share - serial_share;
    if (latency_share >= compute_share && latency_share >= serial_share)
        return MW_BIND_LATENCY;
    return serial_share > compute_share ? MW_BIND_SERIAL : MW_BIND_COMPUTE;
}
