// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "data/cell.h"
#include "data/import/import.h"
#include "data/units.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct options {
    struct cli_strings map;
    unsigned long cores;
    const char *thousands;
};

static enum mw_err read_files(struct mw_import *import, const struct mw_importer *importer, const struct options *o,
                              char *const *files, size_t count, struct mw_error *error)
{
    struct mw_import_options how = {.map = o->map.items,
                                    .map_count = o->map.count,
                                    .cores = (unsigned)o->cores,
                                    .thousands = o->thousands ? *o->thousands : '\0'};
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && !err; i++)
        err = mw_import_read(import, importer, files[i], &how, error);
    mw_import_finish(import);
    return err;
}

static enum mw_err write_runs(const struct mw_import *import, const struct cli *cli, struct mw_error *error)
{
    struct mw_output output;
    struct mw_provenance provenance = {0};
    enum mw_err err = mw_output_open(&output, cli->common.output, cli->common.force, error);
    if (err)
        return err;
    err = mw_provenance_init(&provenance, cli->argc, cli->argv, error);
    if (!err)
        err = mw_provenance_add(&provenance, error, "imported",
                                "%s output; host, cpu_model and kernel are those of the import", cli->operands[0]);
    if (!err) {
        mw_provenance_print(&provenance, output.stream);
        mw_import_print(import, output.stream);
        err = mw_output_commit(&output, error);
    } else {
        mw_output_release(&output);
    }
    mw_provenance_release(&provenance);
    return err;
}

static int unknown_format(const struct cli *cli)
{
    const char *names[32], *nearest;
    size_t count = 0;
    char list[256] = "";
    struct mw_error error;
    for (const struct mw_importer *i = mw_importers; i->name && count < 32; i++) {
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", count ? ", " : "", i->name);
        names[count++] = i->name;
    }
    nearest = mw_nearest(cli->operands[0], names, count);
    mw_fail(&error, MW_USAGE, "format '%s' is not known, the known ones are %s", cli->operands[0], list);
    if (nearest)
        mw_hint(&error, "did you mean '%s'?", nearest);
    return cli_fail(cli, &error);
}

static int run(struct cli *cli, const void *options)
{
    const struct options *o = options;
    const struct mw_importer *importer = mw_importer_find(cli->operands[0]);
    struct mw_import import = {0};
    if (!importer)
        return unknown_format(cli);
    enum mw_err err = read_files(&import, importer, o, cli->operands + 1, cli->operand_count - 1, &cli->error);
    for (size_t i = 0; i < import.warning_count && !err; i++)
        cli_warn(cli, "%s", import.warnings[i]);
    if (!err)
        err = write_runs(&import, cli, &cli->error);
    mw_import_release(&import);
    return err ? cli_fail(cli, &cli->error) : 0;
}

static const struct cli_option option_table[] = {
    {"map", CLI_REPEATED, CLI_FIELD(struct options, map), "FIELD=NAME",
     "the parameter, column or metric NAME holds FIELD (cores, freq, time, rate, …); cores=/RE/: an extended regular "
     "expression finds them in the benchmark's name; may be given several times",
     NULL, 0, 0},
    {"cores", CLI_COUNT, CLI_FIELD(struct options, cores), "N", "the number of cores where the file does not tell",
     NULL, 1, 1e6},
    {"thousands", CLI_CHOICE, CLI_FIELD(struct options, thousands), "CHAR",
     "csv: the sign between thousands (, . ' or _) where the numbers leave it open", mw_thousands_signs, 0, 0},
    {0},
};

const struct cli_command cmd_import = {
    .name = "import",
    .summary = "turn the output of other tools into runs.csv",
    .usage = "[options] FORMAT FILE…",
    .description =
        "Reads what other tools print and writes the runs as CSV that memwall fit reads: workload, input, cores, "
        "freq_ghz, "
        "repetition, time_s, cpu_s, energy_j, exit_status, freq_effective_ghz, and what else the tool tells (switches, "
        "faults, instructions, ranks, …); columns without data are left out.\n"
        "\n"
        "Formats: hyperfine (JSON, CSV), perf-stat (-x, -j, plain), google-benchmark (JSON, CSV), pytest-benchmark, "
        "criterion (printed, messages, raw.csv), go-bench (go test -bench -cpu), stream, babelstream, "
        "sacct, "
        "likwid (perfctr -O, bench), npb, time (bash, POSIX, GNU plain, -v and -f), lammps, gromacs, openfoam, extra-p "
        "(text, "
        "JSON lines), csv (any table that memwall fit reads).\n"
        "\n"
        "Failed runs keep their exit status where the tool tells it, and memwall fit sets them aside; benchmarks whose "
        "results "
        "were not verified are refused. A file that does not tell the number of cores needs --cores; several files of "
        "one "
        "format are read one after the other.",
    .options = option_table,
    .groups = CLI_OUTPUT,
    .options_size = sizeof(struct options),
    .run = run,
    .examples = "  hyperfine -P threads 1 4 'OMP_NUM_THREADS={threads} ./program' --export-json scan.json\n"
                "  memwall import hyperfine scan.json -o runs.csv\n"
                "  memwall import time --cores 4 four.log | memwall fit -\n"
                "  memwall import hyperfine --map 'cores=/([0-9]+) threads/' named.json -o runs.csv\n"
                "  memwall import sacct --map cores=NTasks jobs.txt -o runs.csv\n",
    .operands_min = 2,
    .operands_max = SIZE_MAX,
};
