// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/predict/predict_target.h"

#include "cli/predict/predict_fleet.h"
#include "data/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *basis_name(enum mw_transfer_basis basis)
{
    static const char *const NAMES[] = {"curve here", "curve here, one point there", "curve here and points there",
                                        "points there"};
    return NAMES[basis];
}

static const char *time_by_name(enum mw_transfer_time_by by)
{
    static const char *const NAMES[] = {"unknown", "score", "clock", "measured"};
    return NAMES[by];
}

/* What a buyer must know of one answer; each on standard error, and in JSON. */
enum { NOTES = 10, NOTE = 400 };
static size_t notes_of(const struct fleet *fleet, const struct fleet_target *t, char notes[NOTES][NOTE])
{
    const struct mw_transfer_result *r = &t->full;
    const struct mw_transfer_estimate *e = &r->estimates[0];
    size_t n = 0;
    double margin = e->has_time && fleet->times ? fmax(e->time_s / fleet->here_s, fleet->here_s / e->time_s) : 0;
    bool measured = r->time_by == MW_TRANSFER_TIME_MEASURED;
    if (margin > 0 && r->basis != MW_TRANSFER_FROM_B)
        snprintf(notes[n++], NOTE,
                 "on '%s' (%s): %.2g to %.2g times as fast as here on all its cores; in earlier tests such an answer "
                 "named the faster machine in %.0f %% of cases",
                 t->profile.name, measured ? "its one-core or one time measured" : "never measured",
                 fleet->here_s / e->time_high_s, fleet->here_s / e->time_low_s,
                 100 * mw_transfer_margin_right(margin, measured));
    else if (margin > 0)
        snprintf(notes[n++], NOTE, "on '%s', from its own runs: %.3g to %.3g times as fast as here on all its cores",
                 t->profile.name, fleet->here_s / e->time_high_s, fleet->here_s / e->time_low_s);
    else if (fleet->times && r->time_by == MW_TRANSFER_TIME_UNKNOWN)
        snprintf(notes[n++], NOTE,
                 "on '%s' the time stays open: its profile has neither a score that --machine has too nor a clock",
                 t->profile.name);
    if (r->basis != MW_TRANSFER_FROM_B && r->rent[0] > 1)
        snprintf(
            notes[n++], NOTE,
            "to know it to 4 %% on average: rent '%s' for an hour, run %u and %u cores and give them by --target-runs",
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
    if (e->boundary > 0 && r->basis != MW_TRANSFER_FROM_B)
        snprintf(notes[n++], NOTE, "a boundary lies after %u cores of '%s': what it costs no data here can tell",
                 e->boundary, t->profile.name);
    if (t->profile.clock_count < 2 && r->basis != MW_TRANSFER_FROM_B)
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

static void print_field(FILE *out, bool has, double value)
{
    if (has)
        fprintf(out, "%.7g", value);
    fputc(',', out);
}

/* The columns of `predict` behind the target's name, so that the same readers take it. */
static void print_csv(FILE *out, const struct fleet_row *rows, size_t count)
{
    fputs(
        "target,cores,freq_ghz,time_s,time_low_s,time_high_s,speedup,speedup_low,speedup_high,power_w,energy_j,energy_low_j,"
        "energy_high_j,binding,extrapolated\n",
        out);
    for (size_t i = 0; i < count; i++) {
        const struct mw_transfer_estimate *e = &rows[i].estimate;
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

static json_t *row_json(const struct fleet_row *row)
{
    const struct mw_transfer_estimate *e = &row->estimate;
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

static json_t *target_json(const struct fleet *fleet, const struct fleet_target *t)
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

static enum mw_err write_json(const struct cli *cli, const struct fleet *fleet, const struct fleet_row *rows,
                              size_t count, const struct mw_provenance *run, struct mw_error *error)
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

static enum mw_err write_answers(const struct cli *cli, const struct fleet *fleet, const struct fleet_row *rows,
                                 size_t count, struct mw_error *error)
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
    struct fleet_row *rows = NULL;
    size_t count = 0;
    unsigned long seed = cli->common.seed ? cli->common.seed : 1;
    enum mw_err err = fleet_init(&fleet, model, o, cores, seed, &cli->error);
    if (!err)
        err = fleet_rows(&rows, &count, &fleet, freq, &cli->error);
    if (!err)
        say_notes(cli, &fleet);
    if (!err)
        err = write_answers(cli, &fleet, rows, count, &cli->error);
    free(rows);
    fleet_release(&fleet);
    return err ? cli_fail(cli, &cli->error) : 0;
}
