// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_LEARNERS_INTERNAL_H
#define MW_FIT_LEARNERS_INTERNAL_H

#include "fit/compare/learners.h"

/* A learner at one setting; features are scaled already. */
typedef enum mw_err mw_learn(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                             int setting, double *out, struct mw_error *error);

/* Kernel ridge chooses its setting by itself (closed form) and has one only. */
mw_learn mw_learn_ridge, mw_learn_svr, mw_learn_tree;
enum { MW_SVR_SETTINGS = 9, MW_TREE_SETTINGS = 4 };

#endif
