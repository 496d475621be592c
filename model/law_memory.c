// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "model/laws.h"

#include <math.h>

/* Laws of how the memory is built: nodes with remote access, tiers of different speed. */

static MW_HOT void socket_step(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    double f = v[0], a = v[1], r = v[2], b = v[3];
    for (size_t i = 0; i < n; i++) {
        double nodes = ceil(p[i] / floor(b));
        out[i] = ((1 - f) + f / p[i]) * (1 + a * phi[i] * (1 + r * (1 - 1 / nodes)));
    }
}

/* A node of all measured cores is no step; the sampler and the search look from one core to p_max. */
static void socket_bound(double *low, double *high, double p_max)
{
    low[3] = 1;
    high[3] = fmax(p_max, 1);
}

const struct mw_law mw_law_socket = {
    .name = "socket",
    .title = "socket or NUMA step",
    .source = "docs/laws.md",
    .formula = "((1 - f) + f/p)(1 + a phi(1 + r(1 - 1/n))), n = ceil(p/b) nodes in use",
    .param_count = 4,
    .params = {{"f", "1", 0, 1, "share of the work that runs in parallel"},
               {"a", "1", 0, 10, "memory time over processor time at phi = 1, all accesses local"},
               {"r", "1", 0, 4, "excess time of a remote access over a local one"},
               {"b", "cores", 1, 4096, "cores of one node"}},
    .whole = 1 << 3,
    .eval = socket_step,
    .bound = socket_bound,
};

static MW_HOT void tiers(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    double f = v[0], a = v[1], q = v[2], r = v[3], u = v[4];
    for (size_t i = 0; i < n; i++) {
        double each = 1 / p[i];
        double fast = each > r * u ? each : r * u, slow = each > r ? each : r;
        double memory = q * fast + (1 - q) * slow;
        out[i] = (1 - f) + f * each + a * phi[i] * memory;
    }
}

static void tiers_gradient(const double *v, size_t n, const double *p, const double *phi, const unsigned char *branch,
                           double *h, double *dh)
{
    double f = v[0], a = v[1], q = v[2], r = v[3], u = v[4];
    (void)branch;
    for (size_t i = 0; i < n; i++) {
        double each = 1 / p[i], fast = fmax(each, r * u), slow = fmax(each, r);
        double fast_full = r * u > each ? 1 : 0, slow_full = r > each ? 1 : 0, memory = a * phi[i];
        h[i] = (1 - f) + f * each + memory * (q * fast + (1 - q) * slow);
        dh[i] = each - 1;
        dh[n + i] = phi[i] * (q * fast + (1 - q) * slow);
        dh[2 * n + i] = memory * (fast - slow);
        dh[3 * n + i] = memory * (q * u * fast_full + (1 - q) * slow_full);
        dh[4 * n + i] = memory * q * r * fast_full;
    }
}

/* The core counts that fill the slow and the fast tier. */
static void tiers_kinks(const double *v, double *cores)
{
    double r = v[3], ru = v[3] * v[4];
    cores[0] = r > 0 ? 1 / r : HUGE_VAL;
    cores[1] = ru > 0 ? 1 / ru : HUGE_VAL;
}

const struct mw_law mw_law_tiers = {
    .name = "tiers",
    .title = "two memory tiers",
    .source = "docs/laws.md",
    .formula = "(1 - f) + f/p + a phi(q max(1/p, r u) + (1 - q) max(1/p, r))",
    .param_count = 5,
    .params = {{"f", "1", 0, 1, "share of the processor's work that runs in parallel"},
               {"a", "1", 0, 10, "memory time over processor time on one core at phi = 1"},
               {"q", "1", 0, 1, "share of the memory time in the fast tier"},
               {"r", "1", 0, 1, "inverse of the core count that fills the slow tier"},
               {"u", "1", 0, 1, "the same of the fast tier, as a share of r"}},
    .eval = tiers,
    .gradient = tiers_gradient,
    .kinks = tiers_kinks,
};
