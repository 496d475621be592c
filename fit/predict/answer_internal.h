// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_PREDICT_ANSWER_INTERNAL_H
#define MW_FIT_PREDICT_ANSWER_INTERNAL_H

#include "fit/predict/beyond.h"
#include "fit/predict/cells.h"
#include "fit/predict/mixture.h"
#include "fit/predict/predict.h"
#include "fit/predict/weighted.h"

/* Of the MW_NOISE_STRATA noise quantiles each draw takes this many. */
enum { MW_NOISE_PER_DRAW = 4 };

/* What a model's answers are computed from; predict.c prepares it, answer.c only reads it. */
struct mw_predict_context {
    const struct mw_model *model;
    struct mw_ensemble ensemble;    /* the model's fits, and these: */
    struct mw_ensemble independent; /* sampled here where an answer needs them */
    double baseline_freq_hz;
    bool without_speedup;
    struct mw_sites data;
    double noise[MW_NOISE_STRATA][MW_NOISE_PER_DRAW]; /* of the draws in turn */
    double *inside;         /* weights of queries inside the data, once they are known; or NULL */
    struct mw_cells *cells; /* NULL: each batch is computed from the points */
    double memory_freq_hz;
    size_t joint_count, independent_count, draw_count;
    double joint_top, independent_top; /* largest evidences */
    double measured_most;              /* cores */
    struct mw_beyond beyond;           /* where a query is beyond the fitted cores */
    struct mw_behind *behind;          /* runs behind the boundary up to which the laws were fitted */
    size_t behind_count;
    bool raw; /* leave medians as the mixture has them */
};

/* More cores than the laws were fitted to. */
bool mw_predict_is_beyond(const struct mw_sites *data, double cores);
/* How far a value is outside [low, high], in doublings; 0 inside. */
double mw_predict_doublings(double value, double low, double high);
/* Weights of the fits for a query inside the data; context->ensemble.count of them, their sum 1. */
void mw_predict_weigh_inside(const struct mw_predict_context *context, double *weight);
/* Values and speedups of n configurations, without energies. Any thread may ask. MW_NOMEM, or MW_NOFIT where a law gives no number. */
enum mw_err mw_predict_answer(const struct mw_predict_context *context, const struct mw_config *config, size_t n,
                              struct mw_prediction *out, struct mw_error *error) MW_CHECKED;

#endif
