// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_FLOPS_H
#define MW_MEASURE_FLOPS_H

#include "data/error.h"
#include "measure/probe/kernels/flops.h"

#include <stdbool.h>
#include <stddef.h>

/* Floating-point operations per second, all cores together; a multiply-add counts as two. */
struct mw_flops {
    double best_per_s, median_per_s; /* over the windows that count */
    bool disturbed;                  /* some thread lost its CPU in every window: all of them count then */
};

/* Windows of about five milliseconds: short against a time slice, long against the start of the threads. */
#define MW_FLOPS_WINDOW_S 5e-3
/* A core leaves its idle frequency, and takes the lower one of wide vectors, within some ten milliseconds. */
#define MW_FLOPS_WARM_UP_S 50e-3

/*
 * Throughput of a kernel on cpus[0..count-1] at once, one thread on each: operations / (latest end - earliest start),
 * window by window; those in which a thread lost its CPU don't count, and are made up for as long as max_time_s allows, up to
 * MW_FLOPS_MOST times as many in all. kernel->supported() must hold. windows >= 1.
 * MW_UNTRUSTED where a value left (-1, 1) or lanes that began alike differ, MW_RUN where a thread could not be bound, MW_NOMEM; *flops unchanged then.
 * Takes windows x 5 ms + 50 ms where nothing disturbs, max_time_s at most but for the two windows that are always done. Test: test_flops.c, tests/cli/flops_object.sh (the instructions), bench-measure (rate).
 */
#define MW_FLOPS_MOST 4
enum mw_err mw_flops_measure(const struct mw_flops_kernel *kernel, const unsigned *cpus, size_t count, size_t windows,
                             double max_time_s, struct mw_flops *flops, struct mw_error *error) MW_CHECKED;

/* Operations of one round of a kernel. */
double mw_flops_per_round(const struct mw_flops_kernel *kernel);

#endif
