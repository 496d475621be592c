// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/machine/machine.h"
#include "data/json.h"

struct options {
    double memory_freq_hz;
    const char *stream, *latency;
};

static const struct cli_option options[] = {
    {"memory-freq", CLI_FREQ, CLI_FIELD(struct options, memory_freq_hz), "GHz",
     "memory speed in transfers per second, in place of what the firmware says (DDR4-2133: 2.133)", NULL, 0, 0},
    {"stream", CLI_STRING, CLI_FIELD(struct options, stream), "FILE",
     "take the bandwidth from a table of measure stream", NULL, 0, 0},
    {"latency", CLI_STRING, CLI_FIELD(struct options, latency), "FILE",
     "take the latency of memory from a table of measure latency", NULL, 0, 0},
    {0},
};

static enum mw_err write_json(const struct cli *cli, const struct machine *machine, struct mw_error *error)
{
    struct mw_provenance run = {0};
    enum mw_err err = mw_provenance_init(&run, cli->argc, cli->argv, error);
    json_t *root = err ? NULL : machine_json(machine, &run);
    if (!err && !root)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_json_write(root, cli->common.output, cli->common.force, error);
    json_decref(root);
    mw_provenance_release(&run);
    return err;
}

static enum mw_err write_text(const struct cli *cli, const struct machine *machine, struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, cli->common.output, cli->common.force, error);
    if (err)
        return err;
    machine_print(machine, output.stream);
    return mw_output_commit(&output, error);
}

static int run_machine(struct cli *cli, const void *opaque)
{
    const struct options *o = opaque;
    struct machine machine;
    cli_catch_signals();
    enum mw_err err = machine_read(&machine, cli->common.root, o->memory_freq_hz, &cli->error);
    if (err)
        return cli_fail(cli, &cli->error);
    if (o->stream)
        err = machine_add_stream(&machine, o->stream, &cli->error);
    if (!err && o->latency)
        err = machine_add_latency(&machine, o->latency, &cli->error);
    if (!err)
        err = cli->common.json ? write_json(cli, &machine, &cli->error) : write_text(cli, &machine, &cli->error);
    machine_release(&machine);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_machine = {
    .name = "machine",
    .summary = "topology, frequencies, memory and meters of this machine",
    .usage = "[options]",
    .description =
        "Tells what memwall can use on this machine: packages, cores, hyper-threads, kinds of cores, caches and memory nodes "
        "(by hwloc, within the CPUs that this process may use), frequency control and what the cores really run at, memory "
        "speed, page sizes, energy meters and the devices of OpenCL and OpenGL ES, and what of all this can't be read here and why.\n"
        "With --json it is a machine profile that `fit --machine` and `predict --target` read; it takes bandwidth and latency "
        "from tables that measure wrote.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_JSON | CLI_ROOT,
    .options_size = sizeof(struct options),
    .run = run_machine,
    .examples = "  memwall machine\n  memwall machine --json -o machine.json\n"
                "  memwall machine --json --stream stream.csv --latency latency.csv\n",
};
