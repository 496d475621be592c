// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_GPU_TIMING_H
#define MW_MEASURE_GPU_TIMING_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Windows of work on a device, by the wall clock from an idle device to an idle device; what the driver says it took
 * stands beside. A window is n, 4 n and 16 n units of work in turn: a driver that defers work, or leaves out what a later
 * draw covers, does not take four times as long for four times the work.
 */
struct mw_gpu_window {
    double wall_s, query_s; /* query_s < 0: the driver tells none */
    bool disturbed;         /* threads of this process waited for a CPU meanwhile */
};

struct mw_gpu_work {
    /* `count` units, from finish to finish; fills everything but `disturbed` */
    enum mw_err (*run)(void *work, unsigned long count, struct mw_gpu_window *window, struct mw_error *error);
    void *work;
    unsigned long count_max; /* units that one window can take; 0: any number */
    double time_s;           /* for all windows; at least two rounds of three windows are taken */
    unsigned long runs;      /* windows wanted; 0: as many as the time allows, at most MW_GPU_RUNS_MAX */
};
#define MW_GPU_RUNS_MAX 40

struct mw_gpu_timing {
    unsigned long count;          /* units of a window that the times below belong to */
    double best_s, median_s;      /* wall; over the undisturbed windows where there are any */
    double query_s;               /* of the best window; < 0: none */
    unsigned long runs, rejected; /* windows; those disturbed */
    bool disturbed;               /* all of them were */
    bool growth_told;             /* a window of n was undisturbed: growth is that of the work */
    double growth_4, growth_16;   /* least time of 4 n and of 16 n over that of n; 4 and 16 where the work is done */
};

/*
 * First enqueue, in which drivers compile, left out; n so that a window takes MW_GPU_WINDOW_S / 4.
 * MW_INTERRUPTED where the parent wants an end (mw_isolated_stop), else what `run` returns.
 * Test: test_gpu.c (known times).
 */
#define MW_GPU_WINDOW_S 5e-3
enum mw_err mw_gpu_time(const struct mw_gpu_work *work, struct mw_gpu_timing *timing,
                        struct mw_error *error) MW_CHECKED;

/* 16 times the work took at least this many times the time. */
#define MW_GPU_GROWTH_LEAST 8
bool mw_gpu_proportional(const struct mw_gpu_timing *timing);
/* Not in proportion, and not because other work made the windows of n long. */
bool mw_gpu_deferred(const struct mw_gpu_timing *timing);
/* The driver's time lies within half of the wall clock's and, but for rounding, not above it. */
bool mw_gpu_query_plausible(double query_s, double wall_s);

#endif
