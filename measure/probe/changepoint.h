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

/*
 * A step found on a coarse curve, read anew from a finer one: the capacity is the last x at which the smoothed curve lies
 * within MW_ONSET of the way from `before` to `after` (or within MW_ONSET_LEAST of `before`, where that is more): where the
 * first sets overflow, which does not depend on how replacement shares out the misses behind. step->x and x_next are
 * replaced, before and after are the caller's. Returns the width of the step: the x at half of the way over step->x. Caches
 * that replace the least recently used line give less than MW_STEP_SHARP; random replacement and pages that lie anywhere
 * give more, and then the capacity is known to that factor only.
 * Points of the curve outside [step->onset, step->end] are not looked at. n >= 1; scratch has room for 2 n.
 */
#define MW_ONSET       0.12
#define MW_ONSET_LEAST 1.1
#define MW_STEP_SHARP  1.19 /* a quarter of an octave; least recently used: 1.13 with four ways, less with more */
double mw_step_onset(double before, double after); /* that threshold */
double mw_step_refine(struct mw_step *step, const double *x, const double *y, size_t n, double *scratch);

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
 * How many lines at a stride fit: the largest n up to which all of time_s[0 .. n - 1] are within limit_s while the
 * MW_CONFLICT_RUN numbers behind it are all above. 0 where all fit or there is no such clean border (a single slow number
 * is no border). time_s[n - 1] belongs to n lines.
 */
#define MW_CONFLICT_RUN 4
unsigned mw_conflict_limit(const double *time_s, unsigned most, double limit_s);

/*
 * Associativity from how many lines at a stride stay in the cache. Below the size of a way, doubling the stride halves
 * that number; from there on it stays, and is the number of ways. limit[i] belongs to strides that double from i to i+1;
 * 0: no limit was seen. The result is the number found three times in a row, 0 where there is none; *first: the first of
 * the strides, the size of a way.
 */
unsigned mw_ways_find(const unsigned *limit, size_t n, size_t *first);

#endif
