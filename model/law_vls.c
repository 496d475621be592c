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

static inline double mu(const double *v, double p)
{
    double m = v[MW_VLS_M1] + v[MW_VLS_M2] / p;
    return m < 1 ? m : 1; /* fmin would be a call, for its care of NaN */
}

/* The parallel term and the wall; c is the cost of each further core. */
static inline double parallel(const double *v, double c, double m, double p, double phi)
{
    double f = v[MW_VLS_F];
    return (1 + v[MW_VLS_K] * phi * m) * ((1 - f) + f / p + c * (p - 1));
}

static inline double wall(const double *v, double m, double phi)
{
    return (1 + v[MW_VLS_K] * phi) * m;
}

static inline void family(const double *v, double c, size_t n, const double *p, const double *phi, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double m = mu(v, p[i]), a = parallel(v, c, m, p[i], phi[i]), w = wall(v, m, phi[i]);
        out[i] = a > w ? a : w;
    }
}

static inline void family_branch(const double *v, double c, size_t n, const double *p, const double *phi,
                                 unsigned char *out)
{
    for (size_t i = 0; i < n; i++) {
        double m = mu(v, p[i]);
        out[i] = wall(v, m, phi[i]) >= parallel(v, c, m, p[i], phi[i]);
    }
}

static inline void family_held(const double *v, double c, size_t n, const double *p, const double *phi,
                               const unsigned char *branch, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double m = mu(v, p[i]);
        out[i] = branch[i] ? wall(v, m, phi[i]) : parallel(v, c, m, p[i], phi[i]);
    }
}

static void vls(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    family(v, 0, n, p, phi, out);
}

static void vls_branch(const double *v, size_t n, const double *p, const double *phi, unsigned char *out)
{
    family_branch(v, 0, n, p, phi, out);
}

static void vls_held(const double *v, size_t n, const double *p, const double *phi, const unsigned char *branch,
                     double *out)
{
    family_held(v, 0, n, p, phi, branch, out);
}

const struct mw_law mw_law_vls = {
    .name = "vls",
    .title = "variable latency",
    .source = "Furtunato, Georgiou, Eder, Xavier-de-Souza, IEEE Access 8 (2020), doi 10.1109/ACCESS.2020.2990418",
    .formula = "max{(1 + k phi mu)((1 - f) + f/p), (1 + k phi) mu}, mu = min(m1 + m2/p, 1)",
    .param_count = 4,
    .params = {VLS_PARAMS},
    .eval = vls,
    .branch = vls_branch,
    .eval_branch = vls_held,
};

static void vls_contention(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    family(v, v[4], n, p, phi, out);
}

static void vls_contention_branch(const double *v, size_t n, const double *p, const double *phi, unsigned char *out)
{
    family_branch(v, v[4], n, p, phi, out);
}

static void vls_contention_held(const double *v, size_t n, const double *p, const double *phi,
                                const unsigned char *branch, double *out)
{
    family_held(v, v[4], n, p, phi, branch, out);
}

const struct mw_law mw_law_vls_contention = {
    .name = "vls-contention",
    .title = "variable latency with contention",
    .source = "docs/laws.md",
    .formula = "max{(1 + k phi mu)((1 - f) + f/p + c(p - 1)), (1 + k phi) mu}, mu = min(m1 + m2/p, 1)",
    .param_count = 5,
    .params = {VLS_PARAMS, {"c", "1", 0, .05, "cost of each further core, as a share of the one-core work"}},
    .eval = vls_contention,
    .branch = vls_contention_branch,
    .eval_branch = vls_contention_held,
};

static void one_core_factor(const double *v, size_t n, const double *p, double *out)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < 1.5)
            out[i] *= v[4];
}

static void vls_onecore(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    vls(v, n, p, phi, out);
    one_core_factor(v, n, p, out);
}

static void vls_onecore_held(const double *v, size_t n, const double *p, const double *phi, const unsigned char *branch,
                             double *out)
{
    vls_held(v, n, p, phi, branch, out);
    one_core_factor(v, n, p, out);
}

const struct mw_law mw_law_vls_onecore = {
    .name = "vls-onecore",
    .title = "variable latency with a free one-core time",
    .source = "docs/laws.md",
    .formula = "as vls; on one core times g",
    .param_count = 5,
    .params = {VLS_PARAMS, {"g", "1", .25, 4, "time of the one-core code path over that of the parallel one"}},
    .eval = vls_onecore,
    .branch = vls_branch,
    .eval_branch = vls_onecore_held,
};
