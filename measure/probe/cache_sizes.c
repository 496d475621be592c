// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/cache_scan.h"

#include "measure/probe/clock.h"
#include "measure/probe/kernels/walk.h"
#include "measure/probe/ring.h"

#include <math.h>
#include <stdlib.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
/* A working set this large is walked whole in a window; larger ones in windows that follow one another around the ring. */
#define WHOLE_LINES       16384
#define LARGE_REPETITIONS 4
/* Private levels are disturbed most by what else runs on the core, and are quick: a round more for each full one. */
#define FINE_BYTES   (2 * MIB)
#define SIZE_ROUNDS  4
#define SIZES_OCTAVE 8
#define GROUP_BYTES  (256 * KIB) /* 64 pages of 4 KiB: within the first-level TLB of processors in use */
/* Neighbours of one visit of a group are this far apart, as in `measure latency`: a line that a prefetcher brought along
   with its neighbour is met much later. */
#define APART_BYTES 256
/* Longest walk that brings a set into the state in which the ring leaves the caches; above it a sweep in order, which
   leaves a share of the set behind */
#define WARM_S 0.25
/* A place of memory takes about a millisecond, as in `measure latency`: the least of shorter windows is lower. */
#define PLACE_LOADS  12288
#define MEMORY_LOADS (MW_RING_WARM + MW_SCAN_MEMORY_PLACES * PLACE_LOADS)
#define GROUP_LOADS  (GROUP_BYTES / APART_BYTES)

static size_t next_size(size_t size_bytes)
{
    size_t octave = MW_SCAN_LEAST_BYTES;
    while (2 * octave <= size_bytes)
        octave *= 2;
    size_t step = octave / SIZES_OCTAVE;
    return size_bytes + (step < MW_SCAN_STEP_BYTES ? MW_SCAN_STEP_BYTES : step);
}

static enum mw_err ring_open(struct mw_cache_scan *scan, struct mw_growing_ring *ring, struct mw_error *error)
{
    return mw_growing_ring_init(ring, scan->big.data, scan->big.size_bytes / MW_SCAN_STEP_BYTES, MW_SCAN_STEP_BYTES,
                                GROUP_BYTES / MW_SCAN_STEP_BYTES, APART_BYTES / MW_SCAN_STEP_BYTES, error);
}

/* Sets too large for a window: windows that follow one another, after a whole walk where there is time for it. */
static struct mw_scan_time large_least(struct mw_cache_scan *scan, const struct mw_growing_ring *ring, double load_s)
{
    struct mw_scan_time least = MW_SCAN_NONE;
    void *p = ring->base + mw_random_below(&scan->random, ring->lines) * MW_SCAN_STEP_BYTES;
    if ((double)ring->lines * load_s <= WARM_S)
        p = mw_kernel_walk(p, ring->lines);
    else
        mw_kernel_sweep(ring->base, ring->lines * MW_SCAN_STEP_BYTES, MW_SCAN_STEP_BYTES);
    for (int r = 0; r < LARGE_REPETITIONS; r++)
        mw_scan_lower(&least, mw_scan_window(scan, &p, MW_SCAN_WINDOW_LOADS));
    return least;
}

/* Visits the sizes (ascending) once on a ring that grows; the least time of each is kept. False where the time was up. */
static bool visit(struct mw_cache_scan *scan, struct mw_growing_ring *ring, const double *sizes, size_t count,
                  double until_s, struct mw_curve *curve)
{
    struct mw_scan_time load = {0};
    ring->lines = 0;
    for (size_t i = 0; i < count; i++) {
        if (mw_cache_scan_over(scan) || mw_now_s() > until_s)
            return false;
        mw_growing_ring_extend(ring, (size_t)sizes[i] / MW_SCAN_STEP_BYTES, &scan->random);
        load = ring->lines <= WHOLE_LINES ? mw_scan_least(scan, ring->base, ring->lines)
                                          : large_least(scan, ring, load.least_s);
        mw_curve_lower(curve, sizes[i], load);
    }
    return true;
}

enum mw_err mw_scan_sizes(struct mw_cache_scan *scan, double until_s, struct mw_curve *curve, struct mw_error *error)
{
    double sizes[MW_SCAN_SIZES_MAX];
    size_t all = 0, fine = 0;
    struct mw_growing_ring ring;
    for (size_t size = MW_SCAN_LEAST_BYTES; size <= scan->big.size_bytes && all < MW_SCAN_SIZES_MAX;
         size = next_size(size)) {
        sizes[all++] = (double)size;
        fine += size <= FINE_BYTES;
    }
    enum mw_err err = mw_curve_init(curve, 2 * MW_SCAN_SIZES_MAX, error);
    if (err)
        return err;
    err = ring_open(scan, &ring, error);
    if (err) {
        mw_curve_release(curve);
        return err;
    }
    for (int round = 0; round < SIZE_ROUNDS; round++)
        if (!visit(scan, &ring, sizes, round % 2 ? fine : all, until_s, curve))
            break;
    mw_growing_ring_release(&ring);
    return MW_OK;
}

enum mw_err mw_scan_refine(struct mw_cache_scan *scan, const double *sizes, size_t count, double until_s,
                           struct mw_curve *curve, struct mw_error *error)
{
    struct mw_growing_ring ring;
    size_t fine = 0;
    while (fine < count && sizes[fine] <= (double)FINE_BYTES)
        fine++;
    enum mw_err err = ring_open(scan, &ring, error);
    if (err)
        return err;
    for (int round = 0; round < 2 * SIZE_ROUNDS; round++)
        if (!visit(scan, &ring, sizes, round % 2 ? fine : count, until_s, curve))
            break;
    mw_growing_ring_release(&ring);
    return MW_OK;
}

/*
 * Offsets of a walk from memory: of groups spread over it, the lines that one visit of the ring would meet. The same in each
 * visit, so that each place has its least.
 */
static size_t memory_path(const struct mw_cache_scan *scan, size_t *offset)
{
    uint64_t random = scan->memory_random;
    size_t count = 0, groups = scan->big.size_bytes / GROUP_BYTES, parts = MEMORY_LOADS / GROUP_LOADS;
    parts = parts < groups ? parts : groups;
    for (size_t g = 0; g < parts; g++) {
        size_t at = (g * (groups / parts) + mw_random_below(&random, groups / parts)) * GROUP_BYTES;
        size_t phase = mw_random_below(&random, APART_BYTES / MW_SCAN_STEP_BYTES) * MW_SCAN_STEP_BYTES;
        for (size_t i = 0; i < GROUP_LOADS; i++) {
            size_t other = count - mw_random_below(&random, i + 1);
            offset[count] = offset[other];
            offset[other] = at + i * APART_BYTES + phase;
            count++;
        }
    }
    return count;
}

/* Once over the path; false where user programs have no flush. */
static bool walk_memory(struct mw_cache_scan *scan, const size_t *offset, size_t count, struct mw_scan_time *places)
{
    /* a small memory has room for a part of the path only */
    size_t warm = count < MEMORY_LOADS ? count / 4 : MW_RING_WARM;
    size_t loads = count - warm < PLACE_LOADS ? count - warm : PLACE_LOADS;
    void *p = count ? mw_ring_flushed(scan->big.data, offset, count) : NULL;
    if (!p)
        return false;
    p = mw_kernel_walk(p, warm);
    for (size_t i = 0; (i + 1) * loads <= count - warm && i < MW_SCAN_MEMORY_PLACES; i++)
        mw_scan_lower(&places[i], mw_scan_window(scan, &p, loads));
    return true;
}

struct mw_scan_time mw_scan_mean(const struct mw_scan_time *places, size_t count)
{
    size_t clean = 0, known = 0;
    double clean_s = 0, all_s = 0;
    for (size_t i = 0; i < count; i++) {
        clean += places[i].clean;
        clean_s += places[i].clean ? places[i].least_s : 0;
        known += isfinite(places[i].least_s);
        all_s += isfinite(places[i].least_s) ? places[i].least_s : 0;
    }
    if (!known)
        return MW_SCAN_NONE;
    return (struct mw_scan_time){clean ? clean_s / (double)clean : all_s / (double)known, clean > 0};
}

enum mw_err mw_scan_memory(struct mw_cache_scan *scan, double time_s, struct mw_scan_time *places,
                           struct mw_error *error)
{
    size_t *offset = calloc(MEMORY_LOADS, sizeof *offset);
    if (!offset)
        return mw_fail(error, MW_NOMEM, "out of memory");
    size_t count = memory_path(scan, offset);
    for (double end_s = mw_now_s() + time_s; mw_now_s() < end_s && !mw_cache_scan_over(scan);)
        if (!walk_memory(scan, offset, count, places))
            break;
    free(offset);
    return MW_OK;
}
