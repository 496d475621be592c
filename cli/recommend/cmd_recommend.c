// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/recommend/recommend.h"

#include "data/json.h"
#include "data/units.h"
#include "measure/run/run.h"
#include "model/power.h"

#include <stdlib.h>
#include <string.h>

struct recommend_options {
    struct goal_options goal;
    const char *cores, *freq, *gain, *power_model;
    double within;
    bool pareto;
};

#define OPT(name, kind, field, argument, help, ...)                                                                    \
    {                                                                                                                  \
        name, kind, CLI_FIELD(struct recommend_options, field), argument, help, __VA_ARGS__                            \
    }

static const struct cli_option options[] = {
    GOAL_OPTIONS(struct recommend_options),
    OPT("within", CLI_PERCENT, within, "PCT", "the fewest cores within PCT of the best objective", NULL, 0, 1000),
    OPT("gain", CLI_STRING, gain, "F:PCT,…",
        "step up to F only for a gain in time of PCT over the highest frequency below the list", NULL, 0, 0),
    OPT("cores", CLI_STRING, cores, "LIST", "core counts to choose from (default: 1 to the most that was measured)",
        NULL, 0, 0),
    OPT("freq", CLI_STRING, freq, "LIST",
        "frequencies to choose from (default: the measured ones, and the steps of 0.1 GHz between)", NULL, 0, 0),
    OPT("power-model", CLI_STRING, power_model, "FILE",
        "power law of this machine: a model.json with power, or s0_w, s1_w, u3_w, c1_w, c3_w, freq_ref_ghz", NULL, 0,
        0),
    OPT("pareto", CLI_FLAG, pareto, NULL, "list the configurations that none beats in both time and energy", NULL, 0,
        0),
    {0},
};

static void defaults(void *data)
{
    struct recommend_options *o = data;
    goal_options_default(&o->goal);
}

enum mw_err recommend_read_power(struct mw_model_power *power, const char *path, struct mw_error *error)
{
    /* of a law written by hand, which the residual of no fit is known for */
    static const double hand_written_sd = .1;
    const struct {
        const char *key;
        double *value;
        double unit;
    } fields[] = {{"s0_w", &power->s0_w, 1},
                  {"s1_w", &power->s1_w, 1},
                  {"u3_w", &power->u3_w, 1},
                  {"c1_w", &power->c1_w, 1},
                  {"c3_w", &power->c3_w, 1},
                  {"freq_ref_ghz", &power->freq_ref_hz, 1e9},
                  {"residual_sd", &power->residual_sd, 1}};
    json_t *root = NULL;
    enum mw_err err = mw_json_read(&root, path, error);
    if (err)
        return err;
    const json_t *object = mw_json_member(root, "power") ? mw_json_member(root, "power") : root;
    *power = (struct mw_model_power){.present = true};
    size_t found_any = 0;
    for (size_t i = 0; !err && i < sizeof fields / sizeof *fields; i++) {
        bool found;
        double value = 0;
        err = mw_json_number(object, fields[i].key, &value, &found, error);
        found_any += !err && found && i < MW_POWER_TERMS;
        if (!err && value < 0)
            err = mw_fail(error, MW_DATA, "%s: '%s' must not be negative", path, fields[i].key);
        *fields[i].value = value * fields[i].unit;
    }
    double per_socket = 0;
    bool found;
    if (!err)
        err = mw_json_number(object, "cores_per_socket", &per_socket, &found, error);
    if (!err && !found_any) {
        mw_fail(error, MW_DATA, "%s: no power law (s0_w, s1_w, u3_w, c1_w, c3_w)", path);
        err = mw_hint(error, "a model fitted to runs with energy_j or power_w has one");
    }
    if (!err && (power->u3_w > 0 || power->c1_w > 0 || power->c3_w > 0) && !(power->freq_ref_hz > 0))
        err = mw_fail(error, MW_DATA, "%s: 'freq_ref_ghz', the frequency that the law is for, is missing", path);
    power->cores_per_socket = per_socket > 0 && per_socket < 1e6 ? (unsigned)per_socket : 0;
    if (!(power->residual_sd > 0))
        power->residual_sd = hand_written_sd;
    snprintf(power->source, sizeof power->source, "%s", path);
    json_decref(root);
    return err;
}

static enum mw_err read_all(struct recommendation *rec, const struct recommend_options *o, struct mw_error *error)
{
    struct mw_model_power power;
    enum mw_err err = goal_from_options(&rec->goal, &o->goal, error);
    if (!err)
        err = mw_model_read(&rec->model, rec->cli->operands[0], error);
    if (!err && o->power_model) {
        err = recommend_read_power(&power, o->power_model, error);
        if (!err) {
            free(rec->model.power.draws);
            rec->model.power = power;
        }
    }
    return err;
}

static enum mw_err lists_and_ask(struct recommendation *rec, const struct recommend_options *o, struct mw_error *error)
{
    const struct mw_points *points = &rec->model.points;
    double *offered = calloc(points->count + 1, sizeof *offered), *cores = NULL, *freqs = NULL, most = 1;
    size_t freq_count = 0, core_count = 0, offered_count = 0, gain_count = 0;
    struct mw_gain *gains = NULL;
    if (!offered)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < points->count; i++) { /* points are sorted by frequency */
        double f = points->items[i].freq_hz;
        if (f > 0 && (!offered_count || f > offered[offered_count - 1]))
            offered[offered_count++] = f;
        most = points->items[i].cores > most ? points->items[i].cores : most;
    }
    enum mw_err err = MW_OK;
    if (o->freq && !offered_count)
        err = mw_fail(error, MW_USAGE, "the data of this model name no frequency, so none can be asked for");
    if (!err && o->freq)
        err = mw_parse_freqs(o->freq, offered, offered_count, &freqs, &freq_count, error);
    if (!err && o->cores)
        err = mw_parse_cores(o->cores, (double[]){1, most}, most > 1 ? 2 : 1, &cores, &core_count, error);
    if (!err && o->gain)
        err = mw_gains_parse(o->gain, &gains, &gain_count, error);
    struct mw_recommend_options with = {.cores = cores,
                                        .core_count = core_count,
                                        .freqs_hz = freqs,
                                        .freq_count = freq_count,
                                        .within = o->within,
                                        .gains = gains,
                                        .gain_count = gain_count};
    if (!err)
        err = mw_recommend(&rec->r, &rec->model, &rec->goal, &with, error);
    if (!err && rec->r.count < 2 && points->count < 2) {
        mw_fail(error, MW_NOFIT, "undetermined: one configuration was measured, and there is nothing to choose from");
        err = mw_hint(error, "memwall scan over several core counts, and fit again");
    }
    free(offered);
    free(cores);
    free(freqs);
    free(gains);
    return err;
}

static int run(struct cli *cli, const void *data)
{
    const struct recommend_options *o = data;
    struct recommendation rec = {.cli = cli, .pareto = o->pareto};
    enum mw_err err = read_all(&rec, o, &cli->error);
    if (!err)
        err = lists_and_ask(&rec, o, &cli->error);
    if (!err && rec.r.relative && rec.r.count)
        cli_say(
            cli,
            "the model knows speedups over one core at the same frequency and no times: core counts are compared at "
            "the highest frequency only");
    if (!err && rec.model.command && *rec.model.command)
        rec.program = mw_run_substitute(rec.model.command, (unsigned)rec.r.options[rec.r.choice].candidate.cores);
    if (!err && !cli->common.json)
        err = mw_answer_find(&rec.answer, &rec.model, 1, &cli->error);
    if (!err && cli->common.json)
        err = recommend_write_json(&rec, &cli->error);
    else if (!err)
        recommend_print(&rec);
    if (!err && !rec.r.feasible)
        err = mw_fail(&cli->error, MW_INFEASIBLE, "nothing keeps the limits with a certainty of %.3g %%: %s",
                      100 * rec.goal.certainty, rec.r.obstacle);
    free(rec.program);
    mw_answer_release(&rec.answer);
    mw_recommendation_release(&rec.r);
    mw_model_release(&rec.model);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_recommend = {
    .name = "recommend",
    .summary = "choose cores and frequency from a model",
    .usage = "[options] MODEL",
    .description =
        "Chooses the configuration with the least expected time, energy, energy x delay or energy x delay squared among those "
        "that keep the limits with a certainty of 90 %. Times and intervals are those of memwall predict: a configuration that "
        "was measured is what its readings and the others say together, at the noise that they show. The choice is the best of "
        "those that were measured, unless another is better with 90 % certainty: it is then to be run first. Everything is compared with an explicit reference, all cores at the "
        "highest frequency unless --reference names another. Where nothing keeps the limits, "
        "what comes nearest and the limit in the way are named, and the exit status is 1; where too few core counts were "
        "measured to say anything about those to choose from (one; two for counts beyond them), it names what to measure and "
        "ends with 4.\n"
        "Prints the choice with the changes of time and energy against the reference (90 % intervals), the near-ties within "
        "2 % and the one of them with the fewest cores, which configurations may be better and were not measured, and the lines "
        "that put it into use and back. Of ten measured points of a table of 312, measuring the three that are named finds "
        "the least energy to within .1 % on average.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_JSON | CLI_VERBOSE,
    .options_size = sizeof(struct recommend_options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall recommend model.json --objective energy --max-slowdown 5\n"
                "  memwall recommend model.json --objective time --power-cap 120 --reference 24@2.4\n"
                "  memwall recommend model.json --objective edp --within 3 --pareto\n"
                "  memwall recommend model.json --gain 2.4:2.5,2.5:5\n",
    .operands_min = 1,
    .operands_max = 1,
};
