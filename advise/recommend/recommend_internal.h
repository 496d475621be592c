// SPDX-License-Identifier: GPL-3.0-or-later
// Inside advise/recommend*.c only.
#ifndef MW_ADVISE_RECOMMEND_INTERNAL_H
#define MW_ADVISE_RECOMMEND_INTERNAL_H

#include "advise/recommend/recommend.h"

/* Candidates predicted (recommend_outlook.c), or taken over from `looked` where that has the same: options, count, reference, relative. */
enum mw_err mw_recommend_look(struct mw_recommendation *r, const struct mw_model *model, const struct mw_goal *goal,
                              const struct mw_recommend_options *options, const struct mw_recommendation *looked,
                              struct mw_error *error) MW_CHECKED;

#endif
