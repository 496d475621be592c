// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_MECHANISM_H
#define MW_FIT_MECHANISM_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Seven ways in which a program can spend its time, each a law in which every share is explicit. With x = F / F_max in
 * (0, 1], w = 1/p and time in units of the compute time of one core at F_max:
 *
 *   additive     T = (s + (1-s) w)/x + n + l w     s serial, n memory that cores don't shrink, l memory that they do
 *   roof         T = max(additive with n = 0, B)   B: a time that neither cores nor frequency shrink
 *   overhead     T = additive with n = 0, + c (p-1)/x  or  + c (p-1)
 *   granularity  w = ceil(g/p)/g: the parallel part comes in g pieces
 *   step         T = (additive with n = 0)(1 + d h(p)), h = 0 up to a boundary, behind it 1, or falling linearly to 0 at P
 *   cache        l w replaced by l w ((1-q) + q w): caches of further cores take memory accesses away
 *   weak         T = (1/x + l)(1 + e ln p): the work grows with the cores, or nothing runs in parallel
 *
 * The posterior over laws and parameters is sampled by importance from the priors (docs/diagnosis.md). The likelihood of
 * ln T is a Student-t process: scale and level marginalised, residuals at one core count correlated (misfit of a law is a
 * function of p, hardly of F).
 */
enum mw_mechanism {
    MW_MECHANISM_ADDITIVE,
    MW_MECHANISM_ROOF,
    MW_MECHANISM_OVERHEAD,
    MW_MECHANISM_GRANULARITY,
    MW_MECHANISM_STEP,
    MW_MECHANISM_CACHE,
    MW_MECHANISM_WEAK,
    MW_MECHANISM_COUNT,
};

enum { MW_MECHANISM_MAX_POINTS = 64 };

/* Parameters of one draw; those that its law does not have are 0 (step_after 0: no step). */
struct mw_mechanism_draw {
    enum mw_mechanism law;
    double serial, parallel;                 /* s, 1-s */
    double latency, nonscaling;              /* l, n */
    double roof;                             /* B */
    double overhead_compute, overhead_fixed; /* c, by 1/x and constant */
    double grains;                           /* g */
    double step;                             /* d */
    double step_after;                       /* cores before the step */
    bool step_persists;
    double cache;    /* q l: the part of l that further caches take away */
    double growth;   /* e */
    double ln_scale; /* of the data: ln value = ln_scale + ln T */
};

/* Where the time at (p, x) goes; the parts sum to 1. */
struct mw_mechanism_shares {
    double serial, parallel, latency, nonscaling, overhead;
};

struct mw_mechanism_point {
    double cores;    /* >= 1 */
    double freq;     /* x: relative to the highest frequency, (0, 1] */
    double ln_value; /* ln time; for ratios -ln speedup */
    double noise;    /* variance multiplier of an outlier, 1 for a good point */
};

/* A place where a step may lie, with its prior weight (any positive scale). */
struct mw_mechanism_boundary {
    unsigned after;
    double weight;
};

struct mw_mechanism_posterior {
    struct mw_mechanism_draw *draws; /* equally likely */
    size_t count;
    double law_chance[MW_MECHANISM_COUNT];
    double effective; /* effective sample size of the importance weights */
    double sigma;     /* posterior mean of the residual scale of ln value */
};

/* Draws from the priors for a machine of `cores` cores, re-used for any number of data sets. */
struct mw_mechanism_bank;
enum mw_err mw_mechanism_bank_alloc(struct mw_mechanism_bank **bank, unsigned cores, size_t draws_per_law,
                                    unsigned long seed, struct mw_error *error) MW_CHECKED;
void mw_mechanism_bank_free(struct mw_mechanism_bank *bank);

struct mw_mechanism_data {
    const struct mw_mechanism_point *points; /* 1 <= count <= MW_MECHANISM_MAX_POINTS */
    size_t count;
    bool ratio; /* values are T(p, x)/T(1, x): speedups without times */
    const struct mw_mechanism_boundary *boundaries;
    size_t boundary_count; /* 0: the law of steps is left out */
};

/*
 * Weighs the bank by the data and resamples `count` equally likely draws. Deterministic: same bank, same data, same bits.
 * MW_USAGE for more points than fit, MW_NOMEM. About 15 ms for ten points and 40,000 draws a law. Not for one bank in
 * several threads at once. Tested by tests/unit/test_mechanism.c (recovery, invariance to units and order).
 */
enum mw_err mw_mechanism_infer(struct mw_mechanism_posterior *posterior, struct mw_mechanism_bank *bank,
                               const struct mw_mechanism_data *data, size_t count, struct mw_error *error) MW_CHECKED;
void mw_mechanism_posterior_release(struct mw_mechanism_posterior *posterior);

/* T of a draw at (p, x) on a machine of `cores` cores, without its scale; shares may be NULL. */
double mw_mechanism_time(const struct mw_mechanism_draw *draw, double p, double x, double cores,
                         struct mw_mechanism_shares *shares);

#endif
