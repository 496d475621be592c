// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/mechanisms_internal.h"

/* What each law changes of the cause that the common rule gives; docs/diagnosis.md has the rule. */

/* A quarter of the time at P that doesn't scale: twice the cores gain less than 1.6. */
static const double SHARE = .25;

enum mw_cause mw_overhead_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                                struct mw_symptoms *symptoms)
{
    (void)frame;
    bool busy = cause == MW_CAUSE_OVERHEAD && symptoms->family == MW_FAMILY_BUSY && q[B] < .5;
    return busy ? MW_CAUSE_BUSY_CLOCK : cause;
}

/* Measured core counts behind the place where a plateau begins: one alone may be something else. */
static bool seen_behind(const struct mw_frame *frame, double cores)
{
    size_t behind = 0;
    for (size_t i = 0; i < frame->measured_count; i++)
        behind += frame->measured[i] > 1.1 * cores;
    return behind >= 2;
}

enum mw_cause mw_grains_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                              struct mw_symptoms *symptoms)
{
    static const double COSTS = .15;
    double worst = 0, from = larger(floor(frame->cores / 2), 1), stride = larger(1, floor(frame->cores / 256));
    (void)symptoms;
    if (q[A] <= MW_SCALES_FROM * frame->cores && q[SPIN] < .5)
        return seen_behind(frame, q[A]) ? MW_CAUSE_LIMIT : MW_CAUSE_IDLE;
    for (double p = from; p <= frame->cores; p += stride)
        worst = larger(worst, busiest(q[A], p) * p - 1);
    return worst >= COSTS ? MW_CAUSE_GRANULARITY : cause;
}

enum mw_cause mw_imbalance_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                                 struct mw_symptoms *symptoms)
{
    static const double COSTS = .2;
    (void)frame;
    return q[A] >= COSTS && symptoms->serial < SHARE ? MW_CAUSE_GRANULARITY : cause;
}

enum mw_cause mw_step_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                            struct mw_symptoms *symptoms)
{
    static const double COSTS = .08; /* four standard errors above 2 % noise */
    (void)frame;
    (void)symptoms;
    return cause == MW_CAUSE_SCALES_WELL && q[A] >= COSTS ? MW_CAUSE_STEP : cause;
}

enum mw_cause mw_capacity_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                                struct mw_symptoms *symptoms)
{
    (void)q;
    (void)frame;
    return symptoms->efficiency < MW_SCALES_FROM && symptoms->serial < SHARE ? MW_CAUSE_STEP : cause;
}

enum mw_cause mw_clock_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                             struct mw_symptoms *symptoms)
{
    (void)q;
    (void)frame;
    bool clock = symptoms->efficiency < MW_SCALES_FROM && symptoms->serial < SHARE && symptoms->memory_shared < SHARE;
    return clock ? MW_CAUSE_CLOCK : cause;
}

enum mw_cause mw_weak_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                            struct mw_symptoms *symptoms)
{
    (void)cause;
    (void)q;
    (void)frame;
    symptoms->family = MW_FAMILY_BUSY;
    return MW_CAUSE_WEAK;
}

enum mw_cause mw_limit_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                             struct mw_symptoms *symptoms)
{
    static const double SERIAL_MOST = .35, ONE = 1.3;
    if (q[A] >= MW_SCALES_FROM * frame->cores || symptoms->serial >= SERIAL_MOST)
        return cause;
    if (q[SPIN] > .5)
        return MW_CAUSE_BUSY_CLOCK;
    if (q[A] < ONE)
        return MW_CAUSE_ONE_THREAD;
    return seen_behind(frame, q[A]) ? MW_CAUSE_LIMIT : MW_CAUSE_IDLE;
}

enum mw_cause mw_single_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                              struct mw_symptoms *symptoms)
{
    (void)cause;
    (void)q;
    (void)frame;
    symptoms->family = MW_FAMILY_IDLE;
    return MW_CAUSE_ONE_THREAD;
}

enum mw_cause mw_share_cause(enum mw_cause cause, const double *q, const struct mw_frame *frame,
                             struct mw_symptoms *symptoms)
{
    (void)q;
    (void)frame;
    bool idle = symptoms->efficiency < MW_SCALES_FROM && symptoms->family == MW_FAMILY_IDLE;
    return idle ? MW_CAUSE_IDLE : cause;
}
