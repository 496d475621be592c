// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/llc.h"

#include "data/output.h"
#include "measure/machine/state_folder.h"
#include "measure/machine/sysfile.h"
#include "measure/probe/arena.h"
#include "measure/probe/clock.h"
#include "measure/probe/kernels/walk.h"
#include "measure/probe/ring.h"
#include "measure/probe/team.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES          64
#define GROUP_BYTES         ((size_t)256 << 10) /* 64 pages of 4 KiB: within the first-level TLB of processors in use */
#define APART_BYTES         256 /* lines less than this apart are met in different visits: prefetchers bring neighbours along */
#define WINDOWS             8
#define WINDOW_LOADS        8192
#define WARM_LINES          ((size_t)1 << 20) /* 64 MiB: what a set that the caches hold has to be walked once */
#define GROUP_LOADS         256
#define WINDOW_MEMORY_LOADS 2048
#define MEMORY_LOADS        (MW_RING_WARM + WINDOWS * WINDOW_MEMORY_LOADS)
#define SIZES_MAX           96 /* four an octave: to the end of any address space */

static const char kept_format[] = "memwall-llc 1 boot %63s reported %zu measured %zu";

static size_t total_memory(const struct mw_topology *topology)
{
    size_t sum = 0;
    for (size_t i = 0; i < topology->node_count; i++)
        sum += topology->nodes[i].memory_bytes;
    return sum;
}

/* The core of a CPU, NULL where it has none. */
static const struct mw_core *core_of(const struct mw_topology *topology, unsigned cpu)
{
    for (size_t c = 0; c < topology->core_count; c++)
        for (size_t i = 0; i < topology->cores[c].cpu_count; i++)
            if (topology->cores[c].cpus[i] == cpu)
                return &topology->cores[c];
    return NULL;
}

static const struct mw_cache *last_cache(const struct mw_topology *topology, unsigned cpu)
{
    const struct mw_core *core = core_of(topology, cpu);
    return core && core->last_cache != UINT_MAX ? &topology->caches[core->last_cache] : NULL;
}

size_t mw_llc_reported(const struct mw_topology *topology, unsigned cpu)
{
    const struct mw_cache *cache = last_cache(topology, cpu);
    return cache ? cache->size_bytes : 0;
}

/* What the kernel says of the same level; 0 where it says nothing of that CPU's caches. */
static size_t kernel_size(unsigned cpu, unsigned level)
{
    for (unsigned i = 0; i < 8; i++) {
        char text[32], type[32];
        double at = 0;
        if (mw_sysfile_number("", &at, "/sys/devices/system/cpu/cpu%u/cache/index%u/level", cpu, i))
            return 0;
        if ((unsigned)at != level ||
            mw_sysfile_text("", type, sizeof type, "/sys/devices/system/cpu/cpu%u/cache/index%u/type", cpu, i) ||
            !strcmp(type, "Instruction") ||
            mw_sysfile_text("", text, sizeof text, "/sys/devices/system/cpu/cpu%u/cache/index%u/size", cpu, i))
            continue;
        char *unit;
        double size = strtod(text, &unit);
        return (size_t)(size * (*unit == 'K' ? 1024 : *unit == 'M' ? 1048576 : 1));
    }
    return 0;
}

const char *mw_llc_doubt(const struct mw_topology *topology, unsigned cpu, bool guest)
{
    const struct mw_cache *cache = last_cache(topology, cpu);
    if (!cache || !cache->size_bytes)
        return "none is reported";
    if (guest)
        return "what a guest is told may be the host's";
    if (cache->core_count == 1 && cache->size_bytes > MW_LLC_PRIVATE_MOST_BYTES)
        return "no core has so much to itself";
    if (cache->size_bytes > total_memory(topology) / MW_LLC_MEMORY_SHARE)
        return "it is more than a quarter of memory";
    size_t kernel = *topology->root ? 0 : kernel_size(cpu, cache->level);
    return kernel && kernel != cache->size_bytes ? "the kernel and hwloc differ" : NULL;
}

size_t mw_llc_end(const double *x, const double *time_s, size_t n, double memory_s, bool *passed)
{
    size_t helped = n;
    while (helped && time_s[helped - 1] >= MW_LLC_HELP * memory_s)
        helped--;
    *passed = n - helped >= MW_LLC_PASSED;
    return helped ? (size_t)x[helped - 1] : 0;
}

struct search {
    const struct mw_llc_options *options;
    struct mw_arena arena;
    struct mw_growing_ring ring;
    uint64_t random;
    double start_s, memory_s;
    double x[SIZES_MAX], time_s[SIZES_MAX];
    size_t count, size_bytes;
};

static bool search_over(const struct search *s)
{
    return mw_now_s() - s->start_s > s->options->max_time_s || (s->options->stop && s->options->stop());
}

/* The least time of a load in windows of `loads` that follow one another; each window is short against a time slice. */
static double least_load(void **p, uint64_t loads)
{
    double least = HUGE_VAL;
    for (int w = 0; w < WINDOWS; w++) {
        double start_s = mw_now_s();
        *p = mw_kernel_walk(*p, loads);
        __asm__ volatile("" : : "r"(*p));
        least = fmin(least, (mw_now_s() - start_s) / (double)loads);
    }
    return least;
}

/* A load of a line that no cache holds: lines of some groups of pages, flushed, walked once. */
static enum mw_err measure_memory(struct search *s, struct mw_error *error)
{
    size_t *offset = calloc(MEMORY_LOADS, sizeof *offset);
    if (!offset)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < MEMORY_LOADS; i++) {
        size_t other = i - mw_random_below(&s->random, i % GROUP_LOADS + 1);
        offset[i] = offset[other];
        offset[other] = i / GROUP_LOADS * GROUP_BYTES + i % GROUP_LOADS * (GROUP_BYTES / GROUP_LOADS);
    }
    void *p = mw_ring_flushed(s->arena.data, offset, MEMORY_LOADS);
    free(offset);
    if (!p)
        return mw_fail(error, MW_UNSUPPORTED, "user programs can't flush a line here");
    p = mw_kernel_walk(p, MW_RING_WARM);
    s->memory_s = least_load(&p, WINDOW_MEMORY_LOADS);
    return MW_OK;
}

/* Sets of a growing ring until memory is passed or the time is up. */
static bool measure_sets(struct search *s)
{
    bool passed = false;
    for (size_t octave = MW_LLC_FIRST_BYTES; octave <= s->options->size_bytes; octave *= 2)
        for (size_t quarter = 4; quarter < 8; quarter++) {
            size_t size = octave / 4 * quarter, lines = size / LINE_BYTES;
            if (size > s->options->size_bytes || s->count == SIZES_MAX || search_over(s))
                return passed;
            mw_growing_ring_extend(&s->ring, lines, &s->random);
            void *p = s->ring.base + mw_random_below(&s->random, lines) * LINE_BYTES;
            p = mw_kernel_walk(p, lines < WARM_LINES ? lines : WARM_LINES);
            s->x[s->count] = (double)size;
            s->time_s[s->count++] = least_load(&p, WINDOW_LOADS);
            s->size_bytes = mw_llc_end(s->x, s->time_s, s->count, s->memory_s, &passed);
            if (passed)
                return true;
        }
    return passed;
}

static enum mw_err search_member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct search *s = opaque;
    size_t least = MEMORY_LOADS / GROUP_LOADS * GROUP_BYTES;
    size_t size = s->options->size_bytes > least ? s->options->size_bytes : least;
    (void)team;
    (void)index;
    enum mw_err err = mw_arena_open(&s->arena, size, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, error);
    if (err)
        return err;
    err = mw_growing_ring_init(&s->ring, s->arena.data, size / LINE_BYTES, LINE_BYTES, GROUP_BYTES / LINE_BYTES,
                               APART_BYTES / LINE_BYTES, error);
    if (!err)
        err = measure_memory(s, error);
    if (!err && !measure_sets(s))
        err = mw_fail(error, MW_UNSUPPORTED, "%s",
                      search_over(s) ? "the time was up before the caches were passed"
                                     : "caches still help at the largest working set");
    if (err != MW_OK && s->options->stop && s->options->stop())
        err = mw_fail(error, MW_INTERRUPTED, "interrupted");
    mw_growing_ring_release(&s->ring);
    mw_arena_close(&s->arena);
    return err;
}

enum mw_err mw_llc_measure(const struct mw_llc_options *options, size_t *size_bytes, struct mw_error *error)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return mw_fail(error, MW_NOMEM, "out of memory");
    s->options = options;
    s->start_s = mw_now_s();
    s->random = (options->seed + 1) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: spreads bits */
    s->random = s->random ? s->random : 1;
    enum mw_err err = mw_team_run(&options->cpu, 1, search_member, s, error);
    if (!err) /* sets below the first one are inside the second level of any processor in use */
        *size_bytes = s->size_bytes ? s->size_bytes : MW_LLC_FIRST_BYTES;
    free(s);
    return err;
}

static bool kept_path(bool make, char *path, size_t size, char *boot, size_t boot_size)
{
    char folder[PATH_MAX];
    return !mw_sysfile_text("", boot, boot_size, "/proc/sys/kernel/random/boot_id") &&
           !mw_state_folder("", make, folder, sizeof folder) && snprintf(path, size, "%s/llc", folder) < (int)size;
}

bool mw_llc_kept(size_t reported_bytes, size_t *size_bytes)
{
    char path[PATH_MAX], boot[64], then[64];
    size_t reported, measured;
    if (!kept_path(false, path, sizeof path, boot, sizeof boot))
        return false;
    FILE *f = fopen(path, "re");
    bool good = f && fscanf(f, kept_format, then, &reported, &measured) == 3 && !strcmp(boot, then) &&
                reported == reported_bytes && measured > 0;
    if (f)
        fclose(f);
    if (good)
        *size_bytes = measured;
    return good;
}

void mw_llc_keep(size_t reported_bytes, size_t size_bytes)
{
    char path[PATH_MAX], boot[64];
    struct mw_output output;
    struct mw_error ignored;
    if (!kept_path(true, path, sizeof path, boot, sizeof boot) || mw_output_open(&output, path, true, &ignored))
        return;
    fprintf(output.stream, "memwall-llc 1 boot %s reported %zu measured %zu\n", boot, reported_bytes, size_bytes);
    if (mw_output_commit(&output, &ignored))
        mw_output_release(&output);
}

size_t mw_llc_sum(const struct mw_topology *topology, const unsigned *cpus, size_t count, size_t instance_bytes)
{
    bool *seen = calloc(topology->cache_count + 1, sizeof *seen);
    size_t instances = 0, alone = 0;
    for (size_t k = 0; seen && k < count; k++) {
        const struct mw_core *core = core_of(topology, cpus[k]);
        if (!core || core->last_cache == UINT_MAX) {
            alone++;
        } else if (!seen[core->last_cache]) {
            seen[core->last_cache] = true;
            instances++;
        }
    }
    free(seen);
    instances += (alone + MW_LLC_LEAST_SHARERS - 1) / MW_LLC_LEAST_SHARERS;
    return instance_bytes * instances;
}
