// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_DATA_CLOCK_H
#define MW_DATA_CLOCK_H

#include "data/dataset.h"

#include <stdbool.h>
#include <stddef.h>

/* A configuration and the clock that its cores were seen at. */
struct mw_clock {
    double cores, nominal_hz, effective_hz;
};

/*
 * Whether every point with a value says at which clock its cores ran, and some ran at another than was asked for (by over 2 %; where no
 * frequency is named, than the first): the effective clock then stands for the nominal one.
 */
bool mw_clock_known(const struct mw_points *points);

/*
 * The clock at (cores, freq_hz), Hz: freq_hz times the measured effective/nominal, linear in ln cores between the counts and in
 * frequency between the frequencies that were measured, and constant outside. Where frequencies are not known (0) it is the
 * clock by cores; freq_hz itself where count is 0 or it is known and those measured are not. Pure. Tested by test_clock.c.
 */
double mw_clock_at(const struct mw_clock *measured, size_t count, double cores, double freq_hz);

#endif
