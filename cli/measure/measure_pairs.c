// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/measure/measure.h"
#include "measure/probe/arena.h"

#include <stdlib.h>

static size_t memory_nodes(const struct mw_topology *t)
{
    size_t count = 0;
    for (size_t n = 0; n < t->node_count; n++)
        count += t->nodes[n].memory_bytes > 0;
    return count;
}

static size_t cpu_nodes(const struct mw_topology *t)
{
    size_t count = 0;
    for (size_t n = 0; n < t->node_count; n++)
        count += t->nodes[n].core_count > 0;
    return count;
}

size_t measure_pair_count(const struct measure_run *run)
{
    const struct mw_topology *t = &run->topology;
    bool wanted = run->options->numa || (!run->options->cores && memory_nodes(t) > 1);
    return wanted ? cpu_nodes(t) * memory_nodes(t) + 1 : 0;
}

static size_t cpus_of_node(const struct mw_topology *t, unsigned node, unsigned *cpus)
{
    size_t count = 0;
    for (size_t c = 0; c < t->core_count; c++)
        if (t->cores[c].node == node)
            cpus[count++] = t->cores[c].cpus[0];
    return count;
}

enum mw_err measure_pairs(struct measure_run *run,
                          enum mw_err (*measure)(void *shared, const struct measure_pair *pair, struct mw_error *error),
                          void *shared, struct mw_error *error)
{
    const struct mw_topology *t = &run->topology;
    if (!measure_pair_count(run))
        return MW_OK;
    unsigned *cpus = calloc(t->core_count + 1, sizeof *cpus);
    enum mw_err err = cpus ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    size_t done = 0, total = measure_pair_count(run);
    for (unsigned i = 0; i < t->node_count && !err; i++) {
        size_t count = cpus_of_node(t, i, cpus);
        for (unsigned j = 0; j < t->node_count && !err && count; j++) {
            struct measure_pair pair = {t->nodes[i].os_index, (int)t->nodes[j].os_index, cpus, count};
            cli_progress(run->cli, done++, total, "cores of node %u, memory of node %d", pair.cpu_node,
                         pair.memory_node);
            if (t->nodes[j].memory_bytes)
                err = measure(shared, &pair, error);
        }
    }
    struct measure_pair all = {0, MW_NODE_INTERLEAVE, run->cpus, t->core_count};
    if (!err)
        err = measure(shared, &all, error);
    free(cpus);
    return err;
}
