// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/runner_internal.h"
#include "measure/run/runner_columns.h"

#include "measure/probe/clock.h"
#include "measure/machine/health.h"
#include "measure/machine/sysfile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1 … number of cores (CPUs with smt) that may be used. */
static enum mw_err list_cores(struct mw_runner *runner, struct mw_error *error)
{
    size_t count = runner->setup.unbound ? 0
                   : runner->setup.smt   ? runner->machine.cpu_allowed_count
                                         : runner->machine.core_count;
    runner->cores = calloc(count + 1, sizeof *runner->cores);
    runner->cpus = calloc(count + 1, sizeof *runner->cpus);
    runner->bound = calloc(count + 1, sizeof *runner->bound);
    runner->effective_hz = calloc(count + 1, sizeof *runner->effective_hz);
    runner->clock_hz = calloc(count + 1, sizeof *runner->clock_hz);
    if (!runner->cores || !runner->cpus || !runner->bound || !runner->effective_hz || !runner->clock_hz)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        runner->cores[i] = (double)(i + 1);
    runner->core_count = count;
    return MW_OK;
}

/* A meter that is not there is no error; a command that does not work is one. */
static enum mw_err open_energy(struct mw_runner *runner, struct mw_error *error)
{
    const struct mw_runner_setup *setup = &runner->setup;
    struct mw_error why;
    if (setup->dry_run)
        return MW_OK;
    if (setup->energy_command)
        return mw_energy_command_open(&runner->energy_command, setup->energy_command, setup->energy_kind,
                                      setup->run.timeout_s, runner->stop, error);
    enum mw_err err = mw_energy_open(&runner->energy, setup->root, &why);
    if (err == MW_PERM)
        snprintf(runner->energy_missing, sizeof runner->energy_missing, "%.400s: %.250s", why.message, why.hint);
    if (err == MW_OK || err == MW_PERM || err == MW_UNSUPPORTED)
        return MW_OK;
    if (error)
        *error = why;
    return err;
}

/* Holds the machine; one without frequency control is fine until a frequency or boost is asked for. */
static enum mw_err take_machine(struct mw_runner *runner, struct mw_error *error)
{
    const struct mw_runner_setup *setup = &runner->setup;
    double celsius;
    const struct mw_session_setup session = {.root = setup->root,
                                             .dry_run = setup->dry_run,
                                             .sets = setup->sets_freq || setup->boost != MW_BOOST_KEEP,
                                             .lock = setup->lock,
                                             .stop = runner->stop};
    enum mw_err err = mw_session_open(&runner->session, &session, error);
    runner->is_held = !err;
    if (!err && setup->cool_to_c > 0 && !mw_health_temperature(setup->root, &celsius)) {
        err = mw_fail(error, MW_UNSUPPORTED, "no temperature of the processor can be read on this machine");
        mw_hint(error, "leave out --cool-to");
    }
    if (!err)
        err = open_energy(runner, error);
    if (err || setup->boost == MW_BOOST_KEEP)
        return err;
    if (!runner->session.has_cpufreq)
        return mw_fail(error, MW_UNSUPPORTED, "there is no switch for boost on this machine");
    return mw_cpufreq_boost(&runner->session.cpufreq, setup->boost == MW_BOOST_ON, error);
}

/* Which events are counted here: opened once to see. A machine without is no error. */
static void find_events(struct mw_runner *runner)
{
    struct mw_events events;
    struct mw_error why;
    runner->setup.run.count_events = !mw_events_open(&events, &why);
    if (!runner->setup.run.count_events) {
        snprintf(runner->events_missing, sizeof runner->events_missing, "%.250s%s%.150s", why.message,
                 why.hint[0] ? "; " : "", why.hint);
        return;
    }
    for (int i = 0; i < MW_EVENT_COUNT; i++)
        runner->offers_event[i] = events.fd[i] >= 0;
    mw_events_close(&events);
}

static enum mw_err open_machine(struct mw_runner *runner, struct mw_error *error)
{
    enum mw_err err = mw_topology_open(&runner->machine, runner->setup.root, error);
    runner->has_machine = !err;
    if (!err && *runner->setup.root) {
        err = mw_topology_open(&runner->here, "", error);
        runner->has_here = !err;
    }
    if (!err)
        err = list_cores(runner, error);
    if (!err && runner->setup.run.count_events)
        find_events(runner);
    mw_cpu_limit(runner->setup.root, &runner->limit);
    if (!err)
        err = mw_process_open(&runner->process, &runner->setup.run, error);
    if (!err)
        err = take_machine(runner, error);
    return err;
}

enum mw_err mw_runner_open(struct mw_runner **result, const struct mw_runner_setup *setup, struct mw_stop *stop,
                           struct mw_error *error)
{
    struct mw_runner *runner = calloc(1, sizeof *runner);
    if (!runner)
        return mw_fail(error, MW_NOMEM, "out of memory");
    runner->setup = *setup;
    runner->stop = stop;
    const struct mw_dataset_options table = {.energy_only = true};
    enum mw_err err =
        setup->replay ? mw_replay_open(&runner->replay, setup->replay, &table, error) : open_machine(runner, error);
    runner->has_replay = setup->replay && !err;
    if (err) {
        struct mw_error ignored;
        if (mw_runner_close(runner, &ignored))
            return err;
        return err;
    }
    *result = runner;
    return MW_OK;
}

enum mw_err mw_runner_close(struct mw_runner *runner, struct mw_error *error)
{
    if (!runner)
        return MW_OK;
    struct mw_error beside;
    if (runner->stop) /* what ended the runs does not end the cleaning up; another order does */
        runner->stop->level = MW_STOP_NONE;
    enum mw_err finish = runner->process ? mw_process_finish(runner->process, runner->stop, &beside) : MW_OK;
    enum mw_err err = runner->is_held ? mw_session_close(&runner->session, error) : MW_OK;
    mw_energy_close(runner->energy);
    free(runner->clock_hz);
    mw_process_close(runner->process);
    if (runner->has_replay)
        mw_replay_close(&runner->replay);
    if (runner->has_machine)
        mw_topology_close(&runner->machine);
    if (runner->has_here)
        mw_topology_close(&runner->here);
    free(runner->cores);
    free(runner->cpus);
    free(runner->bound);
    free(runner->effective_hz);
    free(runner);
    if (!err && finish && error)
        *error = beside;
    return err ? err : finish;
}

const double *mw_runner_cores(const struct mw_runner *runner, size_t *count)
{
    *count = runner->has_replay ? runner->replay.core_count : runner->core_count;
    return runner->has_replay ? runner->replay.cores : runner->cores;
}

const double *mw_runner_freqs(const struct mw_runner *runner, size_t *count)
{
    *count = runner->has_replay            ? runner->replay.freq_count
             : runner->session.has_cpufreq ? runner->session.cpufreq.freq_count
                                           : 0;
    return runner->has_replay ? runner->replay.freqs_hz : runner->session.cpufreq.freqs_hz;
}

/* On this machine: what a run can be told. */
static unsigned has_here(const struct mw_runner *runner)
{
    const struct mw_topology *here = runner->has_here ? &runner->here : &runner->machine;
    unsigned cpu = here->cores[0].cpus[0];
    bool bound = !runner->setup.unbound; /* else the processes are somewhere else, maybe on other nodes */
    struct mw_health health = mw_health_read(&cpu, 1);
    unsigned has = MW_RUNNER_TIME | MW_RUNNER_CPU_TIME | MW_RUNNER_USAGE | MW_RUNNER_THREADS | MW_RUNNER_PEAK_MEMORY;
    has |= runner->energy || runner->energy_command.command ? MW_RUNNER_ENERGY : 0u;
    has |= !bound ? 0u : !runner->has_here || runner->session.has_cpufreq ? MW_RUNNER_EFFECTIVE : 0u;
    has |= runner->setup.run.time_regexp || runner->setup.run.rate_regexp ? MW_RUNNER_WALL : 0u;
    has |= runner->setup.run.rate_regexp ? MW_RUNNER_RATE : 0u;
    has |= bound && mw_sysfile_exists("", "/proc/self/schedstat") ? MW_RUNNER_MAIN_WAIT | MW_RUNNER_THREAD_WAIT : 0u;
    has |= bound && health.has_busy ? MW_RUNNER_OTHERS | MW_RUNNER_STEAL | MW_RUNNER_DISTURBED : 0u;
    has |= health.has_throttled ? MW_RUNNER_THROTTLED : 0u;
    for (unsigned i = 0; i < MW_EVENT_COUNT; i++)
        has |= runner->offers_event[i] ? (unsigned)MW_RUNNER_COUNTED | (unsigned)MW_RUNNER_EVENT << i : 0u;
    return has;
}

unsigned mw_runner_has(const struct mw_runner *runner)
{
    if (!runner->has_replay)
        return has_here(runner);
    unsigned has = MW_RUNNER_TIME;
    for (size_t i = 0; i < runner->replay.dataset.count; i++) {
        const struct mw_row *row = &runner->replay.dataset.rows[i];
        bool energy = row->has & (MW_HAS_ENERGY | MW_HAS_POWER) || runner->replay.dataset.quantity == MW_ENERGY;
        struct mw_runner_result told = {.has = has};
        mw_runner_result_from(&told, row);
        has |= told.has | (energy ? MW_RUNNER_ENERGY : 0u);
    }
    return has;
}

double mw_runner_cpu_limit(const struct mw_runner *runner)
{
    return runner->has_replay ? (double)INFINITY : runner->limit.cpus;
}

enum mw_err mw_runner_cpus(const struct mw_runner *runner, unsigned cores, unsigned *cpus, struct mw_error *error)
{
    return mw_topology_select(&runner->machine, cores, runner->setup.order, runner->setup.smt, cpus, error);
}

const char *mw_runner_energy_missing(const struct mw_runner *runner)
{
    return runner->energy_missing[0] ? runner->energy_missing : NULL;
}

void mw_runner_renew(struct mw_runner *runner)
{
    if (runner->process)
        mw_process_renew(runner->process);
}

void mw_runner_tail(const struct mw_runner *runner, unsigned lines, char *text, size_t size)
{
    *text = '\0';
    if (runner->process)
        mw_process_tail(runner->process, lines, text, size);
}

const char *mw_runner_events_missing(const struct mw_runner *runner)
{
    return runner->events_missing[0] ? runner->events_missing : NULL;
}

void mw_runner_idle_power(struct mw_runner *runner, double time_s, bool *has, double *power_w)
{
    struct mw_energy_reading reading;
    *has = false;
    if (!runner->energy)
        return;
    double start_s = mw_now_s();
    time_s = fmax(time_s, mw_energy_least_s(runner->energy));
    mw_energy_start(runner->energy);
    mw_stop_sleep(runner->stop, time_s);
    time_s = mw_now_s() - start_s;
    mw_energy_stop(runner->energy, &reading);
    *has = reading.has;
    if (reading.has)
        *power_w = reading.energy_j / time_s;
}

const char *mw_runner_recovered(const struct mw_runner *runner)
{
    return runner->session.recovered;
}

enum mw_err mw_runner_writes(struct mw_runner *runner, unsigned cores, double freq_hz,
                             const struct mw_attribute_write **writes, size_t *count, struct mw_error *error)
{
    struct mw_runner_result ignored = {0};
    enum mw_err err = MW_OK;
    if (!cores)
        err = runner->session.has_cpufreq ? mw_cpufreq_restore(&runner->session.cpufreq, error) : MW_OK;
    else if (freq_hz > 0 && !(err = mw_runner_cpus(runner, cores, runner->cpus, error)))
        err = mw_runner_set_freq(runner, cores, freq_hz, &ignored, error);
    if (err)
        return err;
    size_t told = runner->writes_told;
    runner->writes_told = runner->session.cpufreq.attributes.write_count;
    *count = runner->writes_told - told;
    *writes = *count ? runner->session.cpufreq.attributes.writes + told : NULL;
    return MW_OK;
}
