// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
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

/* h and its derivatives by f, k, m1, m2 and, where dc is given, by c. */
static inline void family_gradient(const double *v, double c, size_t n, const double *p, const double *phi,
                                   const unsigned char *branch, double *h, double *dh, double *dc)
{
    double f = v[MW_VLS_F], k = v[MW_VLS_K];
    double *df = dh, *dk = dh + n, *d1 = dh + 2 * n, *d2 = dh + 3 * n;
    for (size_t i = 0; i < n; i++) {
        double each = 1 / p[i], m = v[MW_VLS_M1] + v[MW_VLS_M2] * each, rho = 1 + k * phi[i];
        double open = m < 1 ? 1 : 0; /* mu does not move where it is clipped */
        m = m < 1 ? m : 1;
        double slow = 1 + k * phi[i] * m, work = (1 - f) + f * each + c * (p[i] - 1);
        bool at_wall = branch ? branch[i] : rho * m > slow * work;
        double dm = at_wall ? rho : k * phi[i] * work;
        h[i] = at_wall ? rho * m : slow * work;
        df[i] = at_wall ? 0 : slow * (each - 1);
        dk[i] = phi[i] * m * (at_wall ? 1 : work);
        d1[i] = open * dm;
        d2[i] = open * dm * each;
        if (dc)
            dc[i] = at_wall ? 0 : slow * (p[i] - 1);
    }
}

static MW_HOT void vls_gradient(const double *v, size_t n, const double *p, const double *phi,
                                const unsigned char *branch, double *h, double *dh)
{
    family_gradient(v, 0, n, p, phi, branch, h, dh, NULL);
}

static MW_HOT void vls(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    family(v, 0, n, p, phi, out);
}

static MW_HOT void vls_branch(const double *v, size_t n, const double *p, const double *phi, unsigned char *out)
{
    family_branch(v, 0, n, p, phi, out);
}

static MW_HOT void vls_held(const double *v, size_t n, const double *p, const double *phi, const unsigned char *branch,
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
    .gradient = vls_gradient,
};

static MW_HOT void vls_contention(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    family(v, v[4], n, p, phi, out);
}

static MW_HOT void vls_contention_branch(const double *v, size_t n, const double *p, const double *phi,
                                         unsigned char *out)
{
    family_branch(v, v[4], n, p, phi, out);
}

static MW_HOT void vls_contention_held(const double *v, size_t n, const double *p, const double *phi,
                                       const unsigned char *branch, double *out)
{
    family_held(v, v[4], n, p, phi, branch, out);
}

static MW_HOT void vls_contention_gradient(const double *v, size_t n, const double *p, const double *phi,
                                           const unsigned char *branch, double *h, double *dh)
{
    family_gradient(v, v[4], n, p, phi, branch, h, dh, dh + 4 * n);
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
    .gradient = vls_contention_gradient,
};

static void one_core_factor(const double *v, size_t n, const double *p, double *out)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < 1.5)
            out[i] *= v[4];
}

static MW_HOT void vls_onecore(const double *v, size_t n, const double *p, const double *phi, double *out)
{
    vls(v, n, p, phi, out);
    one_core_factor(v, n, p, out);
}

static MW_HOT void vls_onecore_held(const double *v, size_t n, const double *p, const double *phi,
                                    const unsigned char *branch, double *out)
{
    vls_held(v, n, p, phi, branch, out);
    one_core_factor(v, n, p, out);
}

static MW_HOT void vls_onecore_gradient(const double *v, size_t n, const double *p, const double *phi,
                                        const unsigned char *branch, double *h, double *dh)
{
    family_gradient(v, 0, n, p, phi, branch, h, dh, NULL);
    for (size_t i = 0; i < n; i++) {
        bool one = p[i] < 1.5;
        dh[4 * n + i] = one ? h[i] : 0;
        for (size_t j = 0; j < 4 && one; j++)
            dh[j * n + i] *= v[4];
        h[i] *= one ? v[4] : 1;
    }
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
    .gradient = vls_onecore_gradient,
};
