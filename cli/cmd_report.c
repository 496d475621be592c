// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "advise/recommend/commands.h"
#include "advise/diagnose/answer.h"
#include "advise/recommend/recommend.h"
#include "data/model_file/model_file.h"
#include "measure/run/run.h"
#include "plots/gpu_plots.h"
#include "plots/report.h"

#include <stdlib.h>
#include <string.h>

struct options {
    const char *gpu;
};

enum { OBJECTIVES = 3, TEXT = 5300 };

/* Choices for time, energy and their product; an objective that the model can't answer keeps the reason. */
static void choose(const struct mw_model *model, unsigned long seed, struct mw_report_choice choices[OBJECTIVES],
                   char texts[OBJECTIVES][TEXT])
{
    static const enum mw_objective objectives[OBJECTIVES] = {MW_OBJECTIVE_TIME, MW_OBJECTIVE_ENERGY, MW_OBJECTIVE_EDP};
    for (size_t i = 0; i < OBJECTIVES; i++) {
        struct mw_goal goal = {.objective = objectives[i], .certainty = .9};
        struct mw_recommend_options options = {.seed = seed};
        struct mw_recommendation found = {0};
        struct mw_error error;
        choices[i] = (struct mw_report_choice){.objective = mw_objective_name(objectives[i]), .command = texts[i]};
        if (mw_recommend(&found, model, &goal, &options, &error)) {
            snprintf(texts[i], TEXT, "%s", error.message);
            continue;
        }
        const struct mw_option *best = &found.options[found.choice];
        struct mw_command_line lines[MW_COMMAND_LINES];
        char *program = model->command && *model->command
                            ? mw_run_substitute(model->command, (unsigned)best->candidate.cores)
                            : NULL;
        struct mw_command_facts facts = {.program = program, .clock_fixed = model->points.clock_fixed};
        size_t count = mw_command_lines(&best->candidate, &facts, lines);
        const char *clock = "";
        for (size_t k = 0; k < count; k++)
            if (!strcmp(lines[k].use, "clock"))
                clock = lines[k].text;
        snprintf(texts[i], TEXT, "%s%s%s", clock, *clock ? "; " : "", count ? lines[0].text : "");
        free(program);
        choices[i].possible = true;
        choices[i].cores = (unsigned)best->candidate.cores;
        choices[i].freq_hz = best->candidate.freq_hz;
        choices[i].time_s = best->has_time ? best->time_s.value : 0;
        choices[i].energy_j = best->has_energy ? best->energy_j.value : 0;
        mw_recommendation_release(&found);
    }
}

static enum mw_err print_page(struct cli *cli, const struct mw_model *model, const struct mw_table *gpu,
                              struct mw_output *output)
{
    struct mw_answer answer = {0};
    struct mw_provenance run = {0};
    struct mw_report_choice choices[OBJECTIVES];
    char texts[OBJECTIVES][TEXT];
    enum mw_err err = mw_provenance_init(&run, cli->argc, cli->argv, &cli->error);
    if (!err)
        err = mw_answer_find(&answer, model, cli->common.seed, &cli->error);
    if (!err) {
        choose(model, cli->common.seed, choices, texts);
        const struct mw_report report = {.model = model,
                                         .answer = &answer,
                                         .choices = choices,
                                         .choice_count = OBJECTIVES,
                                         .gpu = gpu,
                                         .run = &run,
                                         .all = cli->common.verbose};
        mw_report_print(&report, output->stream);
    }
    mw_answer_release(&answer);
    mw_provenance_release(&run);
    return err;
}

static enum mw_err read_gpu(struct mw_table *gpu, const char *path, struct mw_error *error)
{
    enum mw_err err = mw_table_read(gpu, path, error);
    if (err || mw_is_gpu_table(gpu))
        return err;
    return mw_fail(error, MW_DATA, "%s: option '--gpu' takes a table of measure gpu", path);
}

static int run(struct cli *cli, const void *data)
{
    const struct options *o = data;
    struct mw_model model = {0};
    struct mw_table gpu = {0};
    struct mw_output output = {0};
    enum mw_err err = mw_model_read(&model, cli->operands[0], &cli->error);
    if (!err && o->gpu)
        err = read_gpu(&gpu, o->gpu, &cli->error);
    if (!err)
        err = mw_output_open(&output, cli->common.output, cli->common.force, &cli->error);
    if (!err) {
        err = print_page(cli, &model, o->gpu ? &gpu : NULL, &output);
        if (err)
            mw_output_release(&output);
        else
            err = mw_output_commit(&output, &cli->error);
    }
    mw_table_release(&gpu);
    mw_model_release(&model);
    return err ? cli_fail(cli, &cli->error) : 0;
}

static const struct cli_option options[] = {
    {"gpu", CLI_STRING, CLI_FIELD(struct options, gpu), "FILE",
     "a table of measure gpu: a section for the graphics processors", NULL, 0, 0},
    {0},
};

const struct cli_command cmd_report = {
    .name = "report",
    .summary = "one HTML page: what binds a program, where to run it, pictures",
    .usage = "[options] MODEL.json",
    .description =
        "Writes a single self-contained page that loads nothing from elsewhere: the diagnosis with its evidence and advice, the best "
        "configurations for time, energy and their product with the line to use them, speedup, time, heat map and energy as inline "
        "pictures, the parameters of the variable-latency law with intervals and status, the laws that were tried, and what was "
        "found in the data. It begins with the answer, and its contents are the answers of its parts. What the data or the machine can't "
        "give is left out (--verbose: the reason stands there). Figures have their readings as titles, which browsers show on "
        "hover; the page follows the light or dark scheme of the reader, and prints.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_SEED | CLI_VERBOSE,
    .options_size = sizeof(struct options),
    .run = run,
    .examples = "  memwall report model.json -o report.html\n",
    .operands_min = 1,
    .operands_max = 1,
};
