// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/core_kinds.h"

#include <stdlib.h>
#include <string.h>

/* boost bins of equal cores lie within a few hundred MHz; real kinds differ by a quarter and more */
#define SAME_KIND_RATIO 1.10

struct kind {
    hwloc_bitmap_t cpus;
    const char *type; /* "IntelCore", "IntelAtom"; NULL where unnamed */
    double freq_mhz;  /* 0: unknown */
    double capacity;  /* Arm's relative performance; 0: unknown */
};

static void read_kind(hwloc_topology_t hwloc, unsigned index, struct kind *kind)
{
    unsigned count = 0;
    struct hwloc_info_s *infos = NULL;
    int efficiency;
    if (!kind->cpus || hwloc_cpukinds_get_info(hwloc, index, kind->cpus, &efficiency, &count, &infos, 0))
        return;
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(infos[i].name, "CoreType"))
            kind->type = infos[i].value;
        else if (!strcmp(infos[i].name, "FrequencyMaxMHz"))
            kind->freq_mhz = strtod(infos[i].value, NULL);
        else if (!strcmp(infos[i].name, "LinuxCapacity"))
            kind->capacity = strtod(infos[i].value, NULL);
    }
}

static bool differ(double a, double b)
{
    return a > 0 && b > 0 && (a / b >= SAME_KIND_RATIO || b / a >= SAME_KIND_RATIO);
}

static bool same(const struct kind *a, const struct kind *b)
{
    if (a->type && b->type && strcmp(a->type, b->type) != 0)
        return false;
    return !differ(a->freq_mhz, b->freq_mhz) && !differ(a->capacity, b->capacity);
}

void mw_core_kinds_assign(struct mw_topology *topology)
{
    int nr = hwloc_cpukinds_get_nr(topology->hwloc, 0);
    topology->kind_count = 1;
    if (nr <= 1)
        return;
    struct kind *kinds = calloc((size_t)nr, sizeof *kinds);
    unsigned used = 0; /* a kind that has no allowed core does not count */
    bool started = false;
    const struct kind *previous = NULL;
    for (int k = 0; kinds && k < nr; k++) {
        kinds[k].cpus = hwloc_bitmap_alloc();
        read_kind(topology->hwloc, (unsigned)k, &kinds[k]);
        bool any = false;
        for (size_t c = 0; kinds[k].cpus && c < topology->core_count; c++)
            any = any || hwloc_bitmap_isset(kinds[k].cpus, topology->cores[c].cpus[0]);
        if (!any)
            continue;
        if (started && !same(previous, &kinds[k]))
            used++;
        started = true;
        previous = &kinds[k];
        for (size_t c = 0; c < topology->core_count; c++)
            if (hwloc_bitmap_isset(kinds[k].cpus, topology->cores[c].cpus[0]))
                topology->cores[c].kind = used;
    }
    topology->kind_count = used + 1;
    for (int k = 0; kinds && k < nr; k++)
        hwloc_bitmap_free(kinds[k].cpus);
    free(kinds);
}
