// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/rig.h"

#include "data/replay.h"
#include "measure/clock.h"
#include "measure/lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mw_rig {
    struct mw_rig_setup setup;
    struct mw_stop *stop;
    struct mw_topology machine; /* below root: which CPUs the cores are */
    struct mw_topology here;    /* where programs run; used only where root is not "" */
    struct mw_replay replay;
    bool has_machine, has_here, has_replay;
    struct mw_runner *runner;
    double *cores;
    size_t core_count;
    unsigned *cpus, *bound;     /* room for core_count: as the machine numbers them, and here */
    double *effective_hz;       /* room for core_count */
    int lock;
};

/* 1 … number of cores (CPUs with smt) that may be used. */
static enum mw_err list_cores(struct mw_rig *rig, struct mw_error *error)
{
    size_t count = rig->setup.smt ? rig->machine.cpu_allowed_count : rig->machine.core_count;
    rig->cores = calloc(count + 1, sizeof *rig->cores);
    rig->cpus = calloc(count + 1, sizeof *rig->cpus);
    rig->bound = calloc(count + 1, sizeof *rig->bound);
    rig->effective_hz = calloc(count + 1, sizeof *rig->effective_hz);
    if (!rig->cores || !rig->cpus || !rig->bound || !rig->effective_hz)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        rig->cores[i] = (double)(i + 1);
    rig->core_count = count;
    return MW_OK;
}

static enum mw_err open_machine(struct mw_rig *rig, struct mw_error *error)
{
    enum mw_err err = mw_topology_open(&rig->machine, rig->setup.root, error);
    rig->has_machine = !err;
    if (!err && *rig->setup.root) {
        err = mw_topology_open(&rig->here, "", error);
        rig->has_here = !err;
    }
    if (!err)
        err = list_cores(rig, error);
    if (!err)
        err = mw_runner_open(&rig->runner, &rig->setup.run, error);
    if (!err)
        err = mw_lock_take(&rig->lock, rig->setup.root, error);
    return err;
}

enum mw_err mw_rig_open(struct mw_rig **result, const struct mw_rig_setup *setup, struct mw_stop *stop,
                        struct mw_error *error)
{
    struct mw_rig *rig = calloc(1, sizeof *rig);
    if (!rig)
        return mw_fail(error, MW_NOMEM, "out of memory");
    rig->setup = *setup;
    rig->stop = stop;
    rig->lock = -1;
    enum mw_err err = setup->replay ? mw_replay_open(&rig->replay, setup->replay, error) : open_machine(rig, error);
    rig->has_replay = setup->replay && !err;
    if (err) {
        struct mw_error ignored;
        if (mw_rig_close(rig, &ignored))
            return err;
        return err;
    }
    *result = rig;
    return MW_OK;
}

enum mw_err mw_rig_close(struct mw_rig *rig, struct mw_error *error)
{
    (void)error;
    if (!rig)
        return MW_OK;
    mw_runner_close(rig->runner);
    if (rig->has_replay)
        mw_replay_close(&rig->replay);
    if (rig->has_machine)
        mw_topology_close(&rig->machine);
    if (rig->has_here)
        mw_topology_close(&rig->here);
    mw_lock_drop(rig->lock);
    free(rig->cores);
    free(rig->cpus);
    free(rig->bound);
    free(rig->effective_hz);
    free(rig);
    return MW_OK;
}

const double *mw_rig_cores(const struct mw_rig *rig, size_t *count)
{
    *count = rig->has_replay ? rig->replay.core_count : rig->core_count;
    return rig->has_replay ? rig->replay.cores : rig->cores;
}

const double *mw_rig_freqs(const struct mw_rig *rig, size_t *count)
{
    *count = rig->has_replay ? rig->replay.freq_count : 0;
    return rig->has_replay ? rig->replay.freqs_hz : NULL;
}

unsigned mw_rig_has(const struct mw_rig *rig)
{
    if (!rig->has_replay)
        return MW_RIG_CPU_TIME;
    unsigned has = 0;
    for (size_t i = 0; i < rig->replay.dataset.count; i++) {
        unsigned row = rig->replay.dataset.rows[i].has;
        bool energy = row & (MW_HAS_ENERGY | MW_HAS_POWER) || rig->replay.dataset.quantity == MW_ENERGY;
        has |= (row & MW_HAS_CPU_TIME ? MW_RIG_CPU_TIME : 0u) | (energy ? MW_RIG_ENERGY : 0u) |
               (row & MW_HAS_FREQ_EFFECTIVE ? MW_RIG_EFFECTIVE : 0u);
    }
    return has;
}

enum mw_err mw_rig_cpus(const struct mw_rig *rig, unsigned cores, unsigned *cpus, struct mw_error *error)
{
    return mw_topology_select(&rig->machine, cores, rig->setup.order, rig->setup.smt, cpus, error);
}

/* The CPUs to bind to here: below another root as many as there are, since its CPUs are not these. */
static enum mw_err select_bound(struct mw_rig *rig, unsigned cores, size_t *count, struct mw_error *error)
{
    if (!rig->has_here) {
        memcpy(rig->bound, rig->cpus, cores * sizeof *rig->bound);
        *count = cores;
        return MW_OK;
    }
    *count = cores < rig->here.core_count ? cores : rig->here.core_count;
    return mw_topology_select(&rig->here, *count, rig->setup.order, false, rig->bound, error);
}

/* CPUs in the order in which they are filled, and the boundaries crossed on the way. */
static enum mw_err describe_cpus(const struct mw_rig *rig, unsigned max_cores, struct mw_provenance *facts,
                                 struct mw_error *error)
{
    static const char *const names[] = {"socket", "node", "kind", "smt"};
    char *text = NULL;
    size_t size, count = 0;
    unsigned *at = NULL;
    enum mw_boundary *what = NULL;
    enum mw_err err = mw_rig_cpus(rig, max_cores, rig->cpus, error);
    if (!err)
        err = mw_topology_boundaries(&rig->machine, rig->setup.order, rig->setup.smt, &at, &what, &count, error);
    FILE *f = err ? NULL : open_memstream(&text, &size);
    for (unsigned i = 0; f && i < max_cores; i++)
        fprintf(f, "%s%u", i ? "," : "", rig->cpus[i]);
    if (!err && (!f || fclose(f)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_provenance_add(facts, error, "cpus", "%s", text);
    free(text);
    text = NULL;
    f = err || !count ? NULL : open_memstream(&text, &size);
    for (size_t i = 0; f && i < count; i++)
        fprintf(f, "%s%u %s", i ? ", " : "", at[i], names[what[i]]);
    if (f && fclose(f))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (f && !err)
        err = mw_provenance_add(facts, error, "boundaries", "%s", text);
    free(text);
    free(at);
    free(what);
    return err;
}

static enum mw_err measure_replay(struct mw_rig *rig, unsigned cores, double freq_hz, unsigned repetition,
                                  struct mw_rig_result *result, struct mw_error *error)
{
    const struct mw_row *row;
    enum mw_err err = mw_replay_row(&rig->replay, cores, freq_hz, repetition, &row, error);
    if (err)
        return err;
    bool timed = rig->replay.dataset.quantity == MW_TIME;
    struct mw_rig_result r = {.has_time = timed, .has_cpu_time = row->has & MW_HAS_CPU_TIME,
                              .has_energy = !timed || row->has & (MW_HAS_ENERGY | MW_HAS_POWER),
                              .has_freq_effective = row->has & MW_HAS_FREQ_EFFECTIVE,
                              .freq_effective_hz = row->freq_effective_hz};
    r.run.time_s = r.run.wall_s = timed ? row->value : 0;
    r.run.cpu_time_s = row->cpu_time_s;
    r.energy_j = !timed ? row->value : row->has & MW_HAS_ENERGY ? row->energy_j : row->power_w * row->value;
    *result = r;
    return MW_OK;
}

enum mw_err mw_rig_measure(struct mw_rig *rig, unsigned cores, double freq_hz, unsigned repetition,
                           struct mw_rig_result *result, struct mw_error *error)
{
    if (rig->has_replay)
        return measure_replay(rig, cores, freq_hz, repetition, result, error);
    struct mw_rig_result r = {.has_time = true, .has_cpu_time = true};
    size_t bound;
    if (freq_hz > 0)
        return mw_fail(error, MW_UNSUPPORTED, "no frequency control here");
    enum mw_err err = mw_rig_cpus(rig, cores, rig->cpus, error);
    if (!err)
        err = select_bound(rig, cores, &bound, error);
    if (!err)
        err = mw_runner_run(rig->runner, cores, rig->bound, bound, rig->stop, &r.run, error);
    if (!err)
        *result = r;
    return err;
}

enum mw_err mw_rig_describe(const struct mw_rig *rig, unsigned max_cores, struct mw_provenance *facts,
                            struct mw_error *error)
{
    return describe_cpus(rig, max_cores, facts, error);
}
