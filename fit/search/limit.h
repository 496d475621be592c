// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_LIMIT_H
#define MW_FIT_LIMIT_H

#include "fit/search/search.h"

/*
 * How bad a fit may be to belong to the 90 % region about the optimum: a loss of at most L_min + t^2 v/n, v the variance of
 * a residual, t the 95 % quantile of Student's t.
 *
 * Where residuals are independent v is s^2 = n L_min/(n - d) for squares, d the parameters and b; for the robust loss
 * s^2 = sum psi^2/(n - d)/mean psi', its asymptotic dispersion (Huber and Ronchetti, Robust Statistics (2009), 6.3),
 * psi(r) = r/(1 + (r/c)^2); t has n - d degrees of freedom.
 *
 * A law that misses something errs alike at all frequencies of a core count. If the means of core counts spread by more
 * than chance allows (analysis of variance, F test at 1 %), v depends on the direction in which a fit differs from the
 * optimum: with beta the share of its squared difference that lies in the means of core counts,
 * v = beta v_b + (1 - beta) v_w, v_b and v_w the mean squares between and within core counts, since the variance of an
 * estimate along a direction e is e' K e/(e' e)^2, K the covariance of residuals. t by Satterthwaite's degrees of freedom.
 * Simulation: `make bench-recovery`, rows with a shared misfit.
 */
struct mw_limit {
    double loss_min;
    bool informative; /* false where no degrees of freedom are left: every fit is then inside */
    bool shared;      /* residuals of a core count go together */
    double step;      /* t^2 v/n where they don't, else the largest of any direction */
    double between, within, freedom_between, freedom_within;
    size_t n, groups;
    size_t *group;    /* n: core count of a point, or `groups` where it says nothing */
    double *residual; /* n: at the optimum */
    double *sums;     /* 2 groups: scratch */
    struct mw_scratch scratch;
};

/* Conditions on the residuals at *optimum. MW_NOMEM. Release in any case after success. */
enum mw_err mw_limit_init(struct mw_limit *limit, const struct mw_problem *problem, const struct mw_optimum *optimum,
                          struct mw_error *error) MW_CHECKED;
void mw_limit_release(struct mw_limit *limit);

/* The largest loss inside in the direction of the fit *at; HUGE_VAL where nothing is informative. Uses the scratch. */
double mw_limit_towards(const struct mw_limit *limit, const struct mw_problem *problem, const struct mw_optimum *at);

#endif
