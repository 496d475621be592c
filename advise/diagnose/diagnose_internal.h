// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_DIAGNOSE_INTERNAL_H
#define MW_ADVISE_DIAGNOSE_INTERNAL_H

#include "advise/diagnose/diagnose.h"

/* Shared by the files of diagnosis only. */

struct mw_diagnoser {
    struct mw_cautious reading;
};

/* What the points show. Intervals of the two parts of the loss by `sigma`, the residual scale of ln T and ln C. */
void mw_observe(struct mw_observation *seen, const struct mw_points *points, const struct mw_view *view, double sigma);

/* Chances of causes, families and pairs of the draws. */
void mw_diagnose_count(struct mw_diagnosis *d, const struct mw_posterior *posterior, const struct mw_frame *frame);
/* Which part of the measured corners' idle time and busy growth scales with the clock: NaN where they don't show it. */
struct mw_clock_parts {
    double idle, busy;
};
/* Verdict, confidence, family, pair and flags from the chances, the observation and what the view knows. */
void mw_diagnose_decide(struct mw_diagnosis *d, const struct mw_view *view, const struct mw_points *points);
/* Chance from which a cause is named, and whether points and draws are enough to name any. */
#define MW_CAUSE_CERTAIN .90
bool mw_diagnose_may_name(const struct mw_diagnosis *d, const struct mw_view *view);
/* The verdict that is a cause; MW_VERDICT_UNDETERMINED for those that are none. */
enum mw_verdict mw_verdict_of_cause(enum mw_cause cause);

#endif
