// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

enum { F, A, Q };

static MW_HOT void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double f = params[F], serial = 1 - f, a = params[A], q = params[Q];
    for (size_t i = 0; i < n; i++) {
        double inverse = 1 / p[i];
        out[i] = serial + f * inverse + a * phi[i] * (q + (1 - q) * inverse);
    }
}

const struct mw_law mw_law_amdahl_memory = {
    .name = "amdahl-memory",
    .title = "Amdahl with a share of time that does not depend on the processor's frequency",
    .source = "Amdahl, AFIPS 1967; frequency-independent share: docs/laws.md",
    .formula = "(1 - f) + f/p + a phi (q + (1 - q)/p)",
    .param_count = 3,
    .params = {{"f", "1", 0, 1, "parallel share of the work"},
               {"a", "1", 0, 3, "memory time over processor time on one core at F = F_mem"},
               {"q", "1", 0, 1, "part of the memory time that more cores do not shorten"}},
    .eval = eval,
};
