// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

static MW_HOT void amdahl(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    (void)phi;
    for (size_t i = 0; i < n; i++)
        out[i] = (1 - v[0]) + v[0] / p[i];
}

const struct mw_law mw_law_amdahl = {
    .name = "amdahl",
    .title = "Amdahl",
    .source = "Amdahl, AFIPS Spring Joint Computer Conference (1967), doi 10.1145/1465482.1465560",
    .formula = "(1 - f) + f/p",
    .param_count = 1,
    .params = {{"f", "1", 0, 1, "share of the work that runs in parallel"}},
    .eval = amdahl,
};

static MW_HOT void usl(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    (void)phi;
    for (size_t i = 0; i < n; i++)
        out[i] = (1 + (p[i] - 1) * (v[0] + v[1] * p[i])) / p[i];
}

const struct mw_law mw_law_usl = {
    .name = "usl",
    .title = "universal scalability",
    .source = "Gunther, Guerrilla Capacity Planning (2007), doi 10.1007/978-3-540-31010-5",
    .formula = "(1 + alpha(p - 1) + beta p(p - 1))/p",
    .param_count = 2,
    .params = {{"alpha", "1", 0, 1, "contention: waiting for what is shared"},
               {"beta", "1", 0, .05, "coherency: cost of each pair of cores"}},
    .eval = usl,
};
