// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/rig_inside.h"

#include "measure/probe/clock.h"
#include "measure/machine/health.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A meter that is not there is no error; a command that does not work is one. */
static enum mw_err open_energy(struct mw_rig *rig, struct mw_error *error)
{
    struct mw_error why;
    if (rig->setup.dry_run)
        return MW_OK;
    enum mw_err err = mw_energy_open(&rig->energy, rig->setup.root, rig->setup.energy_command, &why);
    if (err == MW_PERM)
        snprintf(rig->energy_missing, sizeof rig->energy_missing, "%.400s: %.250s", why.message, why.hint);
    if (err == MW_OK || err == MW_PERM || err == MW_UNSUPPORTED)
        return MW_OK;
    if (error)
        *error = why;
    return err;
}

/* Holds the machine; one without frequency control is fine until a frequency or boost is asked for. */
static enum mw_err take_machine(struct mw_rig *rig, struct mw_error *error)
{
    const struct mw_rig_setup *setup = &rig->setup;
    double celsius;
    enum mw_err err = mw_hold_open(&rig->hold, setup->root, setup->dry_run, error);
    rig->is_held = !err;
    if (!err && setup->cool_to_c > 0 && !mw_health_temperature(setup->root, &celsius)) {
        err = mw_fail(error, MW_UNSUPPORTED, "no temperature of the processor can be read on this machine");
        mw_hint(error, "leave out --cool-to");
    }
    if (!err)
        err = open_energy(rig, error);
    if (err || setup->boost == MW_BOOST_KEEP)
        return err;
    if (!rig->hold.has_cpufreq)
        return mw_fail(error, MW_UNSUPPORTED, "there is no switch for boost on this machine");
    return mw_cpufreq_boost(&rig->hold.cpufreq, setup->boost == MW_BOOST_ON, error);
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
    const struct mw_dataset_options table = {.energy_only = true};
    enum mw_err err =
        setup->replay ? mw_replay_open(&rig->replay, setup->replay, &table, error) : open_machine(rig, error);
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
    enum mw_err err = rig->is_held ? mw_hold_close(&rig->hold, error) : MW_OK;
    mw_energy_close(rig->energy);
    free(rig->clock_hz);
    mw_runner_close(rig->runner);
    if (rig->has_replay)
        mw_replay_close(&rig->replay);
    if (rig->has_machine)
        mw_topology_close(&rig->machine);
    if (rig->has_here)
        mw_topology_close(&rig->here);
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
    *count = rig->has_replay ? rig->replay.freq_count : rig->hold.has_cpufreq ? rig->hold.cpufreq.freq_count : 0;
    return rig->has_replay ? rig->replay.freqs_hz : rig->hold.cpufreq.freqs_hz;
}

unsigned mw_rig_has(const struct mw_rig *rig)
{
    if (!rig->has_replay)
        return MW_RIG_CPU_TIME | (rig->energy ? MW_RIG_ENERGY : 0u) |
               (!rig->has_here || rig->hold.has_cpufreq ? MW_RIG_EFFECTIVE : 0u);
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

const char *mw_rig_energy_missing(const struct mw_rig *rig)
{
    return rig->energy_missing[0] ? rig->energy_missing : NULL;
}

void mw_rig_idle_power(struct mw_rig *rig, double time_s, bool *has, double *power_w)
{
    struct mw_energy_reading reading;
    *has = false;
    if (!rig->energy || rig->setup.energy_command)
        return;
    double start_s = mw_now_s();
    time_s = fmax(time_s, mw_energy_least_s(rig->energy));
    mw_energy_start(rig->energy);
    mw_stop_sleep(rig->stop, time_s);
    time_s = mw_now_s() - start_s;
    mw_energy_stop(rig->energy, &reading);
    *has = reading.has;
    if (reading.has)
        *power_w = reading.energy_j / time_s;
}

const char *mw_rig_recovered(const struct mw_rig *rig)
{
    return rig->hold.recovered;
}

enum mw_err mw_rig_writes(struct mw_rig *rig, unsigned cores, double freq_hz, const struct mw_knob_write **writes,
                          size_t *count, struct mw_error *error)
{
    struct mw_rig_result ignored = {0};
    enum mw_err err = MW_OK;
    if (!cores)
        err = rig->hold.has_cpufreq ? mw_cpufreq_restore(&rig->hold.cpufreq, error) : MW_OK;
    else if (freq_hz > 0 && !(err = mw_rig_cpus(rig, cores, rig->cpus, error)))
        err = mw_rig_set_freq(rig, cores, freq_hz, &ignored, error);
    if (err)
        return err;
    size_t told = rig->writes_told;
    rig->writes_told = rig->hold.cpufreq.knobs.write_count;
    *count = rig->writes_told - told;
    *writes = *count ? rig->hold.cpufreq.knobs.writes + told : NULL;
    return MW_OK;
}
