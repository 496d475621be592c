// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/cache_reported.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Intel: one sub-leaf for each TLB; types 1 (data), 3 (unified) and 4 (loads only) serve loads. */
static void intel_tlbs(unsigned *entries)
{
    unsigned a, b, c, d, last = 0;
    for (unsigned leaf = 0; leaf <= last && leaf < 64; leaf++) {
        if (!__get_cpuid_count(0x18, leaf, &a, &b, &c, &d))
            return;
        if (!leaf)
            last = a;
        unsigned type = d & 0x1f, level = (d >> 5) & 7;
        if ((type == 1 || type == 3 || type == 4) && (b & 1) && level >= 1 && level <= MW_TLB_LEVELS)
            entries[level - 1] += (b >> 16) * c;
    }
}

static void amd_tlbs(unsigned *entries)
{
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000005, &a, &b, &c, &d))
        entries[0] = (b >> 16) & 0xff;
    if (__get_cpuid(0x80000006, &a, &b, &c, &d))
        entries[1] = (b >> 16) & 0xfff;
}

static void read_tlbs(unsigned *entries)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return;
    if (b == signature_INTEL_ebx && a >= 0x18)
        intel_tlbs(entries);
    else if (b == signature_AMD_ebx)
        amd_tlbs(entries);
}
#else
static void read_tlbs(unsigned *entries)
{
    (void)entries;
}
#endif

void mw_cache_reported_read(const struct mw_topology *topology, unsigned cpu, struct mw_cache_reported *reported)
{
    *reported = (struct mw_cache_reported){0};
    for (hwloc_obj_t o = hwloc_get_pu_obj_by_os_index(topology->hwloc, cpu); o; o = o->parent) {
        if (!hwloc_obj_type_is_dcache(o->type))
            continue;
        size_t level = o->attr->cache.depth;
        if (level < 1 || level > MW_CACHE_LEVELS)
            continue;
        reported->level[level - 1] = (struct mw_cache_level){
            .capacity_bytes = o->attr->cache.size,
            .line_bytes = o->attr->cache.linesize,
            .ways = o->attr->cache.associativity > 0 ? (unsigned)o->attr->cache.associativity : 0,
            .cpus = (unsigned)hwloc_bitmap_weight(o->complete_cpuset ? o->complete_cpuset : o->cpuset),
        };
        if (level > reported->level_count)
            reported->level_count = level;
    }
    read_tlbs(reported->tlb_entries);
}
