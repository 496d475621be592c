/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_PREDICT_H
#define MEMWALL_PREDICT_H

#include "memwall/model.h"

/* Predictions from a model, prepared once and asked often. docs/prediction.md has the method and its measured errors. */
#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed is good. */
struct mw_predictor_options {
    double baseline_freq_hz; /* speedups are over one core at this frequency; 0: at the query's own */
    bool without_speedup;    /* leave speedups out (0 in the answers), which cost as much as the value */
    bool without_energy;     /* leave power and energy out, which cost more than both */
    size_t reserved[4];
};

/* Value = seconds, or speedup over one core at the same frequency for a model of speedups. Intervals are 90 % ones. */
struct mw_answer {
    double value, low, high;
    double ln_mean, ln_sd; /* of the predictive distribution of ln value: for expectations and chances */
    double speedup, speedup_low, speedup_high;
    double power_w, energy_j, energy_low_j, energy_high_j; /* 0 without has_energy */
    bool has_energy;
    bool extrapolated_cores, extrapolated_freq; /* beyond what was measured: costs as much as a first prediction */
    double reserved[6];
};

/* Opaque. Not changed by asking: any number of threads may ask one predictor. */
struct mw_predictor;

/*
 * Prepares the model (borrowed: it must outlive the predictor). options NULL: the defaults. *predictor is overwritten,
 * whatever it held, and is the caller's to close. MW_NOFIT where the model cannot predict, MW_NOMEM.
 */
MW_API enum mw_err mw_predictor_open(struct mw_predictor **predictor, const struct mw_model *model,
                                     const struct mw_predictor_options *options, struct mw_error *error) MW_CHECKED;
/*
 * answers[i] for configs[i], i < count, all overwritten; unchanged on failure. The same to 1e-9 as `memwall predict` gives,
 * whatever the other queries and the number of threads. MW_USAGE for what is no configuration, MW_NOFIT, MW_NOMEM.
 */
MW_API enum mw_err mw_predictor_ask(const struct mw_predictor *predictor, const struct mw_config *configs, size_t count,
                                    struct mw_answer *answers, struct mw_error *error) MW_CHECKED;
/* NULL is taken. */
MW_API void mw_predictor_close(struct mw_predictor *predictor);

#ifdef __cplusplus
}
#endif

#endif
