// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SEARCH_H
#define MW_FIT_SEARCH_H

#include "fit/search/problem.h"

/* The best parameters found, the loss there (fit/search/problem.h), and what it took. */
struct mw_optimum {
    double params[MW_LAW_MAX_PARAMS];
    double b; /* ln A, or the logarithm of the common factor of speedups */
    double loss;
    unsigned long evaluations; /* of the law on all points */
};

const char *mw_method_name(enum mw_method method); /* "csa", "siman" */
/* False, and *method unchanged, where the name is neither. */
bool mw_method_find(const char *name, enum mw_method *method);

/*
 * The global optimum of problem->law under problem->loss inside problem->low..high: starting blocks (one for each
 * pattern of what binds where, see starts.h), annealing from the best of them, then polish of every candidate that
 * may still win. Cost: a few thousand evaluations, so linear in the points; above MW_SEARCH_POINTS the search runs on
 * an even selection of them and only the last polish sees all.
 * Deterministic for a seed, one thread. MW_NOFIT where the loss is not finite anywhere, MW_NOMEM.
 * Tests: tests/unit/test_search.c; `make bench-fit` compares with differential evolution.
 */
enum {
    MW_SEARCH_POINTS = 512,
    MW_SEARCH_FEW = 64, /* points on which starts are screened */
};
enum mw_err mw_search(struct mw_optimum *optimum, const struct mw_problem *problem, enum mw_method method,
                      unsigned long seed, struct mw_error *error) MW_CHECKED;

/*
 * mw_search at a tenth of the cost, for laws that are only compared with a reported one: fewer starts, and *near
 * (or NULL) beside them. No worse than *near. Test: tests/unit/test_search.c.
 */
enum mw_err mw_search_compare(struct mw_optimum *optimum, const struct mw_problem *problem,
                              const struct mw_optimum *near, enum mw_method method, unsigned long seed,
                              struct mw_error *error) MW_CHECKED;

/*
 * The local optimum near *optimum (in and out): Levenberg-Marquardt over the parameters and b. For refits on nearly the
 * same data, e.g. with points left out.
 */
enum mw_err mw_search_near(struct mw_optimum *optimum, const struct mw_problem *problem, unsigned iterations,
                           struct mw_error *error) MW_CHECKED;

#endif
