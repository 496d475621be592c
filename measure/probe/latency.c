// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/latency.h"

#include "measure/probe/clock.h"
#include "measure/probe/kernels/walk.h"
#include "measure/probe/ring.h"
#include "measure/probe/switches.h"
#include "measure/probe/team.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* short against a time slice, so that most windows see no other program; long against reading the clock (30 ns) */
#define WINDOW_S 1e-3
/* time for a set whose walk is shorter than that, in each round */
#define POINT_S 20e-3
/* more windows than any set has places at 1 ms each within a minute's budget */
#define PLACES_MAX 65536
/* latency that the first guess of a window's length is made with; then it is measured */
#define FIRST_GUESS_S 5e-9
/* what one walk before the first window has to bring into the caches: no level that a core has to itself is larger */
#define WARM_BYTES ((size_t)64 << 20)
/* an L1 hit takes 4 to 5 cycles on processors in use, 3 on old ones; 10 % for the error of the frequency */
#define LEAST_HIT_CYCLES     3
#define MOST_LOADS_PER_CYCLE 3
#define FREQ_MARGIN          .9

struct point_times {
    double *least_s; /* by place: least time of a load, INFINITY where there is none yet */
    size_t places;
    uint64_t loads; /* of a chain in a window */
    size_t windows, rejected;
    double spoiled_s; /* least of the rejected ones */
};

struct shared {
    const struct mw_latency_options *options;
    struct point_times *times; /* members x points */
    double deadline_s;
    unsigned long rounds;
    bool go_on;
    atomic_bool failed;
    struct mw_placement placement;
};

struct walker {
    struct shared *s;
    size_t index;
    struct mw_arena arena;
    struct mw_growing_ring ring;
    uint64_t random;
};

static size_t point_count(const struct mw_latency_options *o)
{
    return o->size_count * o->chain_count;
}

static bool stopped(const struct walker *w)
{
    return w->s->options->stop && w->s->options->stop();
}

static enum mw_err start_ring(struct walker *w, struct mw_error *error)
{
    const struct mw_latency_options *o = w->s->options;
    size_t largest = o->sizes_bytes[o->size_count - 1], group_lines = o->group_bytes / o->line_bytes;
    mw_growing_ring_release(&w->ring);
    mw_arena_close(&w->arena);
    enum mw_err err = mw_arena_open(&w->arena, largest, o->pages, o->node, error);
    if (!err)
        err = mw_growing_ring_init(&w->ring, w->arena.data, largest / o->line_bytes, o->line_bytes,
                                   group_lines ? group_lines : 1, group_lines ? o->stride_bytes / o->line_bytes : 1,
                                   error);
    return err;
}

/* Walks around, so that what fits is cached, and leaves one chain's start in each of p; returns the time of a load. */
static double spread_chains(struct walker *w, void **p, unsigned chains)
{
    size_t lines = w->ring.lines, warm = WARM_BYTES / w->ring.line_bytes, from = 0;
    size_t walk = chains > 1 || lines < warm ? lines : warm;
    void *at = w->ring.base;
    double start_s = mw_now_s();
    for (unsigned k = 0; k < chains; k++) {
        size_t to = lines * k / chains;
        at = mw_kernel_walk(at, to - from);
        p[k] = at;
        from = to;
    }
    void *end = mw_kernel_walk(at, walk - from);
    __asm__ volatile("" : : "r"(end));
    return (mw_now_s() - start_s) / (double)walk;
}

/* One window at a place of the ring. */
static void window(struct point_times *t, void **p, unsigned chains, size_t place)
{
    struct mw_switches before = mw_switches_now();
    double start_s = mw_now_s();
    mw_kernel_chase(p, chains, t->loads);
    double load_s = (mw_now_s() - start_s) / (double)(t->loads * chains);
    t->windows++;
    if (mw_switched_since(&before)) {
        t->rejected++;
        t->spoiled_s = fmin(t->spoiled_s, load_s);
    } else {
        t->least_s[place] = fmin(t->least_s[place], load_s);
    }
}

/* Sets the length of a window and with it the number of places, at the first visit of a point. */
static enum mw_err divide(struct point_times *t, size_t lines, unsigned chains, double load_s, struct mw_error *error)
{
    if (t->least_s)
        return MW_OK;
    double loads = WINDOW_S / (load_s > 0 ? load_s : FIRST_GUESS_S);
    size_t walk = lines / chains;
    t->loads = loads > MW_CHASE_UNROLL ? (uint64_t)loads / MW_CHASE_UNROLL * MW_CHASE_UNROLL : MW_CHASE_UNROLL;
    t->places = walk <= t->loads ? 1 : (walk + t->loads - 1) / t->loads;
    t->places = t->places > PLACES_MAX ? PLACES_MAX : t->places;
    t->spoiled_s = INFINITY;
    t->least_s = calloc(t->places, sizeof *t->least_s);
    for (size_t i = 0; t->least_s && i < t->places; i++)
        t->least_s[i] = INFINITY;
    return t->least_s ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
}

static size_t clean_windows(const struct point_times *t)
{
    return t->windows - t->rejected;
}

/* At most limit_s, but for the windows that a point needs at least: the limit is then four times as long. */
static enum mw_err measure_point(struct walker *w, struct point_times *t, unsigned chains, double limit_s,
                                 struct mw_error *error)
{
    void *p[MW_CHASE_CHAINS_MAX];
    double load_s = spread_chains(w, p, chains);
    enum mw_err err = divide(t, w->ring.lines, chains, load_s, error);
    double start_s = mw_now_s();
    for (size_t place = 0; !err && !stopped(w);) {
        window(t, p, chains, place);
        place = place + 1 < t->places ? place + 1 : 0;
        double took_s = mw_now_s() - start_s;
        bool enough = clean_windows(t) >= MW_LATENCY_LEAST;
        if ((!place && enough && took_s >= POINT_S) || took_s >= (enough ? limit_s : 4 * limit_s))
            break;
    }
    __asm__ volatile("" : : "r"(p[0]), "r"(p[chains - 1]) : "memory");
    return err;
}

/* Seconds for the next of `left` points of the round. */
static double point_limit(const struct walker *w, size_t left)
{
    if (isinf(w->s->deadline_s))
        return INFINITY;
    return w->s->rounds ? fmax(POINT_S, (w->s->deadline_s - mw_now_s()) / (double)left) : POINT_S;
}

static enum mw_err measure_round(struct walker *w, struct mw_team *team, struct mw_error *error)
{
    const struct mw_latency_options *o = w->s->options;
    enum mw_err err = start_ring(w, error);
    for (size_t i = 0; i < o->size_count; i++) {
        bool over = mw_now_s() > w->s->deadline_s;
        if (!err && !stopped(w) && !over)
            mw_growing_ring_extend(&w->ring, o->sizes_bytes[i] / o->line_bytes, &w->random);
        for (size_t c = 0; c < o->chain_count; c++) {
            mw_team_wait(team); /* also after a failure: the others wait */
            size_t point = i * o->chain_count + c;
            struct point_times *t = &w->s->times[w->index * point_count(o) + point];
            if (!err && !stopped(w) && !over)
                err = measure_point(w, t, o->chains[c], point_limit(w, point_count(o) - point), error);
        }
    }
    return err;
}

/* Some point of some thread has too few windows that count. */
static bool lacks_windows(const struct shared *s)
{
    bool lacks = false;
    for (size_t i = 0; i < s->options->cpu_count * point_count(s->options); i++)
        lacks = lacks || clean_windows(&s->times[i]) < MW_LATENCY_CLEAN;
    return lacks;
}

/* By the first thread, between rounds. */
static bool goes_on(const struct shared *s)
{
    if (atomic_load(&s->failed) || (s->options->stop && s->options->stop()) || mw_now_s() >= s->deadline_s)
        return false;
    return s->rounds < s->options->rounds || (isfinite(s->deadline_s) && lacks_windows(s));
}

static enum mw_err walk_member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct shared *s = opaque;
    struct walker w = {.s = s,
                       .index = index,
                       .random = (s->options->seed + index + 1) *
                                 0x9e3779b97f4a7c15u /* 2^64 / golden ratio: spreads bits */};
    w.random = w.random ? w.random : 1;
    enum mw_err err = MW_OK;
    do {
        mw_team_wait(team);
        err = measure_round(&w, team, error);
        if (err)
            atomic_store(&s->failed, true);
        mw_team_wait(team);
        if (!index) {
            s->rounds++;
            s->go_on = goes_on(s);
        }
        mw_team_wait(team);
    } while (s->go_on);
    if (!err && !index)
        err = mw_arena_inspect(&w.arena, &s->placement, error);
    mw_growing_ring_release(&w.ring);
    mw_arena_close(&w.arena);
    return err;
}

/* Mean over the places that have a time; the least spoiled one where none has. */
static double latency_of(const struct point_times *t, bool *disturbed)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < t->places; i++) {
        if (isfinite(t->least_s[i])) {
            sum += t->least_s[i];
            known++;
        }
    }
    *disturbed = *disturbed || clean_windows(t) < MW_LATENCY_LEAST;
    return known ? sum / (double)known : t->windows ? t->spoiled_s : 0;
}

static void summarise(const struct shared *s, struct mw_latency_result *r)
{
    const struct mw_latency_options *o = s->options;
    for (size_t i = 0; i < point_count(o); i++) {
        struct mw_latency_point *p = &r->points[i];
        p->size_bytes = o->sizes_bytes[i / o->chain_count] / o->line_bytes * o->line_bytes;
        p->chains = o->chains[i % o->chain_count];
        for (size_t m = 0; m < o->cpu_count; m++) {
            const struct point_times *t = &s->times[m * point_count(o) + i];
            p->latency_s += latency_of(t, &p->disturbed) / (double)o->cpu_count;
            p->windows += t->windows;
            p->rejected += t->rejected;
        }
    }
}

enum mw_err mw_latency_run(const struct mw_latency_options *options, struct mw_latency_result *result,
                           struct mw_error *error)
{
    struct shared s = {.options = options, .deadline_s = mw_now_s() + options->max_time_s};
    struct mw_latency_result r = {.point_count = point_count(options)};
    size_t total = options->cpu_count * r.point_count;
    s.times = calloc(total + 1, sizeof *s.times);
    r.points = calloc(r.point_count + 1, sizeof *r.points);
    enum mw_err err = s.times && r.points ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_team_run(options->cpus, options->cpu_count, walk_member, &s, error);
    if (!err && options->stop && options->stop())
        err = mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (!err)
        summarise(&s, &r);
    r.rounds = s.rounds;
    r.placement = s.placement;
    for (size_t i = 0; s.times && i < total; i++)
        free(s.times[i].least_s);
    free(s.times);
    if (err)
        free(r.points);
    else
        *result = r;
    return err;
}

void mw_latency_release(struct mw_latency_result *result)
{
    free(result->points);
    *result = (struct mw_latency_result){0};
}

double mw_latency_floor(double freq_hz, unsigned chains)
{
    double cycles = fmax(LEAST_HIT_CYCLES / (double)chains, 1. / MOST_LOADS_PER_CYCLE);
    return freq_hz > 0 ? FREQ_MARGIN * cycles / freq_hz : 0;
}
