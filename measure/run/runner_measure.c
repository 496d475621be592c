// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/runner_internal.h"
#include "measure/run/runner_columns.h"

#include "data/units.h"
#include "measure/probe/clock.h"
#include "measure/machine/health.h"
#include "measure/run/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counters that ran less than this were multiplexed; above it the kernel only took a moment to start them. */
static const double multiplexed_below = 0.995;

/* A printed time is of a part of the run; one this many times as long as the run is none in seconds. */
static const double printed_most = 1.5;

/* The CPUs to bind to here: below another root as many as there are, since its CPUs are not these. */
static enum mw_err select_bound(struct mw_runner *runner, unsigned cores, size_t *count, struct mw_error *error)
{
    if (runner->setup.unbound) {
        *count = 0;
        return MW_OK;
    }
    if (!runner->has_here) {
        memcpy(runner->bound, runner->cpus, cores * sizeof *runner->bound);
        *count = cores;
        return MW_OK;
    }
    *count = cores < runner->here.core_count ? cores : runner->here.core_count;
    return mw_topology_select(&runner->here, *count, runner->setup.order, false, runner->bound, error);
}

static enum mw_err measure_replay(struct mw_runner *runner, unsigned cores, double freq_hz, unsigned repetition,
                                  struct mw_runner_result *result, struct mw_error *error)
{
    const struct mw_row *row;
    enum mw_err err = mw_replay_row(&runner->replay, cores, freq_hz, repetition, &row, error);
    if (err)
        return err;
    bool timed = runner->replay.dataset.quantity == MW_TIME, energies = runner->replay.dataset.quantity == MW_ENERGY;
    bool energy = energies || row->has & MW_HAS_ENERGY || (timed && row->has & MW_HAS_POWER);
    struct mw_runner_result r = {.has = (timed ? MW_RUNNER_TIME : 0u) | (energy ? MW_RUNNER_ENERGY : 0u)};
    mw_runner_result_from(&r, row);
    r.run.time_s = timed ? row->value : 0;
    if (!(r.has & MW_RUNNER_WALL))
        r.run.wall_s = r.run.time_s;
    r.energy_j = energies                   ? row->value
                 : row->has & MW_HAS_ENERGY ? row->energy_j
                 : energy                   ? row->power_w * row->value
                                            : 0;
    *result = r;
    return MW_OK;
}

/* Effective frequency of the `cores` CPUs in runner->cpus, into runner->effective_hz; 0 where it cannot be known. */
static void read_effective(struct mw_runner *runner, unsigned cores)
{
    struct mw_error ignored;
    if (!runner->has_here && mw_clock_effective(runner->bound, cores, runner->effective_hz, &ignored) == MW_OK)
        return;
    for (unsigned i = 0; i < cores; i++) /* another root's processors are not here to be timed: what its kernel says */
        runner->effective_hz[i] = runner->session.has_cpufreq && runner->has_here
                                      ? mw_cpufreq_current(&runner->session.cpufreq, runner->cpus[i])
                                      : 0;
}

static bool is_off(double hz, double want_hz)
{
    return !mw_freq_same(hz, want_hz);
}

/* The core farthest from want_hz (the slowest, where want_hz is 0); false where no core's frequency is known. */
static bool farthest(const struct mw_runner *runner, unsigned cores, double want_hz, double *hz)
{
    bool known = false;
    for (unsigned i = 0; i < cores; i++) {
        double here = runner->effective_hz[i];
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
static void name_off(const struct mw_runner *runner, unsigned cores, double want_hz, char *note, size_t size)
{
    unsigned *off = calloc(cores + 1, sizeof *off), count = 0;
    double low = INFINITY, high = 0;
    for (unsigned i = 0; off && i < cores; i++) {
        if (runner->effective_hz[i] <= 0 || !is_off(runner->effective_hz[i], want_hz))
            continue;
        unsigned k = count++; /* insertion: the list is written in ranges */
        for (; k && off[k - 1] > runner->cpus[i]; k--)
            off[k] = off[k - 1];
        off[k] = runner->cpus[i];
        low = fmin(low, runner->effective_hz[i]);
        high = fmax(high, runner->effective_hz[i]);
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
static void confirm(struct mw_runner *runner, unsigned cores, double want_hz, bool wait,
                    struct mw_runner_result *result)
{
    const double patience_s = 0.2, step_s = 1e-3;
    enum { IN_VAIN_MAX = 3 };
    double hz = 0, start_s = mw_now_s();
    bool known;
    for (wait = wait && runner->has_here && runner->waits_in_vain < IN_VAIN_MAX;;) {
        read_effective(runner, cores);
        known = farthest(runner, cores, want_hz, &hz);
        if (!wait || !known || !is_off(hz, want_hz) || mw_now_s() - start_s > patience_s)
            break;
        mw_stop_sleep(NULL, step_s);
    }
    if (!known)
        return;
    runner->waits_in_vain = is_off(hz, want_hz) ? runner->waits_in_vain + wait : 0;
    if (!(result->has & MW_RUNNER_EFFECTIVE) || fabs(hz - want_hz) > fabs(result->freq_effective_hz - want_hz))
        result->freq_effective_hz = hz;
    result->has |= MW_RUNNER_EFFECTIVE;
    if (is_off(hz, want_hz)) {
        result->freq_off = true;
        if (!result->note[0])
            name_off(runner, cores, want_hz, result->note, sizeof result->note);
    }
}

enum mw_err mw_runner_set_freq(struct mw_runner *runner, unsigned cores, double freq_hz,
                               struct mw_runner_result *result, struct mw_error *error)
{
    struct mw_freq_note note;
    enum mw_err err = mw_session_set(&runner->session, runner->cpus, cores, freq_hz, &note, error);
    if (err)
        return err;
    result->freq_off = note.off;
    snprintf(result->note, sizeof result->note, "%s", note.text);
    return MW_OK;
}

/* What the run was done at, where the frequency is left alone: measured once for each core count. */
static void note_clock(struct mw_runner *runner, unsigned cores, struct mw_runner_result *result)
{
    double *hz = &runner->clock_hz[cores];
    if (*hz <= 0) {
        read_effective(runner, cores);
        if (!farthest(runner, cores, 0, hz))
            return;
    }
    result->has |= MW_RUNNER_EFFECTIVE;
    result->freq_effective_hz = *hz;
}

/* Waits until the processor is as cool as asked for; goes on when that takes too long, with a note. */
static void cool_down(struct mw_runner *runner, struct mw_runner_result *result)
{
    const double patience_s = 300, step_s = 0.2; /* a heat sink's time constant is a minute or two */
    double start_s = mw_now_s(), celsius;
    while (runner->setup.cool_to_c > 0 && mw_health_temperature(runner->setup.root, &celsius) &&
           celsius > runner->setup.cool_to_c) {
        if (mw_now_s() - start_s > patience_s) {
            snprintf(result->note, sizeof result->note, "still at %.0f degrees after %.0f s of waiting", celsius,
                     patience_s);
            return;
        }
        if (mw_stop_sleep(runner->stop, step_s) != MW_STOP_NONE)
            return;
    }
}

/*
 * The main thread's wait is that of the run where it does its part of the work. One that only starts others, or waits for them, has
 * waited for a core little however long they did: its figure would say that nobody disturbed the run.
 */
static bool tells_wait(const struct mw_run_result *run, unsigned cores)
{
    static const double PART = .5; /* of an even share; the uneven programs of docs/diagnosis.md have .6 and more */
    return run->has_main_wait && run->main_run_s >= PART * run->cpu_time_s / cores;
}

/* What the kernel counted of the run, and which of it is known. */
static void note_usage(const struct mw_runner *runner, unsigned cores, struct mw_runner_result *result)
{
    const struct mw_run_result *run = &result->run;
    bool printed = runner->setup.run.time_regexp || runner->setup.run.rate_regexp;
    result->has |= MW_RUNNER_TIME | MW_RUNNER_CPU_TIME | MW_RUNNER_USAGE | (printed ? MW_RUNNER_WALL : 0u) |
                   (run->rate > 0 ? MW_RUNNER_RATE : 0u) | (tells_wait(run, cores) ? MW_RUNNER_MAIN_WAIT : 0u) |
                   (run->has_thread_wait ? MW_RUNNER_THREAD_WAIT : 0u) | (run->threads > 0 ? MW_RUNNER_THREADS : 0u) |
                   (run->peak_memory_bytes > 0 ? MW_RUNNER_PEAK_MEMORY : 0u);
    for (unsigned i = 0; i < MW_EVENT_COUNT; i++)
        if (run->events.has[i])
            result->has |= (unsigned)MW_RUNNER_COUNTED | (unsigned)MW_RUNNER_EVENT << i;
    if (result->has & MW_RUNNER_COUNTED && run->events.share < multiplexed_below && !result->note[0])
        snprintf(result->note, sizeof result->note,
                 "the counters took turns: they counted for %.0f %% of the run and are scaled",
                 100 * run->events.share);
    if (runner->setup.run.time_regexp && run->fault == MW_RUN_GOOD && run->time_s > printed_most * run->wall_s &&
        !result->note[0])
        snprintf(result->note, sizeof result->note,
                 "it printed a time of %.4g s in a run of %.4g s: is it in another unit (--unit)?", run->time_s,
                 run->wall_s);
    if (run->left && run->fault != MW_RUN_TIMEOUT) {
        if (runner->setup.run.keep_children)
            result->disturbed = 1;
        snprintf(result->note, sizeof result->note, "it left %u process%s running (%s)%s", run->left,
                 run->left == 1 ? "" : "es", run->left_names,
                 runner->setup.run.keep_children ? "; they may disturb the next runs" : ", which were ended");
    }
}

/* What others did on the run's CPUs between the two readings. */
static void note_others(const struct mw_health *before, const struct mw_health *after, size_t bound,
                        struct mw_runner_result *result)
{
    const struct mw_run_result *run = &result->run;
    if (before->has_busy && after->has_busy) {
        result->other_cpu_s = fmax(after->busy_s - before->busy_s - run->cpu_time_s, 0);
        result->steal_s = fmax(after->steal_s - before->steal_s, 0);
        result->has |= MW_RUNNER_STEAL | MW_RUNNER_DISTURBED;
    }
    if (before->has_throttled && after->has_throttled) {
        result->throttled_s = fmax(after->throttled_s - before->throttled_s, 0);
        result->has |= MW_RUNNER_THROTTLED;
    }
    result->foreign_share = mw_health_foreign(before, after, run->cpu_time_s, run->wall_s, bound);
    result->disturbed = result->foreign_share > MW_NOISE_FOREIGN;
    if (before->has_busy && after->has_busy && (result->foreign_share > 0 || run->wall_s >= MW_HEALTH_LEAST_S))
        result->has |= MW_RUNNER_OTHERS;
    if (after->hot <= before->hot)
        return;
    result->disturbed = 1;
    if (!result->note[0])
        snprintf(result->note, sizeof result->note, "the processor was slowed for heat during the run");
}

/* The run, what others did meanwhile, and its energy around it. */
static enum mw_err run_metered(struct mw_runner *runner, unsigned cores, size_t bound, struct mw_runner_result *result,
                               struct mw_error *error)
{
    struct mw_energy_reading reading = {0};
    struct mw_health before = mw_health_read(runner->bound, bound), after;
    bool commanded = runner->energy_command.command != NULL, metered = commanded || runner->energy;
    enum mw_err err = commanded ? mw_energy_command_start(&runner->energy_command, runner->stop, error) : MW_OK;
    if (err)
        return err;
    if (runner->energy)
        mw_energy_start(runner->energy);
    err = mw_process_run(runner->process, cores, runner->bound, bound, runner->stop, &result->run, error);
    if (runner->energy)
        mw_energy_stop(runner->energy, &reading);
    if (!err && commanded)
        err = mw_energy_command_stop(&runner->energy_command, result->run.wall_s, runner->stop, &reading, error);
    if (err)
        return err;
    after = mw_health_read(runner->bound, bound);
    result->has |= reading.has ? MW_RUNNER_ENERGY : 0u;
    result->energy_j = reading.energy_j;
    if (metered && !reading.has && !result->note[0])
        snprintf(result->note, sizeof result->note, "no energy: %.240s", reading.why);
    else if (metered && *reading.why && !result->note[0])
        snprintf(result->note, sizeof result->note, "%.250s", reading.why);
    note_others(&before, &after, bound, result);
    note_usage(runner, cores, result);
    return MW_OK;
}

/* Runs that bring caches, files and clocks to where they will be; not kept. One that fails is told of the first kept one. */
static enum mw_err warm_up(struct mw_runner *runner, unsigned cores, size_t bound, struct mw_error *error)
{
    struct mw_run_result result = {.fault = MW_RUN_GOOD};
    enum mw_err err = MW_OK;
    for (; runner->setup.warmup && !err && result.fault == MW_RUN_GOOD; runner->setup.warmup--)
        err = mw_process_run(runner->process, cores, runner->bound, bound, runner->stop, &result, error);
    runner->setup.warmup = 0;
    return err;
}

enum mw_err mw_runner_measure(struct mw_runner *runner, unsigned cores, double freq_hz, unsigned repetition,
                              struct mw_runner_result *result, struct mw_error *error)
{
    if (runner->has_replay)
        return measure_replay(runner, cores, freq_hz, repetition, result, error);
    struct mw_runner_result r = {0};
    struct mw_freq_note changed = {0};
    size_t bound;
    enum mw_err err = runner->setup.unbound ? MW_OK : mw_runner_cpus(runner, cores, runner->cpus, error);
    if (!err)
        err = select_bound(runner, cores, &bound, error);
    if (!err)
        cool_down(runner, &r);
    if (!err && freq_hz > 0)
        err = mw_runner_set_freq(runner, cores, freq_hz, &r, error);
    if (err)
        return err;
    if (freq_hz > 0)
        confirm(runner, cores, freq_hz, true, &r);
    else if (!runner->setup.unbound)
        note_clock(runner, cores, &r);
    err = warm_up(runner, cores, bound, error);
    if (!err)
        err = run_metered(runner, cores, bound, &r, error);
    if (err)
        return err;
    if (freq_hz > 0)
        mw_cpufreq_verify(&runner->session.cpufreq, &changed);
    if (changed.off) {
        r.freq_off = true;
        snprintf(r.note, sizeof r.note, "%s", changed.text);
    }
    if (freq_hz > 0 && (changed.off || runner->has_here))
        confirm(runner, cores, freq_hz, false, &r);
    *result = r;
    return MW_OK;
}
