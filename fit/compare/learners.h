// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_LEARNERS_H
#define MW_FIT_LEARNERS_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Machine learning without a law of speedup, for comparison: ln value over (ln p, ln F), both scaled to unit variance on
 * the training points. Settings are chosen on the training points alone: kernel ridge by leave-one-out in closed form,
 * the Gaussian process by its likelihood, the forest has none, the others by five-fold cross-validation.
 */
enum mw_learner {
    MW_LEARNER_RIDGE,            /* kernel ridge regression, Gaussian kernel */
    MW_LEARNER_GAUSSIAN_PROCESS, /* a length for each feature and noise by marginal likelihood */
    MW_LEARNER_SVR,              /* epsilon support vector regression, Gaussian kernel (libsvm) */
    MW_LEARNER_TREE,             /* regression tree by variance (CART) */
    MW_LEARNER_FOREST,           /* a hundred trees, each of a bootstrap sample */
    MW_LEARNER_COUNT
};
const char *mw_learner_name(enum mw_learner learner); /* "kernel-ridge", "gaussian-process", "svr", "tree", "forest" */
/* False where memwall was built without what it needs (libsvm). */
bool mw_learner_present(enum mw_learner learner);

/*
 * x: n training rows of two features and y: n targets; query: m rows; out: m predictions. n >= 2.
 * Deterministic, one thread; cost n^3 times the settings tried. MW_NOMEM, MW_NOFIT. Test: tests/unit/test_learners.c.
 */
enum mw_err mw_learner_predict(enum mw_learner learner, const double (*x)[2], const double *y, size_t n,
                               const double (*query)[2], size_t m, double *out, struct mw_error *error) MW_CHECKED;

#endif
