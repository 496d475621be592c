// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

#include <math.h>

enum { F, A, R, C };

static MW_HOT void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double f = params[F], serial = 1 - f, a = params[A], r2 = params[R] * params[R], c = params[C];
    for (size_t i = 0; i < n; i++) {
        double inverse = 1 / p[i];
        out[i] = serial + f * inverse + c * (p[i] - 1) + a * phi[i] * sqrt(inverse * inverse + r2);
    }
}

const struct mw_law mw_law_saturating = {
    .name = "saturating",
    .title = "memory that stops scaling at 1/r cores: a smooth roof on memory time only",
    .source = "docs/laws.md",
    .formula = "(1 - f) + f/p + c (p - 1) + a phi sqrt(1/p^2 + r^2)",
    .param_count = 4,
    .params = {{"f", "1", 0, 1, "parallel share of the work"},
               {"a", "1", 0, 3, "memory time over processor time on one core at F = F_mem"},
               {"r", "1", 0.001953125, 1, "inverse of the number of cores that saturate memory"},
               {"c", "1", 0, 0.05, "overhead of each further core, over the processor time on one"}},
    .eval = eval,
};
