// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/predict_target.h"

#include "advise/buy.h"
#include "advise/diagnose.h"
#include "data/json.h"
#include "data/profile.h"
#include "data/units.h"
#include "fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TARGETS = 64, MOST_CORES_LISTED = 4096 };

/* One target and what was read and answered for it. */
struct target {
    struct mw_profile profile;
    struct mw_dataset dataset;
    struct mw_points runs;
    struct mw_model model;
    bool has_runs, has_model;
    double *cores; /* asked */
    size_t count;
    struct mw_buy_result result;
    struct mw_buy_result full; /* at all cores, for the ranking */
    double chance;
};

struct fleet {
    struct target *targets;
    size_t count;
    struct mw_profile machine;
    bool has_machine;
    struct mw_buy_source source;
    struct mw_diagnosis diagnosis;
    double here_s; /* on A with all its cores; 0: unknown */
    double here_chance;
    bool times;
};

static void fleet_release(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        struct target *t = &fleet->targets[i];
        mw_profile_release(&t->profile);
        if (t->has_runs) {
            mw_dataset_release(&t->dataset);
            mw_points_release(&t->runs);
        }
        if (t->has_model)
            mw_model_release(&t->model);
        mw_buy_result_release(&t->result);
        mw_buy_result_release(&t->full);
        free(t->cores);
    }
    free(fleet->targets);
    mw_buy_source_release(&fleet->source);
    if (fleet->has_machine)
        mw_profile_release(&fleet->machine);
}

/* The nth item of a comma-separated list into `item`; false past its end. */
static bool nth_item(const char *list, size_t n, char *item, size_t size)
{
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL, n--)
        if (n == 0) {
            snprintf(item, size, "%.*s", (int)strcspn(list, ","), list);
            return true;
        }
    return false;
}

static enum mw_err read_runs(struct target *t, const char *path, unsigned long seed, struct mw_error *error)
{
    struct mw_dataset_options options = {0};
    enum mw_err err = mw_dataset_read(&t->dataset, path, &options, error);
    if (err)
        return err;
    err = mw_points_from_dataset(&t->runs, &t->dataset, error);
    if (err) {
        mw_dataset_release(&t->dataset);
        return err;
    }
    t->has_runs = true;
    struct mw_fit_options fit = {.law = "auto", .loss = "robust", .method = "csa", .seed = seed};
    struct mw_error ignored; /* too few points to fit: they still anchor the curve */
    t->has_model = t->runs.count > 1 && mw_fit(&t->model, &t->dataset, &fit, &ignored) == MW_OK;
    return MW_OK;
}

static enum mw_err read_targets(struct fleet *fleet, const struct predict_target_options *o, unsigned long seed,
                                struct mw_error *error)
{
    char path[4096];
    size_t count = 0;
    while (nth_item(o->target, count, path, sizeof path))
        count++;
    if (count > MOST_TARGETS)
        return mw_fail(error, MW_USAGE, "at most %d targets", MOST_TARGETS);
    if (o->target_runs && nth_item(o->target_runs, count, path, sizeof path))
        return mw_fail(error, MW_USAGE, "--target-runs names more files than --target has machines");
    fleet->targets = calloc(count, sizeof *fleet->targets);
    if (!fleet->targets)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu targets", count);
    fleet->count = count;
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < count && !err; i++) {
        struct target *t = &fleet->targets[i];
        (void)nth_item(o->target, i, path, sizeof path);
        err = mw_profile_read(&t->profile, path, error);
        if (!err && t->profile.cores == 0)
            err = mw_fail(error, MW_DATA, "%s: 'cores' is missing: it is needed of a target", path);
        if (!err && !t->profile.name && !(t->profile.name = strdup(path)))
            err = mw_fail(error, MW_NOMEM, "out of memory");
        if (!err && o->target_runs && nth_item(o->target_runs, i, path, sizeof path) && *path)
            err = read_runs(t, path, seed, error);
    }
    if (!err && o->machine) {
        err = mw_profile_read(&fleet->machine, o->machine, error);
        fleet->has_machine = !err;
    }
    return err;
}

/* Core counts of a target: those asked for, else 1, 2, 4 ... and all. */
static enum mw_err choose_cores(struct target *t, const char *list, struct mw_error *error)
{
    unsigned all = t->profile.cores;
    double offered[MOST_CORES_LISTED];
    size_t n = 0;
    if (list) {
        for (unsigned p = 1; p <= all && n < MOST_CORES_LISTED; p++)
            offered[n++] = p;
        return mw_parse_cores(list, offered, n, &t->cores, &t->count, error);
    }
    t->cores = malloc(40 * sizeof *t->cores);
    if (!t->cores)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (unsigned p = 1; p < all; p *= 2)
        t->cores[t->count++] = p;
    t->cores[t->count++] = all;
    return MW_OK;
}

static enum mw_buy_memory memory_of(const struct mw_diagnosis *d)
{
    switch (d->verdict) {
    case MW_VERDICT_MEMORY:
    case MW_VERDICT_MEMORY_LATENCY:
    case MW_VERDICT_MEMORY_BANDWIDTH:
        return MW_BUY_MEMORY_YES;
    case MW_VERDICT_UNDETERMINED:
        return MW_BUY_MEMORY_UNKNOWN;
    case MW_VERDICT_STEP:
        return d->memory_open ? MW_BUY_MEMORY_UNKNOWN : MW_BUY_MEMORY_NO; /* one frequency hides memory */
    default:
        return MW_BUY_MEMORY_NO;
    }
}

static enum mw_err prepare(struct fleet *fleet, const struct mw_model *model, const struct predict_target_options *o,
                           const char *cores, unsigned long seed, struct mw_error *error)
{
    struct mw_diagnose_options how = {
        .boundaries = model->boundaries, .boundary_count = model->boundary_count, .seed = seed};
    double reach = 1;
    enum mw_err err = mw_diagnose(&fleet->diagnosis, &model->points, &how, error);
    for (size_t i = 0; i < fleet->count && !err; i++) {
        err = choose_cores(&fleet->targets[i], cores, error);
        reach = fmax(reach, fleet->targets[i].profile.cores);
    }
    if (err)
        return err;
    fleet->source = (struct mw_buy_source){.model = model,
                                           .machine = fleet->has_machine ? &fleet->machine : NULL,
                                           .memory = memory_of(&fleet->diagnosis),
                                           .saturated = fleet->diagnosis.verdict == MW_VERDICT_MEMORY_BANDWIDTH,
                                           .footprint_bytes = (double)o->footprint_bytes};
    return mw_buy_source_init(&fleet->source, reach, error);
}

static enum mw_err answer(struct fleet *fleet, struct mw_error *error)
{
    struct mw_buy_contender list[MOST_TARGETS + 1];
    size_t n = 0;
    const struct mw_buy_source *a = &fleet->source;
    for (size_t i = 0; i < a->count; i++)
        fleet->here_s = a->time_s[i] > 0 ? a->time_s[i] : fleet->here_s;
    fleet->times = fleet->here_s > 0;
    for (size_t i = 0; i < fleet->count; i++) {
        struct target *t = &fleet->targets[i];
        struct mw_buy_target asked = {&t->profile, t->has_runs ? &t->runs : NULL, t->has_model ? &t->model : NULL};
        double all = t->profile.cores;
        enum mw_err err = mw_buy_predict(&t->result, a, &asked, t->cores, t->count, error);
        if (!err)
            err = mw_buy_predict(&t->full, a, &asked, &all, 1, error);
        if (err)
            return err;
        bool timed = t->full.estimates[0].has_time && !t->full.too_large;
        t->chance = timed ? 1 : 0;
        if (timed)
            list[n++] = (struct mw_buy_contender){log(t->full.estimates[0].time_s), t->full.estimates[0].ln_time_sd, 0};
    }
    if (fleet->times)
        list[n++] = (struct mw_buy_contender){log(fleet->here_s), fmax(a->ln_noise, .02), 0};
    mw_buy_rank(list, n);
    size_t at = 0;
    for (size_t i = 0; i < fleet->count; i++)
        if (fleet->targets[i].chance > 0)
            fleet->targets[i].chance = list[at++].chance;
    if (fleet->times)
        fleet->here_chance = list[at].chance;
    return MW_OK;
}

static const char *basis_name(enum mw_buy_basis basis)
{
    static const char *const NAMES[] = {"curve here", "curve here, one point there", "curve here and points there",
                                        "points there"};
    return NAMES[basis];
}

static const char *time_by_name(enum mw_buy_time_by by)
{
    static const char *const NAMES[] = {"unknown", "score", "clock", "measured"};
    return NAMES[by];
}

/* What a buyer must know of one answer; each on standard error, and in JSON. */
enum { NOTES = 10, NOTE = 400 };
static size_t notes_of(const struct fleet *fleet, const struct target *t, char notes[NOTES][NOTE])
{
    const struct mw_buy_result *r = &t->full;
    const struct mw_buy_estimate *e = &r->estimates[0];
    size_t n = 0;
    double margin = e->has_time && fleet->times ? fmax(e->time_s / fleet->here_s, fleet->here_s / e->time_s) : 0;
    bool measured = r->time_by == MW_BUY_TIME_MEASURED;
    if (margin > 0 && r->basis != MW_BUY_FROM_B)
        snprintf(notes[n++], NOTE,
                 "on '%s' (%s): %.2g to %.2g times as fast as here on all its cores; in earlier tests such an answer "
                 "named the faster machine in %.0f %% of cases",
                 t->profile.name, measured ? "its one-core or one time measured" : "never measured",
                 fleet->here_s / e->time_high_s, fleet->here_s / e->time_low_s,
                 100 * mw_buy_margin_right(margin, measured));
    else if (margin > 0)
        snprintf(notes[n++], NOTE, "on '%s', from its own runs: %.3g to %.3g times as fast as here on all its cores",
                 t->profile.name, fleet->here_s / e->time_high_s, fleet->here_s / e->time_low_s);
    else if (fleet->times && r->time_by == MW_BUY_TIME_UNKNOWN)
        snprintf(notes[n++], NOTE,
                 "on '%s' the time stays open: its profile has neither a score that --machine has too nor a clock",
                 t->profile.name);
    if (r->basis != MW_BUY_FROM_B && r->rent[0] > 1)
        snprintf(notes[n++], NOTE,
                 "to know within 7 %%: rent '%s' for an hour, run %u and %u cores and give them by --target-runs",
                 t->profile.name, r->rent[1], r->rent[0]);
    if (r->too_large)
        snprintf(
            notes[n++], NOTE,
            "the program needs more memory than '%s' has: it would swap or fail there, and is left out of the ranking",
            t->profile.name);
    if (r->alarm.raised)
        snprintf(
            notes[n++], NOTE,
            "here and '%s' seem not to run the same work: two cores gain %.2f there, %.2f was to be expected; check "
            "input, compiler and what is timed",
            t->profile.name, exp(r->alarm.ln_measured), exp(r->alarm.ln_predicted));
    if (r->memory_matters)
        snprintf(
            notes[n++], NOTE,
            "whether memory limits the program is open and changes the answer: speedup %.3g on '%s' if not, %.3g if so; "
            "one run here on all cores at the lowest frequency settles it",
            e->serial_first, t->profile.name, e->memory_first);
    if (e->raised)
        snprintf(notes[n++], NOTE, "the time on '%s' was raised to what its memory bandwidth allows", t->profile.name);
    if (e->boundary > 0 && r->basis != MW_BUY_FROM_B)
        snprintf(notes[n++], NOTE, "a boundary lies after %u cores of '%s': what it costs no data here can tell",
                 e->boundary, t->profile.name);
    if (t->profile.clock_count < 2 && r->basis != MW_BUY_FROM_B)
        snprintf(notes[n++], NOTE,
                 "the profile of '%s' has no clock table: turbo steps and throttling are not in the answer",
                 t->profile.name);
    return n;
}

static void say_notes(const struct cli *cli, const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        char notes[NOTES][NOTE];
        size_t n = notes_of(fleet, &fleet->targets[i], notes);
        for (size_t k = 0; k < n; k++)
            cli_say(cli, "%s", notes[k]);
    }
    if (!fleet->times)
        return;
    for (size_t i = 0; i < fleet->count; i++)
        cli_say(cli, "chance to be the fastest of all, on all cores: '%s' %.0f %%", fleet->targets[i].profile.name,
                100 * fleet->targets[i].chance);
    cli_say(cli, "chance to be the fastest of all, on all cores: this machine %.0f %%", 100 * fleet->here_chance);
}

/* F on B: A's relative effect carried over; 90 % half-width .05 (computing) or .15 (memory) for a factor e. */
static const double FREQ_COMPUTE = .05, FREQ_MEMORY = .15;
static enum mw_err freq_factor(const struct fleet *fleet, const struct target *t, double cores, double freq_hz,
                               double *factor, double *half, struct mw_error *error)
{
    const struct mw_buy_source *a = &fleet->source;
    double full = t->profile.clock_count  ? mw_profile_clock_at(&t->profile, cores)
                  : t->profile.freq_count ? t->profile.freqs_hz[t->profile.freq_count - 1]
                                          : 0;
    if (full <= 0 || a->freq_hz <= 0) {
        mw_fail(error, MW_USAGE, "the clock of '%s' is not known, so its other frequencies cannot be asked for",
                t->profile.name);
        return mw_hint(error, "add clock_ghz to its profile, or leave out --freq");
    }
    struct mw_query query[2] = {{fmin(cores, a->cores), a->freq_hz},
                                {fmin(cores, a->cores), a->freq_hz * freq_hz / full}};
    struct mw_prediction out[2];
    enum mw_err err = mw_predict(a->model, query, 2, out, error);
    if (err)
        return err;
    *factor = out[1].value / out[0].value;
    *half = (a->memory == MW_BUY_MEMORY_NO ? FREQ_COMPUTE : FREQ_MEMORY) * fabs(log(freq_hz / full));
    return MW_OK;
}

/* One row: an estimate at a frequency of the target (0: its full clock). */
struct row {
    const struct target *target;
    struct mw_buy_estimate estimate;
    double freq_hz;
};

static enum mw_err build_rows(struct row **result, size_t *count, const struct fleet *fleet, const char *freq,
                              struct mw_error *error)
{
    struct row *rows = NULL;
    size_t n = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        const struct target *t = &fleet->targets[i];
        double *freqs = NULL, none = 0;
        size_t freq_count = 1;
        enum mw_err err =
            freq ? mw_parse_freqs(freq, t->profile.freqs_hz, t->profile.freq_count, &freqs, &freq_count, error) : MW_OK;
        struct row *more = err ? NULL : realloc(rows, (n + t->count * freq_count) * sizeof *rows);
        if (!err && !more)
            err = mw_fail(error, MW_NOMEM, "out of memory for the answers");
        rows = more ? more : rows;
        for (size_t k = 0; k < t->count * freq_count && !err; k++) {
            struct row *row = &rows[n++];
            *row = (struct row){t, t->result.estimates[k / freq_count], (freqs ? freqs : &none)[k % freq_count]};
            double factor = 1, half = 0;
            if (!freq) {
                row->freq_hz = mw_profile_clock_at(&t->profile, row->estimate.cores);
                continue;
            }
            err = freq_factor(fleet, t, row->estimate.cores, row->freq_hz, &factor, &half, error);
            if (err)
                break;
            row->estimate.time_s *= factor;
            row->estimate.time_low_s *= factor * exp(-half);
            row->estimate.time_high_s *= factor * exp(half);
        }
        free(freqs);
        if (err) {
            free(rows);
            return err;
        }
    }
    *result = rows;
    *count = n;
    return MW_OK;
}

static void print_field(FILE *out, bool has, double value)
{
    if (has)
        fprintf(out, "%.7g", value);
    fputc(',', out);
}

/* The columns of `predict` behind the target's name, so that the same readers take it. */
static void print_csv(FILE *out, const struct row *rows, size_t count)
{
    fputs(
        "target,cores,freq_ghz,time_s,time_low_s,time_high_s,speedup,speedup_low,speedup_high,power_w,energy_j,energy_low_j,"
        "energy_high_j,binding,extrapolated\n",
        out);
    for (size_t i = 0; i < count; i++) {
        const struct mw_buy_estimate *e = &rows[i].estimate;
        const char *name = rows[i].target->profile.name;
        fprintf(out, strpbrk(name, ",\"\n") ? "\"%s\",%.0f," : "%s,%.0f,", name, e->cores);
        print_field(out, rows[i].freq_hz > 0, rows[i].freq_hz / 1e9);
        print_field(out, e->has_time, e->time_s);
        print_field(out, e->has_time, e->time_low_s);
        print_field(out, e->has_time, e->time_high_s);
        print_field(out, true, e->speedup);
        print_field(out, true, e->speedup_low);
        print_field(out, true, e->speedup_high);
        fprintf(out, ",,,,,%s\n", e->beyond ? "yes" : "no");
    }
}

static json_t *row_json(const struct row *row)
{
    const struct mw_buy_estimate *e = &row->estimate;
    json_t *o = json_object();
    json_object_set_new(o, "target", json_string(row->target->profile.name));
    json_object_set_new(o, "cores", mw_json_real(true, e->cores));
    json_object_set_new(o, "freq_ghz", mw_json_real(row->freq_hz > 0, row->freq_hz / 1e9));
    json_object_set_new(o, "time_s", mw_json_real(e->has_time, e->time_s));
    json_object_set_new(o, "time_low_s", mw_json_real(e->has_time, e->time_low_s));
    json_object_set_new(o, "time_high_s", mw_json_real(e->has_time, e->time_high_s));
    json_object_set_new(o, "speedup", mw_json_real(true, e->speedup));
    json_object_set_new(o, "speedup_low", mw_json_real(true, e->speedup_low));
    json_object_set_new(o, "speedup_high", mw_json_real(true, e->speedup_high));
    json_object_set_new(o, "extrapolated", json_boolean(e->beyond));
    return o;
}

static json_t *target_json(const struct fleet *fleet, const struct target *t)
{
    char notes[NOTES][NOTE];
    size_t n = notes_of(fleet, t, notes);
    json_t *o = json_object(), *rent = json_array(), *list = json_array();
    json_object_set_new(o, "name", json_string(t->profile.name));
    json_object_set_new(o, "basis", json_string(basis_name(t->result.basis)));
    json_object_set_new(o, "time_by", json_string(time_by_name(t->result.time_by)));
    json_object_set_new(o, "chance_fastest", mw_json_real(fleet->times && t->full.estimates[0].has_time, t->chance));
    json_object_set_new(o, "alarm", json_boolean(t->result.alarm.raised));
    for (int i = 0; i < 2; i++)
        json_array_append_new(rent, json_integer(t->result.rent[i]));
    json_object_set_new(o, "measure_cores", rent);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(notes[i]));
    json_object_set_new(o, "notes", list);
    return o;
}

static enum mw_err write_json(const struct cli *cli, const struct fleet *fleet, const struct row *rows, size_t count,
                              const struct mw_provenance *run, struct mw_error *error)
{
    json_t *root = json_object(), *targets = json_array(), *predictions = json_array();
    json_object_set_new(root, "schema", json_string("memwall-targets/1"));
    json_object_set_new(root, "run", mw_provenance_json(run));
    json_object_set_new(root, "here_time_s", mw_json_real(fleet->times, fleet->here_s));
    json_object_set_new(root, "here_chance_fastest", mw_json_real(fleet->times, fleet->here_chance));
    json_object_set_new(root, "diagnosis", json_string(mw_verdict_name(fleet->diagnosis.verdict)));
    for (size_t i = 0; i < fleet->count; i++)
        json_array_append_new(targets, target_json(fleet, &fleet->targets[i]));
    for (size_t i = 0; i < count; i++)
        json_array_append_new(predictions, row_json(&rows[i]));
    json_object_set_new(root, "targets", targets);
    json_object_set_new(root, "predictions", predictions);
    enum mw_err err = mw_json_write(root, cli->common.output, cli->common.force, error);
    json_decref(root);
    return err;
}

static enum mw_err write_answers(const struct cli *cli, const struct fleet *fleet, const struct row *rows, size_t count,
                                 struct mw_error *error)
{
    struct mw_provenance run = {0};
    struct mw_output output = {0};
    enum mw_err err = mw_provenance_init(&run, cli->argc, cli->argv, error);
    if (!err && cli->common.json) {
        err = write_json(cli, fleet, rows, count, &run, error);
    } else if (!err) {
        err = mw_output_open(&output, cli->common.output, cli->common.force, error);
        if (!err) {
            mw_provenance_print(&run, output.stream);
            print_csv(output.stream, rows, count);
            err = mw_output_commit(&output, error);
            mw_output_release(&output);
        }
    }
    mw_provenance_release(&run);
    return err;
}

int cli_predict_target(struct cli *cli, const struct mw_model *model, const struct predict_target_options *o,
                       const char *cores, const char *freq)
{
    struct fleet fleet = {0};
    struct row *rows = NULL;
    size_t count = 0;
    unsigned long seed = cli->common.seed ? cli->common.seed : 1;
    enum mw_err err = read_targets(&fleet, o, seed, &cli->error);
    if (!err)
        err = prepare(&fleet, model, o, cores, seed, &cli->error);
    if (!err)
        err = answer(&fleet, &cli->error);
    if (!err)
        err = build_rows(&rows, &count, &fleet, freq, &cli->error);
    if (!err)
        say_notes(cli, &fleet);
    if (!err)
        err = write_answers(cli, &fleet, rows, count, &cli->error);
    free(rows);
    fleet_release(&fleet);
    return err ? cli_fail(cli, &cli->error) : 0;
}
