// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/laws.h"

#include <math.h>

enum { F, A, E, C };

static void eval(const double *params, size_t n, const double *p, const double *phi, double *out)
{
    double serial = 1 - params[F], a = params[A], e = params[E], c = params[C];
    /* Points come sorted by frequency and cores, or by cores and frequency: a power is used again where the same count
       came just before, or in the same place of the first run of counts. */
    enum { RUN = 64 };
    double powers[RUN], power = 1;
    size_t place = 0, run = 0;
    for (size_t i = 0; i < n; i++, place++) {
        if (i > 0 && p[i] < p[i - 1])
            place = 0;
        if (place < run && p[place] == p[i])
            power = powers[place];
        else if (i == 0 || p[i] != p[i - 1])
            power = pow(p[i], -e);
        if (run == i && place == i && run < RUN)
            powers[run++] = power;
        out[i] = (serial + params[F] * power + c * (p[i] - 1)) * (1 + a * phi[i]);
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
