// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "advise/diagnose/answer.h"
#include "data/json.h"
#include "data/model_file/model_file.h"
#include "data/profile.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diagnose_options {
    const char *boundaries, *machine;
};

#define FIELD(name) CLI_FIELD(struct diagnose_options, name)
static const struct cli_option options[] = {
    {"boundaries", CLI_STRING, FIELD(boundaries), "LIST",
     "core counts after which a socket, NUMA node, hyper-thread or kind begins (default: the model's, the machine's, "
     "else half of the cores and wherever times step)",
     NULL, 0, 0},
    {"machine", CLI_STRING, FIELD(machine), "FILE", "profile of the machine (memwall machine --json): its boundaries",
     NULL, 0, 0},
    {0},
};

static const double COARSE = .88; /* chance from which one frequency says that it scales, or that it stops */
static const double LOAD = .03;   /* of the cores' time: a smaller share is not worth a flag */

/* All that is said. */
struct report {
    struct mw_model model;
    unsigned *boundaries;
    size_t boundary_count;
    struct mw_answer answer;
    struct mw_scaling_row *rows;
    size_t row_count;
    bool has_next;
    struct mw_config next;
    char next_reason[200];
};

static void report_release(struct report *r)
{
    mw_model_release(&r->model);
    mw_answer_release(&r->answer);
    free(r->boundaries);
    free(r->rows);
}

static enum mw_err copy_boundaries(struct report *r, const unsigned *from, size_t count, struct mw_error *error)
{
    r->boundaries = calloc(count + 1, sizeof *r->boundaries);
    if (!r->boundaries)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        r->boundaries[i] = from[i];
    r->boundary_count = count;
    return MW_OK;
}

static enum mw_err find_boundaries(struct report *r, const struct diagnose_options *o, struct mw_error *error)
{
    if (o->boundaries)
        return mw_boundaries_parse(o->boundaries, &r->boundaries, NULL, &r->boundary_count, error);
    if (r->model.boundary_count > 0 || !o->machine)
        return copy_boundaries(r, r->model.boundaries, r->model.boundary_count, error);
    struct mw_profile profile = {0};
    enum mw_err err = mw_profile_read(&profile, o->machine, error);
    if (!err)
        err = copy_boundaries(r, profile.boundaries, profile.boundary_count, error);
    mw_profile_release(&profile);
    return err;
}

/* Where the verdict is open: the most telling point among all core counts at the ends of the frequency range. */
static enum mw_err find_next(struct report *r, struct mw_diagnoser *diagnoser, struct mw_error *error)
{
    const struct mw_diagnosis *d = &r->answer.diagnosis;
    enum { MOST = 256 };
    struct mw_config candidates[2 * MOST];
    double stride = fmax(1, (double)d->cores / MOST);
    size_t n = 0;
    for (double p = d->cores; p >= 1 && n + 2 <= 2 * MOST; p -= stride) {
        candidates[n++] = (struct mw_config){ceil(p), d->freq_max_hz};
        if (!d->memory_open)
            candidates[n++] = (struct mw_config){ceil(p), d->freq_min_hz};
    }
    struct mw_diagnose_step step;
    enum mw_err err = mw_diagnoser_next(diagnoser, &step, NULL, &r->model.points, candidates, n, error);
    if (err || step.done)
        return err;
    r->has_next = true;
    r->next = candidates[step.candidate];
    snprintf(r->next_reason, sizeof r->next_reason, "%s", step.reason);
    return MW_OK;
}

static enum mw_err diagnose(struct report *r, unsigned long seed, struct mw_error *error)
{
    struct mw_diagnose_options how = mw_diagnose_options_of(&r->model, seed);
    how.boundaries = r->boundaries;
    how.boundary_count = r->boundary_count;
    struct mw_diagnoser *diagnoser = NULL;
    enum mw_err err = mw_diagnoser_alloc(&diagnoser, &how, error);
    if (!err)
        err = mw_diagnoser_run(diagnoser, &r->answer.diagnosis, &r->model.points, error);
    if (!err && r->answer.diagnosis.verdict > MW_VERDICT_FLAT && !r->answer.diagnosis.disturbed)
        err = find_next(r, diagnoser, error);
    if (!err)
        err = mw_answer_words(&r->answer, &r->model, error);
    if (!err)
        err = mw_scaling_table(&r->rows, &r->row_count, &r->model.points, r->answer.diagnosis.seen.has_cpu, error);
    if (!err && r->has_next && r->answer.diagnosis.freq_max_hz > 0)
        err = mw_sentences_add(&r->answer.advice, error, "Next, measure %.0f cores at %.4g GHz: %s.", r->next.cores,
                               r->next.freq_hz / 1e9, r->next_reason);
    else if (!err && r->has_next)
        err =
            mw_sentences_add(&r->answer.advice, error, "Next, measure %.0f cores: %s.", r->next.cores, r->next_reason);
    mw_diagnoser_free(diagnoser);
    return err;
}

/* Flags beside the verdict; returns their number. */
enum { FLAGS = 8 };
static size_t flags_of(const struct mw_diagnosis *d, char flags[FLAGS][80])
{
    const struct mw_observation *seen = &d->seen;
    double gains = d->family_chance[MW_FAMILY_SCALES] + d->family_chance[MW_FAMILY_SUPERLINEAR];
    size_t n = 0;
    if (d->step_flag)
        snprintf(flags[n++], sizeof *flags, "boundary-step after %u cores: %.0f %%", d->step_after, 100 * d->step_size);
    if (d->memory_open)
        snprintf(flags[n++], sizeof *flags, "memory-not-excluded");
    if (d->memory_open && gains >= COARSE)
        snprintf(flags[n++], sizeof *flags, "scales");
    if (d->memory_open && 1 - d->other - gains >= COARSE)
        snprintf(flags[n++], sizeof *flags, "stops-scaling");
    if (seen->one_core)
        snprintf(flags[n++], sizeof *flags, "one-core-worked");
    if (seen->others > LOAD)
        snprintf(flags[n++], sizeof *flags, "other-programs: %.0f %%", 100 * seen->others);
    if (seen->steal > LOAD)
        snprintf(flags[n++], sizeof *flags, "steal: %.0f %%", 100 * seen->steal);
    if (seen->throttled > LOAD)
        snprintf(flags[n++], sizeof *flags, "throttled: %.0f %%", 100 * seen->throttled);
    return n;
}

static void print_shares(FILE *out, const struct mw_diagnosis *d)
{
    fprintf(out,
            "\n%sshares of the time in %% (90 %% intervals)%s\n%6s %6s  %-12s %-12s %-14s %-13s %-12s %-12s %-12s\n",
            cli_bold(), cli_reset(), "cores", "GHz", "parallel", "serial", "memory, shared", "memory, fixed",
            "overhead", "uneven", "wait");
    for (size_t i = 0; i < d->end_count; i++) {
        const struct mw_shares *s = &d->ends[i];
        const struct mw_interval *columns[] = {&s->parallel, &s->serial, &s->latency, &s->nonscaling,
                                               &s->overhead, &s->uneven, &s->wait};
        static const int widths[] = {12, 12, 14, 13, 12, 12, 0};
        if (i % 2 && d->cores == 1)
            continue;
        fprintf(out, "%6.0f ", s->cores);
        if (s->freq_hz > 0)
            fprintf(out, "%6.4g  ", s->freq_hz / 1e9);
        else
            fprintf(out, "%6s  ", "-");
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            char text[32];
            snprintf(text, sizeof text, "%.0f (%.0f-%.0f)", 100 * columns[c]->median, 100 * columns[c]->low,
                     100 * columns[c]->high);
            fprintf(out, "%-*s%c", widths[c], text, widths[c] ? ' ' : '\n');
        }
    }
    fprintf(
        out,
        "memory, shared: time that the cores divide among them (latency); fixed: time that they don't (bandwidth);\n"
        "uneven: beyond an even share at full speed; wait: nobody works\n");
}

static void print_factor(FILE *out, bool has, int width, double value)
{
    if (has)
        fprintf(out, " %*.2f", width, value);
    else
        fprintf(out, " %*s", width, "-");
}

/* Speedups with what is lost where; each factor is 1 where nothing is. */
static void print_scaling(FILE *out, const struct report *r)
{
    bool cpu = false, counters = false;
    if (r->row_count < 2)
        return;
    for (size_t i = 0; i < r->row_count; i++) {
        cpu |= r->rows[i].has_cpu;
        counters |= r->rows[i].has_counters;
    }
    fprintf(out, "\n%6s %9s %11s %12s", "cores", "speedup", "efficiency", "Karp-Flatt");
    if (cpu)
        fprintf(out, " %9s %12s", "parallel", "computation");
    if (counters)
        fprintf(out, " %13s %6s %6s %6s", "instructions", "IPC", "clock", "user");
    if (r->rows[0].freq_hz > 0)
        fprintf(out, "   at %.4g GHz", r->rows[0].freq_hz / 1e9);
    fputc('\n', out);
    for (size_t i = 0; i < r->row_count; i++) {
        const struct mw_scaling_row *row = &r->rows[i];
        fprintf(out, "%6u %9.2f %9.0f %% ", row->cores, row->speedup, 100 * row->efficiency);
        if (row->cores > 1)
            fprintf(out, "%12.4f", row->serial_fraction);
        else
            fprintf(out, "%12s", "-");
        const double factors[] = {row->parallel, row->computation, row->instructions, row->ipc, row->clock, row->user};
        static const int widths[] = {9, 12, 13, 6, 6, 6};
        for (size_t k = 0; k < (counters ? 6 : cpu ? 2 : 0); k++)
            print_factor(out, k < 2 ? row->has_cpu : row->has_counters, widths[k], factors[k]);
        fputc('\n', out);
    }
    if (cpu)
        fputs("efficiency = parallel (cores with work) x computation (core seconds for the same work)", out);
    if (counters)
        fputs(";\ncomputation = instructions x IPC x clock x user (time not in the kernel)", out);
    if (cpu)
        fputc('\n', out);
}

/* Those that the answer does not say; all with --verbose. */
static void print_flags(FILE *out, const struct mw_diagnosis *d, bool all)
{
    char flags[FLAGS][80];
    size_t count = flags_of(d, flags);
    for (size_t i = 0; i < count; i++)
        if (all ||
            (strcmp(flags[i], "scales") && strcmp(flags[i], "stops-scaling") && strcmp(flags[i], "one-core-worked") &&
             (!d->clock_fixed || strcmp(flags[i], "memory-not-excluded"))))
            fprintf(out, "beside it: %s\n", flags[i]);
}

/* The answer first: what the cores did, why, what to do; then the rest. */
static void print_human(FILE *out, const struct report *r, bool all)
{
    const struct mw_diagnosis *d = &r->answer.diagnosis;
    for (size_t i = 0; i < r->answer.headline.count; i++) {
        if (i == 1)
            fprintf(out, "%s%s%s: ", cli_bold(), mw_verdict_name(d->verdict), cli_reset());
        fputs(r->answer.headline.items[i], out);
        if (i == 1 && d->verdict != MW_VERDICT_UNDETERMINED)
            fprintf(out, " [%.2f]", d->confidence);
        fputc('\n', out);
    }
    print_flags(out, d, all);
    fprintf(out, "\n%swhat to do%s\n", cli_bold(), cli_reset());
    for (size_t i = 0; i < r->answer.advice.count; i++)
        fprintf(out, "- %s\n", r->answer.advice.items[i]);
    fprintf(out, "\n%sevidence%s, for %u core%s", cli_bold(), cli_reset(), d->cores, d->cores > 1 ? "s" : "");
    if (d->freq_max_hz > 0)
        fprintf(out, " at %.4g GHz", d->freq_max_hz / 1e9);
    fputc('\n', out);
    for (size_t i = 0; i < r->answer.evidence.count; i++)
        fprintf(out, "- %s\n", r->answer.evidence.items[i]);
    if (d->end_count > 0 && (all || mw_diagnosis_shares_told(d)))
        print_shares(out, d);
    else if (d->end_count > 0)
        fprintf(out, "\nshares of the time: these points leave them open (--verbose shows how far)\n");
    print_scaling(out, r);
}

static json_t *interval_json(const struct mw_interval *interval)
{
    json_t *object = json_object();
    json_object_set_new(object, "value", mw_json_real(true, interval->median));
    json_object_set_new(object, "low", mw_json_real(true, interval->low));
    json_object_set_new(object, "high", mw_json_real(true, interval->high));
    return object;
}

static json_t *shares_json(const struct mw_diagnosis *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->end_count; i++) {
        const struct mw_shares *s = &d->ends[i];
        json_t *row = json_object();
        json_object_set_new(row, "cores", json_integer((json_int_t)s->cores));
        json_object_set_new(row, "freq_ghz", mw_json_real(s->freq_hz > 0, s->freq_hz / 1e9));
        json_object_set_new(row, "parallel", interval_json(&s->parallel));
        json_object_set_new(row, "serial", interval_json(&s->serial));
        json_object_set_new(row, "memory_latency", interval_json(&s->latency));
        json_object_set_new(row, "memory_nonscaling", interval_json(&s->nonscaling));
        json_object_set_new(row, "overhead", interval_json(&s->overhead));
        json_object_set_new(row, "uneven", interval_json(&s->uneven));
        json_object_set_new(row, "wait", interval_json(&s->wait));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *sentences_json(const struct mw_sentences *sentences)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sentences->count; i++)
        json_array_append_new(list, json_string(sentences->items[i]));
    return list;
}

static json_t *karp_flatt_json(const struct report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->row_count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "cores", json_integer(r->rows[i].cores));
        json_object_set_new(row, "freq_ghz", mw_json_real(r->rows[i].freq_hz > 0, r->rows[i].freq_hz / 1e9));
        json_object_set_new(row, "speedup", mw_json_real(true, r->rows[i].speedup));
        json_object_set_new(row, "efficiency", mw_json_real(true, r->rows[i].efficiency));
        json_object_set_new(row, "serial_fraction", mw_json_real(r->rows[i].cores > 1, r->rows[i].serial_fraction));
        json_object_set_new(row, "parallel_efficiency", mw_json_real(r->rows[i].has_cpu, r->rows[i].parallel));
        json_object_set_new(row, "computation_scaling", mw_json_real(r->rows[i].has_cpu, r->rows[i].computation));
        json_object_set_new(row, "instruction_scaling", mw_json_real(r->rows[i].has_counters, r->rows[i].instructions));
        json_object_set_new(row, "ipc_scaling", mw_json_real(r->rows[i].has_counters, r->rows[i].ipc));
        json_object_set_new(row, "clock_scaling", mw_json_real(r->rows[i].has_counters, r->rows[i].clock));
        json_object_set_new(row, "user_scaling", mw_json_real(r->rows[i].has_counters, r->rows[i].user));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *loss_json(const struct mw_observation *seen)
{
    json_t *object = json_object();
    json_object_set_new(object, "idle", interval_json(&seen->idle));
    json_object_set_new(object, "busy", interval_json(&seen->busy));
    return object;
}

/* CPU time over the time of the cores, of each point. */
static json_t *utilisation_json(const struct report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->model.points.count && r->answer.diagnosis.seen.has_cpu; i++) {
        const struct mw_point *p = &r->model.points.items[i];
        json_t *row = json_object();
        json_object_set_new(row, "cores", json_integer(p->cores));
        json_object_set_new(row, "freq_ghz", mw_json_real(p->freq_hz > 0, p->freq_hz / 1e9));
        json_object_set_new(row, "value", mw_json_real(p->has_cpu_time, p->cpu_time_s / (p->cores * p->value)));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *witness_json(const struct mw_witnesses *w)
{
    const struct {
        const char *name;
        const struct mw_witness *witness;
    } all[] = {{"cpu_time", &w->cpu_time},
               {"effective_clock", &w->effective_clock},
               {"main_wait", &w->main_wait},
               {"throttled", &w->throttled},
               {"counters", &w->counters}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct mw_witness *one = all[i].witness;
        json_t *text = one->state == MW_WITNESS_IGNORED
                           ? json_sprintf("ignored: %s", one->why)
                           : json_string(one->state == MW_WITNESS_USED ? "used" : "absent");
        json_object_set_new(object, all[i].name, text);
    }
    return object;
}

/* What was seen, and what enough of the draws agree on. */
static void add_judgement(json_t *root, const struct mw_diagnosis *d)
{
    bool sure = d->family < MW_FAMILY_COUNT, pair = d->pair != MW_PAIR_NONE;
    json_t *chances = json_object(), *families = json_object();
    json_object_set_new(root, "verdict", json_string(mw_verdict_name(d->verdict)));
    json_object_set_new(root, "confidence", mw_json_real(d->verdict != MW_VERDICT_UNDETERMINED, d->confidence));
    json_object_set_new(root, "family", sure ? json_string(mw_family_name(d->family)) : json_null());
    json_object_set_new(root, "pair", pair ? json_string(mw_pair_name(d->pair)) : json_null());
    json_object_set_new(root, "speedup", mw_json_real(d->seen.present, d->seen.speedup));
    json_object_set_new(root, "efficiency", mw_json_real(d->seen.present, d->seen.efficiency));
    json_object_set_new(root, "busy_cores", mw_json_real(d->seen.has_cpu, d->seen.busy_cores));
    json_object_set_new(root, "loss", d->seen.has_cpu ? loss_json(&d->seen) : json_null());
    json_object_set_new(root, "witness", witness_json(&d->witness));
    for (enum mw_cause c = 0; c < MW_CAUSE_COUNT; c++)
        json_object_set_new(chances, mw_cause_names[c], mw_json_real(true, d->chance[c]));
    json_object_set_new(chances, "other", mw_json_real(true, d->other));
    for (enum mw_family f = 0; f < MW_FAMILY_COUNT; f++)
        json_object_set_new(families, mw_family_name(f), mw_json_real(true, d->family_chance[f]));
    json_object_set_new(root, "chances", chances);
    json_object_set_new(root, "family_chances", families);
}

static json_t *report_json(const struct report *r, const struct mw_provenance *run)
{
    const struct mw_diagnosis *d = &r->answer.diagnosis;
    json_t *root = json_object(), *flags = json_array();
    char names[FLAGS][80];
    size_t flag_count = flags_of(d, names);
    json_object_set_new(root, "schema", json_string("memwall-diagnosis/1"));
    json_object_set_new(root, "run", mw_provenance_json(run));
    add_judgement(root, d);
    json_object_set_new(root, "utilisation", utilisation_json(r));
    for (size_t i = 0; i < flag_count; i++)
        json_array_append_new(flags, json_string(names[i]));
    json_object_set_new(root, "flags", flags);
    json_object_set_new(root, "cores", json_integer(d->cores));
    json_object_set_new(root, "freq_ghz", mw_json_real(d->freq_max_hz > 0, d->freq_max_hz / 1e9));
    json_object_set_new(root, "shares", shares_json(d));
    json_object_set_new(root, "karp_flatt", karp_flatt_json(r));
    json_object_set_new(root, "headline", sentences_json(&r->answer.headline));
    json_object_set_new(root, "evidence", sentences_json(&r->answer.evidence));
    json_object_set_new(root, "advice", sentences_json(&r->answer.advice));
    if (r->has_next) {
        json_t *next = json_object();
        json_object_set_new(next, "cores", json_integer((json_int_t)r->next.cores));
        json_object_set_new(next, "freq_ghz", mw_json_real(r->next.freq_hz > 0, r->next.freq_hz / 1e9));
        json_object_set_new(next, "reason", json_string(r->next_reason));
        json_object_set_new(root, "next", next);
    }
    if (d->step_flag || d->verdict == MW_VERDICT_STEP) {
        json_t *step = json_object();
        json_object_set_new(step, "after_cores", json_integer(d->step_after));
        json_object_set_new(step, "size", mw_json_real(true, d->step_size));
        json_object_set_new(step, "chance", mw_json_real(true, d->step_chance));
        json_object_set_new(root, "step", step);
    }
    json_object_set_new(root, "effective_sample", mw_json_real(true, d->effective));
    return root;
}

static enum mw_err write_json(const struct cli *cli, const struct report *r, struct mw_error *error)
{
    struct mw_provenance run = {0};
    enum mw_err err = mw_provenance_init(&run, cli->argc, cli->argv, error);
    if (!err) {
        json_t *root = report_json(r, &run);
        err = mw_json_write(root, cli->common.output, cli->common.force, error);
        json_decref(root);
    }
    mw_provenance_release(&run);
    return err;
}

static enum mw_err write_human(const struct cli *cli, const struct report *r, struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, cli->common.output, cli->common.force, error);
    if (err)
        return err;
    print_human(output.stream, r, cli->common.verbose);
    err = mw_output_commit(&output, error);
    mw_output_release(&output);
    return err;
}

static int run(struct cli *cli, const void *opaque)
{
    const struct diagnose_options *o = opaque;
    struct report r = {0};
    enum mw_err err = mw_model_read(&r.model, cli->operands[0], &cli->error);
    if (!err)
        err = find_boundaries(&r, o, &cli->error);
    if (!err)
        err = diagnose(&r, cli->common.seed, &cli->error);
    if (!err)
        err = cli->common.json ? write_json(cli, &r, &cli->error) : write_human(cli, &r, &cli->error);
    report_release(&r);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_diagnose = {
    .name = "diagnose",
    .summary = "say what limits a program, how sure that is, and what to do about it",
    .usage = "[options] MODEL.json",
    .description =
        "Says first what the cores did: the speedup, how many worked, and what of the loss is cores without work (idle) and "
        "what is work that takes more core time (busy). Then why, as fine as the points allow: a cause (scales-well, serial, "
        "memory-latency, memory-bandwidth, memory, cache-benefiting, granularity, boundary-step, weak-scaling, slows-down, "
        "waiting, limit, one-thread, clock, busy-clock, flat), else whether the idle or busy part moves with the clock "
        "(idle-clock, idle-fixed, busy-clock, busy-fixed), else idle, busy or both, else undetermined. Fifteen ways in which a "
        "program can spend its time are weighed by the wall times and the CPU times (column cpu_s; memwall scan records it) "
        "that the model was fitted to; a cause needs .90 of the chances, the others .85. With times alone, and with one "
        "frequency, less can be told, and what would settle it is named. Prints what to do, the evidence, shares of the time "
        "at the ends of the domain and the Karp-Flatt serial fraction.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_JSON | CLI_SEED | CLI_VERBOSE,
    .options_size = sizeof(struct diagnose_options),
    .run = run,
    .examples = "  memwall diagnose model.json\n  memwall diagnose --json --boundaries 12 model.json\n"
                "  memwall fit runs.csv | memwall diagnose -\n",
    .operands_min = 1,
    .operands_max = 1,
};
