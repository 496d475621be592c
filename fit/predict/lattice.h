// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_LATTICE_H
#define MW_FIT_LATTICE_H

#include "data/error.h"
#include "fit/search/problem.h"

/*
 * The likelihood along a parameter of which only the whole part counts (grains of work, cores of a node) is a comb: the
 * right value may be one of hundreds, and a few hundred particles from the prior miss it. So they are drawn from another
 * density, half the prior q0 and half q0 times the root of the likelihood that the law's other parameters reach with
 * that value, and the ratio prior/density goes into their likelihood: the same posterior and evidence.
 */
struct mw_lattice {
    size_t count;     /* of values; 0: no such parameter */
    size_t param;     /* which one */
    double low;       /* the first value */
    double *edge;     /* count: the density's cumulative sum up to and with each value */
    double *ln_ratio; /* count: ln(prior/density) */
};

/*
 * For problem->law inside the problem's bounds. prior_mass(value, param, context): the prior's mass of a value, not normalised.
 * Cost: a few iterations of Levenberg-Marquardt for each value. MW_NOMEM leaves it empty.
 */
enum mw_err mw_lattice_init(struct mw_lattice *lattice, const struct mw_problem *problem,
                            double (*prior_mass)(double value, size_t param, const void *context), const void *context,
                            struct mw_error *error) MW_CHECKED;
void mw_lattice_release(struct mw_lattice *lattice);
/* The value at u in [0, 1]; *ln_ratio is added to. */
double mw_lattice_value(const struct mw_lattice *lattice, double u, double *ln_ratio);

#endif
