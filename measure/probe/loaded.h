// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_LOADED_H
#define MW_MEASURE_LOADED_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One point of the curve of latency over load. */
struct mw_loaded_point {
    unsigned reads_percent; /* of the traffic of the loading cores: 100, 80, 67, 50 */
    unsigned delay;         /* additions between blocks of 16 lines; UINT_MAX: the cores idle */
    double latency_s;       /* of a dependent load of the first core */
    double bandwidth_bps;   /* of the loading cores: lines read and lines written back */
    size_t windows;         /* that count */
};

struct mw_loaded_options {
    size_t chase_bytes; /* working set of the first core */
    size_t load_bytes;  /* array of each loading core, written and read in order */
    size_t windows;     /* of about a millisecond for each point, >= 1 */
    double max_time_s;  /* shared by the points; each takes at least one window */
    uint64_t seed;
    bool (*stop)(void); /* NULL, or asked before each point */
};

/* what a point takes at least: the traffic settles, and one window */
#define MW_LOADED_LEAST_S 7e-3
/* 4 mixes of one idle point and 12 delays */
#define MW_LOADED_POINTS 52

/*
 * Latency on cpus[0] while cpus[1..count-1] make rising traffic; count >= 2. Points in order of mix and of rising load.
 * A window counts where the loading cores moved at least MW_LOADED_SHARE of what they moved in the best window of the
 * point, and the first was not put aside by other work. A point whose loading cores never ran is left out. latency_s and bandwidth_bps are medians over
 * those. The chase is random within groups of 64 pages, the first touch is by the core that uses the memory.
 * points has room for MW_LOADED_POINTS; *point_count are filled, also with MW_INTERRUPTED. MW_NOMEM, MW_RUN (not bound).
 * half: the heaviest reading traffic once more, while each loading core uses half of its array; windows 0 where there was
 * no time. Measured beside the whole one, both again where it seems faster: others' work alone can make it so.
 * Source: the loaded-latency curve of Intel MLC and of Mess (Esmaili-Dokht et al. 2024). Test: test_loaded.c.
 */
#define MW_LOADED_SHARE 0.9
enum mw_err mw_loaded_measure(const unsigned *cpus, size_t count, const struct mw_loaded_options *options,
                              struct mw_loaded_point *points, size_t *point_count, struct mw_loaded_point *half,
                              struct mw_error *error) MW_CHECKED;

#endif
