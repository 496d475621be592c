// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/scan/scan_batch.h"

#include <string.h>

#define OPT(name, kind, field, argument, help, ...)                                                                    \
    {                                                                                                                  \
        name, kind, CLI_FIELD(struct scan_options, field), argument, help, __VA_ARGS__                                 \
    }

static const char *const boost_choices[] = {"keep", "off", "on", NULL};
static const struct cli_option options[] = {
    OPT("cores", CLI_STRING, cores, "LIST", "core counts, as in 1,2,4-16:2,all (default: 1, 2, 4, … and all)", NULL, 0,
        0),
    OPT("freq", CLI_STRING, freq, "LIST", "frequencies, as in 1.2-2.4:0.2,min,max,all (default: left alone)", NULL, 0,
        0),
    OPT("gpus", CLI_STRING, gpus, "LIST",
        "numbers of graphics processors that the program sees (CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES)", NULL, 0,
        0),
    OPT("gpu-freq", CLI_STRING, gpu_freq, "LIST",
        "clocks of the graphics processor to set and put back (amdgpu, i915, xe, nvidia-smi), as in 0.5,max", NULL, 0,
        0),
    OPT("runs", CLI_COUNT, runs, "N", "runs of each configuration (default 5)", NULL, 1, 100000),
    OPT("precision", CLI_PERCENT, precision, "PCT", "run until the median's 90 % interval is within ± PCT", NULL, 0.001,
        100),
    OPT("min-runs", CLI_COUNT, min_runs, "N", "with --precision: at least N runs (default 5)", NULL, 1, 100000),
    OPT("max-runs", CLI_COUNT, max_runs, "N", "with --precision: at most N runs (default 30)", NULL, 1, 100000),
    OPT("max-time", CLI_DURATION, max_time_s, "S", "start no run after S seconds (as in 90, 30m, 2h)", NULL, 0, 0),
    RUN_OPTIONS(struct scan_options),
    LOCK_OPTIONS(struct scan_options),
    OPT("cool-to", CLI_NUMBER, cool_to_c, "CELSIUS", "wait before each run until the processor is no hotter", NULL, 1,
        150),
    OPT("order", CLI_STRING, order, "LIST",
        "of the runs: balanced (default), random, listed; of filling cores: compact (default), spread", NULL, 0, 0),
    OPT("smt", CLI_FLAG, smt, NULL, "count hyper-threads too, after all cores are taken", NULL, 0, 0),
    OPT("boost", CLI_CHOICE, boost, "WHAT", "keep (default), off or on while the scan runs", boost_choices, 0, 0),
    OPT("idle", CLI_DURATION, idle_s, "S",
        "time at rest before and after in which idle power is measured (default 1; 0: none)", NULL, 0, 0),
    OPT("memory-freq", CLI_FREQ, memory_freq_hz, "GHZ",
        "rate of the memory's transfers, for the fit (default: from the firmware, where readable)", NULL, 0, 0),
    OPT("workload", CLI_STRING, workload, "NAME", "text of the column workload (default: the program's name)", NULL, 0,
        0),
    OPT("input", CLI_STRING, input, "NAME", "text of the column input (default: no such column)", NULL, 0, 0),
    OPT("weak", CLI_FLAG, weak, NULL,
        "the work grows with the cores, as by {cores} in the size asked for: speedups are scaled ones", NULL, 0, 0),
    OPT("resume", CLI_FLAG, resume, NULL, "go on with the file of an earlier scan with the same options", NULL, 0, 0),
    OPT("unbound", CLI_FLAG, unbound, NULL,
        "bind nothing and take any core count: --launcher places the processes, on other nodes too", NULL, 0, 0),
    OPT("slurm", CLI_FLAG, slurm, NULL, "run the points as jobs of Slurm, and wait for them", NULL, 0, 0),
    OPT("nodes", CLI_STRING, nodes, "LIST",
        "with --slurm: on 1, 2, … nodes; beyond the first with the most cores of --cores on each", NULL, 0, 0),
    OPT("partition", CLI_STRING, partition, "NAME", "with --slurm: the partition", NULL, 0, 0),
    OPT("constraint", CLI_STRING, constraint, "FEATURES", "with --slurm: features that nodes must have", NULL, 0, 0),
    OPT("time", CLI_STRING, time_limit, "LIMIT", "with --slurm: time limit of a job, as sbatch takes it", NULL, 0, 0),
    OPT("exclusive", CLI_FLAG, exclusive, NULL,
        "with --slurm: whole nodes for each job, so that nobody else disturbs it", NULL, 0, 0),
    OPT("batch-template", CLI_STRING, batch_template, "FILE",
        "run the points as jobs of another batch system, by a script with {nodes}, {cores} and {command}", NULL, 0, 0),
    OPT("replay", CLI_STRING, replay, "TABLE", "take the runs from a measured table, run nothing", NULL, 0, 0),
    {0},
};

static void defaults(void *data)
{
    struct scan_options *o = data;
    o->order = "balanced,compact";
    o->boost = "keep";
    o->idle_s = 1; /* a thousand updates of RAPL, ten of a node's counters */
}

static enum mw_err check_usage(const struct cli *cli, const struct scan_options *o, struct mw_error *error)
{
    bool has_program = cli->program && cli->program[0];
    if (!has_program && !o->replay) {
        mw_fail(error, MW_USAGE, "no program to run");
        return mw_hint(error, "memwall scan -o runs.csv -- COMMAND ARGS");
    }
    if ((o->gpus || o->gpu_freq) && (o->replay || o->slurm || o->batch_template))
        return mw_fail(error, MW_USAGE, "--gpus and --gpu-freq go with runs on this machine");
    if (o->replay && has_program)
        return mw_fail(error, MW_USAGE, "--replay runs nothing: leave out the command");
    bool asks_slurm = o->nodes || o->partition || o->constraint || o->time_limit || o->exclusive;
    if (asks_slurm && !o->slurm && !o->batch_template)
        return mw_fail(error, MW_USAGE, "--nodes, --partition, --constraint, --time and --exclusive need --slurm");
    if (o->unbound && (!o->cores || o->freq || o->replay || o->smt)) {
        mw_fail(error, MW_USAGE, "--unbound needs --cores, and leaves clocks and hyper-threads to the launcher");
        return mw_hint(error, "memwall scan --unbound --cores 16,32,64 --launcher 'mpirun -n {cores}' -- ./program");
    }
    return run_options_check(&o->run, error);
}

static enum mw_err scan_all(struct scan *scan, size_t *doubtful, struct mw_error *error)
{
    struct mw_error closing;
    enum mw_err err = scan_prepare(scan, error);
    if (!err && scan->cli->common.dry_run)
        err = scan_print_plan(scan, error);
    else if (!err)
        err = scan_file_open(scan, error);
    if (!err && !scan->cli->common.dry_run)
        err = scan_loop(scan, doubtful, error);
    if (scan->file.path && mw_append_finish(&scan->file, &closing) && !err) {
        *error = closing;
        err = closing.code;
    }
    if (scan_device_close(&scan->device, &closing)) {
        cli_fail(scan->cli, &closing);
        if (!err) {
            *error = closing;
            err = closing.code;
        }
    }
    if (mw_runner_close(scan->runner, &closing)) {
        cli_fail(scan->cli, &closing);
        if (!err) {
            *error = closing;
            err = closing.code;
        }
    }
    return err;
}

/* Rows that no fit can use are no scan. */
static enum mw_err check_any_good(const struct scan *scan, struct mw_error *error)
{
    size_t done = 0, good = 0;
    for (size_t i = 0; i < scan->sequence.count; i++) {
        done += scan->sequence.configs[i].done;
        good += scan->sequence.configs[i].good;
    }
    if (!done || good)
        return MW_OK;
    mw_fail(error, MW_RUN, "no run succeeded: every one of %zu failed", done);
    return mw_hint(error, "the rows are kept, and fit sets them aside; run the command on its own to see why");
}

static int run(struct cli *cli, const void *data)
{
    struct scan scan = {.cli = cli, .options = data, .file.fd = -1, .stop.fd = -1};
    size_t doubtful = 0;
    enum mw_err err = check_usage(cli, scan.options, &cli->error);
    if (!err && (scan.options->slurm || scan.options->batch_template))
        return scan_batch_run(cli, scan.options);
    if (!err && !scan.options->replay) /* which runs nothing and changes nothing: signals may end it anywhere */
        err = mw_stop_open(&scan.stop, &cli->error);
    if (err)
        return cli_fail(cli, &cli->error);
    err = scan_all(&scan, &doubtful, &cli->error);
    bool noisy = false;
    if (!err)
        err = scan_say_noise(&scan, &noisy, &cli->error);
    if (!err && !cli->common.dry_run)
        err = check_any_good(&scan, &cli->error);
    mw_stop_close(&scan.stop);
    scan_release(&scan);
    if (err)
        return cli_fail(cli, &cli->error);
    if (doubtful)
        cli_warn(cli, "%zu rows are marked: their freq_effective_ghz is not what was asked for", doubtful);
    return (doubtful || noisy) && cli->common.strict ? mw_err_exit_status(MW_UNTRUSTED) : 0;
}

const struct cli_command cmd_scan = {
    .name = "scan",
    .summary = "run a program over cores and frequencies, write runs.csv",
    .usage = "[options] -o runs.csv -- COMMAND ARGS",
    .description =
        "Runs COMMAND on each of the core counts at each of the frequencies, several times each, in an order that spreads "
        "drift over all of them. {cores} in COMMAND is replaced by the number of cores; OMP_NUM_THREADS and the like are set; "
        "the process is bound to physical cores.\n"
        "One row is written and synced per run, so an interrupted scan loses none: --resume goes on with it. The first Ctrl-C "
        "ends after the current run, the second at once; frequencies are put back in any case, after a kill by memwall "
        "restore. A run that fails, times out (status 124) or whose check fails (125) is kept as failed and never fitted; where every "
        "run fails the exit status is 1.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_SEED | CLI_ROOT | CLI_DRY_RUN | CLI_STRICT,
    .options_size = sizeof(struct scan_options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall scan --cores all -o runs.csv -- ./program --threads {cores}\n"
                "  memwall scan --freq min,max --launcher 'mpirun -n {cores}' -o runs.csv -- ./program\n"
                "  memwall scan --slurm --exclusive --nodes 1,2,4 -o runs.csv -- ./program\n"
                "  memwall scan --precision 2% --max-time 2h --resume -o runs.csv -- ./program\n",
    .operands_min = 0,
    .operands_max = 0,
    .program = true,
};
