// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_MIXTURE_H
#define MW_FIT_MIXTURE_H

#include "data/model_file/model_file.h"

/*
 * The set of fits that the data allow: several laws under weak priors, each with a Gaussian-process discrepancy over
 * (ln p, ln F) inside its likelihood, sampled by tempered sequential Monte Carlo. docs/prediction.md has the method.
 *
 * Samples the joint fits of model->law ("" or "mixture": the default set) into the model's ensemble, after screening
 * outliers (sets points.items[].noise_factor > 1). Uses the model's quantity, points in the order (freq_hz, cores),
 * memory_freq_hz, k_max, r_max, weak and seed. Deterministic for a seed whatever the number of threads. MW_NOFIT, MW_NOMEM,
 * and MW_USAGE for an unknown law.
 */
enum mw_err mw_mixture_fit(struct mw_model *model, struct mw_error *error) MW_CHECKED;

/*
 * The partners of a fitted model's joint fits that take noise as independent. They have a say beyond the measured cores
 * alone, so they are sampled when such a prediction is asked for, and no model file holds them.
 */
enum mw_err mw_mixture_independent(struct mw_ensemble *independent, const struct mw_model *model,
                                   struct mw_error *error) MW_CHECKED;
void mw_mixture_release(struct mw_ensemble *ensemble);

#endif
