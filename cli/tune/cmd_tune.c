// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/tune/tune.h"

#include "data/units.h"

#include <stdlib.h>
#include <string.h>

/* Runs of one configuration: three show a spread, and their median forgives one bad run. */
enum { DEFAULT_RUNS = 3, DEFAULT_POINTS = 20 };

#define OPT(name, kind, field, argument, help, ...)                                                                    \
    {                                                                                                                  \
        name, kind, CLI_FIELD(struct tune_options, field), argument, help, __VA_ARGS__                                 \
    }

static const struct cli_option options[] = {
    GOAL_OPTIONS(struct tune_options),
    OPT("tolerance", CLI_PERCENT, tolerance, "PCT", "what counts as better (default 2)", NULL, 0.01, 50),
    OPT("max-points", CLI_COUNT, max_points, "N",
        "measure at most N times, configurations measured again counted (default 20)", NULL, 1, 10000),
    OPT("cores", CLI_STRING, cores, "LIST", "core counts to choose from (default: all)", NULL, 0, 0),
    OPT("freq", CLI_STRING, freq, "LIST", "frequencies to choose from (default: all where they can be set)", NULL, 0,
        0),
    OPT("boundaries", CLI_STRING, boundaries, "LIST",
        "core counts after which a socket begins (default: from the machine)", NULL, 0, 0),
    OPT("runs", CLI_COUNT, runs, "N", "runs of each configuration, of which the median counts (default 3)", NULL, 1,
        1000),
    RUN_OPTIONS(struct tune_options),
    LOCK_OPTIONS(struct tune_options),
    OPT("memory-freq", CLI_FREQ, memory_freq_hz, "GHZ", "clock of the memory's transfers (default 2.133)", NULL, 0, 0),
    OPT("log", CLI_STRING, log, "FILE",
        "keep every run in FILE, as memwall scan does (default memwall-tune.csv; none with --replay)", NULL, 0, 0),
    OPT("resume", CLI_FLAG, resume, NULL, "go on with the log of an earlier tune of the same command", NULL, 0, 0),
    OPT("slurm", CLI_FLAG, slurm, NULL,
        "on one whole node that Slurm gives (srun --exclusive), with the clocks that may be set there", NULL, 0, 0),
    OPT("partition", CLI_STRING, partition, "NAME", "with --slurm: the partition", NULL, 0, 0),
    OPT("constraint", CLI_STRING, constraint, "FEATURES", "with --slurm: features that the node must have", NULL, 0, 0),
    OPT("time", CLI_STRING, time_limit, "LIMIT", "with --slurm: time limit of the job, as srun takes it", NULL, 0, 0),
    OPT("replay", CLI_STRING, replay, "TABLE", "choose among the points of a measured table, run nothing", NULL, 0, 0),
    OPT("where", CLI_REPEATED, where, "COL=VALUE", "with --replay: only rows with this value; may be repeated", NULL, 0,
        0),
    OPT("map", CLI_REPEATED, map, "NAME=COL", "with --replay: which column is what, as in cores=nt; may be repeated",
        NULL, 0, 0),
    {0},
};

static void defaults(void *data)
{
    struct tune_options *o = data;
    goal_options_default(&o->goal);
    o->tolerance = .02;
    o->max_points = DEFAULT_POINTS;
    o->runs = DEFAULT_RUNS;
}

static enum mw_err check_usage(const struct cli *cli, const struct tune_options *o, struct mw_error *error)
{
    bool has_program = cli->program && cli->program[0];
    if (!has_program && !o->replay) {
        mw_fail(error, MW_USAGE, "no program to run");
        return mw_hint(error, "memwall tune --objective energy -- COMMAND ARGS");
    }
    if (o->replay && has_program)
        return mw_fail(error, MW_USAGE, "--replay runs nothing: leave out the command");
    if (!o->slurm && (o->partition || o->constraint || o->time_limit))
        return mw_fail(error, MW_USAGE, "--partition, --constraint and --time need --slurm");
    if (o->slurm && (o->replay || *cli->common.root || cli->common.dry_run))
        return mw_fail(error, MW_USAGE, "a job measures its node: leave out --replay, --root and --dry-run");
    if (o->replay && (o->resume || o->log))
        return mw_fail(error, MW_USAGE, "--replay keeps no log: there is nothing to resume");
    if (!o->replay && (o->where.count || o->map.count))
        return mw_fail(error, MW_USAGE, "--where and --map belong to --replay");
    return run_options_check(&o->run, error);
}

static void report(void *data, const struct mw_tune_step *step)
{
    struct tune *tune = data;
    if (!tune->cli->common.json)
        tune_print_step(tune, step, mw_tuner_result(tune->tuner).count);
}

static enum mw_err print_plan(const struct tune *tune)
{
    size_t candidate;
    char reason[160], name[64];
    printf("%zu configurations to choose from, at most %lu measured, %lu runs each\nfirst\n", tune->candidate_count,
           tune->options->max_points, tune->options->replay ? 1 : tune->options->runs);
    for (size_t i = 0; mw_tuner_next(tune->tuner, &candidate, reason, sizeof reason) == MW_TUNE_GOES_ON && i < 4; i++) {
        goal_name(&tune->candidates[candidate], name, sizeof name);
        printf("  %s: %s\n", name, reason);
        mw_tuner_exclude(tune->tuner, candidate);
        if (i == 2)
            break;
    }
    printf("then where the expected improvement is largest\n");
    return MW_OK;
}

static enum mw_err tune_all(struct tune *tune, enum mw_tune_stop *stopped, struct mw_error *error)
{
    const struct tune_options *o = tune->options;
    enum mw_err err = goal_from_options(&tune->goal, &o->goal, error);
    if (!err && o->boundaries)
        err = mw_boundaries_parse(o->boundaries, &tune->boundaries, NULL, &tune->boundary_count, error);
    if (!err)
        err = o->replay ? tune_open_replay(tune, error) : tune_open_machine(tune, error);
    if (!err && !(tune->times = calloc(tune->candidate_count + 1, sizeof *tune->times)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (err)
        return err;
    struct mw_tune_options with = {.tolerance = o->tolerance,
                                   .max_points = o->max_points,
                                   .memory_freq_hz = o->memory_freq_hz,
                                   .boundaries = tune->boundaries,
                                   .boundary_count = tune->boundary_count,
                                   .energy_only = tune->energy_only,
                                   .repeats = !o->replay,
                                   .seed = tune->cli->common.seed};
    err = mw_tuner_alloc(&tune->tuner, &tune->goal, &with, tune->candidates, tune->candidate_count, error);
    if (!err && tune->cli->common.dry_run)
        return print_plan(tune);
    if (!err && !o->replay)
        err = tune_log_open(tune, error);
    if (!err)
        err = mw_tune(tune->tuner, tune_measure, report, tune, stopped, error);
    return err;
}

static enum mw_err finish(struct tune *tune, enum mw_tune_stop stopped, struct mw_error *error)
{
    if (!mw_tuner_result(tune->tuner).count)
        return mw_fail(error, MW_RUN, "no run succeeded");
    if (tune->cli->common.json)
        return tune_write_json(tune, stopped, error);
    tune_print_result(tune, stopped);
    return MW_OK;
}

static int run(struct cli *cli, const void *data)
{
    struct tune tune = {.cli = cli, .options = data, .stop.fd = -1};
    enum mw_tune_stop stopped = MW_TUNE_GOES_ON;
    struct mw_error closing;
    enum mw_err err = check_usage(cli, tune.options, &cli->error);
    if (!err && tune.options->slurm) /* returns where it fails alone */
        err = tune_by_slurm(cli, tune.options->partition, &cli->error);
    if (!err && !tune.options->replay) /* which runs nothing and changes nothing: signals may end it anywhere */
        err = mw_stop_open(&tune.stop, &cli->error);
    if (err)
        return cli_fail(cli, &cli->error);
    err = tune_all(&tune, &stopped, &cli->error);
    if (!err && !cli->common.dry_run)
        err = finish(&tune, stopped, &cli->error);
    if (tune_close(&tune, &closing)) {
        if (err)
            cli_fail(cli, &closing);
        else
            cli->error = closing;
        err = err ? err : closing.code;
    }
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_tune = {
    .name = "tune",
    .summary = "measure, fit and choose until the best configuration is known",
    .usage = "[options] -- COMMAND ARGS",
    .description =
        "Finds the cores and the frequency that suit an objective best, with as few measurements as it can: runs COMMAND on "
        "all cores at the highest and at the lowest frequency and on half of the cores, then where the expected improvement "
        "is largest, and stops when no configuration left has a chance of 10 % (100 - certainty) to be better by the "
        "tolerance. About seven configurations out of 312 are measured on clean tables. With one frequency, noisy runs or "
        "energies without times the careful stop also waits until all the chances together are under "
        "20 %, and says so. The certainty is that nothing, measured or not, is better: where the runs of those that were measured "
        "scatter too much to tell the best apart, the one known less is measured again.\n"
        "What is recommended is a configuration that was measured: the best reading where runs are known to repeat, the best "
        "posterior mean where they differ by 2 % and more, and of readings without repetitions the best posterior mean, "
        "but where they scatter by less than 2 % no further than that from the best reading, since the luckiest reading is "
        "not the best configuration. Limits are compared with "
        "what was measured.\n"
        "Every run is kept in the log, which memwall fit reads; after an interruption --resume goes on with it.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_JSON | CLI_SEED | CLI_ROOT | CLI_DRY_RUN | CLI_VERBOSE,
    .options_size = sizeof(struct tune_options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall tune --objective energy --max-slowdown 5 -- ./program --threads {cores}\n"
                "  memwall tune --slurm --partition compute -- ./program --threads {cores}\n"
                "  memwall tune --objective edp --power-cap 150 --resume -- ./program\n"
                "  memwall tune --objective energy --replay data/examples/canneal.csv --boundaries 12\n",
    .operands_min = 0,
    .operands_max = 0,
    .program = true,
};
