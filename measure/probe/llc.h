// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_LLC_H
#define MW_MEASURE_LLC_H

#include "data/error.h"
#include "measure/machine/topology.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The last-level cache: what is reported of it is believed only where it can be so. Guests are told the host's, or each
 * virtual core the whole socket's; arrays sized by that don't fit in memory, or measure the cache of another.
 */

/* A level that one core has to itself is no larger on processors in use; more is a socket's, given to each core of a guest. */
#define MW_LLC_PRIVATE_MOST_BYTES ((size_t)8 << 20)
/* A machine has at least four times its last level of memory: else arrays of the STREAM rule (four times it, three arrays) never fit. */
#define MW_LLC_MEMORY_SHARE 4

/* Why what is reported of the CPU's last level can't be believed, in words; NULL where it can. */
const char *mw_llc_doubt(const struct mw_topology *topology, unsigned cpu, bool guest);

/* Size of the instance that the CPU uses as reported; 0: none is. */
size_t mw_llc_reported(const struct mw_topology *topology, unsigned cpu);

struct mw_llc_options {
    unsigned cpu;      /* the kernel's number */
    size_t size_bytes; /* largest working set; beyond the last level */
    double max_time_s;
    unsigned long seed;
    bool (*stop)(void); /* NULL, or asked now and then */
};

/*
 * Finds the end of the last level before memory. Loads of lines that were just flushed tell what memory takes; the time of a load
 * over the working set, four sizes an octave from MW_LLC_FIRST_BYTES, tells which sets the caches still help
 * (mw_llc_end). The scan ends an octave behind, in a second where nothing else runs.
 * MW_UNSUPPORTED where caches still help at size_bytes, or the time was up before they did not, or user programs can't flush.
 */
#define MW_LLC_FIRST_BYTES ((size_t)256 << 10)
enum mw_err mw_llc_measure(const struct mw_llc_options *options, size_t *size_bytes, struct mw_error *error) MW_CHECKED;

/*
 * The largest size x[i] at which a load takes less than MW_LLC_HELP of a load from memory, of n sizes ascending. Noise adds
 * time, so that the least of all larger sets counts for a smaller one. 0 where already x[0] takes more.
 * *passed: MW_LLC_PASSED sizes behind it, and the last one, take that and more.
 */
#define MW_LLC_HELP   0.7 /* caches that hold a third of the set and take a third of the time give 0.78 */
#define MW_LLC_PASSED 4
size_t mw_llc_end(const double *x, const double *time_s, size_t n, double memory_s, bool *passed);

/*
 * What was measured before, since this boot and while the same was reported (state_folder.h). Nothing is kept where there
 * is no place for it.
 */
bool mw_llc_kept(size_t reported_bytes, size_t *size_bytes);
void mw_llc_keep(size_t reported_bytes, size_t size_bytes);

/*
 * Sum over the last levels that the CPUs use, each of instance_bytes: what several cores share counts once. Where none is
 * reported, cores are taken to share one by MW_LLC_LEAST_SHARERS, the fewest on processors in use that share at all.
 */
#define MW_LLC_LEAST_SHARERS 4
size_t mw_llc_sum(const struct mw_topology *topology, const unsigned *cpus, size_t count, size_t instance_bytes);

#endif
