// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/compare/compare.h"

#include "data/units.h"
#include "fit/compare/learners.h"
#include "model/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compare_options {
    const char *train, *design, *split;
    unsigned long repeats;
    double memory_freq_hz;
    struct cli_strings where, map;
};

static const char *const designs[] = {"random", "planned", NULL};
static const char *const splits[] = {[MW_SPLIT_INTERPOLATE] = "interpolate", "cores", "frequency", NULL};

static const struct cli_option options_table[] = {
    {"train", CLI_STRING, CLI_FIELD(struct compare_options, train), "LIST",
     "numbers of points to train on; default: 6, 10, 20, 40, 80, 160 as far as half of the points", NULL, 0, 0},
    {"repeats", CLI_COUNT, CLI_FIELD(struct compare_options, repeats), "R", "random splits of each size (default 5)",
     NULL, 1, 1000},
    {"design", CLI_CHOICE, CLI_FIELD(struct compare_options, design), "WHICH",
     "points trained on: random (default), or planned as plan would measure them", designs, 0, 0},
    {"split", CLI_CHOICE, CLI_FIELD(struct compare_options, split), "WHICH",
     "interpolate (default): judged by all other points; cores, frequency: trained on the lower half, judged above it",
     splits, 0, 0},
    {"memory-freq", CLI_FREQ, CLI_FIELD(struct compare_options, memory_freq_hz), "GHz",
     "the memory's frequency; default: from the file, else 2.133 GHz", NULL, 0, 0},
    {"where", CLI_REPEATED, CLI_FIELD(struct compare_options, where), "COLUMN=VALUE",
     "only these rows; may be repeated", NULL, 0, 0},
    {"map", CLI_REPEATED, CLI_FIELD(struct compare_options, map), "FIELD=COLUMN",
     "which column holds cores, freq, time, rate or speedup; may be repeated", NULL, 0, 0},
    {0},
};

static void defaults(void *options)
{
    struct compare_options *o = options;
    o->repeats = 5;
    o->design = designs[0];
    o->split = splits[MW_SPLIT_INTERPOLATE];
}

static enum mw_err training_sizes(const char *text, size_t points, size_t **sizes, size_t *count,
                                  struct mw_error *error)
{
    static const size_t usual[] = {6, 10, 20, 40, 80, 160};
    double *values = NULL;
    size_t n = 0;
    enum mw_err err = text ? mw_parse_cores(text, NULL, 0, &values, &n, error) : MW_OK;
    if (err)
        return err;
    *sizes = malloc((n + sizeof usual / sizeof *usual) * sizeof **sizes);
    *count = 0;
    for (size_t i = 0; i < n && *sizes; i++)
        (*sizes)[(*count)++] = (size_t)values[i];
    for (size_t i = 0; i < sizeof usual / sizeof *usual && *sizes && !text; i++)
        if (2 * usual[i] <= points)
            (*sizes)[(*count)++] = usual[i];
    free(values);
    if (!*sizes)
        return mw_fail(error, MW_NOMEM, "out of memory");
    if (*count == 0)
        return mw_fail(error, MW_NOFIT, "%zu points are too few to train on six and judge by as many", points);
    return MW_OK;
}

static void print_csv(const struct mw_compare *comparison, FILE *to)
{
    fprintf(to, "method,train_points,error_percent,error_low_percent,error_high_percent\n");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct mw_compare_entry *e = &comparison->entries[i];
        fprintf(to, "%s,%zu,%.4g,%.4g,%.4g\n", e->name, e->train, e->mean_percent, e->low_percent, e->high_percent);
    }
}

/* The fewest training points of which a method is as good as `percent`; 0 where none are. */
static size_t points_for(const struct mw_compare *comparison, size_t method, double percent)
{
    for (size_t i = method; i < comparison->count; i += comparison->methods)
        if (comparison->entries[i].mean_percent <= percent)
            return comparison->entries[i].train;
    return 0;
}

static int choice_index(const char *const *choices, const char *word)
{
    int i = 0;
    while (choices[i] && strcmp(choices[i], word))
        i++;
    return i;
}

static bool is_learner(const char *name)
{
    for (int i = 0; i < MW_LEARNER_COUNT; i++)
        if (!strcmp(name, mw_learner_name((enum mw_learner)i)))
            return true;
    return false;
}

static void print_table(const struct mw_compare *comparison, const struct compare_options *o, FILE *to)
{
    static const char *const judged[] = {"the points not trained on", "the points beyond half of the cores",
                                         "the points above half of the frequencies"};
    fprintf(to, "mean error in %% on %s, ", judged[choice_index(splits, o->split)]);
    if (strcmp(o->design, "planned"))
        fprintf(to, "over %lu splits\n", o->repeats);
    else
        fprintf(to, "trained on the points of a plan\n");
    fprintf(to, "%strained on        ", cli_bold());
    for (size_t i = 0; i < comparison->count; i += comparison->methods)
        fprintf(to, " %7zu", comparison->entries[i].train);
    fprintf(to, "%s\n", cli_reset());
    for (size_t m = 0; m < comparison->methods; m++) {
        fprintf(to, "%-18s", comparison->entries[m].name);
        for (size_t i = m; i < comparison->count; i += comparison->methods)
            fprintf(to, " %7.1f", comparison->entries[i].mean_percent);
        fputc('\n', to);
    }
    fputc('\n', to);
    double mixture = comparison->entries[0].mean_percent;
    for (size_t m = 0; m < comparison->methods; m++) {
        if (!is_learner(comparison->entries[m].name))
            continue;
        size_t needed = points_for(comparison, m, mixture);
        if (needed)
            fprintf(to, "%s needs %zu points for the error that the mixture has with %zu\n",
                    comparison->entries[m].name, needed, comparison->entries[0].train);
        else
            fprintf(to, "%s does not reach the error that the mixture has with %zu points\n",
                    comparison->entries[m].name, comparison->entries[0].train);
    }
}

static void progress(void *context, size_t done, size_t total)
{
    cli_progress(context, done, total, "split");
}

/* Order and splits as asked for, then the comparison. */
static enum mw_err compare_points(struct cli *cli, const struct compare_options *o, const struct mw_points *points,
                                  const struct mw_knowledge *knowledge, struct mw_compare *comparison)
{
    size_t *sizes = NULL, count = 0, found = 0, most = 0, *order = NULL;
    enum mw_compare_split split = (enum mw_compare_split)choice_index(splits, o->split);
    bool planned = !strcmp(o->design, "planned");
    size_t trainable = 0;
    bool *pool = calloc(points->count + 1, sizeof *pool);
    if (!pool)
        return mw_fail(&cli->error, MW_NOMEM, "out of memory");
    mw_compare_pool(points, split, pool);
    for (size_t i = 0; i < points->count; i++)
        trainable += pool[i] && (points->quantity == MW_TIME || points->items[i].cores > 1);
    free(pool);
    /* by default up to half of the points, or nearly all of those that a split leaves to train on */
    enum mw_err err = training_sizes(o->train, split == MW_SPLIT_INTERPOLATE ? points->count : 2 * trainable, &sizes,
                                     &count, &cli->error);
    for (size_t i = 0; i < count; i++)
        most = sizes[i] > most ? sizes[i] : most;
    if (!err && planned && !(order = calloc(most + 1, sizeof *order)))
        err = mw_fail(&cli->error, MW_NOMEM, "out of memory");
    if (!err && planned)
        err = compare_planned_order(points, split, knowledge->memory_freq_hz, cli->common.seed, most, order, &found,
                                    &cli->error);
    struct mw_compare_options options = {.sizes = sizes,
                                         .size_count = count,
                                         .repeats = planned ? 1 : o->repeats,
                                         .seed = cli->common.seed,
                                         .split = split,
                                         .order = order,
                                         .order_count = found,
                                         .knowledge = knowledge,
                                         .progress = progress,
                                         .context = cli};
    if (!err)
        err = mw_compare_run(comparison, points, &options, &cli->error);
    free(sizes);
    free(order);
    return err;
}

static enum mw_err compare(struct cli *cli, const struct compare_options *o, struct mw_compare *comparison)
{
    struct mw_dataset dataset = {0};
    struct mw_points points = {0};
    const struct mw_dataset_options reading = {
        .where = o->where.items, .where_count = o->where.count, .map = o->map.items, .map_count = o->map.count};
    enum mw_err err = mw_dataset_read(&dataset, cli->operands[0], &reading, &cli->error);
    if (!err)
        err = mw_points_from_dataset(&points, &dataset, &cli->error);
    if (!err) {
        const struct mw_knowledge knowledge = {.memory_freq_hz = o->memory_freq_hz > 0 ? o->memory_freq_hz
                                                                 : dataset.memory_freq_hz > 0
                                                                     ? dataset.memory_freq_hz
                                                                     : MW_MEMORY_FREQ_ASSUMED_HZ};
        err = compare_points(cli, o, &points, &knowledge, comparison);
    }
    mw_points_release(&points);
    mw_dataset_release(&dataset);
    return err;
}

static int run(struct cli *cli, const void *opaque)
{
    const struct compare_options *o = opaque;
    struct mw_compare comparison = {0};
    struct mw_output output = {0};
    struct mw_provenance run = {0};
    if (!mw_learner_present(MW_LEARNER_SVR))
        cli_warn(cli, "built without libsvm: support vector regression is left out");
    enum mw_err err = compare(cli, o, &comparison);
    if (!err)
        err = mw_output_open(&output, cli->common.output, cli->common.force, &cli->error);
    if (!err && cli->common.csv) {
        err = mw_provenance_init(&run, cli->argc, cli->argv, &cli->error);
        if (!err)
            mw_provenance_print(&run, output.stream);
    }
    if (!err) {
        if (cli->common.csv)
            print_csv(&comparison, output.stream);
        else
            print_table(&comparison, o, output.stream);
        err = mw_output_commit(&output, &cli->error);
    }
    mw_output_release(&output);
    mw_provenance_release(&run);
    mw_compare_release(&comparison);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_compare = {
    .name = "compare",
    .summary = "compare laws and machine learning on the same splits of measured runs",
    .usage = "[options] runs.csv",
    .description =
        "Trains every law, the mixture of laws, and machine learning (kernel ridge regression, a Gaussian process, support "
        "vector regression, a regression tree, a forest) on some of the measured points and judges them by others: within the "
        "data, beyond half of the cores, or above half of the frequencies. The table shows the mean error by the number of points "
        "trained on; --csv adds the least and the largest of the splits, and memwall plot draws it.",
    .options = options_table,
    .groups = CLI_OUTPUT | CLI_CSV | CLI_SEED,
    .options_size = sizeof(struct compare_options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall compare runs.csv --train 10,40 --repeats 3\n"
                "  memwall compare runs.csv --split cores --design planned\n",
    .operands_min = 1,
    .operands_max = 1,
};
