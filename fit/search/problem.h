// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_PROBLEM_H
#define MW_FIT_PROBLEM_H

#include "data/dataset.h"
#include "memwall/fit.h"
#include "model/law.h"

/*
 * Measured points as the arrays that a search evaluates over and over, and the loss of a law on them. Losses, with
 * r_i the residual of point i times the root of its weight:
 *
 *   log          mean r^2,                  r = ln T F - ln h - b   (or -ln S - ln h(p)/h(1) - b)
 *   robust       mean c^2 ln(1 + (r/c)^2)   the same r, c the scale: r^2 for small residuals
 *   speedup-mse  mean r^2,                  r = S - h(1)/h(p), without weights and without b
 *
 * b is ln A for times and the logarithm of a factor common to all speedups; it is profiled out.
 */
const char *mw_loss_name(enum mw_loss loss);
/* False where the name is none of robust, log, speedup-mse. */
bool mw_loss_find(const char *name, enum mw_loss *loss);

/* Smallest scale of the robust loss: a twentieth, the noise of a good campaign (docs/laws.md). */
#define MW_ROBUST_SCALE_MIN .05

struct mw_problem {
    const struct mw_law *law; /* borrowed */
    enum mw_loss loss;
    double robust_scale; /* c; used by the robust loss only */
    size_t n;            /* points */
    size_t base_n;       /* one-core evaluations behind them: one for each frequency, 0 where none are needed */
    double *p, *phi;     /* n + base_n */
    size_t *base;        /* n: the one-core evaluation of each point */
    double *y;           /* n: ln T F, -ln S, or S */
    double *root_weight; /* n */
    double p_max;
    const unsigned char *held; /* n + base_n branches to hold (struct mw_law), borrowed; NULL: the law itself */
    double low[MW_LAW_MAX_PARAMS], high[MW_LAW_MAX_PARAMS]; /* where low == high the parameter is fixed */
};

/*
 * Copies what the loss can use: points at one core say nothing in speedups under the log losses, and speedup-mse needs
 * a one-core time at each frequency (others are left out). Points with noise_factor > 1 weigh less.
 * MW_NOFIT where nothing is left. Scale: MW_ROBUST_SCALE_MIN until mw_problem_law sets a law and the caller a scale.
 */
enum mw_err mw_problem_init(struct mw_problem *problem, const struct mw_points *points, enum mw_loss loss,
                            double memory_freq_hz, struct mw_error *error) MW_CHECKED;
void mw_problem_release(struct mw_problem *problem);

/* The law to evaluate and its bounds. */
void mw_problem_law(struct mw_problem *problem, const struct mw_law *law);

/* A problem on points keep[0..n), with arrays of its own. */
enum mw_err mw_problem_subset(struct mw_problem *subset, const struct mw_problem *problem, const size_t *keep, size_t n,
                              struct mw_error *error) MW_CHECKED;

/*
 * About `wanted` of the points (all, where there are fewer): all core counts of evenly spaced frequencies if that gives
 * two frequencies or more, else points evenly along (frequency, cores).
 */
enum mw_err mw_problem_thin(struct mw_problem *subset, const struct mw_problem *problem, size_t wanted,
                            struct mw_error *error) MW_CHECKED;

/* Scratch for one thread: h (n + base_n), residual (n), sorted (n). */
struct mw_scratch {
    double *h, *residual, *sorted;
};
enum mw_err mw_scratch_init(struct mw_scratch *scratch, const struct mw_problem *problem,
                            struct mw_error *error) MW_CHECKED;
void mw_scratch_release(struct mw_scratch *scratch);

/* Weighted residuals at b into scratch->residual; b is not used by speedup-mse. */
void mw_problem_residuals(const struct mw_problem *problem, const double *params, double b, struct mw_scratch *scratch);

/* The loss with the best b, which goes to *b (may be NULL; 0 for speedup-mse). */
double mw_problem_loss(const struct mw_problem *problem, const double *params, double *b, struct mw_scratch *scratch);

#endif
