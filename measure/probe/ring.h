// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_RING_H
#define MW_MEASURE_RING_H

#include "data/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Rings of pointers to walk with mw_kernel_walk: each place holds the address of the next, and one walk over all of them
 * comes back to its start. Deterministic for a given random state, which is never 0.
 */
uint64_t mw_random_next(uint64_t *random); /* xorshift64 (Marsaglia 2003) */
size_t mw_random_below(uint64_t *random, size_t n);

/* Links base + offset[0..n-1] in random order; offset is shuffled. n >= 1. Returns a place of the ring. */
void *mw_ring_random(char *base, size_t *offset, size_t n, uint64_t *random);
/* The same in the order given. */
void *mw_ring_ordered(char *base, const size_t *offset, size_t n);
/*
 * The same, with all of its lines flushed from all caches; NULL where user programs have no flush. Some processors answer
 * the first millisecond or two of loads that miss all caches half as fast as those that follow (measured on one with DDR5:
 * 148 ns, then 79), whatever ran before: so the first MW_RING_WARM places are walked untimed.
 */
void *mw_ring_flushed(char *base, const size_t *offset, size_t n);
#define MW_RING_WARM 16384

/*
 * A ring over the first `lines` lines of a buffer that can be made longer without being built anew: a new line is put
 * behind a random one of its own group of group_lines lines, the first line of a group behind the end of a random group.
 * So the walk visits all lines of a group in random order and then those of another: the TLB is met once a group.
 *
 * With stride_lines > 1 the lines of a group that are that far apart make a group of their own, and the walk visits these
 * in turn: of all groups the lines 0 modulo stride_lines, then those 2, 4 …, then 1, 3 …, each time in the same order. A
 * neighbour that a prefetcher brought along, or that shares a longer line, is met half a walk later: when what came
 * meanwhile, neighbours included, is as much as the whole set, and has pushed it out of any cache that the set does not
 * fit. group_lines is a multiple of it.
 */
struct mw_growing_ring {
    char *base;
    size_t line_bytes, group_lines, stride_lines, lines, lines_max;
    size_t *tail; /* last line of each group in walking order */
    size_t drawn; /* by phase 0, for the others */
};
enum mw_err mw_growing_ring_init(struct mw_growing_ring *ring, char *base, size_t lines_max, size_t line_bytes,
                                 size_t group_lines, size_t stride_lines, struct mw_error *error) MW_CHECKED;
void mw_growing_ring_release(struct mw_growing_ring *ring);
/* Up to `lines` in all, at most lines_max. */
void mw_growing_ring_extend(struct mw_growing_ring *ring, size_t lines, uint64_t *random);

#endif
