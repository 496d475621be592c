// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tune/tune.h"

#include "fit/main_wait.h"
#include "measure/run/runner_columns.h"
#include "data/replay.h"
#include "data/stats.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool listed(const double *values, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(values[i] - value) <= 1e-3 * value)
            return true;
    return !values;
}

/* The point's energy: a table of energies alone has it as its value. */
static double point_energy(const struct mw_points *points, size_t i)
{
    const struct mw_point *p = &points->items[i];
    return points->quantity == MW_ENERGY ? p->value : p->has_energy ? p->energy_j : 0;
}

/* --cores and --freq narrow the table down. */
static enum mw_err choose_points(struct tune *tune, const double *cores, size_t core_count, const double *freqs,
                                 size_t freq_count, struct mw_error *error)
{
    size_t n = tune->points.count;
    tune->candidates = calloc(n, sizeof *tune->candidates);
    tune->point_of = calloc(n, sizeof *tune->point_of);
    if (!tune->candidates || !tune->point_of)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const struct mw_point *p = &tune->points.items[i];
        if (!listed(cores, core_count, p->cores) || !listed(freqs, freq_count, p->freq_hz) ||
            (tune->energy_only && point_energy(&tune->points, i) <= 0))
            continue;
        tune->point_of[tune->candidate_count] = i;
        tune->candidates[tune->candidate_count++] = (struct mw_config){p->cores, p->freq_hz};
    }
    if (!tune->candidate_count)
        return mw_fail(error, MW_DATA, "'%s' has no usable point%s", tune->options->replay,
                       cores || freqs ? " among those asked for" : "");
    return MW_OK;
}

/* --cores and --freq against what the table has. */
static enum mw_err narrow(struct tune *tune, const struct mw_replay *table, struct mw_error *error)
{
    const struct tune_options *o = tune->options;
    size_t core_count = 0, freq_count = 0;
    double *cores = NULL, *freqs = NULL;
    enum mw_err err = MW_OK;
    if (o->cores)
        err = mw_parse_cores(o->cores, table->cores, table->core_count, &cores, &core_count, error);
    if (!err && o->freq)
        err = mw_parse_freqs(o->freq, table->freqs_hz, table->freq_count, &freqs, &freq_count, error);
    if (!err)
        err = choose_points(tune, cores, core_count, freqs, freq_count, error);
    free(cores);
    free(freqs);
    return err;
}

enum mw_err tune_open_replay(struct tune *tune, struct mw_error *error)
{
    const struct tune_options *o = tune->options;
    struct mw_dataset_options options = {.where = o->where.items,
                                         .where_count = o->where.count,
                                         .map = o->map.items,
                                         .map_count = o->map.count,
                                         .energy_only = !mw_goal_needs_time(&tune->goal)};
    struct mw_replay table;
    enum mw_err err = mw_replay_open(&table, o->replay, &options, error);
    if (err)
        return err;
    err = mw_points_from_dataset(&tune->points, &table.dataset, error);
    for (size_t i = 0; !err && i < table.dataset.warning_count; i++)
        cli_warn(tune->cli, "%s", table.dataset.warnings[i]);
    tune->energy_only = tune->points.quantity != MW_TIME;
    if (table.dataset.rate_unit)
        tune->rate_unit = mw_rate_words(table.dataset.rate_unit, tune->rate_words, sizeof tune->rate_words);
    if (!err)
        err = narrow(tune, &table, error);
    mw_replay_close(&table);
    return err;
}

/* Sockets, as the cores are filled. */
static enum mw_err machine_boundaries(struct tune *tune, struct mw_error *error)
{
    struct mw_topology topology;
    unsigned *at = NULL;
    enum mw_boundary_kind *what = NULL;
    size_t count = 0;
    enum mw_err err = mw_topology_open(&topology, tune->cli->common.root, error);
    if (err)
        return err;
    err = mw_topology_boundaries(&topology, MW_ORDER_COMPACT, false, &at, &what, &count, error);
    tune->boundaries = err ? NULL : calloc(count + 1, sizeof *tune->boundaries);
    if (!err && !tune->boundaries)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < count; i++)
        if (what[i] == MW_BOUNDARY_SOCKET)
            tune->boundaries[tune->boundary_count++] = at[i];
    free(at);
    free(what);
    mw_topology_close(&topology);
    return err;
}

static enum mw_err machine_candidates(struct tune *tune, struct mw_error *error)
{
    const struct tune_options *o = tune->options;
    size_t offered_cores, offered_freqs, core_count = 0, freq_count = 0;
    const double *some_cores = mw_runner_cores(tune->runner, &offered_cores),
                 *some_freqs = mw_runner_freqs(tune->runner, &offered_freqs);
    double *cores = NULL, *freqs = NULL;
    enum mw_err err =
        mw_parse_cores(o->cores ? o->cores : "all", some_cores, offered_cores, &cores, &core_count, error);
    if (!err && cores[core_count - 1] > (double)offered_cores)
        err = mw_fail(error, MW_USAGE, "%g cores asked for, %zu physical cores may be used here", cores[core_count - 1],
                      offered_cores);
    if (!err && o->freq && !offered_freqs) {
        mw_fail(error, MW_UNSUPPORTED, "there is no frequency control on this machine");
        err = mw_hint(error, "without --freq the choice is among core counts only");
    }
    if (!err && offered_freqs)
        err = mw_parse_freqs(o->freq ? o->freq : "all", some_freqs, offered_freqs, &freqs, &freq_count, error);
    size_t per_core = freq_count ? freq_count : 1;
    tune->candidates = err ? NULL : calloc(core_count * per_core, sizeof *tune->candidates);
    if (!err && !tune->candidates)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t f = 0; !err && f < per_core; f++)
        for (size_t p = 0; p < core_count; p++)
            tune->candidates[tune->candidate_count++] = (struct mw_config){(unsigned)cores[p], freqs ? freqs[f] : 0};
    free(cores);
    free(freqs);
    return err;
}

struct opening {
    struct tune *tune;
    struct mw_runner_setup *setup;
};

static enum mw_err open_runner(void *opaque, enum mw_lock_mode mode, struct mw_error *error)
{
    struct opening *o = opaque;
    o->setup->lock = mode;
    return mw_runner_open(&o->tune->runner, o->setup, &o->tune->stop, error);
}

enum mw_err tune_open_machine(struct tune *tune, struct mw_error *error)
{
    const struct tune_options *o = tune->options;
    struct mw_runner_setup setup = {.run = run_options_setup(&o->run, tune->cli->program),
                                    .root = tune->cli->common.root,
                                    .order = MW_ORDER_COMPACT,
                                    .boost = MW_BOOST_KEEP,
                                    .energy_command = o->run.energy_command,
                                    .energy_kind = run_options_energy_kind(&o->run),
                                    .warmup = o->run.warmup,
                                    .dry_run = tune->cli->common.dry_run,
                                    .sets_freq = true};
    tune->rate_unit = run_options_rate_unit(&o->run);
    enum mw_err err = lock_options_open(tune->cli, &o->lock, open_runner, &(struct opening){tune, &setup}, error);
    if (!err && mw_runner_recovered(tune->runner))
        cli_say(tune->cli, "put back what a killed memwall had left:\n%s", mw_runner_recovered(tune->runner));
    if (!err && !tune->boundaries)
        err = machine_boundaries(tune, error);
    if (!err)
        err = machine_candidates(tune, error);
    if (!err && !mw_runner_freqs(tune->runner, &(size_t){0}))
        cli_say(tune->cli, "frequencies cannot be set here: the choice is among core counts");
    return err;
}

enum mw_err tune_close(struct tune *tune, struct mw_error *error)
{
    enum mw_err err = mw_runner_close(tune->runner, error);
    mw_stop_close(&tune->stop);
    if (tune->log_open)
        mw_append_close(&tune->log);
    mw_tuner_free(tune->tuner);
    mw_points_release(&tune->points);
    mw_dataset_release(&tune->done);
    free(tune->point_of);
    free(tune->candidates);
    free(tune->times);
    free(tune->boundaries);
    return err;
}

static enum mw_err interrupted(const struct tune *tune, struct mw_error *error)
{
    mw_fail(error, MW_INTERRUPTED, "interrupted: %zu runs are kept", tune->runs_done);
    return mw_hint(error, "the same command with --resume goes on");
}

static enum mw_err run_now(struct tune *tune, const struct mw_config *c, unsigned repetition, struct mw_row *row,
                           struct mw_error *error)
{
    struct mw_runner_result result;
    if (mw_stop_poll(&tune->stop) != MW_STOP_NONE)
        return interrupted(tune, error);
    enum mw_err err = mw_runner_measure(tune->runner, (unsigned)c->cores, c->freq_hz, repetition, &result, error);
    if (err)
        return err == MW_INTERRUPTED ? interrupted(tune, error) : err;
    char name[64], what[256];
    goal_name(c, name, sizeof name);
    if (result.run.fault != MW_RUN_GOOD) {
        mw_run_describe(&result.run, what, sizeof what);
        cli_warn(tune->cli, "%s, run %u failed: %s", name, repetition, what);
    }
    if (result.note[0])
        cli_warn(tune->cli, "%s: %s", name, result.note);
    bool is_first = !tune->runs_done && !tune->done.count;
    err = tune_log_row(tune, c, repetition, &result, error);
    if (!err && is_first)
        err = run_first_check(tune->cli, tune->runner, &result.run, error);
    *row = mw_runner_row(&result, c->cores, c->freq_hz);
    if (result.run.fault != MW_RUN_GOOD)
        row->has = 0;
    return err;
}

/* One run: from the log where it is there, else done now and logged. good: it counts. */
static enum mw_err one_run(struct tune *tune, const struct mw_config *c, unsigned repetition, double *time_s,
                           double *energy_j, bool *good, struct mw_error *error)
{
    const struct mw_row *logged = tune_log_find(tune, c, repetition);
    struct mw_row row = {0};
    enum mw_err err = MW_OK;
    if (logged)
        row = *logged;
    else
        err = run_now(tune, c, repetition, &row, error);
    *good = row.exit_status == 0 && row.has & MW_HAS_VALUE;
    *time_s = mw_main_wait_without(&row); /* others who ran meanwhile say nothing of the configuration */
    *energy_j = row.has & MW_HAS_ENERGY ? row.energy_j : 0;
    return err;
}

static enum mw_err measure_machine(struct tune *tune, size_t candidate, struct mw_reading *reading,
                                   struct mw_error *error)
{
    const struct mw_config *c = &tune->candidates[candidate];
    size_t runs = tune->options->runs, good_runs = 0, energies = 0;
    double *time = calloc(3 * runs, sizeof *time), *energy = time + runs, *ln_time = energy + runs;
    enum mw_err err = time ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    bool good = true;
    unsigned before = (unsigned)(tune->times[candidate] * runs);
    for (unsigned r = before + 1; !err && good && r <= before + runs; r++) {
        double time_s = 0, energy_j = 0;
        char name[64];
        goal_name(c, name, sizeof name);
        cli_progress(tune->cli, mw_tuner_result(tune->tuner).count, tune->options->max_points, "%s, run %u", name, r);
        err = one_run(tune, c, r, &time_s, &energy_j, &good, error);
        if (err || !good)
            break;
        ln_time[good_runs] = log(time_s);
        time[good_runs++] = time_s;
        if (energy_j > 0)
            energy[energies++] = energy_j;
    }
    cli_progress_end();
    reading->failed = !err && !good;
    if (!err && good) {
        reading->time_s = mw_median(time, runs);
        reading->energy_j = energies ? mw_median(energy, energies) : 0;
        /* of the median: sqrt(pi / 2) times that of the mean, for normal errors */
        reading->spread = runs > 1 ? mw_spread(ln_time, runs) * sqrt(fmin(1, M_PI / 2 / (double)runs)) : 0;
        reading->runs = runs;
        tune->times[candidate]++;
    }
    free(time);
    return err;
}

enum mw_err tune_measure(void *data, size_t candidate, const char *reason, struct mw_reading *reading,
                         struct mw_error *error)
{
    struct tune *tune = data;
    (void)reason;
    if (!tune->options->replay)
        return measure_machine(tune, candidate, reading, error);
    const struct mw_point *p = &tune->points.items[tune->point_of[candidate]];
    *reading = (struct mw_reading){.time_s = tune->energy_only ? 0 : p->value,
                                   .energy_j = point_energy(&tune->points, tune->point_of[candidate]),
                                   .spread = p->spread * sqrt(fmin(1, M_PI / 2 / (double)p->count)),
                                   .runs = p->count};
    return MW_OK;
}
