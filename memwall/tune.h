/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMWALL_TUNE_H
#define MEMWALL_TUNE_H

#include "memwall/recommend.h"

/* Measure, fit, choose, until the best configuration is known: the caller measures. */
#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed is good. Arrays are borrowed for the call. */
struct mw_tune_options {
    double tolerance;           /* what counts as better; 0: .02 */
    size_t max_points;          /* 0: 20 */
    double memory_freq_hz;      /* 0: 2.133 GHz */
    const unsigned *boundaries; /* core counts after which a socket begins */
    size_t boundary_count;
    bool energy_only; /* readings have energy and no time */
    bool thorough;    /* force the careful stop */
    bool
        repeats; /* a configuration can be measured again, and would differ: next may ask for that where spreads are known */
    unsigned long seed;
    size_t reserved[4];
};

/* What was measured at a configuration. Zeroed but for the time it is complete. */
struct mw_reading {
    bool failed;     /* the program did not run there: the configuration is out of the race */
    double time_s;   /* 0: none (energy only) */
    double energy_j; /* 0: none */
    double spread;   /* standard deviation of ln of this reading, 0 where unknown */
    size_t runs;     /* whose median it is, and whose scatter the spread is from; 0: the spread is known otherwise */
    double reserved[3];
};

enum mw_tune_stop {
    MW_TUNE_GOES_ON,
    MW_TUNE_CERTAIN,    /* no configuration left has a chance to be better */
    MW_TUNE_EXHAUSTED,  /* every candidate measured */
    MW_TUNE_BUDGET,     /* max_points */
    MW_TUNE_INFEASIBLE, /* certain that no candidate keeps the limits */
    MW_TUNE_UNDECIDED   /* what was measured scatters too much to tell the best apart, and nothing else has a chance */
};

/* Opaque. One thread at a time. */
struct mw_tuner;
struct mw_tune_step;

/*
 * Copies the candidates (count >= 1, no duplicates) and boundaries. options NULL: the defaults. *tuner is overwritten,
 * whatever it held, and is the caller's to free. MW_USAGE where goal and candidates do not fit, MW_NOMEM.
 */
MW_API enum mw_err mw_tuner_alloc(struct mw_tuner **tuner, const struct mw_goal *goal,
                                  const struct mw_tune_options *options, const struct mw_config *candidates,
                                  size_t count, struct mw_error *error) MW_CHECKED;
/* NULL is taken. */
MW_API void mw_tuner_free(struct mw_tuner *tuner);

/*
 * What to measure next: *candidate (an index) and a sentence why, cut to reason_size; both unchanged unless the result is
 * MW_TUNE_GOES_ON. reason may be NULL with size 0.
 */
MW_API enum mw_tune_stop mw_tuner_next(const struct mw_tuner *tuner, size_t *candidate, char *reason,
                                       size_t reason_size);
/*
 * Takes a reading and refits. *step (may be NULL) is the tuner's, for `memwall tune`. MW_DATA where the reading lacks what the
 * goal needs.
 */
MW_API enum mw_err mw_tuner_observe(struct mw_tuner *tuner, size_t candidate, const struct mw_reading *reading,
                                    const struct mw_tune_step **step, struct mw_error *error) MW_CHECKED;
/* A candidate that cannot be run is out of the race. */
MW_API void mw_tuner_exclude(struct mw_tuner *tuner, size_t candidate);
/* The best measured candidate so far into *candidate; false, and unchanged, where none keeps the limits. */
MW_API bool mw_tuner_best(const struct mw_tuner *tuner, size_t *candidate);
/* Chance that nothing, measured or not, is better than the recommended one by the tolerance. */
MW_API double mw_tuner_certainty(const struct mw_tuner *tuner);

#ifdef __cplusplus
}
#endif

#endif
