// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_PREDICT_INTERNAL_H
#define MW_FIT_PREDICT_INTERNAL_H

#include "fit/predict/predict.h"

/* A model prepared for configurations inside what was measured; memwall/predict.h is made of it. Any thread may ask. */
struct mw_prepared;
enum mw_err mw_prepared_alloc(struct mw_prepared **prepared, const struct mw_model *model, double baseline_freq_hz,
                              bool without_speedup, struct mw_error *error) MW_CHECKED;
void mw_prepared_free(struct mw_prepared *prepared);
bool mw_prepared_covers(const struct mw_prepared *prepared, const struct mw_config *config);
/* Values and speedups of n configurations that are covered, without energies; out[i] equal to mw_predict's to rounding. */
enum mw_err mw_prepared_predict(const struct mw_prepared *prepared, const struct mw_config *config, size_t n,
                                struct mw_prediction *out, struct mw_error *error) MW_CHECKED;
/* Adds power and energy to predictions with values. */
enum mw_err mw_prepared_energy(const struct mw_prepared *prepared, const struct mw_config *config, size_t n,
                               struct mw_prediction *out, struct mw_error *error) MW_CHECKED;
enum mw_err mw_predict_check(const struct mw_model *model, const struct mw_config *config, size_t n,
                             double baseline_freq_hz, struct mw_error *error) MW_CHECKED;

#endif
