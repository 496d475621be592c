// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SHARES_H
#define MW_FIT_SHARES_H

#include "data/model_file/model_file.h"
#include "fit/predict/combine.h"

/*
 * Adds what of the time does not depend on the frequency, at both ends of the measured cores, to the model's combinations: what
 * `diagnose` says, by the same reading. Nothing of speedups and of one clock. MW_NOFIT, MW_NOMEM. Test: test_examples.c
 * (canneal), test_one_judgement.c.
 */
enum mw_err mw_shares_read(struct mw_model *model, const struct mw_domain *domain, struct mw_error *error) MW_CHECKED;

#endif
