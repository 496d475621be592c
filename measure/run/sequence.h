// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_SEQUENCE_H
#define MW_MEASURE_SEQUENCE_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What to run next in a scan: a pure function of the plan, the seed and the runs done so far, so that a scan that was
 * interrupted anywhere goes on as if it had not been.
 *
 * Runs go in rounds, each configuration once a round. MW_SEQUENCE_BALANCED draws a random order for every even round and
 * runs the next round in reverse: over the two, each configuration stands at the same mean place, so a linear drift of the
 * machine cancels, and within one round cores and frequency are not correlated with time.
 */
enum mw_sequence_kind { MW_SEQUENCE_BALANCED, MW_SEQUENCE_RANDOM, MW_SEQUENCE_LISTED };

struct mw_sequence_plan {
    const double *cores,
        *freqs_hz; /* ascending; freqs_hz NULL: the frequency is left alone (one configuration a core count) */
    size_t core_count, freq_count;
    const double *devices; /* a third axis (graphics processors, or their clock); NULL: none */
    size_t device_count;
    enum mw_sequence_kind kind;
    unsigned long seed;
    unsigned min_runs, max_runs; /* equal: exactly so many */
    double precision; /* 0: none; else a configuration is done when the interval of its median is within ± this */
};

struct mw_sequence_entry {
    unsigned cores;
    double freq_hz;  /* 0: left alone */
    double device;   /* 0: no such axis */
    unsigned done;   /* kept runs, failed ones included */
    double *times_s; /* of the good runs, room for max_runs */
    unsigned good;
    bool disturbed; /* for the caller */
};

struct mw_sequence {
    struct mw_sequence_plan plan;
    struct mw_sequence_entry *configs; /* device by device, frequency by frequency, cores ascending */
    size_t count;
    size_t *order; /* of the round that order_round says */
    unsigned order_round;
};

/* The confidence at which --precision is judged: the level of all intervals of memwall. */
#define MW_SEQUENCE_LEVEL 0.9

enum mw_err mw_sequence_init(struct mw_sequence *sequence, const struct mw_sequence_plan *plan,
                             struct mw_error *error) MW_CHECKED;
void mw_sequence_release(struct mw_sequence *sequence);

/* The configuration, NULL where it is not part of the plan (freq_hz and device compared to 1e-6). */
struct mw_sequence_entry *mw_sequence_find(struct mw_sequence *sequence, unsigned cores, double freq_hz, double device);

/* Counts a run; time_s of a failed one is not looked at. */
void mw_sequence_record(struct mw_sequence_entry *config, bool good, double time_s);

/* The next to run, NULL when all is done. */
struct mw_sequence_entry *mw_sequence_next(struct mw_sequence *sequence);

/* Enough runs: max_runs, or min_runs and tight. */
bool mw_sequence_done(const struct mw_sequence *sequence, const struct mw_sequence_entry *config);

/* Runs done and still to do (to do: at least, where a precision is asked for). */
void mw_sequence_progress(const struct mw_sequence *sequence, size_t *done, size_t *left);

#endif
