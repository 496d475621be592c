// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/topology.h"

#include "measure/machine/core_kinds.h"
#include "measure/machine/sysfile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hwloc can be told by its environment to show another machine; then this process's binding says nothing about it. */
static bool is_foreign(const char *root)
{
    return *root || getenv("HWLOC_SYNTHETIC") || getenv("HWLOC_XMLFILE") || getenv("HWLOC_FSROOT");
}

static int load(hwloc_topology_t *hwloc, const char *root, bool foreign)
{
    if (hwloc_topology_init(hwloc))
        return -1;
    hwloc_topology_set_icache_types_filter(*hwloc, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (!foreign)
        hwloc_topology_set_flags(*hwloc, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
    if (*root) {
        /* only what the tree says: CPUID and PCI of the machine we run on must not mix in */
        setenv("HWLOC_FSROOT", root, 1);
        setenv("HWLOC_COMPONENTS", "linux,stop", 1);
    }
    int failed = hwloc_topology_load(*hwloc);
    if (*root) {
        unsetenv("HWLOC_FSROOT");
        unsetenv("HWLOC_COMPONENTS");
    }
    if (failed)
        hwloc_topology_destroy(*hwloc);
    return failed;
}

static bool has_smt(hwloc_topology_t hwloc)
{
    for (hwloc_obj_t core = NULL; (core = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_CORE, core));)
        if (hwloc_bitmap_weight(core->complete_cpuset) > 1)
            return true;
    return false;
}

/* hwloc heeds cgroups but not sched_setaffinity (taskset, Slurm): restrict to that as well. */
static int restrict_to_binding(hwloc_topology_t hwloc)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int failed = !set || (hwloc_get_cpubind(hwloc, set, HWLOC_CPUBIND_THREAD) == 0 && !hwloc_bitmap_iszero(set) &&
                          hwloc_bitmap_intersects(set, hwloc_topology_get_topology_cpuset(hwloc)) &&
                          hwloc_topology_restrict(hwloc, set, 0));
    hwloc_bitmap_free(set);
    return failed;
}

static bool collect_caches(struct mw_topology *t)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE,  HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                             HWLOC_OBJ_L4CACHE,  HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L1ICACHE,
                                             HWLOC_OBJ_L2ICACHE, HWLOC_OBJ_L3ICACHE};
    size_t total = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int n = hwloc_get_nbobjs_by_type(t->hwloc, types[i]);
        total += n > 0 ? (size_t)n : 0;
    }
    t->caches = calloc(total + 1, sizeof *t->caches);
    for (size_t i = 0; t->caches && i < sizeof types / sizeof *types; i++) {
        for (hwloc_obj_t c = NULL; (c = hwloc_get_next_obj_by_type(t->hwloc, types[i], c));) {
            const struct hwloc_cache_attr_s *a = &c->attr->cache;
            c->userdata = (void *)(uintptr_t)(t->cache_count + 1);
            t->caches[t->cache_count++] = (struct mw_cache){
                .level = a->depth,
                .instruction = a->type == HWLOC_OBJ_CACHE_INSTRUCTION,
                .size_bytes = (size_t)a->size,
                .line_bytes = a->linesize,
                .ways = a->associativity > 0 ? (unsigned)a->associativity : 0,
            };
        }
    }
    return t->caches != NULL;
}

static bool collect_nodes(struct mw_topology *t)
{
    int n = hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_NUMANODE);
    t->nodes = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof *t->nodes);
    for (int i = 0; t->nodes && i < n; i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(t->hwloc, HWLOC_OBJ_NUMANODE, (unsigned)i);
        t->nodes[t->node_count++] =
            (struct mw_node){.os_index = node->os_index, .memory_bytes = (size_t)node->attr->numanode.local_memory};
    }
    return t->nodes != NULL;
}

/*
 * The first local node with memory; else the local one, whose cores are a group of their own although their memory is
 * elsewhere; else the first with memory anywhere.
 */
static unsigned nearest_node(const struct mw_topology *t, hwloc_obj_t pu)
{
    unsigned local = UINT_MAX, any = UINT_MAX;
    for (unsigned i = 0; i < t->node_count; i++) {
        bool memory = t->nodes[i].memory_bytes > 0;
        if (hwloc_bitmap_isset(pu->nodeset, t->nodes[i].os_index) && memory)
            return i;
        if (hwloc_bitmap_isset(pu->nodeset, t->nodes[i].os_index) && local == UINT_MAX)
            local = i;
        if (memory && any == UINT_MAX)
            any = i;
    }
    return local != UINT_MAX ? local : any != UINT_MAX ? any : 0;
}

/* Counts the core at each cache above it and returns the last-level one. */
static unsigned claim_caches(struct mw_topology *t, hwloc_obj_t pu)
{
    unsigned last = UINT_MAX;
    for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
        if (!hwloc_obj_type_is_cache(o->type) || !o->userdata)
            continue;
        unsigned index = (unsigned)((uintptr_t)o->userdata - 1);
        t->caches[index].core_count++;
        if (hwloc_obj_type_is_dcache(o->type))
            last = index;
    }
    return last;
}

/* hwloc keeps the caches of disallowed cores on nodes whose memory is allowed: no core in use has them. */
static bool drop_unused_caches(struct mw_topology *t)
{
    unsigned *moved = calloc(t->cache_count + 1, sizeof *moved), kept = 0;
    for (size_t i = 0; moved && i < t->cache_count; i++) {
        moved[i] = kept;
        if (t->caches[i].core_count)
            t->caches[kept++] = t->caches[i];
    }
    for (size_t c = 0; moved && c < t->core_count; c++)
        if (t->cores[c].last_cache != UINT_MAX)
            t->cores[c].last_cache = moved[t->cores[c].last_cache];
    t->cache_count = kept;
    bool good = moved != NULL;
    free(moved);
    return good;
}

static bool add_cpu(struct mw_core *core, unsigned cpu)
{
    unsigned *cpus = realloc(core->cpus, (core->cpu_count + 1) * sizeof *cpus);
    if (!cpus)
        return false;
    core->cpus = cpus;
    size_t at = core->cpu_count++;
    for (; at && cpus[at - 1] > cpu; at--)
        cpus[at] = cpus[at - 1];
    cpus[at] = cpu;
    return true;
}

static bool collect_cores(struct mw_topology *t)
{
    int n = hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_PU);
    t->cores = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof *t->cores);
    hwloc_obj_t previous = NULL;
    for (hwloc_obj_t pu = NULL; t->cores && (pu = hwloc_get_next_obj_by_type(t->hwloc, HWLOC_OBJ_PU, pu));) {
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t->hwloc, HWLOC_OBJ_CORE, pu);
        hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(t->hwloc, HWLOC_OBJ_PACKAGE, pu);
        if (!core || core != previous) {
            unsigned node = nearest_node(t, pu);
            t->cores[t->core_count++] = (struct mw_core){
                .package = package ? package->logical_index : 0, .node = node, .last_cache = claim_caches(t, pu)};
            if (node < t->node_count)
                t->nodes[node].core_count++;
        }
        previous = core;
        if (!add_cpu(&t->cores[t->core_count - 1], pu->os_index))
            return false;
        t->cpu_allowed_count++;
    }
    return t->cores != NULL;
}

/* Whether the kernel lists one CPU in each package, allowed or not; false where it lists none. */
static bool one_cpu_each(const struct mw_topology *t)
{
    bool each = t->core_count > 1;
    for (size_t c = 0; c < t->core_count && each; c++) {
        char path[96];
        struct mw_cpu_list siblings = {0};
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/core_siblings_list", t->cores[c].cpus[0]);
        each = !mw_sysfile_cpus(t->root, path, &siblings) && siblings.count == 1;
        mw_cpu_list_release(&siblings);
    }
    return each;
}

/*
 * Packages that have a core to use. Hypervisors that are not told otherwise make a package of every virtual CPU: that says
 * nothing about sockets, and is taken for one.
 */
static bool count_packages(struct mw_topology *t, bool synthetic)
{
    unsigned highest = 0;
    bool guest = !synthetic && one_cpu_each(t);
    for (size_t c = 0; c < t->core_count; c++) {
        t->cores[c].package = guest ? 0 : t->cores[c].package;
        highest = t->cores[c].package > highest ? t->cores[c].package : highest;
    }
    bool *used = calloc((size_t)highest + 1, sizeof *used);
    t->package_count = 0;
    for (size_t c = 0; used && c < t->core_count; c++) {
        t->package_count += !used[t->cores[c].package];
        used[t->cores[c].package] = true;
    }
    bool good = used != NULL;
    free(used);
    return good;
}

/* Trees of old kernels have no lists, only a file for each CPU. */
static unsigned count_offline_files(const struct mw_topology *t)
{
    hwloc_const_bitmap_t all = hwloc_topology_get_complete_cpuset(t->hwloc);
    unsigned offline = 0;
    for (int cpu = hwloc_bitmap_first(all); cpu >= 0; cpu = hwloc_bitmap_next(all, cpu)) {
        double online = 1;
        if (!mw_sysfile_number(t->root, &online, "/sys/devices/system/cpu/cpu%d/online", cpu) && online <= 0)
            offline++;
    }
    return offline;
}

static void count_cpus(struct mw_topology *t, bool synthetic)
{
    struct mw_cpu_list possible = {0}, online = {0};
    int all = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(t->hwloc));
    t->cpu_total_count = all > 0 && (unsigned)all > t->cpu_allowed_count ? (unsigned)all : t->cpu_allowed_count;
    if (synthetic)
        return;
    if (!mw_sysfile_cpus(t->root, "/sys/devices/system/cpu/online", &online) &&
        (!mw_sysfile_cpus(t->root, "/sys/devices/system/cpu/present", &possible) ||
         !mw_sysfile_cpus(t->root, "/sys/devices/system/cpu/possible", &possible))) {
        t->cpu_total_count = (unsigned)possible.count;
        t->cpu_offline_count = possible.count > online.count ? (unsigned)(possible.count - online.count) : 0;
    } else {
        t->cpu_offline_count = count_offline_files(t);
    }
    mw_cpu_list_release(&possible);
    mw_cpu_list_release(&online);
}

enum mw_err mw_topology_open(struct mw_topology *topology, const char *root, struct mw_error *error)
{
    struct mw_topology t = {0};
    bool foreign = is_foreign(root);
    if (strlen(root) >= sizeof t.root)
        return mw_fail(error, MW_USAGE, "'%s': the name is too long", root);
    snprintf(t.root, sizeof t.root, "%s", root);
    if (*root && !mw_sysfile_exists(root, "/sys/devices/system/cpu")) {
        mw_fail(error, MW_IO, "'%s' has no sys/devices/system/cpu", root);
        return mw_hint(error, "--root takes a folder that holds a machine's sys and proc");
    }
    if (load(&t.hwloc, root, foreign)) {
        mw_fail(error, MW_RUN, "hwloc cannot read the topology of '%s'", *root ? root : "this machine");
        return MW_RUN;
    }
    t.smt = has_smt(t.hwloc);
    bool good = foreign || !restrict_to_binding(t.hwloc);
    good = good && collect_caches(&t) && collect_nodes(&t) && collect_cores(&t) && drop_unused_caches(&t) &&
           count_packages(&t, foreign && !*root);
    if (!good || !t.core_count) {
        enum mw_err err = mw_fail(error, good ? MW_RUN : MW_NOMEM, good ? "no CPU to use in '%s'" : "out of memory%s",
                                  good ? (*root ? root : "this machine") : "");
        mw_topology_close(&t);
        return err;
    }
    count_cpus(&t, foreign && !*root);
    mw_core_kinds_assign(&t);
    *topology = t;
    return MW_OK;
}

void mw_topology_close(struct mw_topology *topology)
{
    for (size_t i = 0; topology->cores && i < topology->core_count; i++)
        free(topology->cores[i].cpus);
    free(topology->cores);
    free(topology->caches);
    free(topology->nodes);
    if (topology->hwloc)
        hwloc_topology_destroy(topology->hwloc);
    *topology = (struct mw_topology){0};
}

size_t mw_topology_llc_bytes(const struct mw_topology *topology, const unsigned *cpus, size_t count)
{
    size_t sum = 0;
    bool *seen = calloc(topology->cache_count + 1, sizeof *seen);
    for (size_t c = 0; seen && c < topology->core_count; c++) {
        const struct mw_core *core = &topology->cores[c];
        if (core->last_cache == UINT_MAX || seen[core->last_cache])
            continue;
        for (size_t i = 0; i < core->cpu_count && !seen[core->last_cache]; i++)
            for (size_t k = 0; k < count; k++)
                if (cpus[k] == core->cpus[i])
                    seen[core->last_cache] = true;
        if (seen[core->last_cache])
            sum += topology->caches[core->last_cache].size_bytes;
    }
    free(seen);
    return sum;
}
