// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/cache_scan.h"

#include "measure/probe/clock.h"
#include "measure/probe/kernels/walk.h"
#include "measure/probe/ring.h"
#include "measure/probe/switches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIB                  ((size_t)1024)
#define MIB                  (1024 * KIB)
#define EVICT_BYTES          (16 * MIB)
#define TLB_PAGES_MAX        16384
#define TLB_BYTES_MAX        (256 * MIB)
#define CONFLICT_LOADS       4096 /* four microseconds at least, fifty readings of the clock */
#define PREFETCH_LOADS       4096
#define PREFETCH_REPETITIONS 4 /* each on fresh places, as far as there are */

static const size_t line_strides[] = {8, 16, 32, 64, 128, 256, 512};
static const size_t prefetch_strides[] = {64,  128,  192,  256,  320,  384,  512,  640,
                                          768, 1024, 1536, 2048, 3072, 4096, 6144, 8192};
#define LENGTH(a) (sizeof(a) / sizeof *(a))

void mw_curve_release(struct mw_curve *curve)
{
    free(curve->x);
    free(curve->time_s);
    free(curve->disturbed);
    *curve = (struct mw_curve){0};
}

enum mw_err mw_curve_init(struct mw_curve *curve, size_t capacity, struct mw_error *error)
{
    *curve = (struct mw_curve){.x = calloc(capacity, sizeof(double)),
                               .time_s = calloc(capacity, sizeof(double)),
                               .disturbed = calloc(capacity, sizeof(bool)),
                               .capacity = capacity};
    if (curve->x && curve->time_s && curve->disturbed)
        return MW_OK;
    mw_curve_release(curve);
    return mw_fail(error, MW_NOMEM, "out of memory");
}

void mw_scan_lower(struct mw_scan_time *time, struct mw_scan_time other)
{
    if (other.clean == time->clean ? other.least_s < time->least_s : other.clean)
        *time = other;
}

static void curve_add(struct mw_curve *curve, double x, struct mw_scan_time time)
{
    curve->x[curve->count] = x;
    curve->disturbed[curve->count] = !time.clean;
    curve->time_s[curve->count++] = time.least_s;
}

bool mw_curve_disturbed(const struct mw_curve *curve, double from, double to)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->disturbed[i] && curve->x[i] >= from && curve->x[i] <= to)
            return true;
    return false;
}

void mw_curve_lower(struct mw_curve *curve, double x, struct mw_scan_time time)
{
    size_t i = curve->count;
    while (i && curve->x[i - 1] >= x)
        i--;
    if (i < curve->count && curve->x[i] <= x) {
        struct mw_scan_time least = {curve->time_s[i], !curve->disturbed[i]};
        mw_scan_lower(&least, time);
        curve->time_s[i] = least.least_s;
        curve->disturbed[i] = !least.clean;
    } else if (curve->count < curve->capacity) {
        memmove(curve->x + i + 1, curve->x + i, (curve->count - i) * sizeof *curve->x);
        memmove(curve->time_s + i + 1, curve->time_s + i, (curve->count - i) * sizeof *curve->time_s);
        memmove(curve->disturbed + i + 1, curve->disturbed + i, (curve->count - i) * sizeof *curve->disturbed);
        curve->x[i] = x;
        curve->time_s[i] = time.least_s;
        curve->disturbed[i] = !time.clean;
        curve->count++;
    }
}

static double clock_cost(void)
{
    double least = 1;
    for (int i = 0; i < 1000; i++) {
        double start = mw_now_s();
        least = fmin(least, mw_now_s() - start);
    }
    return least;
}

enum mw_err mw_cache_scan_open(struct mw_cache_scan *scan, size_t size_bytes, uint64_t seed, double max_time_s,
                               struct mw_error *error)
{
    struct mw_cache_scan s = {.random = (seed + 1) * 0x9e3779b97f4a7c15u, .deadline_s = mw_now_s() + max_time_s};
    if (!s.random)
        s.random = 1;
    s.memory_random = s.random;
    enum mw_err err = mw_arena_open(&s.big, size_bytes, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, error);
    if (err)
        return err;
    err = mw_arena_open(&s.evict, EVICT_BYTES, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, error);
    if (err) {
        mw_arena_close(&s.big);
        return err;
    }
    memset(s.evict.data, 1, s.evict.size_bytes);
    s.clock_cost_s = clock_cost();
    *scan = s;
    return MW_OK;
}

void mw_cache_scan_close(struct mw_cache_scan *scan)
{
    mw_arena_close(&scan->big);
    mw_arena_close(&scan->evict);
    *scan = (struct mw_cache_scan){0};
}

bool mw_cache_scan_over(const struct mw_cache_scan *scan)
{
    return mw_now_s() > scan->deadline_s || (scan->stop && scan->stop());
}

struct mw_scan_time mw_scan_window(struct mw_cache_scan *scan, void **p, uint64_t loads)
{
    struct mw_switches before = mw_switches_now();
    double start = mw_now_s();
    *p = mw_kernel_walk(*p, loads);
    double time_s = mw_now_s() - start - scan->clock_cost_s;
    scan->sink = *p;
    return (struct mw_scan_time){fmax(time_s, 0) / (double)loads, !mw_switched_since(&before)};
}

static struct mw_scan_time least_of(struct mw_cache_scan *scan, void *p, size_t n, size_t window_loads)
{
    uint64_t loads = n < window_loads ? window_loads / n * n : n;
    struct mw_scan_time least = MW_SCAN_NONE;
    p = mw_kernel_walk(p, n);
    for (int r = 0; r < MW_SCAN_REPETITIONS; r++)
        mw_scan_lower(&least, mw_scan_window(scan, &p, loads));
    return least;
}

struct mw_scan_time mw_scan_least(struct mw_cache_scan *scan, void *p, size_t n)
{
    return least_of(scan, p, n, MW_SCAN_WINDOW_LOADS);
}

/* Offsets first, first + stride, … below size; the caller frees. NULL without memory. */
static size_t *offsets(size_t first, size_t stride_bytes, size_t size_bytes, size_t *count)
{
    *count = 0;
    size_t *list = calloc(size_bytes / stride_bytes + 1, sizeof *list);
    for (size_t at = first; list && at < size_bytes; at += stride_bytes)
        list[(*count)++] = at;
    return list;
}

enum mw_err mw_scan_lines(struct mw_cache_scan *scan, size_t evict_bytes, struct mw_curve *curve,
                          struct mw_error *error)
{
    size_t n, evict_count;
    evict_bytes = evict_bytes < scan->evict.size_bytes ? evict_bytes : scan->evict.size_bytes;
    size_t *list = offsets(0, MW_SCAN_STEP_BYTES, evict_bytes, &evict_count);
    enum mw_err err =
        list ? mw_curve_init(curve, LENGTH(line_strides), error) : mw_fail(error, MW_NOMEM, "out of memory");
    if (err) {
        free(list);
        return err;
    }
    void *evict = mw_ring_random(scan->evict.data, list, evict_count, &scan->random);
    free(list);
    for (size_t i = 0; i < LENGTH(line_strides) && !mw_cache_scan_over(scan); i++) {
        list = offsets(0, line_strides[i], MW_SCAN_ARRAY_BYTES, &n);
        if (!list) {
            mw_curve_release(curve);
            return mw_fail(error, MW_NOMEM, "out of memory");
        }
        void *p = mw_ring_random(scan->big.data, list, n, &scan->random);
        free(list);
        struct mw_scan_time least = MW_SCAN_NONE;
        for (int r = 0; r < 2 * MW_SCAN_REPETITIONS; r++) {
            p = mw_kernel_walk(p, n);
            evict = mw_kernel_walk(evict, 2 * evict_count);
            scan->sink = evict;
            mw_scan_lower(&least, mw_scan_window(scan, &p, n));
        }
        curve_add(curve, (double)line_strides[i], least);
    }
    return MW_OK;
}

enum mw_err mw_scan_flush(struct mw_cache_scan *scan, struct mw_curve *curve, struct mw_error *error)
{
    enum mw_err err = mw_curve_init(curve, LENGTH(line_strides), error);
    if (err || !mw_kernel_flush(scan->big.data))
        return err;
    for (size_t i = 0; i < LENGTH(line_strides) && !mw_cache_scan_over(scan); i++) {
        size_t gap = line_strides[i], n;
        size_t *list = offsets(gap, 2 * gap, MW_SCAN_ARRAY_BYTES, &n);
        if (!list) {
            mw_curve_release(curve);
            return mw_fail(error, MW_NOMEM, "out of memory");
        }
        void *p = mw_ring_random(scan->big.data, list, n, &scan->random);
        free(list);
        struct mw_scan_time least = MW_SCAN_NONE;
        for (int r = 0; r < 2 * MW_SCAN_REPETITIONS; r++) {
            p = mw_kernel_walk(p, n);
            for (size_t at = 0; at < MW_SCAN_ARRAY_BYTES; at += 2 * gap)
                mw_kernel_flush((char *)scan->big.data + at);
            mw_kernel_fence();
            mw_scan_lower(&least, mw_scan_window(scan, &p, n));
        }
        curve_add(curve, (double)gap, least);
    }
    return MW_OK;
}

enum mw_err mw_scan_conflict(struct mw_cache_scan *scan, size_t stride_bytes, unsigned most, unsigned fillers,
                             size_t filler_stride, struct mw_scan_time *time, struct mw_error *error)
{
    size_t list[MW_SCAN_LINES_MAX + MW_SCAN_FILLERS_MAX];
    if (most > MW_SCAN_LINES_MAX || fillers > MW_SCAN_FILLERS_MAX)
        return mw_fail(error, MW_USAGE, "%u lines and %u more are too many", most, fillers);
    for (unsigned n = 1; n <= most; n++) {
        size_t behind =
            n * stride_bytes; /* whole pairs of ways, so that a filler shares no set with the lines before */
        if (fillers)
            behind = (behind + 2 * filler_stride - 1) / (2 * filler_stride) * (2 * filler_stride);
        if (mw_cache_scan_over(scan) || behind + 2 * fillers * filler_stride > scan->big.size_bytes)
            return MW_OK;
        for (size_t i = 0; i < n; i++)
            list[i] = i * stride_bytes;
        for (unsigned i = 0; i < fillers; i++)
            list[n + i] = behind + (2 * i + 1) * filler_stride;
        void *p = mw_ring_random(scan->big.data, list, n + fillers, &scan->random);
        p = mw_kernel_walk(p, 4 * (n + fillers)); /* replacement needs some turns to settle */
        mw_scan_lower(&time[n - 1], least_of(scan, p, n + fillers, CONFLICT_LOADS));
    }
    return MW_OK;
}

/* One line in each of n pages, moving on from page to page so that all sets of the first level are used. */
static struct mw_scan_time far_load(struct mw_cache_scan *scan, char *base, size_t line_bytes, size_t *list, size_t n)
{
    size_t page = mw_page_bytes();
    for (size_t i = 0; i < n; i++)
        list[i] = i * page + i * line_bytes % page;
    return mw_scan_least(scan, mw_ring_random(base, list, n, &scan->random), n);
}

/* The same number of lines of the same memory side by side, page after page, in random order within each. */
static struct mw_scan_time near_load(struct mw_cache_scan *scan, char *base, size_t line_bytes, size_t *list, size_t n)
{
    size_t lines = mw_page_bytes() / line_bytes;
    for (size_t i = 0; i < n; i++) {
        size_t other = i - mw_random_below(&scan->random, i % lines + 1);
        list[i] = list[other];
        list[other] = i * line_bytes;
    }
    return mw_scan_least(scan, mw_ring_ordered(base, list, n), n);
}

static enum mw_err tlb_curve(struct mw_cache_scan *scan, const struct mw_arena *pages, size_t line_bytes, size_t most,
                             double base_s, struct mw_curve *curve, struct mw_error *error)
{
    size_t *list = calloc(most, sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t n = 4; n <= most && !mw_cache_scan_over(scan);) {
        struct mw_scan_time far = far_load(scan, pages->data, line_bytes, list, n),
                            near = near_load(scan, pages->data, line_bytes, list, n);
        curve_add(curve, (double)n,
                  (struct mw_scan_time){base_s + fmax(0, far.least_s - near.least_s), far.clean && near.clean});
        size_t octave = 1;
        while (2 * octave <= n)
            octave *= 2;
        n += octave < 16 ? 1 : octave / 16;
    }
    free(list);
    return MW_OK;
}

enum mw_err mw_scan_tlb(struct mw_cache_scan *scan, size_t line_bytes, double base_s, struct mw_curve *curve,
                        struct mw_error *error)
{
    size_t page = mw_page_bytes(), most = TLB_BYTES_MAX / page < TLB_PAGES_MAX ? TLB_BYTES_MAX / page : TLB_PAGES_MAX;
    struct mw_arena pages = {0};
    while (most > 64 && most * page > scan->big.size_bytes)
        most /= 2; /* what was fit for the big one is fit for this */
    enum mw_err err = mw_arena_open(&pages, most * page, MW_PAGES_BASE, MW_NODE_FIRST_TOUCH, error);
    if (err)
        return err;
    err = mw_curve_init(curve, 512, error);
    if (!err)
        err = tlb_curve(scan, &pages, line_bytes ? line_bytes : MW_SCAN_STEP_BYTES, most, base_s, curve, error);
    mw_arena_close(&pages);
    return err;
}

enum mw_err mw_scan_prefetch(struct mw_cache_scan *scan, enum mw_walk_order order, struct mw_curve *curve,
                             struct mw_error *error)
{
    size_t *list = calloc(PREFETCH_LOADS, sizeof *list);
    enum mw_err err =
        list ? mw_curve_init(curve, LENGTH(prefetch_strides), error) : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < LENGTH(prefetch_strides) && !mw_cache_scan_over(scan); i++) {
        size_t stride = prefetch_strides[i], span = PREFETCH_LOADS * stride;
        struct mw_scan_time least = MW_SCAN_NONE;
        size_t places = scan->big.size_bytes / span;
        for (size_t r = 0; r < PREFETCH_REPETITIONS && places; r++) {
            char *base = (char *)scan->big.data + r % places * span;
            for (size_t k = 0; k < PREFETCH_LOADS; k++)
                list[k] = (order == MW_WALK_BACKWARD ? PREFETCH_LOADS - 1 - k : k) * stride;
            void *p = order == MW_WALK_RANDOM ? mw_ring_random(base, list, PREFETCH_LOADS, &scan->random)
                                              : mw_ring_ordered(base, list, PREFETCH_LOADS);
            for (size_t k = 0; k < PREFETCH_LOADS; k++) /* what was just written is not in memory yet */
                mw_kernel_flush(base + k * stride);
            mw_kernel_sweep(scan->evict.data, scan->evict.size_bytes, MW_SCAN_STEP_BYTES);
            mw_kernel_fence();
            mw_scan_lower(&least, mw_scan_window(scan, &p, PREFETCH_LOADS - 1));
        }
        if (isfinite(least.least_s))
            curve_add(curve, (double)stride, least);
    }
    free(list);
    return err;
}
