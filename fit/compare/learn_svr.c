// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/compare/learners_internal.h"

#ifdef MW_WITHOUT_SVM

bool mw_learner_present(enum mw_learner learner)
{
    return learner != MW_LEARNER_SVR;
}

enum mw_err mw_learn_svr(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                         int setting, double *out, struct mw_error *error)
{
    (void)x, (void)y, (void)n, (void)query, (void)m, (void)setting, (void)out;
    return mw_fail(error, MW_UNSUPPORTED, "built without libsvm");
}

#else

#if __has_include(<libsvm/svm.h>)
#include <libsvm/svm.h>
#else
#include <svm.h>
#endif
#include <stdlib.h>

bool mw_learner_present(enum mw_learner learner)
{
    (void)learner;
    return true;
}

static void quiet(const char *text)
{
    (void)text;
}

static void node(struct svm_node *at, const double *x)
{
    at[0] = (struct svm_node){1, x[0]};
    at[1] = (struct svm_node){2, x[1]};
    at[2] = (struct svm_node){-1, 0};
}

enum mw_err mw_learn_svr(const double (*x)[2], const double *y, size_t n, const double (*query)[2], size_t m,
                         int setting, double *out, struct mw_error *error)
{
    static const double costs[] = {1, 10, 100}, gammas[] = {.1, .5, 2};
    struct svm_node *nodes = malloc((n + 1) * 3 * sizeof *nodes), **rows = malloc(n * sizeof *rows);
    double *targets = malloc(n * sizeof *targets);
    enum mw_err err = nodes && rows && targets ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        goto out;
    for (size_t i = 0; i < n; i++) {
        node(nodes + 3 * i, x[i]);
        rows[i] = nodes + 3 * i;
        targets[i] = y[i];
    }
    struct svm_problem problem = {(int)n, targets, rows};
    /* epsilon: a hundredth, the noise of good runs in ln value */
    struct svm_parameter parameter = {.svm_type = EPSILON_SVR,
                                      .kernel_type = RBF,
                                      .gamma = gammas[setting % 3],
                                      .cache_size = 16,
                                      .eps = 1e-3,
                                      .C = costs[setting / 3],
                                      .p = .01,
                                      .shrinking = 1};
    svm_set_print_string_function(quiet);
    const char *refused = svm_check_parameter(&problem, &parameter);
    struct svm_model *model = refused ? NULL : svm_train(&problem, &parameter);
    if (!model) {
        err = mw_fail(error, MW_NOFIT, "support vector regression: %s", refused ? refused : "no model");
        goto out;
    }
    for (size_t q = 0; q < m; q++) {
        node(nodes + 3 * n, query[q]);
        out[q] = svm_predict(model, nodes + 3 * n);
    }
    svm_free_and_destroy_model(&model);
out:
    free(nodes);
    free(rows);
    free(targets);
    return err;
}

#endif
