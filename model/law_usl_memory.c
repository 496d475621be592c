// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

enum { ALPHA, BETA, A };

static MW_HOT void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double alpha = params[ALPHA], beta = params[BETA], a = params[A];
    for (size_t i = 0; i < n; i++)
        out[i] = (1 + (alpha + beta * p[i]) * (p[i] - 1)) / p[i] * (1 + a * phi[i]);
}

const struct mw_law mw_law_usl_memory = {
    .name = "usl-memory",
    .title = "universal scalability law with a frequency-independent share",
    .source = "Gunther, Guerrilla Capacity Planning, Springer 2007; frequency-independent share: docs/laws.md",
    .formula = "(1 + alpha (p - 1) + beta p (p - 1))/p (1 + a phi)",
    .param_count = 3,
    .params = {{"alpha", "1", 0, 1, "contention: share of the work that waits in line"},
               {"beta", "1", 0, 0.05, "coherence: cost of each pair of cores"},
               {"a", "1", 0, 3, "memory time over processor time at F = F_mem"}},
    .eval = eval,
};
