// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_BANDWIDTH_ROUND_H
#define MW_CLI_BANDWIDTH_ROUND_H

#include "cli/measure/measure.h"
#include "measure/probe/bandwidth.h"

#define BANDWIDTH_SIZES   64
#define BANDWIDTH_OFFSETS 32

/* What one core count of `measure bandwidth` has in common: memory, frequency, time, and the rates that verdicts rest on. */
struct bandwidth_round {
    struct measure_run *run;
    struct mw_bandwidth memory;
    unsigned cores;
    double freq_hz, time_s, deadline_s;
    size_t left_out;                                /* points, because the time was up */
    bool cached;                                    /* reads of half the largest size are faster, or seem so */
    double rate_bps[MW_BW_TESTS];                   /* at the largest size; 0: none, or disturbed */
    double stride_log;                              /* sum of the logarithms of rates at strides beyond two lines */
    unsigned stride_count;                          /* of them */
    size_t size_bytes[BANDWIDTH_SIZES], size_count; /* ascending */
    double fill_bps[BANDWIDTH_SIZES], fill_nt_bps[BANDWIDTH_SIZES];
    size_t offset_bytes[BANDWIDTH_OFFSETS], offset_count;
    double offset_bps[BANDWIDTH_OFFSETS];
    unsigned offset_visits[BANDWIDTH_OFFSETS]; /* undisturbed ones, at different times */
    unsigned before_cores;                     /* the core count before, for what binds; 0: none */
    double before_read_bps, before_copy_bps;
};

/*
 * Measures a case, again where all windows of a rate of memory were disturbed. windows is 0 where the time is up, or where the
 * result was wrong, which is warned of. MW_INTERRUPTED, and as mw_bandwidth_run.
 */
enum mw_err bandwidth_visit(struct bandwidth_round *round, const char *name, const struct mw_bandwidth_case *c,
                            struct mw_bandwidth_rate *rate, struct mw_error *error) MW_CHECKED;
/* Its row; without windows it counts as left out if the time is up. Returns the rate that a verdict may rest on, 0 for none. */
double bandwidth_row(struct bandwidth_round *round, const char *name, const struct mw_bandwidth_case *c,
                     const struct mw_bandwidth_rate *rate);
/* Copies whose destination moves against the source, in passes over all offsets. Test: test_measure_words.c. */
enum mw_err bandwidth_offsets(struct bandwidth_round *round, struct mw_error *error) MW_CHECKED;

/*
 * Reads of half the largest buffer beside those of all of it: measure_size_check, and round->cached. What other work took may
 * have been from the whole alone, so that all of it is read again before half is called faster.
 */
enum mw_err bandwidth_confirm(struct bandwidth_round *round, struct mw_error *error) MW_CHECKED;

extern const char *const bandwidth_score_formula;
/* Row and message of the score; withheld where a rate in it is missing, of less than `strides` strides, or disturbed. */
void bandwidth_score(struct bandwidth_round *round, unsigned strides);
/* On offsets, streaming stores, write-allocate, and what binds: into the record, and told. */
enum mw_err bandwidth_verdicts(struct bandwidth_round *round, struct mw_error *error) MW_CHECKED;

#endif
