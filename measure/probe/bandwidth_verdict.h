// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_BANDWIDTH_VERDICT_H
#define MW_MEASURE_BANDWIDTH_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What measured rates say, by rule. Pure functions of rates in bytes per second: no clock, no machine. Best windows repeat
 * within 5 %, so that differences below twice that are none. Test: test_bandwidth_verdict.c, on drawn truths with noise.
 */
#define MW_BW_MARGIN 0.10

/* Copies whose destination lies at different distances from the source. */
struct mw_bw_offsets {
    size_t best, worst; /* indices */
    double cost;        /* share of the median rate that the worst offset loses */
    bool conflict;      /* more than the margin */
};
/* n >= 3 rates > 0. */
struct mw_bw_offsets mw_bw_offsets(const double *rate_bps, size_t n);

/* Streaming stores against regular ones. */
enum mw_bw_gain { MW_BW_GAIN_NONE, MW_BW_GAIN_FASTER, MW_BW_GAIN_SLOWER };
enum mw_bw_gain mw_bw_gain(double rate_bps, double than_bps);

/*
 * Write-allocate by size: regular stores past a cache read each line before they write it, streaming stores don't, and so
 * move half as much. From which index on streaming fills are faster at all sizes by more than the margin: n where they
 * never are at the largest. Rates of 0 (not measured) count as no difference.
 */
size_t mw_bw_allocates_from(const double *fill_bps, const double *fill_nt_bps, size_t n);

/* Whether cores or memory bind a rate, by its growth from `from` cores to `to` > from. */
enum mw_bw_bound { MW_BW_BOUND_CORE, MW_BW_BOUND_MEMORY, MW_BW_BOUND_BOTH };
enum mw_bw_bound mw_bw_bound(double from_cores, double from_bps, double to_cores, double to_bps);
const char *mw_bw_bound_text(enum mw_bw_bound bound);

/*
 * True where a rate can't be memory's: faster than reading the same bytes in order by more than half the margin, or above
 * the theoretical rate. Either is 0 where unknown.
 */
bool mw_bw_cached(double rate_bps, double in_order_bps, double peak_bps);

#endif
