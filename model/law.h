// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MODEL_LAW_H
#define MW_MODEL_LAW_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A law is a value: name, parameters with units and bounds, and functions. Adding a law is adding one
 * `const struct mw_law` in a file of its own under model/ and its line in the table of model/law.c.
 *
 * Every law gives h(p, phi) = F T(p, F) / A, with A in seconds x hertz and phi = F / F_mem, so that
 * T = A h / F. Speedup over one core at the same frequency is h(1, phi) / h(p, phi).
 * Pure functions: no I/O, no allocation; arguments in their domain (p >= 1, phi > 0, bounds held).
 */
enum { MW_LAW_MAX_PARAMS = 8, MW_LAW_CORNERS = 2 };

struct mw_param_info {
    const char *name; /* the letter of its source: f, k, m1, … */
    const char *unit; /* "1" where dimensionless */
    double low, high; /* closed bounds */
    const char *help; /* one line */
};

struct mw_law {
    const char *name;    /* as given to --law */
    const char *title;   /* for people */
    const char *source;  /* paper, or derivation in docs/laws.md */
    const char *formula; /* h in plain text */
    size_t param_count;
    struct mw_param_info params[MW_LAW_MAX_PARAMS];
    unsigned whole;    /* bit j: only the whole part of parameter j counts; searched, never differentiated */
    bool weak_scaling; /* the work grows with p: only with --weak */
    /* out[i] = h(p[i], phi[i]) > 0 for i < n */
    void (*eval)(const double *params, size_t n, const double *p, const double *phi, double *out);
    /*
     * The branches of a max, for searches; NULL where h has none. branch: which one is active at each point, as 0 or 1;
     * eval_branch: h with the branches held as given, smooth where h has corners.
     */
    void (*branch)(const double *params, size_t n, const double *p, const double *phi, unsigned char *out);
    void (*eval_branch)(const double *params, size_t n, const double *p, const double *phi, const unsigned char *branch,
                        double *out);
    /* cores[0..MW_LAW_CORNERS): where on p h has a corner at every frequency, HUGE_VAL: nowhere; NULL: no such corners */
    void (*kinks)(const double *params, double *cores);
    /*
     * h and its derivatives, dh[j*n + i] = d h(p_i, phi_i)/d params[j], on the branches given or (NULL) the active ones;
     * NULL: by differences.
     */
    void (*gradient)(const double *params, size_t n, const double *p, const double *phi, const unsigned char *branch,
                     double *h, double *dh);
    /* Bounds that depend on the data (e.g. the position of a step); NULL where the table's hold. */
    void (*bound)(double *low, double *high, double p_max);
};

/* What a machine's measured memory says of laws' parameters; 0: nothing. */
struct mw_law_limits {
    double k_max; /* of the variable-latency laws: no access takes longer than a main-memory one */
    double r_max; /* of the laws whose memory stops scaling at 1/r cores: fewer cannot fill it */
};
/* Lowers the upper bounds in high[param_count] where a limit is below. */
void mw_law_limit(const struct mw_law *law, const struct mw_law_limits *limits, double *high);

/* All laws, in a fixed order; NULL after the last. */
extern const struct mw_law *const mw_laws[];
const struct mw_law *mw_law_find(const char *name); /* NULL where there is none */

/* The variable-latency law's own quantities (Furtunato et al. 2020). */
enum { MW_VLS_F, MW_VLS_K, MW_VLS_M1, MW_VLS_M2 };
extern const struct mw_law mw_law_vls;

double mw_law_h(const struct mw_law *law, const double *params, double p, double phi);

#endif
