// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/machines/sim_memory.h"

#include "measure/probe/arena.h"
#include "measure/probe/clock.h"
#include "measure/probe/kernels/walk.h"
#include "measure/probe/switches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>

#define BASE_BYTES  ((size_t)4096)
#define HUGE_BYTES  ((size_t)2 << 20)
#define ARENAS      8
#define NONE        UINT64_MAX
#define BLOCK_S     20e-3 /* other work changes about as often as time slices end */
#define CLOCK_S     20e-9
#define SWEEP_SHARE 0.1 /* of memory latency: lines in order overlap */
#define TLB_WAYS    4
/* laps of a ring after which random replacement has settled, and of which the mean is taken */
#define LAPS_SETTLE 6

struct table { /* tags of one cache or TLB, the most recently used first in each set */
    uint64_t *tag;
    size_t sets;
    unsigned ways;
};

/* A ring that was walked around last; steady: each lap costs the same. */
struct lap {
    void *start;
    uint64_t places, hash;
    double lap_s;
    bool steady;
};

static struct {
    struct sim_machine machine;
    struct table level[SIM_LEVELS], tlb[2];
    double now_s;
    unsigned line_shift;
    uint64_t random, loads, warm_loads;
    long switches;
    struct {
        char *data;
        size_t bytes, page_bytes;
    } arena[ARENAS];
    char *last; /* addresses of the last two loads, for the prefetcher */
    ptrdiff_t stride;
    struct lap lap;
} sim;

static uint64_t next_random(void)
{
    sim.random ^= sim.random << 13;
    sim.random ^= sim.random >> 7;
    return sim.random ^= sim.random << 17;
}

static uint64_t mix(uint64_t x) /* splitmix64 (Steele et al. 2014) */
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double uniform(uint64_t bits)
{
    return ((double)(bits >> 11) + 0.5) / 9007199254740992.0;
}

static double half_normal(uint64_t bits)
{
    return fabs(sqrt(-2 * log(uniform(bits))) * cos(6.283185307179586 * uniform(mix(bits))));
}

static void table_open(struct table *t, size_t sets, unsigned ways)
{
    *t = (struct table){.tag = malloc(sets * ways * sizeof *t->tag), .sets = sets, .ways = ways};
    memset(t->tag, 0xff, sets * ways * sizeof *t->tag);
}

static uint64_t *set_of(const struct table *t, uint64_t tag)
{
    size_t set = t->sets & (t->sets - 1) ? tag % t->sets : tag & (t->sets - 1); /* dividing is slow */
    return t->tag + set * t->ways;
}

/* True where the tag is there; makes it the most recent. */
static bool table_hit(struct table *t, uint64_t tag)
{
    uint64_t *set = set_of(t, tag), before = set[0];
    if (before == tag)
        return true;
    unsigned w = 1;
    while (w < t->ways && set[w] != tag)
        w++;
    if (w == t->ways)
        return false;
    for (; w; w--)
        set[w] = set[w - 1];
    set[0] = tag;
    return true;
}

static void table_fill(struct table *t, uint64_t tag, bool at_random)
{
    uint64_t *set = set_of(t, tag);
    unsigned out = t->ways - 1;
    if (at_random && set[out] != NONE)
        out = (unsigned)(next_random() % t->ways);
    for (; out; out--)
        set[out] = set[out - 1];
    set[0] = tag;
}

static void table_drop(struct table *t, uint64_t tag)
{
    uint64_t *set = set_of(t, tag);
    unsigned w = 0;
    while (w < t->ways && set[w] != tag)
        w++;
    for (; w < t->ways; w++)
        set[w] = w + 1 < t->ways ? set[w + 1] : NONE;
}

/* Where p lies in the simulated address space, which is the same in each run; its page's size. */
static uint64_t address_of(const char *p, size_t *page_bytes)
{
    int i = 0;
    while (i + 1 < ARENAS &&
           !(sim.arena[i].data && p >= sim.arena[i].data && p < sim.arena[i].data + sim.arena[i].bytes))
        i++;
    *page_bytes = sim.arena[i].page_bytes;
    return ((uint64_t)i + 1) << 40 | (uint64_t)(p - sim.arena[i].data);
}

/* Base pages lie anywhere; huge pages are whole unless memory is scattered. */
static uint64_t line_of(uint64_t at, size_t page_bytes)
{
    if (page_bytes == BASE_BYTES || sim.machine.scattered)
        at = (mix(at / BASE_BYTES ^ sim.machine.seed) >> 24) * BASE_BYTES + at % BASE_BYTES;
    return at >> sim.line_shift;
}

static double translate(uint64_t at, size_t page_bytes)
{ /* pages of different sizes have no number in common: those of arenas differ in the bits above */
    uint64_t page = page_bytes == BASE_BYTES ? at / BASE_BYTES : at / HUGE_BYTES;
    double cost_s = 0;
    for (int i = 0; i < 2 && !table_hit(&sim.tlb[i], page); i++) {
        cost_s += sim.machine.tlb_miss_s[i];
        table_fill(&sim.tlb[i], page, false);
    }
    return cost_s;
}

static void bring(uint64_t line, size_t from, size_t below)
{
    for (size_t i = from; i < below; i++)
        table_fill(&sim.level[i], line, sim.machine.random_replacement && i + 1 == sim.machine.level_count);
}

/* True where the load is one that the prefetcher has seen coming. */
static bool followed(char *p)
{
    ptrdiff_t stride = sim.last ? p - sim.last : 0;
    size_t reach = sim.machine.prefetch_bytes[stride < 0];
    bool yes = stride && stride == sim.stride && (size_t)labs(stride) <= reach;
    sim.stride = stride;
    sim.last = p;
    return yes;
}

static double load(char *p)
{
    size_t page_bytes, hit = 0, levels = sim.machine.level_count;
    uint64_t at = address_of(p, &page_bytes), line = line_of(at, page_bytes);
    double cost_s = translate(at, page_bytes);
    sim.loads++;
    while (hit < levels && !table_hit(&sim.level[hit], line))
        hit++;
    bool expected = followed(p);
    if (hit == levels && expected)
        cost_s += sim.machine.level[levels > 1].latency_s;
    else if (hit < levels)
        cost_s += sim.machine.level[hit].latency_s;
    else
        cost_s += sim.machine.memory_s * (sim.warm_loads++ < sim.machine.cold_loads ? 2 : 1);
    bring(line, 0, hit);
    for (size_t i = 1; hit == levels && sim.machine.pairs && i < levels; i++)
        if (!table_hit(&sim.level[i], line ^ 1))
            bring(line ^ 1, i, i + 1);
    return cost_s;
}

/* Moves the clock by what work costs when undisturbed, and what others add to it meanwhile. */
static void spend(double cost_s)
{
    uint64_t block = mix((uint64_t)(sim.now_s / BLOCK_S) ^ sim.machine.seed);
    cost_s *= 1 + sim.machine.noise * half_normal(block);
    if (uniform(next_random()) < cost_s * sim.machine.spikes) {
        cost_s += 20e-6 * pow(250, uniform(next_random()));
        sim.switches++;
    }
    sim.now_s += cost_s;
}

/* True where the ring from p on is still the one whose lap is known. */
static bool same_ring(void *p)
{
    void *at = p;
    uint64_t hash = 0;
    if (!sim.lap.steady || p != sim.lap.start)
        return false;
    for (uint64_t i = 0; i < sim.lap.places; i++, at = *(void **)at)
        hash = hash * 31 + (uint64_t)(uintptr_t)at;
    return hash == sim.lap.hash && at == p;
}

/* One lap, or as much of it as there are loads; true where it came back to its start. */
static bool walk_lap(void **p, uint64_t most, struct lap *lap)
{
    void *start = *p;
    *lap = (struct lap){.start = start};
    do {
        lap->hash = lap->hash * 31 + (uint64_t)(uintptr_t)*p;
        lap->lap_s += load(*p);
        lap->places++;
        *p = *(void **)*p;
    } while (lap->places < most && *p != start);
    return *p == start;
}

/* Laps are walked until two cost the same, or random replacement has settled; then all others do. */
void *mw_kernel_walk(void *p, uint64_t loads)
{
    double cost_s = 0, settled_s = 0;
    uint64_t done = 0, laps = 0;
    struct lap lap, before = sim.lap;
    bool known = loads >= sim.lap.places && same_ring(p);
    while (done < loads && !(known && loads - done >= sim.lap.places)) {
        bool whole = walk_lap(&p, loads - done, &lap);
        cost_s += lap.lap_s;
        done += lap.places;
        lap.steady = false;
        if (whole && ++laps > LAPS_SETTLE / 2)
            settled_s += lap.lap_s / (LAPS_SETTLE / 2);
        bool same = whole && before.hash == lap.hash && fabs(lap.lap_s - before.lap_s) <= 1e-9 * lap.lap_s;
        lap.lap_s = laps == LAPS_SETTLE && !same ? settled_s : lap.lap_s;
        known = lap.steady = same || (whole && laps == LAPS_SETTLE);
        sim.lap = before = lap;
    }
    if (known && done < loads) {
        uint64_t rest = (loads - done) / sim.lap.places;
        cost_s += (double)rest * sim.lap.lap_s;
        done += rest * sim.lap.places;
        for (double part_s; done < loads; cost_s += part_s, done++, p = *(void **)p) {
            part_s = load(p);
            sim.lap.steady = false;
        }
    }
    spend(cost_s);
    return p;
}

void mw_kernel_sweep(const void *data, size_t size_bytes, size_t line_bytes)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= size_bytes; at += line_bytes) {
        size_t page_bytes, hit = 0;
        uint64_t address = address_of((const char *)data + at, &page_bytes), line = line_of(address, page_bytes);
        while (hit < sim.machine.level_count && !table_hit(&sim.level[hit], line))
            hit++;
        bring(line, 0, hit);
    }
    sim.lap = (struct lap){0};
    sim.last = NULL;
    spend(SWEEP_SHARE * sim.machine.memory_s * (double)(size_bytes / line_bytes));
}

bool mw_kernel_flush(const void *p)
{
    size_t page_bytes;
    uint64_t address = address_of(p, &page_bytes), line = line_of(address, page_bytes);
    for (size_t i = 0; i < sim.machine.level_count; i++)
        table_drop(&sim.level[i], line);
    sim.lap = (struct lap){0};
    sim.last = NULL;
    sim.warm_loads = 0;
    spend(sim.machine.memory_s / 4);
    return true;
}

void mw_kernel_fence(void)
{
}

double mw_now_s(void)
{
    sim.now_s += CLOCK_S / 2;
    return sim.now_s;
}

struct mw_switches mw_switches_now(void)
{
    return (struct mw_switches){.involuntary = sim.switches};
}

bool mw_switched_since(const struct mw_switches *before)
{
    return before->involuntary != sim.switches;
}

enum mw_err mw_arena_open(struct mw_arena *arena, size_t size_bytes, enum mw_pages pages, int node,
                          struct mw_error *error)
{
    (void)node;
    int i = 0;
    while (i < ARENAS && sim.arena[i].data)
        i++;
    size_t map_bytes = size_bytes + HUGE_BYTES;
    char *map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (i == ARENAS || map == MAP_FAILED)
        return mw_fail(error, MW_NOMEM, "out of memory");
    char *data = (char *)(((uintptr_t)map + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);
    sim.arena[i].data = data;
    sim.arena[i].bytes = size_bytes;
    sim.arena[i].page_bytes = pages == MW_PAGES_HUGE ? HUGE_BYTES : BASE_BYTES;
    *arena = (struct mw_arena){.data = data, .size_bytes = size_bytes, .map = map, .map_bytes = map_bytes};
    return MW_OK;
}

void mw_arena_close(struct mw_arena *arena)
{
    for (int i = 0; i < ARENAS && arena->data; i++)
        if (sim.arena[i].data == arena->data)
            sim.arena[i].data = NULL;
    if (arena->map)
        munmap(arena->map, arena->map_bytes);
    *arena = (struct mw_arena){0};
}

enum mw_err mw_arena_inspect(const struct mw_arena *arena, struct mw_placement *placement, struct mw_error *error)
{
    (void)error;
    *placement = (struct mw_placement){.huge_share = 1, .sampled = 1};
    address_of(arena->data, &placement->page_bytes);
    return MW_OK;
}

size_t mw_page_bytes(void)
{
    return BASE_BYTES;
}

size_t mw_huge_page_bytes(void)
{
    return HUGE_BYTES;
}

void mw_cache_reported_read(const struct mw_topology *topology, unsigned cpu, struct mw_cache_reported *reported)
{
    (void)topology;
    (void)cpu;
    *reported = sim.machine.reported;
}

size_t sim_capacity(const struct sim_machine *machine, size_t level)
{
    return machine->level[level].sets * machine->level[level].ways * machine->line_bytes;
}

uint64_t sim_loads(void)
{
    return sim.loads;
}

void sim_start(const struct sim_machine *machine)
{
    memset(&sim, 0, sizeof sim);
    sim.machine = *machine;
    sim.random = mix(machine->seed) | 1;
    while ((size_t)1 << sim.line_shift < machine->line_bytes)
        sim.line_shift++;
    for (size_t i = 0; i < machine->level_count; i++)
        table_open(&sim.level[i], machine->level[i].sets, machine->level[i].ways);
    for (int i = 0; i < 2; i++)
        table_open(&sim.tlb[i], machine->tlb_entries[i] / TLB_WAYS, TLB_WAYS);
}

void sim_end(void)
{
    for (size_t i = 0; i < sim.machine.level_count; i++)
        free(sim.level[i].tag);
    free(sim.tlb[0].tag);
    free(sim.tlb[1].tag);
}
