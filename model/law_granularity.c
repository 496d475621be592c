// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

#include <math.h>

enum { F, A, C, N };

/* N/p may come out a rounding error above a whole number of rounds. */
static const double round_tolerance = 1e-9;

static MW_HOT void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double f = params[F], serial = 1 - f, a = params[A], c = params[C], grains = floor(params[N]);
    for (size_t i = 0; i < n; i++) {
        double rounds = ceil(grains / p[i] - round_tolerance) / grains;
        out[i] = (serial + f * rounds + c * (p[i] - 1)) * (1 + a * phi[i]);
    }
}

const struct mw_law mw_law_granularity = {
    .name = "granularity",
    .title = "work in N equal grains: ceil(N/p) rounds of them",
    .source = "Graham, Bell Syst. Tech. J. 45 (1966), for equal grains; docs/laws.md",
    .formula = "((1 - f) + f ceil(N/p)/N + c (p - 1)) (1 + a phi)",
    .param_count = 4,
    .params = {{"f", "1", 0, 1, "parallel share of the work"},
               {"a", "1", 0, 3, "memory time over processor time at F = F_mem"},
               {"c", "1", 0, 0.05, "overhead of each further core, over the processor time on one"},
               {"N", "1", 8, 512, "grains of work (a whole number)"}},
    .whole = 1 << N,
    .eval = eval,
};
