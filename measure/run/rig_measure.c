// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/rig_inside.h"

#include "data/units.h"
#include "measure/probe/clock.h"
#include "measure/machine/health.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static enum mw_err measure_replay(struct mw_rig *rig, unsigned cores, double freq_hz, unsigned repetition,
                                  struct mw_rig_result *result, struct mw_error *error)
{
    const struct mw_row *row;
    enum mw_err err = mw_replay_row(&rig->replay, cores, freq_hz, repetition, &row, error);
    if (err)
        return err;
    bool timed = rig->replay.dataset.quantity == MW_TIME, energies = rig->replay.dataset.quantity == MW_ENERGY;
    struct mw_rig_result r = {.has_time = timed,
                              .has_cpu_time = row->has & MW_HAS_CPU_TIME,
                              .has_energy = energies || row->has & MW_HAS_ENERGY || (timed && row->has & MW_HAS_POWER),
                              .has_freq_effective = row->has & MW_HAS_FREQ_EFFECTIVE,
                              .freq_effective_hz = row->freq_effective_hz};
    r.run.time_s = r.run.wall_s = timed ? row->value : 0;
    r.run.cpu_time_s = row->cpu_time_s;
    r.energy_j = energies                   ? row->value
                 : row->has & MW_HAS_ENERGY ? row->energy_j
                 : r.has_energy             ? row->power_w * row->value
                                            : 0;
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
        rig->effective_hz[i] =
            rig->hold.has_cpufreq && rig->has_here ? mw_cpufreq_current(&rig->hold.cpufreq, rig->cpus[i]) : 0;
}

static bool is_off(double hz, double want_hz)
{
    return !mw_freq_same(hz, want_hz);
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
    if (list && !mw_freq_same(high, low))
        snprintf(note, size, "CPU %s ran at %.4g to %.4g GHz, not at %.4g GHz", list, low / 1e9, high / 1e9,
                 want_hz / 1e9);
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

enum mw_err mw_rig_set_freq(struct mw_rig *rig, unsigned cores, double freq_hz, struct mw_rig_result *result,
                            struct mw_error *error)
{
    struct mw_freq_note note;
    enum mw_err err = mw_hold_set(&rig->hold, rig->cpus, cores, freq_hz, &note, error);
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

/* Waits until the processor is as cool as asked for; goes on when that takes too long, with a note. */
static void cool_down(struct mw_rig *rig, struct mw_rig_result *result)
{
    const double patience_s = 300, step_s = 0.2; /* a heat sink's time constant is a minute or two */
    double start_s = mw_now_s(), celsius;
    while (rig->setup.cool_to_c > 0 && mw_health_temperature(rig->setup.root, &celsius) &&
           celsius > rig->setup.cool_to_c) {
        if (mw_now_s() - start_s > patience_s) {
            snprintf(result->note, sizeof result->note, "still at %.0f degrees after %.0f s of waiting", celsius,
                     patience_s);
            return;
        }
        if (mw_stop_sleep(rig->stop, step_s) != MW_STOP_NONE)
            return;
    }
}

/* The run, what others did meanwhile, and its energy around it. */
static enum mw_err run_metered(struct mw_rig *rig, unsigned cores, size_t bound, struct mw_rig_result *result,
                               struct mw_error *error)
{
    struct mw_energy_reading reading = {0};
    struct mw_health before = mw_health_read(rig->bound, bound), after;
    if (rig->energy)
        mw_energy_start(rig->energy);
    enum mw_err err = mw_runner_run(rig->runner, cores, rig->bound, bound, rig->stop, &result->run, error);
    if (rig->energy)
        mw_energy_stop(rig->energy, &reading);
    result->has_energy = reading.has;
    result->energy_j = reading.energy_j;
    if (rig->energy && !err && !reading.has && !result->note[0])
        snprintf(result->note, sizeof result->note, "no energy: %s", reading.why);
    after = mw_health_read(rig->bound, bound);
    if (after.throttled > before.throttled && !result->note[0])
        snprintf(result->note, sizeof result->note, "the processor was slowed for heat during the run");
    result->foreign_share =
        err ? 0 : mw_health_foreign(&before, &after, result->run.cpu_time_s, result->run.wall_s, bound);
    return err;
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
    if (!err)
        cool_down(rig, &r);
    if (!err && freq_hz > 0)
        err = mw_rig_set_freq(rig, cores, freq_hz, &r, error);
    if (err)
        return err;
    if (freq_hz > 0)
        confirm(rig, cores, freq_hz, true, &r);
    else
        note_clock(rig, cores, &r);
    err = run_metered(rig, cores, bound, &r, error);
    if (err)
        return err;
    if (freq_hz > 0)
        mw_cpufreq_verify(&rig->hold.cpufreq, &changed);
    if (changed.off) {
        r.freq_off = true;
        snprintf(r.note, sizeof r.note, "%s", changed.text);
    }
    if (freq_hz > 0 && (changed.off || rig->has_here))
        confirm(rig, cores, freq_hz, false, &r);
    *result = r;
    return MW_OK;
}
