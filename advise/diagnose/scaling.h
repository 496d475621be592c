// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_ADVISE_SCALING_H
#define MW_ADVISE_SCALING_H

#include "data/dataset.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * One core count against one core at the same frequency, measured points only, and where the loss is by the hierarchy of the POP Centre
 * of Excellence, with C the CPU time, I and Y user instructions and cycles, K the CPU time in the kernel:
 *
 *   efficiency  = parallel x computation             parallel = (C/(p T))/(C1/T1),  computation = C1/C
 *   computation = instructions x ipc x clock x user  I1/I, (I/Y)/(I1/Y1), (Y/(C - K))/(Y1/(C1 - K1)), (1 - K/C)/(1 - K1/C1)
 *
 * Each is 1 where nothing is lost; without K user is 1. Of work that grows with the cores all is of equal work: C1 and I1 times p.
 */
struct mw_scaling_row {
    unsigned cores;
    double freq_hz, speedup, efficiency, serial_fraction; /* Karp-Flatt; 0 on one core */
    bool has_cpu, has_counters;
    double parallel, computation;
    double instructions, ipc, clock, user;
};

/*
 * Rows at the highest frequency that has a one-core point; *count 0 where there is none. trusts_cpu: the CPU time is this
 * run's (witness.cpu_time). The caller frees *rows. MW_NOMEM. Tested by test_scaling.c.
 */
enum mw_err mw_scaling_table(struct mw_scaling_row **rows, size_t *count, const struct mw_points *points,
                             bool trusts_cpu, struct mw_error *error) MW_CHECKED;

/* Karp-Flatt serial fraction (1/S - 1/p)/(1 - 1/p), p > 1. */
double mw_karp_flatt(double speedup, double cores);

#endif
