// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "data/model_file/model_file.h"
#include "data/table.h"
#include "plots/gnuplot.h"
#include "plots/model_plots.h"
#include "plots/panel_plots.h"
#include "plots/table_plots.h"

#include <stdio.h>
#include <string.h>

struct options {
    const char *kind, *terminal;
};

static const char *const kind_choices[] = {"speedup", "time", "energy", "heatmap", NULL};
static const char *const terminal_choices[] = {"svg", "png", "pdf", "dumb", NULL};

static const struct cli_option options[] = {
    {"kind", CLI_CHOICE, CLI_FIELD(struct options, kind), "KIND",
     "of a model: speedup (default), time, energy or heatmap", kind_choices, 0, 0},
    {"terminal", CLI_CHOICE, CLI_FIELD(struct options, terminal), "TERM",
     "svg, png, pdf or dumb (default: by the ending of -o FILE, else dumb)", terminal_choices, 0, 0},
    {0},
};

static void defaults(void *o)
{
    ((struct options *)o)->kind = "speedup";
}

/* model.json begins with a brace, a table never does */
static bool is_json(const char *path)
{
    FILE *f = fopen(path, "re");
    int c = ' ';
    while (f && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
        c = fgetc(f);
    if (f)
        fclose(f);
    return f && c == '{';
}

static enum mw_err plot_model(struct mw_plot *plot, const char *path, const char *kind, struct mw_error *error)
{
    struct mw_model model = {0};
    enum mw_err err = mw_model_read(&model, path, error);
    if (!err)
        err = mw_plot_model(plot, &model, kind, error);
    mw_model_release(&model);
    return err;
}

enum { TABLES_MAX = 3 };

static const struct mw_table *of_kind(const struct mw_table *tables, size_t count, const char *kind)
{
    for (size_t i = 0; i < count; i++) {
        const char *is = mw_plot_table_kind(&tables[i]);
        if (is && !strcmp(is, kind))
            return &tables[i];
    }
    return NULL;
}

/*
 * A flops and a stream table, and maybe one of a graphics processor, are a roofline; a cache table and its curves are the
 * curves with what was found.
 */
static enum mw_err plot_several(struct mw_plot *plot, const struct mw_table *tables, size_t count,
                                struct mw_error *error)
{
    const struct mw_table *flops = of_kind(tables, count, "flops"), *stream = of_kind(tables, count, "stream"),
                          *gpu = of_kind(tables, count, "gpu"), *found = of_kind(tables, count, "cache"),
                          *curve = of_kind(tables, count, "cache curve");
    if (flops && stream && (count == 2 || gpu))
        return mw_plot_roofline(plot, flops, stream, gpu, error);
    if (found && curve && count == 2)
        return mw_plot_cache(plot, curve, found, error);
    mw_fail(
        error, MW_DATA,
        "several files make a picture only as a flops and a stream table, and maybe a gpu table (the roofline), or as "
        "the table of cache and its curves");
    return mw_hint(error, "draw one file at a time");
}

static enum mw_err plot_tables(struct mw_plot *plot, char **paths, size_t count, struct mw_error *error)
{
    struct mw_table tables[TABLES_MAX] = {0};
    enum mw_err err = MW_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = mw_table_read(&tables[i], paths[i], error);
    if (!err)
        err = count == 1 ? mw_plot_table(plot, &tables[0], error) : plot_several(plot, tables, count, error);
    for (size_t i = 0; i < count; i++)
        mw_table_release(&tables[i]);
    return err;
}

static int run(struct cli *cli, const void *data)
{
    const struct options *o = data;
    struct mw_plot plot = {0};
    enum mw_err err = cli->operand_count == 1 && is_json(cli->operands[0])
                          ? plot_model(&plot, cli->operands[0], o->kind, &cli->error)
                          : plot_tables(&plot, cli->operands, cli->operand_count, &cli->error);
    if (!err)
        err = mw_gnuplot_draw(&plot, o->terminal, cli->common.output, cli->common.force, &cli->error);
    mw_plot_release(&plot);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_plot = {
    .name = "plot",
    .summary = "draw a model or what was measured",
    .usage = "[options] FILE [FILE FILE]",
    .description =
        "Draws by gnuplot. A model.json gives the speedup over cores with a curve, a 90 % band and the measured points for each "
        "frequency (at most five; with more than two, the bands of the first and the last), or time, energy, or a heat map of time over cores and frequency. A CSV file of memwall is known by "
        "its columns: bandwidth over cores (measure stream), latency over the working set with the caches marked (latency), latency "
        "under load (loaded), bandwidth over sizes, strides and offsets (bandwidth), arithmetic over cores (flops), a panel for each "
        "scan of cache --curve, predictions, errors of compare, what disturbs fill rates (gpu), the runs of a scan. A flops and a stream "
        "file together give the roofline of the most cores that both have, and of one, with a gpu file both processors' roofs; the table of cache and its curves mark what was found and what is "
        "reported. Without -o the picture is text on standard output. The scripts in plots/ also run on their own.",
    .options = options,
    .groups = CLI_OUTPUT,
    .options_size = sizeof(struct options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall plot model.json -o speedup.svg\n"
                "  memwall plot model.json --kind heatmap -o heatmap.png\n"
                "  memwall plot latency.csv\n"
                "  memwall plot flops.csv stream.csv -o roofline.svg\n"
                "  memwall plot flops.csv stream.csv gpu.csv -o rooflines.svg\n"
                "  memwall plot cache.csv curve.csv -o cache.svg\n",
    .operands_min = 1,
    .operands_max = TABLES_MAX,
};
