// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "data/dataset.h"
#include "data/import/import.h"

#include <string.h>

struct options {
    struct cli_strings map, where;
};

static enum mw_err export(const struct cli *cli, const struct options *o, struct mw_error *error) {
    struct mw_dataset_options how = {.where = o->where.items,
                                     .where_count = o->where.count,
                                     .map = o->map.items,
                                     .map_count = o->map.count,
                                     .energy_only = true};
    struct mw_dataset dataset; struct mw_output output;
    enum mw_err err = mw_dataset_read(&dataset, cli->operands[1], &how, error); if (err) return err;
    err = mw_output_open(&output, cli->common.output, cli->common.force, error);
    if (!err){err = mw_export_extra_p(&dataset, output.stream, error); if (err) mw_output_release(&output);
              else err = mw_output_commit(&output, error);}
for (size_t i = 0; i < dataset.warning_count && !err; i++) cli_warn(cli, "%s", dataset.warnings[i]);
if (!err && dataset.set_aside_count)
    cli_warn(cli, "%zu row(s) left out, the first: line %ld: %s", dataset.set_aside_count, dataset.set_aside[0].line,
             dataset.set_aside[0].reason);
mw_dataset_release(&dataset);
return err;
}

static int run(struct cli *cli, const void *options)
{
    if (strcmp(cli->operands[0], "extra-p"))
        return cli_usage(cli, "format '%s' is not known, the known one is extra-p", cli->operands[0]);
    enum mw_err err = export(cli, options, &cli->error);
    return err ? cli_fail(cli, &cli->error) : 0;
}

static const struct cli_option option_table[] = {
    {"where", CLI_REPEATED, CLI_FIELD(struct options, where), "COLUMN=VALUE",
     "only these rows; may be given several times", NULL, 0, 0},
    {"map", CLI_REPEATED, CLI_FIELD(struct options, map), "FIELD=COLUMN",
     "COLUMN holds FIELD (cores, freq, time, rate, …); may be given several times", NULL, 0, 0},
    {0},
};

const struct cli_command cmd_export = {
    .name = "export",
    .summary = "write runs for other tools",
    .usage = "[options] extra-p FILE",
    .description =
        "Writes runs as the text input of Extra-P: parameter p (cores), f (GHz) where there are several frequencies, "
        "and one DATA line of repetitions for each configuration. Extra-P asks for five points and five repetitions "
        "each. Failed runs are left out.",
    .options = option_table,
    .groups = CLI_OUTPUT,
    .options_size = sizeof(struct options),
    .run = run,
    .examples = "  memwall export extra-p runs.csv -o runs.txt\n",
    .operands_min = 2,
    .operands_max = 2,
};
