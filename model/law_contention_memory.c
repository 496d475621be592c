// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

enum { F, A, Q, C };

static MW_HOT void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double f = params[F], serial = 1 - f, a = params[A], q = params[Q], c = params[C];
    for (size_t i = 0; i < n; i++) {
        double inverse = 1 / p[i];
        out[i] = serial + f * inverse + c * (p[i] - 1) + a * phi[i] * (q + (1 - q) * inverse);
    }
}

const struct mw_law mw_law_contention_memory = {
    .name = "contention-memory",
    .title = "amdahl-memory with an overhead that grows with the cores",
    .source = "docs/laws.md",
    .formula = "(1 - f) + f/p + c (p - 1) + a phi (q + (1 - q)/p)",
    .param_count = 4,
    .params = {{"f", "1", 0, 1, "parallel share of the work"},
               {"a", "1", 0, 3, "memory time over processor time on one core at F = F_mem"},
               {"q", "1", 0, 1, "part of the memory time that more cores do not shorten"},
               {"c", "1", 0, 0.05, "overhead of each further core, over the processor time on one"}},
    .eval = eval,
};
