// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SCORE_H
#define MW_FIT_SCORE_H

#include "fit/search/search.h"

/* What is known beside the points: of the machine, or by the user's word. */
struct mw_knowledge {
    double memory_freq_hz;       /* > 0 */
    struct mw_law_limits limits; /* from the machine's memory */
    const unsigned *boundaries;  /* core counts after which a node or socket ends; the first is the size of a node */
    size_t boundary_count;
};

/* Narrows the bounds of the problem's law by what is known. Call after mw_problem_law. */
void mw_knowledge_apply(const struct mw_knowledge *knowledge, struct mw_problem *problem);

/* A law's optimum and how good it is. */
struct mw_score {
    const struct mw_law *law;
    struct mw_optimum optimum;
    double rmse_log;        /* root mean square of ln value - ln law, every point counting the same */
    double mse_speedup;     /* mean squared error of speedup over one core at the same frequency */
    double cv_mape_percent; /* mean |predicted/measured - 1| of points left out, ten folds */
    bool has_mse_speedup;   /* false for times without a one-core run */
    bool has_cv;            /* false where a fold would leave fewer points than parameters */
};

struct mw_score_options {
    enum mw_loss loss;
    enum mw_method method;
    double robust_scale; /* 0: found from the residuals of the reference law, see mw_robust_scale */
    unsigned long seed;
    const struct mw_knowledge *knowledge;
    const struct mw_law *reported; /* gets the whole search, the others mw_search_compare; NULL: all get the whole */
};

/*
 * The scale of the robust loss: 1.5 times the median absolute residual of `law` (about the standard deviation of normal
 * residuals), fitted by a first robust loss to a selection of the points; at least MW_ROBUST_SCALE_MIN.
 */
enum mw_err mw_robust_scale(double *scale, const struct mw_points *points, const struct mw_law *law,
                            const struct mw_score_options *options, struct mw_error *error) MW_CHECKED;

/*
 * scores[i].law given; the rest is filled for each. Laws are independent and run on as many threads as OpenMP has, each
 * from the same seed, so the threads make no difference. The first error of any law.
 */
enum mw_err mw_score_laws(struct mw_score *scores, size_t count, const struct mw_points *points,
                          const struct mw_score_options *options, struct mw_error *error) MW_CHECKED;

#endif
