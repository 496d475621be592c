// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/machine/sysfile.h"
#include "measure/machine/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A core's place in an order: compared field by field. */
struct place {
    unsigned key[5];
    size_t core;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    for (size_t i = 0; i < sizeof x->key / sizeof *x->key; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

/* Number of cores of the same kind, package and node before this one, and of distinct nodes of its package before. */
static void ranks(const struct mw_topology *t, size_t core, unsigned *in_bucket, unsigned *node_rank)
{
    const struct mw_core *me = &t->cores[core];
    *in_bucket = *node_rank = 0;
    for (size_t i = 0; i < core; i++) {
        const struct mw_core *c = &t->cores[i];
        *in_bucket += c->kind == me->kind && c->package == me->package && c->node == me->node;
    }
    for (unsigned n = 0; n < me->node; n++) {
        bool used = false;
        for (size_t i = 0; i < t->core_count && !used; i++)
            used = t->cores[i].package == me->package && t->cores[i].node == n;
        *node_rank += used;
    }
}

/* Core indices in filling order; NULL without memory. */
static struct place *fill_order(const struct mw_topology *t, enum mw_order order)
{
    struct place *places = calloc(t->core_count, sizeof *places);
    for (size_t i = 0; places && i < t->core_count; i++) {
        const struct mw_core *c = &t->cores[i];
        struct place *p = &places[i];
        unsigned in_bucket, node_rank;
        p->core = i;
        p->key[0] = t->kind_count - c->kind;
        if (order == MW_ORDER_SPREAD) {
            ranks(t, i, &in_bucket, &node_rank);
            p->key[1] = in_bucket;
            p->key[2] = node_rank;
            p->key[3] = c->package;
        } else {
            p->key[1] = c->package;
            p->key[2] = c->node;
        }
        p->key[4] = (unsigned)i;
    }
    if (places)
        qsort(places, t->core_count, sizeof *places, by_place);
    return places;
}

struct slot {
    unsigned cpu, thread; /* thread: which of its core's CPUs */
    const struct mw_core *core;
};

/* The whole sequence of CPUs; first threads of all cores, then second ones, and so on where smt. */
static struct slot *all_slots(const struct mw_topology *t, enum mw_order order, bool smt, size_t *count)
{
    struct place *places = fill_order(t, order);
    struct slot *slots = calloc(t->cpu_allowed_count + t->core_count, sizeof *slots);
    size_t n = 0, deepest = 1;
    for (size_t i = 0; i < t->core_count; i++)
        if (smt && t->cores[i].cpu_count > deepest)
            deepest = t->cores[i].cpu_count;
    for (size_t thread = 0; places && slots && thread < deepest; thread++)
        for (size_t i = 0; i < t->core_count; i++) {
            const struct mw_core *core = &t->cores[places[i].core];
            if (thread < core->cpu_count)
                slots[n++] = (struct slot){core->cpus[thread], (unsigned)thread, core};
        }
    bool good = places && slots;
    free(places);
    if (!good) {
        free(slots);
        return NULL;
    }
    *count = n;
    return slots;
}

enum mw_err mw_topology_select(const struct mw_topology *topology, size_t count, enum mw_order order, bool smt,
                               unsigned *cpus, struct mw_error *error)
{
    size_t there = 0;
    struct slot *slots = all_slots(topology, order, smt, &there);
    if (!slots)
        return mw_fail(error, MW_NOMEM, "out of memory");
    if (count > there) {
        mw_fail(error, MW_USAGE, "%zu cores asked for, %zu %s may be used here", count, there,
                smt ? "CPUs" : "physical cores");
        free(slots);
        return mw_hint(error, "memwall machine shows them");
    }
    for (size_t i = 0; i < count; i++)
        cpus[i] = slots[i].cpu;
    free(slots);
    return MW_OK;
}

/* What changes between the slots before i and slot i; false where nothing does. */
static bool crosses(const struct slot *slots, size_t i, enum mw_boundary_kind *what)
{
    bool new_package = true, new_node = true;
    if (slots[i].thread != slots[i - 1].thread) {
        *what = MW_BOUNDARY_SMT;
        return true;
    }
    if (slots[i].thread)
        return false; /* everything has been entered by the first threads */
    if (slots[i].core->kind != slots[i - 1].core->kind) {
        *what = MW_BOUNDARY_KIND;
        return true;
    }
    for (size_t k = 0; k < i; k++) {
        new_package = new_package && slots[k].core->package != slots[i].core->package;
        new_node = new_node && slots[k].core->node != slots[i].core->node;
    }
    *what = new_package ? MW_BOUNDARY_SOCKET : MW_BOUNDARY_NODE;
    return new_package || new_node;
}

enum mw_err mw_topology_boundaries(const struct mw_topology *topology, enum mw_order order, bool smt, unsigned **at,
                                   enum mw_boundary_kind **what, size_t *count, struct mw_error *error)
{
    size_t n = 0, found = 0;
    struct slot *slots = all_slots(topology, order, smt, &n);
    unsigned *positions = calloc(n + 1, sizeof *positions);
    enum mw_boundary_kind *kinds = calloc(n + 1, sizeof *kinds);
    if (!slots || !positions || !kinds) {
        free(slots);
        free(positions);
        free(kinds);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t i = 1; i < n; i++)
        if (crosses(slots, i, &kinds[found]))
            positions[found++] = (unsigned)i;
    free(slots);
    *at = positions;
    *what = kinds;
    *count = found;
    return MW_OK;
}

/* The calling thread's mask, however large the kernel's is; caller frees with CPU_FREE. */
static cpu_set_t *read_mask(size_t *size)
{
    /* the kernel refuses a buffer smaller than its own mask with EINVAL; 2^18 CPUs are more than it can have */
    for (int cpus = 1024; cpus <= 1 << 18; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        *size = CPU_ALLOC_SIZE((size_t)cpus);
        if (!set)
            return NULL;
        CPU_ZERO_S(*size, set);
        if (!sched_getaffinity(0, *size, set))
            return set;
        CPU_FREE(set);
        if (errno != EINVAL)
            return NULL;
    }
    return NULL;
}

enum mw_err mw_bind_thread(const unsigned *cpus, size_t count, struct mw_error *error)
{
    unsigned most = 0;
    for (size_t i = 0; i < count; i++)
        most = cpus[i] > most ? cpus[i] : most;
    size_t size = CPU_ALLOC_SIZE(most + 1), got_size;
    cpu_set_t *set = CPU_ALLOC(most + 1);
    if (!set)
        return mw_fail(error, MW_NOMEM, "out of memory");
    CPU_ZERO_S(size, set);
    for (size_t i = 0; i < count; i++)
        CPU_SET_S(cpus[i], size, set);
    int failed = sched_setaffinity(0, size, set) ? errno : 0;
    int want = CPU_COUNT_S(size, set);
    cpu_set_t *got = failed ? NULL : read_mask(&got_size);
    bool equal = got && CPU_COUNT_S(got_size, got) == want;
    for (size_t i = 0; equal && i < count; i++)
        equal = CPU_ISSET_S(cpus[i], got_size, got);
    CPU_FREE(set);
    if (got)
        CPU_FREE(got);
    if (equal)
        return MW_OK;
    char *list = mw_cpu_list_format(cpus, count);
    enum mw_err err = failed ? mw_fail_errno(error, MW_RUN, failed, "cannot bind a thread to CPU %s", list ? list : "?")
                             : mw_fail(error, MW_RUN, "bound a thread to CPU %s, but the kernel gave another mask",
                                       list ? list : "?");
    free(list);
    return err;
}
