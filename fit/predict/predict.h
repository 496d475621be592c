// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_PREDICT_H
#define MW_FIT_PREDICT_H

#include "data/model_file/model_file.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Prediction from a fitted model. Value = time in seconds, or speedup for a model of speedups
 * (over one core at the same frequency). docs/prediction.md has the method and its measured errors.
 */
struct mw_prediction {
    double value, low, high; /* median and 90 % interval of the mixture */
    double ln_mean, ln_sd;   /* of the predictive distribution of ln value: for expectations and chances */
    double speedup, speedup_low, speedup_high; /* over one core at the baseline's frequency */
    bool has_energy;
    double power_w, energy_j, energy_low_j, energy_high_j;
    double ln_power_sd;
    bool extrapolated_cores, extrapolated_freq;
    double ln_gap;      /* |median - mean| of ln value before drift: large where laws form two camps */
    double power_value; /* beyond the data, where they show no floor: value by a power of the cores; else 0 */
    double ln_halves;   /* |median of joint - median of independent fits|, 0 inside the measured cores */
};

/*
 * out[i] for query[i], i < n. Deterministic: same model, same queries, same bits, whatever the number of threads,
 * and a query's answer does not depend on the other queries. MW_NOFIT where the model cannot answer
 * (an energy query without a power model is not an error: has_energy is false; a baseline of another frequency is one
 * for a model of speedups). Cost: n_points^3 for each kernel that the draws use, then queries x points x draws.
 */
enum mw_err mw_predict(const struct mw_model *model, const struct mw_config *query, size_t n, struct mw_prediction *out,
                       struct mw_error *error) MW_CHECKED;
/* The same with speedups over one core at baseline_freq_hz; 0: at the query's own frequency. */
enum mw_err mw_predict_over(const struct mw_model *model, const struct mw_config *query, size_t n,
                            double baseline_freq_hz, struct mw_prediction *out, struct mw_error *error) MW_CHECKED;

#endif
