// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/predict/predict_device.h"
#include "cli/predict/predict_target.h"

#include "advise/diagnose/binding.h"
#include "data/json.h"
#include "data/model_file/model_file.h"
#include "data/stats.h"
#include "data/units.h"
#include "fit/predict/caveat.h"
#include "fit/predict/predict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct predict_options {
    const char *cores, *freq, *baseline, *gpus, *gpu_freq;
    struct predict_target_options elsewhere;
};

#define FIELD(name) CLI_FIELD(struct predict_options, name)
static const char *const baseline_choices[] = {"same-frequency", "lowest", NULL};
static const struct cli_option options[] = {
    {"cores", CLI_STRING, FIELD(cores), "LIST", "core counts, as in 1,2,4-16:2,all (default: the measured ones)", NULL,
     0, 0},
    {"freq", CLI_STRING, FIELD(freq), "LIST",
     "frequencies, as in 1.2-2.4:0.2,min,max,all, in GHz (default: the measured ones)", NULL, 0, 0},
    {"baseline", CLI_CHOICE, FIELD(baseline), "WHICH",
     "speedup over one core at the same-frequency (default) or at the lowest measured one", baseline_choices, 0, 0},
    {"gpus", CLI_STRING, FIELD(gpus), "LIST", "numbers of graphics processors, of what memwall fit --device wrote",
     NULL, 0, 0},
    {"gpu-freq", CLI_STRING, FIELD(gpu_freq), "LIST", "the same over their clock, in GHz", NULL, 0, 0},
    PREDICT_TARGET_OPTIONS(struct predict_options, elsewhere),
    {0},
};

static void defaults(void *opaque)
{
    struct predict_options *o = opaque;
    o->baseline = "same-frequency";
}

/* What is asked for and what came of it. */
struct answers {
    struct mw_model model;
    double *cores, *freqs;
    size_t cores_count, freq_count, count;
    double baseline_freq_hz;
    struct mw_config *query;
    struct mw_prediction *predictions;
    enum mw_binding *bindings;
    struct mw_caveat caveats[MW_CAVEAT_COUNT];
    size_t caveat_count;
};

static void answers_release(struct answers *a)
{
    mw_model_release(&a->model);
    free(a->cores);
    free(a->freqs);
    free(a->query);
    free(a->predictions);
    free(a->bindings);
}

static enum mw_err find_grid(struct answers *a, const struct predict_options *o, struct mw_error *error)
{
    const struct mw_points *points = &a->model.points;
    enum mw_err err = MW_OK;
    double *cores = malloc((points->count + 1) * sizeof *cores), *freqs = malloc((points->count + 1) * sizeof *freqs);
    if (!cores || !freqs) {
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu points", points->count);
        goto out;
    }
    for (size_t i = 0; i < points->count; i++) {
        cores[i] = points->items[i].cores;
        freqs[i] = points->items[i].freq_hz;
    }
    size_t core_count = mw_sort_distinct(cores, points->count), freq_count = mw_sort_distinct(freqs, points->count);
    bool unknown = freq_count == 1 && !(freqs[0] > 0);
    if (o->freq && unknown) {
        err = mw_fail(error, MW_USAGE, "the data of this model name no frequency, so none can be asked for");
        mw_hint(error, "leave out --freq, or fit data that have a column freq_ghz");
        goto out;
    }
    err = mw_parse_cores(o->cores ? o->cores : "all", cores, core_count, &a->cores, &a->cores_count, error);
    if (!err && !unknown)
        err = mw_parse_freqs(o->freq ? o->freq : "all", freqs, freq_count, &a->freqs, &a->freq_count, error);
    if (!err && unknown) {
        a->freqs = freqs; /* one that is not known: 0 */
        a->freq_count = 1;
        freqs = NULL;
    }
    if (!err && !unknown && !strcmp(o->baseline, "lowest"))
        a->baseline_freq_hz = freqs[0];
out:
    free(cores);
    free(freqs);
    return err;
}

/* By the reading that `diagnose` judges from; none where it can say nothing. */
static enum mw_err find_bindings(struct answers *a, struct mw_error *error)
{
    struct mw_diagnose_options how = mw_diagnose_options_of(&a->model, 0);
    struct mw_diagnoser *diagnoser = NULL;
    struct mw_diagnosis diagnosis;
    if (!(a->bindings = calloc(a->count + 1, sizeof *a->bindings)))
        return mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", a->count);
    enum mw_err err = mw_diagnoser_alloc(&diagnoser, &how, error);
    if (!err)
        err = mw_diagnoser_run(diagnoser, &diagnosis, &a->model.points, error);
    for (size_t i = 0; i < a->count && !err; i++)
        a->bindings[i] = mw_diagnoser_binding(diagnoser, &diagnosis, &a->query[i]);
    mw_diagnoser_free(diagnoser);
    return err == MW_NOFIT ? MW_OK : err; /* too few points for a diagnosis */
}

static enum mw_err answer(struct answers *a, struct mw_error *error)
{
    a->count = a->cores_count * a->freq_count;
    a->query = malloc((a->count + 1) * sizeof *a->query);
    a->predictions = malloc((a->count + 1) * sizeof *a->predictions);
    if (!a->query || !a->predictions)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", a->count);
    for (size_t i = 0; i < a->count; i++)
        a->query[i] = (struct mw_config){.cores = a->cores[i / a->freq_count], .freq_hz = a->freqs[i % a->freq_count]};
    enum mw_err err = mw_predict_over(&a->model, a->query, a->count, a->baseline_freq_hz, a->predictions, error);
    if (!err)
        err = find_bindings(a, error);
    if (!err)
        a->caveat_count = mw_caveats(&a->model, a->query, a->predictions, a->count, a->caveats);
    return err;
}

/* One output row as named cells; has is false where the model cannot say. */
enum { CELLS = 12, RATES = 3, DIGITS = 7 };
struct cell {
    const char *name;
    bool has;
    double value;
};

static void fill_cells(const struct answers *a, size_t i, struct cell cells[CELLS])
{
    const struct mw_prediction *p = &a->predictions[i];
    bool time = a->model.quantity == MW_TIME;
    const struct cell row[CELLS] = {
        {"cores", true, a->query[i].cores},
        {"freq_ghz", a->query[i].freq_hz > 0, a->query[i].freq_hz / 1e9},
        {"time_s", time, p->value},
        {"time_low_s", time, p->low},
        {"time_high_s", time, p->high},
        {"speedup", true, p->speedup},
        {"speedup_low", true, p->speedup_low},
        {"speedup_high", true, p->speedup_high},
        {"power_w", p->has_energy, p->power_w},
        {"energy_j", p->has_energy, p->energy_j},
        {"energy_low_j", p->has_energy, p->energy_low_j},
        {"energy_high_j", p->has_energy, p->energy_high_j},
    };
    memcpy(cells, row, sizeof row);
}

/* The same in the unit that the data came in: rate, its ends. */
static bool has_rate(const struct answers *a)
{
    return a->model.rate_unit && *a->model.rate_unit;
}
static const char *const rate_names[RATES] = {"rate", "rate_low", "rate_high"};
static void fill_rates(const struct mw_prediction *p, double rates[RATES])
{
    rates[0] = 1 / p->value;
    rates[1] = 1 / p->high;
    rates[2] = 1 / p->low;
}

static const char *extrapolated(const struct mw_prediction *p)
{
    return p->extrapolated_cores || p->extrapolated_freq ? "yes" : "no";
}

static enum mw_err write_csv(const struct cli *cli, const struct answers *a, const struct mw_provenance *run,
                             struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, cli->common.output, cli->common.force, error);
    if (err)
        return err;
    FILE *out = output.stream;
    mw_provenance_print(run, out);
    if (has_rate(a))
        fprintf(out, "# rate_unit: %s\n", a->model.rate_unit);
    if (a->model.weak)
        fprintf(out, "# speedup: scaled, the work grows with the cores\n");
    for (size_t i = 0; i < a->count; i++) {
        struct cell cells[CELLS];
        fill_cells(a, i, cells);
        for (size_t c = 0; c < CELLS && i == 0; c++)
            fprintf(out, "%s,", cells[c].name);
        if (i == 0)
            fprintf(out, "binding,extrapolated%s\n", has_rate(a) ? ",rate,rate_low,rate_high" : "");
        for (size_t c = 0; c < CELLS; c++)
            if (cells[c].has)
                fprintf(out, "%.*g,", DIGITS, cells[c].value);
            else
                fputc(',', out);
        fprintf(out, "%s,%s", mw_binding_name(a->bindings[i]), extrapolated(&a->predictions[i]));
        double rates[RATES];
        fill_rates(&a->predictions[i], rates);
        for (size_t c = 0; c < RATES && has_rate(a); c++)
            fprintf(out, ",%.*g", DIGITS, rates[c]);
        fputc('\n', out);
    }
    err = mw_output_commit(&output, error);
    mw_output_release(&output);
    return err;
}

static void print_interval(int width, bool has, double value, double low, double high)
{
    char text[64] = "-";
    if (has)
        snprintf(text, sizeof text, "%.4g (%.3g to %.3g)", value, low, high);
    printf(" %*s", width, text);
}

/* For people at a terminal: fewer digits, and only what the model knows. */
static void print_table(const struct answers *a)
{
    enum { WIDE = 32, NARROW = 22 };
    bool time = a->model.quantity == MW_TIME, energy = a->count && a->predictions[0].has_energy;
    printf("median and 90 %% interval\n%s%5s %5s", cli_bold(), "cores", "GHz");
    if (has_rate(a))
        printf(" %*s", WIDE, a->model.rate_unit);
    else if (time)
        printf(" %*s", WIDE, "time (s)");
    printf(" %*s", NARROW, "speedup");
    if (energy)
        printf(" %9s %*s", "power (W)", WIDE, "energy (J)");
    printf("  binding%s\n", cli_reset());
    for (size_t i = 0; i < a->count; i++) {
        const struct mw_prediction *p = &a->predictions[i];
        printf("%5.0f ", a->query[i].cores);
        printf(a->query[i].freq_hz > 0 ? "%5.4g" : "    -", a->query[i].freq_hz / 1e9);
        double rates[RATES];
        fill_rates(p, rates);
        if (has_rate(a))
            print_interval(WIDE, true, rates[0], rates[1], rates[2]);
        else if (time)
            print_interval(WIDE, true, p->value, p->low, p->high);
        print_interval(NARROW, true, p->speedup, p->speedup_low, p->speedup_high);
        if (energy) {
            printf(p->has_energy ? " %9.4g" : "         -", p->power_w);
            print_interval(WIDE, p->has_energy, p->energy_j, p->energy_low_j, p->energy_high_j);
        }
        const char *binding = mw_binding_name(a->bindings[i]);
        printf("  %s%s\n", *binding ? binding : "not sure",
               p->extrapolated_cores || p->extrapolated_freq ? ", extrapolated" : "");
    }
}

static json_t *row_json(const struct answers *a, size_t i)
{
    struct cell cells[CELLS];
    const struct mw_prediction *p = &a->predictions[i];
    json_t *row = json_object();
    fill_cells(a, i, cells);
    for (size_t c = 0; c < CELLS; c++)
        json_object_set_new(row, cells[c].name, mw_json_real(cells[c].has, cells[c].value));
    double rates[RATES];
    fill_rates(p, rates);
    for (size_t c = 0; c < RATES && has_rate(a); c++)
        json_object_set_new(row, rate_names[c], json_real(rates[c]));
    json_object_set_new(row, "binding", a->bindings[i] ? json_string(mw_binding_name(a->bindings[i])) : json_null());
    json_object_set_new(row, "extrapolated", json_boolean(p->extrapolated_cores || p->extrapolated_freq));
    json_object_set_new(row, "extrapolated_cores", json_boolean(p->extrapolated_cores));
    json_object_set_new(row, "extrapolated_freq", json_boolean(p->extrapolated_freq));
    return row;
}

static enum mw_err write_json(const struct cli *cli, const struct answers *a, const struct predict_options *o,
                              const struct mw_provenance *run, struct mw_error *error)
{
    json_t *root = json_object(), *rows = json_array(), *warnings = json_array();
    json_object_set_new(root, "schema", json_string("memwall-predictions/1"));
    json_object_set_new(root, "run", mw_provenance_json(run));
    json_object_set_new(root, "law", json_string(a->model.law));
    json_object_set_new(root, "baseline", json_string(o->baseline));
    if (has_rate(a))
        json_object_set_new(root, "rate_unit", json_string(a->model.rate_unit));
    for (size_t i = 0; i < a->count; i++)
        json_array_append_new(rows, row_json(a, i));
    for (size_t i = 0; i < a->caveat_count; i++)
        json_array_append_new(warnings, json_string(a->caveats[i].text));
    json_object_set_new(root, "predictions", rows);
    json_object_set_new(root, "warnings", warnings);
    enum mw_err err = mw_json_write(root, cli->common.output, cli->common.force, error);
    json_decref(root);
    return err;
}

static int run(struct cli *cli, const void *opaque)
{
    const struct predict_options *o = opaque;
    struct answers a = {0};
    struct mw_provenance provenance = {0};
    if (o->elsewhere.target && o->elsewhere.what_if)
        return cli_usage(cli, "--target speaks of another machine, --what-if of this one: one of them");
    if (!o->elsewhere.target && (o->elsewhere.target_runs || o->elsewhere.machine || o->elsewhere.footprint_bytes))
        return cli_usage(cli, "--target-runs, --machine and --footprint go with --target");
    if (o->gpus || o->gpu_freq) {
        if ((o->gpus && o->gpu_freq) || o->cores || o->freq || o->elsewhere.target || o->elsewhere.what_if)
            return cli_usage(cli, "--gpus or --gpu-freq goes with no other axis and no other machine");
        return cli_predict_device(cli, o->gpus, o->gpu_freq);
    }
    enum mw_err err = mw_model_read(&a.model, cli->operands[0], &cli->error);
    if (!err && (o->elsewhere.target || o->elsewhere.what_if)) {
        int status = (o->elsewhere.target ? cli_predict_target : cli_predict_whatif)(cli, &a.model, &o->elsewhere,
                                                                                     o->cores, o->freq);
        answers_release(&a);
        return status;
    }
    if (!err)
        err = find_grid(&a, o, &cli->error);
    if (!err)
        err = answer(&a, &cli->error);
    if (!err)
        err = mw_provenance_init(&provenance, cli->argc, cli->argv, &cli->error);
    for (size_t i = 0; i < a.caveat_count && !err; i++)
        cli_warn(cli, "%s", a.caveats[i].text);
    if (!err && cli->common.json)
        err = write_json(cli, &a, o, &provenance, &cli->error);
    else if (!err && !cli->common.csv && !cli->common.output && isatty(STDOUT_FILENO))
        print_table(&a);
    else if (!err)
        err = write_csv(cli, &a, &provenance, &cli->error);
    mw_provenance_release(&provenance);
    answers_release(&a);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_predict = {
    .name = "predict",
    .summary = "predict time, speedup and energy over cores and frequency",
    .usage = "[options] MODEL.json",
    .description =
        "Answers for every core count and frequency of a grid from a model that memwall fit wrote: the median and the "
        "90 % interval of time and of speedup over one core, power and energy where the model has power, what binds "
        "there as memwall diagnose would find it (compute, serial, latency or bandwidth; empty where it would find another "
        "cause or none, at one frequency, and outside the measured domain), and whether the point lies outside the measured domain. What the "
        "data cannot decide is said on standard error, with the point to measure. A model of speedups alone leaves "
        "time and energy empty. A table on a terminal, CSV elsewhere and with --csv; its columns: cores, freq_ghz, time_s, time_low_s, time_high_s, speedup, speedup_low, "
        "speedup_high, power_w, energy_j, energy_low_j, energy_high_j, binding, extrapolated (yes or no); of data that came as "
        "rates also rate, rate_low, rate_high in their unit; of work that grows with the cores the speedup is the scaled one. "
        "With --target the program is carried to other machines by their profiles (memwall(1) says where some are and where profile.md explains them): a range, "
        "a ranking on standard error, and which two points to measure there; runs measured there (--target-runs) take "
        "over as soon as they say more. With --what-if the question is about this machine with another memory or more "
        "cores, answered from the runs at other frequencies, always with bounds, with a figure only where one is known. "
        "With --gpus or --gpu-freq the file is one of memwall fit --device: its columns are those of the scan, then the axis, time_s, "
        "time_low_s and time_high_s of one run, speedup over the least that was measured, extrapolated.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_CSV | CLI_JSON | CLI_VERBOSE,
    .options_size = sizeof(struct predict_options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall predict model.json --cores 1-24 --freq 1.2-2.4:0.1\n"
                "  memwall fit runs.csv | memwall predict - --cores 1,8,all --json\n"
                "  memwall predict model.json --target data/profiles/xeon-e5-2630v4.json\n"
                "  memwall predict model.json --what-if memory-latency=0.7\n"
                "  memwall predict gpus.json --gpus 1-8\n",
    .operands_min = 1,
    .operands_max = 1,
};
