// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MODEL_MECHANISMS_INTERNAL_H
#define MW_MODEL_MECHANISMS_INTERNAL_H

#include "model/mechanisms.h"

#include <math.h>

/* Shared by the table of mechanisms and what its laws change of a cause only. */

enum { S, L, NW, SPIN, SM, A, B, C_, D }; /* parameters: the common ones, then the own */
_Static_assert(D + 1 == MW_MECHANISM_PARAMS, "a name for each parameter");

static inline double larger(double a, double b)
{
    return a > b ? a : b; /* fmax does not vectorise */
}

/* Of work in so many grains, the busiest core's share. */
static inline double busiest(double grains, double p)
{
    return ceil(grains / p) / grains;
}

enum mw_cause mw_overhead_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                                struct mw_symptoms *symptoms);
enum mw_cause mw_grains_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                              struct mw_symptoms *symptoms);
enum mw_cause mw_imbalance_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                                 struct mw_symptoms *symptoms);
enum mw_cause mw_step_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                            struct mw_symptoms *symptoms);
enum mw_cause mw_capacity_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                                struct mw_symptoms *symptoms);
enum mw_cause mw_clock_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                             struct mw_symptoms *symptoms);
enum mw_cause mw_weak_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                            struct mw_symptoms *symptoms);
enum mw_cause mw_limit_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                             struct mw_symptoms *symptoms);
enum mw_cause mw_single_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                              struct mw_symptoms *symptoms);
enum mw_cause mw_share_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                             struct mw_symptoms *symptoms);

#endif
