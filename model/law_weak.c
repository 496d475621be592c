// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

#include <math.h>

static MW_HOT void gustafson(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    (void)phi;
    for (size_t i = 0; i < n; i++)
        out[i] = p[i] / ((1 - v[0]) + v[0] * p[i]);
}

const struct mw_law mw_law_gustafson = {
    .name = "gustafson",
    .title = "Gustafson (work grows with the cores)",
    .source = "Gustafson, Communications of the ACM 31 (1988), doi 10.1145/42411.42415",
    .formula = "p/((1 - f) + f p), the time of a run whose work is p times that on one core",
    .param_count = 1,
    .params = {{"f", "1", 0, 1, "share of the time on p cores that is parallel"}},
    .weak_scaling = true,
    .eval = gustafson,
};

static MW_HOT void sun_ni(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    (void)phi;
    for (size_t i = 0; i < n; i++)
        out[i] = (1 - v[0]) + v[0] * pow(p[i], v[1] - 1);
}

const struct mw_law mw_law_sun_ni = {
    .name = "sun-ni",
    .title = "Sun-Ni (work grows with the memory)",
    .source = "Sun and Ni, Journal of Parallel and Distributed Computing 19 (1993), doi 10.1006/jpdc.1993.1087",
    .formula = "(1 - f) + f p^g/p, the time of a run whose parallel work is p^g times that on one core",
    .param_count = 2,
    .params = {{"f", "1", 0, 1, "share of the one-core work that runs in parallel and grows"},
               {"g", "1", 0, 2, "exponent of the growth: 0 Amdahl, 1 Gustafson, above 1 more work per core"}},
    .weak_scaling = true,
    .eval = sun_ni,
};
