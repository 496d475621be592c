// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_PACE_H
#define MW_MEASURE_PACE_H

#include "data/error.h"

#include <stddef.h>

/*
 * How fast memory is made ready here and now, other work counted in: what a probe must know before it starts to say how long
 * it takes at least. Bytes a second of all cores together, by one try on size_bytes of each core.
 */
struct mw_pace {
    double touch_bps; /* of memory touched for the first time */
    double fill_bps;  /* of memory written again */
    double ring_bps;  /* of memory that a growing ring of lines is laid on, the first touch counted in */
};

/* MW_NOMEM, MW_RUN (not bound). size_bytes >= 2 MiB; takes twice as much memory. Test: test_pace.c. */
enum mw_err mw_pace_measure(const unsigned *cpus, size_t count, size_t size_bytes, struct mw_pace *pace,
                            struct mw_error *error) MW_CHECKED;

#endif
