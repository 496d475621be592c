// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

#include <math.h>

enum { F, A, E, C };

static MW_HOT void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double f = params[F], serial = 1 - f, a = params[A], e = params[E], c = params[C];
    for (size_t i = 0; i < n; i++)
        out[i] = (serial + f * pow(p[i], -e) + c * (p[i] - 1)) * (1 + a * phi[i]);
}

const struct mw_law mw_law_power = {
    .name = "power",
    .title = "parallel work that shrinks as a power of the cores",
    .source = "docs/laws.md",
    .formula = "((1 - f) + f p^-e + c (p - 1)) (1 + a phi)",
    .param_count = 4,
    .params = {{"f", "1", 0, 1, "share of the work that more cores shorten"},
               {"a", "1", 0, 3, "memory time over processor time at F = F_mem"},
               {"e", "1", 0.3, 1.15, "exponent: 1 is linear speedup of that share"},
               {"c", "1", 0, 0.05, "overhead of each further core, over the processor time on one"}},
    .eval = eval,
};
