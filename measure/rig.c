// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/rig.h"

#include "data/replay.h"
#include "measure/clock.h"
#include "measure/cpufreq.h"
#include "measure/lock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mw_rig {
    struct mw_rig_setup setup;
    struct mw_stop *stop;
    struct mw_topology machine; /* below root: which CPUs the cores are */
    struct mw_topology here;    /* where programs run; used only where root is not "" */
    struct mw_replay replay;
    struct mw_cpufreq cpufreq;
    bool has_machine, has_here, has_replay, has_cpufreq;
    char *recovered;
    size_t writes_told;
    unsigned waits_in_vain;     /* for a tree to say the frequency that was set */
    double *clock_hz;           /* by core count, where the frequency is left alone; 0: not measured yet */
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
    rig->clock_hz = calloc(count + 1, sizeof *rig->clock_hz);
    if (!rig->cores || !rig->cpus || !rig->bound || !rig->effective_hz || !rig->clock_hz)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        rig->cores[i] = (double)(i + 1);
    rig->core_count = count;
    return MW_OK;
}

/* Takes the machine and what a killed memwall left of it; a machine without frequency control is fine until one is asked for. */
static enum mw_err take_machine(struct mw_rig *rig, struct mw_error *error)
{
    const struct mw_rig_setup *setup = &rig->setup;
    struct mw_error why;
    enum mw_err err = setup->dry_run ? MW_OK : mw_lock_take(&rig->lock, setup->root, error);
    if (!err && !setup->dry_run)
        err = mw_cpufreq_recover(setup->root, &rig->recovered, error);
    if (err)
        return err;
    err = mw_cpufreq_open(&rig->cpufreq, setup->root, setup->dry_run, &why);
    rig->has_cpufreq = !err;
    if (err && (err != MW_UNSUPPORTED || setup->boost != MW_BOOST_KEEP)) {
        if (error)
            *error = why;
        return err;
    }
    if (setup->boost == MW_BOOST_KEEP)
        return MW_OK;
    return mw_cpufreq_boost(&rig->cpufreq, setup->boost == MW_BOOST_ON, error);
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
        err = take_machine(rig, error);
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
    if (!rig)
        return MW_OK;
    enum mw_err err = rig->has_cpufreq ? mw_cpufreq_restore(&rig->cpufreq, error) : MW_OK;
    if (rig->has_cpufreq)
        mw_cpufreq_close(&rig->cpufreq);
    free(rig->recovered);
    free(rig->clock_hz);
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
    return err;
}

const double *mw_rig_cores(const struct mw_rig *rig, size_t *count)
{
    *count = rig->has_replay ? rig->replay.core_count : rig->core_count;
    return rig->has_replay ? rig->replay.cores : rig->cores;
}

const double *mw_rig_freqs(const struct mw_rig *rig, size_t *count)
{
    *count = rig->has_replay ? rig->replay.freq_count : rig->has_cpufreq ? rig->cpufreq.freq_count : 0;
    return rig->has_replay ? rig->replay.freqs_hz : rig->cpufreq.freqs_hz;
}

unsigned mw_rig_has(const struct mw_rig *rig)
{
    if (!rig->has_replay)
        return MW_RIG_CPU_TIME | (!rig->has_here || rig->has_cpufreq ? MW_RIG_EFFECTIVE : 0u);
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

/* Effective frequency of the `cores` CPUs in rig->cpus, into rig->effective_hz; 0 where it cannot be known. */
static void read_effective(struct mw_rig *rig, unsigned cores)
{
    struct mw_error ignored;
    if (!rig->has_here && mw_clock_effective(rig->bound, cores, rig->effective_hz, &ignored) == MW_OK)
        return;
    for (unsigned i = 0; i < cores; i++) /* another root's processors are not here to be timed: what its kernel says */
        rig->effective_hz[i] = rig->has_cpufreq && rig->has_here ? mw_cpufreq_current(&rig->cpufreq, rig->cpus[i]) : 0;
}

static bool is_off(double hz, double want_hz)
{
    return fabs(hz / want_hz - 1) > MW_FREQ_TOLERANCE;
}

/* The core farthest from want_hz (the slowest, where want_hz is 0); false where no core's frequency is known. */
static bool farthest(const struct mw_rig *rig, unsigned cores, double want_hz, double *hz)
{
    bool known = false;
    for (unsigned i = 0; i < cores; i++) {
        double here = rig->effective_hz[i];
        if (here <= 0)
            continue;
        bool farther = want_hz > 0 ? fabs(here - want_hz) > fabs(*hz - want_hz) : here < *hz;
        if (!known || farther)
            *hz = here;
        known = true;
    }
    return known;
}

/* Names the CPUs that are off. */
static void name_off(const struct mw_rig *rig, unsigned cores, double want_hz, char *note, size_t size)
{
    unsigned *off = calloc(cores + 1, sizeof *off), count = 0;
    double low = INFINITY, high = 0;
    for (unsigned i = 0; off && i < cores; i++) {
        if (rig->effective_hz[i] <= 0 || !is_off(rig->effective_hz[i], want_hz))
            continue;
        unsigned k = count++; /* insertion: the list is written in ranges */
        for (; k && off[k - 1] > rig->cpus[i]; k--)
            off[k] = off[k - 1];
        off[k] = rig->cpus[i];
        low = fmin(low, rig->effective_hz[i]);
        high = fmax(high, rig->effective_hz[i]);
    }
    char *list = off ? mw_cpu_list_format(off, count) : NULL;
    if (list && high > low * (1 + MW_FREQ_TOLERANCE))
        snprintf(note, size, "CPU %s ran at %.4g to %.4g GHz, not at %.4g GHz", list, low / 1e9, high / 1e9, want_hz / 1e9);
    else if (list)
        snprintf(note, size, "CPU %s ran at %.4g GHz, not at %.4g GHz", list, low / 1e9, want_hz / 1e9);
    free(list);
    free(off);
}

/*
 * Measures each core in use and compares. What stands for the kernel below another root is given some time to say the new
 * value, as long as it ever does (a captured tree never changes).
 */
static void confirm(struct mw_rig *rig, unsigned cores, double want_hz, bool wait, struct mw_rig_result *result)
{
    const double patience_s = 0.2, step_s = 1e-3;
    enum { IN_VAIN_MAX = 3 };
    double hz = 0, start_s = mw_now_s();
    bool known;
    for (wait = wait && rig->has_here && rig->waits_in_vain < IN_VAIN_MAX;;) {
        read_effective(rig, cores);
        known = farthest(rig, cores, want_hz, &hz);
        if (!wait || !known || !is_off(hz, want_hz) || mw_now_s() - start_s > patience_s)
            break;
        mw_stop_sleep(NULL, step_s);
    }
    if (!known)
        return;
    rig->waits_in_vain = is_off(hz, want_hz) ? rig->waits_in_vain + wait : 0;
    if (!result->has_freq_effective || fabs(hz - want_hz) > fabs(result->freq_effective_hz - want_hz))
        result->freq_effective_hz = hz;
    result->has_freq_effective = true;
    if (is_off(hz, want_hz)) {
        result->freq_off = true;
        if (!result->note[0])
            name_off(rig, cores, want_hz, result->note, sizeof result->note);
    }
}

static enum mw_err set_freq(struct mw_rig *rig, unsigned cores, double freq_hz, struct mw_rig_result *result,
                            struct mw_error *error)
{
    struct mw_freq_note note;
    if (!rig->has_cpufreq) {
        mw_fail(error, MW_UNSUPPORTED, "there is no frequency control on this machine");
        return mw_hint(error, "leave the frequency out: frequency effects can't be identified here");
    }
    enum mw_err err = mw_cpufreq_pin(&rig->cpufreq, rig->cpus, cores, freq_hz, &note, error);
    if (err)
        return err;
    result->freq_off = note.off;
    snprintf(result->note, sizeof result->note, "%s", note.text);
    return MW_OK;
}

/* What the run was done at, where the frequency is left alone: measured once for each core count. */
static void note_clock(struct mw_rig *rig, unsigned cores, struct mw_rig_result *result)
{
    double *hz = &rig->clock_hz[cores];
    if (*hz <= 0) {
        read_effective(rig, cores);
        if (!farthest(rig, cores, 0, hz))
            return;
    }
    result->has_freq_effective = true;
    result->freq_effective_hz = *hz;
}

enum mw_err mw_rig_measure(struct mw_rig *rig, unsigned cores, double freq_hz, unsigned repetition,
                           struct mw_rig_result *result, struct mw_error *error)
{
    if (rig->has_replay)
        return measure_replay(rig, cores, freq_hz, repetition, result, error);
    struct mw_rig_result r = {.has_time = true, .has_cpu_time = true};
    struct mw_freq_note changed = {0};
    size_t bound;
    enum mw_err err = mw_rig_cpus(rig, cores, rig->cpus, error);
    if (!err)
        err = select_bound(rig, cores, &bound, error);
    if (!err && freq_hz > 0)
        err = set_freq(rig, cores, freq_hz, &r, error);
    if (err)
        return err;
    if (freq_hz > 0)
        confirm(rig, cores, freq_hz, true, &r);
    else
        note_clock(rig, cores, &r);
    err = mw_runner_run(rig->runner, cores, rig->bound, bound, rig->stop, &r.run, error);
    if (err)
        return err;
    if (freq_hz > 0)
        mw_cpufreq_verify(&rig->cpufreq, &changed);
    if (changed.off) {
        r.freq_off = true;
        snprintf(r.note, sizeof r.note, "%s", changed.text);
    }
    if (freq_hz > 0 && (changed.off || rig->has_here))
        confirm(rig, cores, freq_hz, false, &r);
    *result = r;
    return MW_OK;
}

const char *mw_rig_recovered(const struct mw_rig *rig)
{
    return rig->recovered;
}

enum mw_err mw_rig_writes(struct mw_rig *rig, unsigned cores, double freq_hz, const struct mw_knob_write **writes,
                          size_t *count, struct mw_error *error)
{
    struct mw_rig_result ignored = {0};
    enum mw_err err = MW_OK;
    if (!cores)
        err = rig->has_cpufreq ? mw_cpufreq_restore(&rig->cpufreq, error) : MW_OK;
    else if (freq_hz > 0 && !(err = mw_rig_cpus(rig, cores, rig->cpus, error)))
        err = set_freq(rig, cores, freq_hz, &ignored, error);
    if (err)
        return err;
    size_t told = rig->writes_told;
    rig->writes_told = rig->cpufreq.knobs.write_count;
    *count = rig->writes_told - told;
    *writes = *count ? rig->cpufreq.knobs.writes + told : NULL;
    return MW_OK;
}

enum mw_err mw_rig_describe(const struct mw_rig *rig, unsigned max_cores, struct mw_provenance *facts,
                            struct mw_error *error)
{
    return describe_cpus(rig, max_cores, facts, error);
}
