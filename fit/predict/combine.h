// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_COMBINE_H
#define MW_FIT_COMBINE_H

#include "fit/search/intervals.h"
#include "fit/search/score.h"

/* The measured range. */
struct mw_domain {
    unsigned cores_low, cores_high;
    double freq_low_hz, freq_high_hz; /* 0 where unknown */
    size_t freq_count;                /* distinct ones */
};
void mw_domain_of(struct mw_domain *domain, const struct mw_points *points);

/*
 * What the data tell of the variable-latency law even where single parameters wander: the core count from which the wall binds, the
 * speedup that no number of cores exceeds. Each with its interval over the region. *out is allocated (caller frees), *count
 * of them; a quantity that makes no sense for the law or the data is left out.
 */
enum mw_err mw_combinations(struct mw_combination **out, size_t *count, const struct mw_region *region,
                            const struct mw_optimum *optimum, const struct mw_problem *problem,
                            const struct mw_domain *domain, const struct mw_knowledge *knowledge, unsigned long seed,
                            struct mw_error *error) MW_CHECKED;

/* Name and sentence of the share on so many cores that the frequency does not touch; value, low and high are given. */
void mw_share_describe(struct mw_combination *combination, unsigned cores, double freq_hz);

/* Fills status and settle of every parameter from its interval and what was measured. */
void mw_params_judge(struct mw_model_param *params, const struct mw_region *region, const struct mw_problem *problem,
                     const struct mw_domain *domain);

#endif
