// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_VIEW_H
#define MW_FIT_VIEW_H

#include "data/clock.h"
#include "data/dataset.h"
#include "fit/posterior/posterior.h"
#include "memwall/diagnose.h"

/* What a witness beside the time was good for. */
enum mw_witness_state { MW_WITNESS_ABSENT, MW_WITNESS_USED, MW_WITNESS_IGNORED };
struct mw_witness {
    enum mw_witness_state state;
    char why[120]; /* of MW_WITNESS_IGNORED */
};
struct mw_witnesses {
    struct mw_witness cpu_time, effective_clock, main_wait, throttled, counters;
};

enum { MW_VIEW_PLACES = 16 };

/* The points of one inference: thinned, relative to the highest clock, with what the CPU time is good for. */
struct mw_view {
    struct mw_posterior_point points[MW_POSTERIOR_POINTS];
    size_t count;
    bool ratio, has_cpu;
    unsigned cores;
    double freq_scale_hz, freq_min_hz;
    bool one_clock;
    double clock_scale_hz, clock_low;            /* the highest clock; the lowest over it */
    struct mw_clock clocks[MW_POSTERIOR_POINTS]; /* where the effective clock stands for the nominal one */
    size_t clock_count;
    double counts[MW_POSTERIOR_POINTS]; /* different core counts */
    size_t core_counts;
    unsigned places[MW_VIEW_PLACES]; /* where a step is known or the points themselves show one */
    size_t place_count;
    struct mw_witnesses witness;
};

/*
 * A whole table would say its smooth misfit over and over: at most 48 points, three quarters of them at the highest
 * frequency. MW_DATA for energies alone, MW_NOFIT for fewer than two points, MW_NOMEM. Tested by test_diagnose.c.
 */
enum mw_err mw_view_build(struct mw_view *view, const struct mw_points *points,
                          const struct mw_diagnose_options *options, struct mw_error *error) MW_CHECKED;

/* x of a configuration: its clock over the highest, at most 1; 1 where no frequency is known. */
double mw_view_clock(const struct mw_view *view, double cores, double freq_hz);

#endif
