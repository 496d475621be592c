// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/laws.h"

#include <math.h>

enum { F, A, E, C };

static void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double serial = 1 - params[F], a = params[A], e = params[E], c = params[C];
    double last_p = 0, last_power = 1;
    for (size_t i = 0; i < n; i++) {
        if (p[i] != last_p) {
            last_p = p[i];
            last_power = pow(last_p, -e);
        }
        out[i] = (serial + params[F] * last_power + c * (p[i] - 1)) * (1 + a * phi[i]);
    }
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
