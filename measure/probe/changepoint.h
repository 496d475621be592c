// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CHANGEPOINT_H
#define MW_MEASURE_CHANGEPOINT_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Reading steps off measured curves by rule instead of by eye. Pure functions: no clock, no machine.
 */

/* A plateau: the longest stretch of x over which the smoothed curve grows by less than MW_PLATEAU_GROWTH. */
#define MW_PLATEAU_GROWTH  1.25 /* noise of a minimum is under 3 %, TLB and page effects within one level under 20 % */
#define MW_PLATEAU_OCTAVES 1.0 /* neighbouring levels of caches and TLBs differ at least by a factor of 4 in capacity */
#define MW_STEP_RATIO      1.4 /* neighbouring levels differ at least by a factor of 1.8 in latency */
#define MW_STEP_MAX        8

struct mw_step {
    double x;             /* the largest x still on the lower side: the capacity */
    double x_next;        /* the next x of the curve, already beyond */
    double onset, end;    /* last x of the lower plateau, first x of the upper: the width of the change */
    double before, after; /* levels of the plateaus (medians) */
};

/*
 * Steps of a curve that rises in steps, y over x.
 * 1. ln y is replaced by its non-decreasing least-squares fit (pool adjacent violators; Barlow et al. 1972).
 * 2. Plateaus are taken longest first (in octaves of x), each at least MW_PLATEAU_OCTAVES long; neighbours whose levels
 *    differ by less than MW_STEP_RATIO are one.
 * 3. Between two plateaus with levels A < B, the step lies behind the last x with y <= A min(2, sqrt(B / A)): half-way in
 *    log, and never above twice A, so that a missing plateau in between does not shift it.
 * x: n ascending positive; y: n positive. steps has room for MW_STEP_MAX; *count of them are filled, in order of x.
 * MW_NOMEM; MW_DATA where n < 2 or a value is not positive. Deterministic; cost O(n^2).
 * Source: the two-scan method (capacity scan), with the rule stated here in place of the eye. Test: test_changepoint.c.
 */
enum mw_err mw_steps_find(const double *x, const double *y, size_t n, struct mw_step *steps, size_t *count,
                          struct mw_error *error) MW_CHECKED;

/* Non-decreasing least-squares fit of y, in place; weight is scratch space for n. */
void mw_isotonic(double *y, double *weight, size_t n);

/*
 * Line size from the time of an access over the stride, all lines of an array cold: t(s) = a + b min(1, s / line).
 * The candidate among the strides with the least relative squared error; *sure where the runner-up's error is at least
 * MW_LINE_MARGIN times larger. stride_bytes ascending; returns 0 where the curve does not rise (b <= 0).
 */
#define MW_LINE_MARGIN 2.0
size_t mw_line_find(const size_t *stride_bytes, const double *time_s, size_t n, bool *sure);

/*
 * Associativity from how many lines at a stride stay in the cache. Below the size of a way, doubling the stride halves
 * that number; from there on it stays, and is the number of ways. limit[i] belongs to strides that double from i to i+1;
 * 0: no limit was seen. The result is the number found twice in a row, 0 where there is none.
 */
unsigned mw_ways_find(const unsigned *limit, size_t n);

#endif
