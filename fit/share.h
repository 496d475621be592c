// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SHARE_H
#define MW_FIT_SHARE_H

#include "data/model_file/model_file.h"
#include "fit/predict/combine.h"

/*
 * The share of the time at (p, Fmax) that does not depend on the frequency, at both ends of the measured cores, from
 * predictions at the lowest and the highest frequency: with T = C/F + m, r = Fmin/Fmax,
 *     m / T(Fmax) = (1 - r T(Fmin)/T(Fmax)) / (1 - r).
 * No law is believed here: the discrepancy of the ensemble follows the measured times where a law does not. Replaces
 * the model's combinations of these names; does nothing for speedups or one frequency. MW_NOFIT, MW_NOMEM.
 * Test: test_examples.c (canneal).
 */
enum mw_err mw_shares_from_predictions(struct mw_model *model, const struct mw_domain *domain,
                                       struct mw_error *error) MW_CHECKED;

/* Those shares as the model states them; `one` and `all` NULL where it does not. Borrows from the model. */
struct mw_shares {
    struct mw_domain domain;
    const struct mw_combination *one, *all; /* on the fewest and the most measured cores */
};
struct mw_shares mw_shares_of(const struct mw_model *model);

/*
 * The 90 % interval of that share on `cores` cores at freq_hz: linear in ln of the cores between the ends that the model
 * states, carried to freq_hz as of C/F + m. false where the model states none or the cores are more than the measured.
 */
bool mw_share_at(const struct mw_shares *shares, double cores, double freq_hz, double *low, double *high);

#endif
