// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_PRIOR_H
#define MW_FIT_PRIOR_H

#include "fit/predict/lattice.h"
#include "model/law.h"

#include <stdbool.h>

/*
 * Weak priors on a law's parameters, as maps from u uniform on [0, 1]. How strongly contention and memory costs are
 * believed to be small is what decides a prediction beyond the measured cores, and no single belief is right for all
 * programs (docs/prediction.md), so the same law is fitted under several.
 */
enum mw_prior {
    MW_PRIOR_ROOT,   /* costs flat in their square root: high u^2 */
    MW_PRIOR_FOURTH, /* flat in their fourth root: high u^4 */
    MW_PRIOR_LOG,    /* log-uniform from a cost too small to see up to the law's bound */
    MW_PRIOR_COUNT
};

/* One member of the mixture. */
struct mw_prior_member {
    const char *law;
    enum mw_prior prior;
};

/* The members for --law auto; the count is returned. */
size_t mw_prior_members(const struct mw_prior_member **members);

/* Weight among the joint, or the independent, fits of a prediction beyond the measured cores; not normalised. */
double mw_prior_beyond(const char *law, int prior);

/* A mapping prepared for one law: the bounds in force, by the table, the data and what is known of the machine. */
struct mw_prior_map {
    const struct mw_law *law;
    struct mw_prior_axis {
        int kind;
        double low, high, ln_ratio; /* ln(high/low) of a logarithmic axis */
    } axes[MW_LAW_MAX_PARAMS];
    const struct mw_lattice *lattice; /* of the law's whole parameter, borrowed; NULL: drawn from the prior */
};

/* p_max: the largest core count of the data; limits: what is known of the machine. */
void mw_prior_map_init(struct mw_prior_map *map, const struct mw_law *law, enum mw_prior prior, double p_max,
                       const struct mw_law_limits *limits);
/* params[j] for u[j], j < law->param_count; returns ln(prior/density drawn from), 0 without a lattice. Pure. */
double mw_prior_apply(const struct mw_prior_map *map, const double *u, double *params);
/* The mass of a whole parameter's value, not normalised; for mw_lattice_init. */
double mw_prior_whole_mass(double value, size_t param, const void *map);

#endif
