// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/laws.h"

/* The bounds of f, k, m1 and m2 are those of the paper (section IV). */
#define VLS_PARAMS                                                                                                     \
    {"f", "1", 0, 1, "share of the work that runs in parallel"},                                                       \
        {"k", "1", 0, 10, "excess of a memory instruction over a processor one, in memory cycles"},                    \
        {"m1", "1", 0, 1, "share of memory instructions that stays, however many cores"},                              \
    {                                                                                                                  \
        "m2", "1", 0, 1, "share of memory instructions that further cores' caches take away"                           \
    }

/* fmax and fmin without their care for NaN, which makes calls of them */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double mu(double m1, double m2, double p)
{
    double m = m1 + m2 / p;
    return m < 1 ? m : 1;
}

static void vls(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    double f = v[MW_VLS_F], k = v[MW_VLS_K], m1 = v[MW_VLS_M1], m2 = v[MW_VLS_M2];
    for (size_t i = 0; i < n; i++) {
        double m = mu(m1, m2, p[i]), k_phi = k * phi[i];
        out[i] = larger((1 + k_phi * m) * ((1 - f) + f / p[i]), (1 + k_phi) * m);
    }
}

const struct mw_law mw_law_vls = {
    .name = "vls",
    .title = "variable latency",
    .source = "Furtunato, Georgiou, Eder, Xavier-de-Souza, IEEE Access 8 (2020), doi 10.1109/ACCESS.2020.2990418",
    .formula = "max{(1 + k phi mu)((1 - f) + f/p), (1 + k phi) mu}, mu = min(m1 + m2/p, 1)",
    .param_count = 4,
    .params = {VLS_PARAMS},
    .eval = vls,
};

static void vls_contention(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    double f = v[MW_VLS_F], k = v[MW_VLS_K], m1 = v[MW_VLS_M1], m2 = v[MW_VLS_M2], c = v[4];
    for (size_t i = 0; i < n; i++) {
        double m = mu(m1, m2, p[i]), k_phi = k * phi[i];
        out[i] = larger((1 + k_phi * m) * ((1 - f) + f / p[i] + c * (p[i] - 1)), (1 + k_phi) * m);
    }
}

const struct mw_law mw_law_vls_contention = {
    .name = "vls-contention",
    .title = "variable latency with contention",
    .source = "docs/laws.md",
    .formula = "max{(1 + k phi mu)((1 - f) + f/p + c(p - 1)), (1 + k phi) mu}, mu = min(m1 + m2/p, 1)",
    .param_count = 5,
    .params = {VLS_PARAMS, {"c", "1", 0, .05, "cost of each further core, as a share of the one-core work"}},
    .eval = vls_contention,
};

static void vls_onecore(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    vls(v, n, p, phi, out);
    for (size_t i = 0; i < n; i++)
        if (p[i] < 1.5)
            out[i] *= v[4];
}

const struct mw_law mw_law_vls_onecore = {
    .name = "vls-onecore",
    .title = "variable latency with a free one-core time",
    .source = "docs/laws.md",
    .formula = "as vls; on one core times g",
    .param_count = 5,
    .params = {VLS_PARAMS, {"g", "1", .25, 4, "time of the one-core code path over that of the parallel one"}},
    .eval = vls_onecore,
};
