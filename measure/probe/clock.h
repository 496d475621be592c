// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_CLOCK_H
#define MW_MEASURE_CLOCK_H

#include "data/error.h"

#include <stddef.h>

/* Monotonic time in seconds. */
double mw_now_s(void);

/*
 * Effective frequency of each CPU, all of them at work at once, from a chain of dependent additions (one a cycle on every
 * processor in use): the best of several windows of about a millisecond. freq_hz[i] for cpus[i].
 */
enum mw_err mw_clock_effective(const unsigned *cpus, size_t count, double *freq_hz, struct mw_error *error) MW_CHECKED;

#endif
