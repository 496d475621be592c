// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/machines/sim_hierarchy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB       ((size_t)1024)
#define MIB       (1024 * KIB)
#define LENGTH(a) (sizeof(a) / sizeof *(a))
/* what counts as right, beside exact lines, ways and levels */
#define CAPACITY_OCTAVES (1. / 16)
#define LATENCY_SHARE    0.03
#define ENTRIES_SHARE    0.125
#define PAGE_BYTES       ((size_t)4096)
#define SCAN_LEAST       (10 * MIB)
#define SCAN_MOST        (24 * MIB)

static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double between(double low, double high)
{
    return low + (high - low) * (double)(draw() >> 11) / 9007199254740992.0;
}

#define ONE_OF(list) list[draw() % LENGTH(list)]

static void draw_levels(struct sim_machine *m)
{
    static const unsigned ways1[] = {4, 6, 8, 12}, ways2[] = {8, 10, 16, 20}, ways3[] = {11, 12, 16};
    static const size_t sets2[] = {512, 1024, 2048}, sets3[] = {2048, 4096, 8192};
    m->level_count = draw() % 5 ? 3 : 2;
    m->level[0] = (struct sim_level){64, ONE_OF(ways1), 1e-9 * between(0.8, 2)};
    do
        m->level[1] = (struct sim_level){ONE_OF(sets2), ONE_OF(ways2), m->level[0].latency_s * between(2.5, 4)};
    while (sim_capacity(m, 1) < 4 * sim_capacity(m, 0) || sim_capacity(m, 1) > 3 * MIB / 2);
    if (m->level_count == 3)
        do
            m->level[2] = (struct sim_level){ONE_OF(sets3), ONE_OF(ways3), m->level[1].latency_s * between(2.5, 6)};
        while (sim_capacity(m, 2) < 3 * sim_capacity(m, 1) || sim_capacity(m, 2) > 6 * MIB);
    m->memory_s = fmax(60e-9, m->level[m->level_count - 1].latency_s * between(2.5, 6));
}

/* Mostly the truth; nothing at all, or a last level of another size, as guests are told. */
static void draw_report(struct sim_machine *m)
{
    uint64_t kind = draw() % 10;
    m->reported = (struct mw_cache_reported){.level_count = kind ? m->level_count : 0};
    for (size_t i = 0; i < m->reported.level_count; i++)
        m->reported.level[i] = (struct mw_cache_level){.capacity_bytes = sim_capacity(m, i),
                                                       .line_bytes = m->line_bytes,
                                                       .ways = m->level[i].ways,
                                                       .cpus = i == 2 ? 8 : 1};
    if (kind == 1)
        m->reported.level[m->level_count - 1].capacity_bytes *= 4;
    for (int i = 0; kind && i < 2; i++)
        m->reported.tlb_entries[i] = (unsigned)m->tlb_entries[i];
}

struct sim_machine sim_draw(uint64_t seed)
{
    static const size_t entries1[] = {48, 64, 72, 96}, entries2[] = {512, 1024, 1536};
    static const size_t reach[] = {0, 256, 512, 1024, 2048, 8192};
    struct sim_machine m = {.seed = seed};
    state = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
    for (int i = 0; i < 16; i++)
        draw();
    m.line_bytes = draw() % 7 ? 64 : 128;
    draw_levels(&m);
    m.pairs = draw() % 2;
    m.tlb_entries[0] = ONE_OF(entries1);
    m.tlb_entries[1] = ONE_OF(entries2);
    m.tlb_miss_s[0] = m.level[0].latency_s * between(1, 2);
    m.tlb_miss_s[1] = 1e-9 * between(8, 20);
    m.prefetch_bytes[0] = ONE_OF(reach);
    m.prefetch_bytes[1] = ONE_OF(reach);
    m.noise = between(0.02, 0.10);
    m.spikes = between(5, 50);
    draw_report(&m);
    return m;
}

static const struct mw_finding *find(const struct mw_cache_report *r, const char *level, const char *property)
{
    for (size_t i = 0; i < r->finding_count; i++)
        if (!strcmp(r->findings[i].level, level) && !strcmp(r->findings[i].property, property))
            return &r->findings[i];
    return NULL;
}

/* Right, marked (can't be told) or wrong: within `octaves` of the truth; truth 0: must not be found. */
static void judge(struct sim_judgement *j, const struct mw_cache_report *r, const char *level, const char *property,
                  double truth, double octaves)
{
    const struct mw_finding *f = find(r, level, property);
    bool found = f && f->found, told = found && f->verdict != MW_CACHE_UNKNOWN;
    double off = found && truth > 0 ? fabs(log2(f->value / truth)) : truth > 0 || found ? HUGE_VAL : 0;
    if ((told || !(truth > 0)) && off <= octaves + 1e-9) {
        j->right++;
        return;
    }
    bool wrong = told;
    j->wrong += wrong;
    j->unmarked += !wrong;
    j->wrong_any = j->wrong_any || wrong;
    j->marked_any = j->marked_any || !wrong;
    snprintf(j->text + strlen(j->text), sizeof j->text - strlen(j->text), "  %s %s %s: %.6g, truth %.6g (%s)\n",
             wrong ? "WRONG" : "marked", level, property, found ? f->value : 0, truth, f ? f->why : "no row");
}

static size_t size_to_scan(const struct sim_machine *m)
{
    if (m->scan_bytes)
        return m->scan_bytes;
    size_t size = 4 * sim_capacity(m, m->level_count - 1);
    return size < SCAN_LEAST ? SCAN_LEAST : size < SCAN_MOST ? size : SCAN_MOST;
}

/* Where the scan ended before the prefetcher gave up, the answer is a lower bound and says so. */
static double limit_of(const struct mw_cache_report *r, const char *property, size_t reach)
{
    const struct mw_finding *f = find(r, "prefetch", property);
    bool bound = f && f->found && !strncmp(f->why, ">=", 2);
    return bound && f->value <= (double)reach ? f->value : (double)reach;
}

enum mw_err sim_judge(const struct sim_machine *m, double max_time_s, struct sim_judgement *j,
                      struct mw_cache_report *report, struct mw_error *error)
{
    static const char *const level[] = {"1", "2", "3", "4", "5"};
    struct mw_cache_options options = {
        .size_bytes = size_to_scan(m), .max_time_s = max_time_s, .seed = m->seed, .cpu = 0};
    *j = (struct sim_judgement){0};
    sim_start(m);
    enum mw_err err = mw_cache_measure(NULL, &options, report, error);
    sim_end();
    if (err)
        return err;
    for (size_t i = 0; i < 5; i++)
        judge(j, report, level[i], "capacity_bytes", i < m->level_count ? (double)sim_capacity(m, i) : 0,
              CAPACITY_OCTAVES);
    for (size_t i = 0; i < m->level_count; i++)
        judge(j, report, level[i], "line_bytes", (double)m->line_bytes, 0);
    for (size_t i = 0; i < 2; i++)
        judge(j, report, level[i], "associativity", m->level[i].ways, 0);
    judge(j, report, "memory", "latency_ns", 1e9 * m->memory_s, log2(1 + LATENCY_SHARE));
    judge(j, report, "tlb1", "entries", (double)m->tlb_entries[0], log2(1 + ENTRIES_SHARE));
    if (options.size_bytes >= 4 * PAGE_BYTES * m->tlb_entries[1]) /* else there is no plateau behind it */
        judge(j, report, "tlb2", "entries", (double)m->tlb_entries[1], log2(1 + ENTRIES_SHARE));
    static const char *const limit[] = {"forward_limit_bytes", "backward_limit_bytes"};
    for (int i = 0; i < 2; i++)
        judge(j, report, "prefetch", limit[i], limit_of(report, limit[i], m->prefetch_bytes[i]), 0);
    return MW_OK;
}
