// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_LEARNERS_INTERNAL_H
#define MW_FIT_LEARNERS_INTERNAL_H

#include "fit/compare/learners.h"

/* A learner at one setting; features are scaled already. Kernel methods choose by themselves and have one setting. */
typedef enum mw_err mw_learn(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                             int setting, double *out, struct mw_error *error);

mw_learn mw_learn_ridge, mw_learn_gaussian_process, mw_learn_svr, mw_learn_tree, mw_learn_forest;
enum { MW_SVR_SETTINGS = 9, MW_TREE_SETTINGS = 4 };

/* amplitude^2 exp(-(d0/length0)^2/2 - (d1/length1)^2/2), noise^2 added where a point meets itself */
struct mw_kernel {
    double amplitude, length[2], noise;
};

/*
 * What a kernel makes of n points (y less its mean): predictions at m queries into out (NULL: none), the log marginal likelihood,
 * and the sum of squared leave-one-out errors (Rasmussen and Williams 2006, 2.30 and 5.12). work: 2 n^2 + 3 n. False where the
 * matrix is singular.
 */
struct mw_kernel_fit {
    double log_likelihood, left_out;
};
bool mw_kernel_solve(const struct mw_kernel *kernel, const double (*x)[2], const double *centred, size_t n,
                     const double (*query)[2], size_t m, double *out, double *work, struct mw_kernel_fit *fit);

#endif
