// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/loaded.h"

#include "data/stats.h"
#include "measure/probe/arena.h"
#include "measure/probe/bandwidth_verdict.h"
#include "measure/probe/clock.h"
#include "measure/probe/kernels/load.h"
#include "measure/probe/kernels/walk.h"
#include "measure/probe/ring.h"
#include "measure/probe/switches.h"
#include "measure/probe/team.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A window of 8192 loads takes about a millisecond from memory: short against a time slice. */
#define WINDOW_LOADS 8192
/* Traffic settles within some tens of passes of the deepest queue; a time slice of the scheduler is 3 ms. */
#define SETTLE_S 5e-3
/* A loading core reports its progress after so many lines: about a microsecond at full rate, 90 at the lowest. */
#define CHUNK_LINES 256
/* Windows in which some core was put aside don't count and are repeated, within these limits for each point. */
#define MOST_WINDOWS 8
#define MOST_TIME_S  0.6
#define IDLE_NS      50000
/* half the arrays, and all again, so often where half seems faster */
#define HALF_TURNS   2
#define GROUP_BYTES  ((size_t)64 * 4096)
#define STRIDE_BYTES 256 /* as measure latency: no line that a prefetcher brought along is met in the same visit */

/* lines of every four that are written back; reads are then 4 / (4 + updates) of the traffic */
static const unsigned mixes[] = {0, 1, 2, 4};
/* from a few hundredths of what a core can do to all of it */
static const unsigned delays[] = {UINT_MAX, 16384, 8192, 4096, 2048, 1024, 768, 512, 256, 128, 64, 32, 0};
#define LENGTH(a) (sizeof(a) / sizeof *(a))

struct counter {
    _Alignas(128) atomic_size_t lines;
};

struct shared {
    const struct mw_loaded_options *options;
    struct mw_arena *arenas; /* [0] of the chase */
    struct counter *counters;
    size_t count;
    struct mw_growing_ring ring;
    struct mw_loaded_point *points;
    size_t *point_count;
    double start_s;
    struct mw_loaded_point *half;
    double *latency_s, *bandwidth_bps; /* of the windows of one point */
    void *sink;
    atomic_uint updates, delay, parts; /* parts: of their arrays, of which the loading cores use one */
    atomic_bool end;
};

static void load_until_end(struct shared *s, size_t index)
{
    struct mw_arena *arena = &s->arenas[index];
    size_t chunks = arena->size_bytes / MW_LOAD_LINE / CHUNK_LINES, at = 0;
    volatile uint64_t sink = 0;
    while (!atomic_load_explicit(&s->end, memory_order_relaxed)) {
        unsigned delay = atomic_load_explicit(&s->delay, memory_order_relaxed);
        if (delay == UINT_MAX) {
            nanosleep(&(struct timespec){.tv_nsec = IDLE_NS}, NULL);
            continue;
        }
        char *data = (char *)arena->data + at * CHUNK_LINES * MW_LOAD_LINE;
        sink += mw_kernel_load(data, CHUNK_LINES, atomic_load_explicit(&s->updates, memory_order_relaxed), delay);
        at = at + 1 < chunks / atomic_load_explicit(&s->parts, memory_order_relaxed) ? at + 1 : 0;
        atomic_fetch_add_explicit(&s->counters[index].lines, CHUNK_LINES, memory_order_relaxed);
    }
    (void)sink;
}

static size_t lines_moved(struct shared *s)
{
    size_t lines = 0;
    for (size_t i = 1; i < s->count; i++)
        lines += atomic_load_explicit(&s->counters[i].lines, memory_order_relaxed);
    return lines;
}

/* Windows of the point that count: their number, and with `pack` they come first. */
static size_t count_windows(struct shared *s, size_t windows, bool pack)
{
    size_t n = 0;
    double best = mw_maximum(s->bandwidth_bps, windows);
    for (size_t w = 0; w < windows; w++) {
        if (s->bandwidth_bps[w] < MW_LOADED_SHARE * best)
            continue;
        if (pack) {
            s->bandwidth_bps[n] = s->bandwidth_bps[w];
            s->latency_s[n] = s->latency_s[w];
        }
        n++;
    }
    return n;
}

/* One window; false where this thread was put aside in it. */
static bool measure_window(struct shared *s, void *p, size_t w, unsigned updates)
{
    struct mw_switches switches = mw_switches_now();
    size_t before = lines_moved(s);
    double start = mw_now_s();
    p = mw_kernel_walk(p, WINDOW_LOADS);
    double time_s = mw_now_s() - start;
    size_t moved = lines_moved(s) - before;
    s->sink = p;
    s->latency_s[w] = time_s / WINDOW_LOADS;
    s->bandwidth_bps[w] = (double)(moved * MW_LOAD_LINE) * (4 + updates) / 4 / time_s;
    return !mw_switched_since(&switches);
}

/* False, and nothing is reported, where the loading cores never ran. */
static bool measure_point(struct shared *s, unsigned updates, unsigned delay, double most_s,
                          struct mw_loaded_point *point)
{
    char *base = s->arenas[0].data;
    size_t lines = s->arenas[0].size_bytes / MW_LOAD_LINE, wanted = s->options->windows, n = 0;
    uint64_t random = s->options->seed | 1;
    double start = mw_now_s();
    atomic_store(&s->updates, updates);
    atomic_store(&s->delay, delay);
    while (mw_now_s() - start < SETTLE_S)
        s->sink = mw_kernel_walk(base, WINDOW_LOADS / 8);
    bool idle = delay == UINT_MAX, ran = idle, enough = false;
    do {
        n += measure_window(s, base + mw_random_below(&random, lines) * MW_LOAD_LINE, n, updates);
        ran = ran || (n && s->bandwidth_bps[n - 1] > 0);
        enough = ran && n >= wanted && count_windows(s, n, false) >= wanted / 2;
    } while (!enough && n < MOST_WINDOWS * wanted && mw_now_s() - start < most_s);
    if (!n || !ran)
        return false;
    n = count_windows(s, n, true);
    *point = (struct mw_loaded_point){.reads_percent = (400 + (4 + updates) / 2) / (4 + updates),
                                      .delay = delay,
                                      .latency_s = mw_median(s->latency_s, n),
                                      .bandwidth_bps = idle ? 0 : mw_median(s->bandwidth_bps, n),
                                      .windows = n};
    return true;
}

/* The heaviest reading traffic from half of the arrays, beside the point of all of them. */
static void measure_half(struct shared *s, double most_s, struct mw_loaded_point *whole)
{
    for (int turn = 0; turn < HALF_TURNS; turn++) {
        struct mw_loaded_point again;
        atomic_store(&s->parts, 2);
        bool ran = measure_point(s, mixes[0], 0, most_s / (2 * HALF_TURNS), s->half);
        atomic_store(&s->parts, 1);
        if (!ran || mw_bw_gain(s->half->bandwidth_bps, whole->bandwidth_bps) != MW_BW_GAIN_FASTER)
            return;
        if (measure_point(s, mixes[0], 0, most_s / (2 * HALF_TURNS), &again) &&
            again.bandwidth_bps > whole->bandwidth_bps)
            *whole = again;
    }
}

static enum mw_err measure_curve(struct shared *s, struct mw_error *error)
{
    double end_s = s->start_s + s->options->max_time_s, points_left = LENGTH(mixes) * LENGTH(delays) + 1;
    for (size_t m = 0; m < LENGTH(mixes); m++)
        for (size_t d = 0; d < LENGTH(delays); d++) {
            struct mw_loaded_point *point = &s->points[*s->point_count];
            if (s->options->stop && s->options->stop())
                return mw_fail(error, MW_INTERRUPTED, "interrupted");
            if (!measure_point(s, mixes[m], delays[d], fmin(MOST_TIME_S, (end_s - mw_now_s()) / points_left--), point))
                continue;
            ++*s->point_count;
            if (!m && !delays[d])
                measure_half(s, fmin(MOST_TIME_S, (end_s - mw_now_s()) / points_left--), point);
        }
    return MW_OK;
}

static enum mw_err member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct shared *s = opaque;
    enum mw_err err = MW_OK;
    if (index)
        memset(s->arenas[index].data, 1, s->arenas[index].size_bytes);
    else
        mw_growing_ring_extend(&s->ring, s->ring.lines_max, &(uint64_t){s->options->seed * 2 + 1});
    mw_team_wait(team);
    if (index) {
        load_until_end(s, index);
        return MW_OK;
    }
    err = measure_curve(s, error);
    atomic_store(&s->end, true);
    return err;
}

static enum mw_err prepare(struct shared *s, struct mw_error *error)
{
    const struct mw_loaded_options *o = s->options;
    s->arenas = calloc(s->count, sizeof *s->arenas);
    s->counters = aligned_alloc(_Alignof(struct counter), s->count * sizeof *s->counters);
    s->latency_s = calloc(MOST_WINDOWS * o->windows + 1, sizeof *s->latency_s);
    s->bandwidth_bps = calloc(MOST_WINDOWS * o->windows + 1, sizeof *s->bandwidth_bps);
    if (!s->arenas || !s->counters || !s->latency_s || !s->bandwidth_bps)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < s->count && !err; i++) {
        atomic_init(&s->counters[i].lines, 0);
        err =
            mw_arena_open(&s->arenas[i], i ? o->load_bytes : o->chase_bytes, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, error);
    }
    if (!err)
        err = mw_growing_ring_init(&s->ring, s->arenas[0].data, s->arenas[0].size_bytes / MW_LOAD_LINE, MW_LOAD_LINE,
                                   GROUP_BYTES / MW_LOAD_LINE, STRIDE_BYTES / MW_LOAD_LINE, error);
    return err;
}

enum mw_err mw_loaded_measure(const unsigned *cpus, size_t count, const struct mw_loaded_options *options,
                              struct mw_loaded_point *points, size_t *point_count, struct mw_loaded_point *half,
                              struct mw_error *error)
{
    struct shared s = {.options = options,
                       .count = count,
                       .points = points,
                       .point_count = point_count,
                       .half = half,
                       .start_s = mw_now_s()};
    atomic_init(&s.delay, UINT_MAX);
    atomic_init(&s.parts, 1);
    *point_count = 0;
    *half = (struct mw_loaded_point){0};
    enum mw_err err = prepare(&s, error);
    if (!err)
        err = mw_team_run(cpus, count, member, &s, error);
    for (size_t i = 0; i < count && s.arenas; i++)
        mw_arena_close(&s.arenas[i]);
    mw_growing_ring_release(&s.ring);
    free(s.arenas);
    free(s.counters);
    free(s.latency_s);
    free(s.bandwidth_bps);
    return err;
}
