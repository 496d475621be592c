// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/recommend/recommend.h"

#include "data/json.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>

enum { TIES_SHOWN = 8 };

/* The program with its cores, where the model knows it, and the frequencies to go back to: the range that was measured. */
static struct mw_command_facts facts_of(const struct recommendation *rec)
{
    struct mw_command_facts facts = {.program = rec->program, .clock_fixed = rec->model.points.clock_fixed};
    const struct mw_points *points = &rec->model.points;
    if (points->count) { /* sorted by frequency */
        facts.freq_low_hz = points->items[0].freq_hz;
        facts.freq_high_hz = points->items[points->count - 1].freq_hz;
    }
    return facts;
}

static void print_quantity(const char *name, const struct mw_spread *s, const char *unit,
                           const struct mw_spread *change)
{
    printf("  %-10s %.5g %s", name, s->value, unit);
    if (s->high > s->low * (1 + 1e-9))
        printf(" (%.5g to %.5g)", s->low, s->high);
    if (change && (change->value < 0 || change->value > 0 || change->high > change->low)) {
        printf(", %+.1f %%", 100 * change->value);
        if (change->high > change->low)
            printf(" (%+.1f to %+.1f)", 100 * change->low, 100 * change->high);
    }
    printf("\n");
}

/* The reading of the fewest cores measured at this frequency, or of just this configuration where `cores` is given. */
static const struct mw_point *reading_of(const struct mw_points *points, double freq_hz, unsigned cores)
{
    for (size_t i = 0; i < points->count; i++) /* sorted by frequency and cores */
        if (mw_freq_same(points->items[i].freq_hz, freq_hz) && (!cores || points->items[i].cores == cores))
            return &points->items[i];
    return NULL;
}

/* Over one core; where none was measured that is an estimate, and what was measured is said beside it. */
static void print_efficiency(const struct recommendation *rec, const struct mw_option *c)
{
    const struct mw_points *points = &rec->model.points;
    const struct mw_spread *e = &c->efficiency;
    if (c->candidate.cores <= 1 || !(e->value > 0))
        return;
    if (c->baseline_measured) {
        printf("  %-10s %.0f %% (%.0f to %.0f)\n", "efficiency", 100 * e->value, 100 * e->low, 100 * e->high);
        return;
    }
    const struct mw_point *few = reading_of(points, c->candidate.freq_hz, 0),
                          *here = reading_of(points, c->candidate.freq_hz, (unsigned)c->candidate.cores);
    printf("  %-10s ", "efficiency");
    if (few && here && few != here && points->quantity == MW_TIME)
        printf("%.0f %% against %u cores, measured; ", 100 * few->value * few->cores / (here->value * here->cores),
               few->cores);
    printf("%.0f %% (%.0f to %.0f) against one core, estimated: it was not measured\n", 100 * e->value, 100 * e->low,
           100 * e->high);
}

/* Time or rate against the reference, in the unit that the data came in. */
static void print_time(const struct recommendation *rec, const struct mw_spread *t, const struct mw_spread *change)
{
    const char *unit = rec->model.rate_unit;
    if (!unit || !*unit) {
        print_quantity(rec->model.weak ? "time, run" : "time", t, "s", rec->model.weak ? NULL : change);
        return;
    }
    const struct mw_spread rate = {1 / t->value, 1 / t->high, 1 / t->low},
                           gain = {-change->value / (1 + change->value), -change->high / (1 + change->high),
                                   -change->low / (1 + change->low)};
    print_quantity("rate", &rate, unit, &gain);
}

static bool is_reference(const struct recommendation *rec)
{
    const struct mw_config *a = &rec->r.options[rec->r.choice].candidate, *b = &rec->r.reference.candidate;
    return !(fabs(a->cores - b->cores) > 0) && (!(b->freq_hz > 0) || mw_freq_same(a->freq_hz, b->freq_hz));
}

static void print_choice(const struct recommendation *rec)
{
    const struct mw_option *c = &rec->r.options[rec->r.choice];
    char name[64], reference[64];
    goal_name(&c->candidate, name, sizeof name);
    goal_name(&rec->r.reference.candidate, reference, sizeof reference);
    printf("\nleast %s%s%s: %s%s%s, %s\n", mw_objective_name(rec->goal.objective),
           rec->model.weak ? " for the work" : "", mw_goal_has_limits(&rec->goal) ? " within the limits" : "",
           cli_bold(), name, cli_reset(),
           c->measured       ? "measured"
           : c->extrapolated ? "predicted beyond the data"
                             : "predicted");
    if (!is_reference(rec))
        printf("against %s (%s)\n", reference,
               rec->goal.has_reference ? "--reference" : "all cores at the highest frequency");
    if (c->has_time)
        print_time(rec, &c->time_s, &rec->r.time_change);
    if (c->has_energy)
        print_quantity("energy", &c->energy_j, "J", rec->model.weak ? NULL : &rec->r.energy_change);
    if (c->has_energy && c->has_time)
        print_quantity("power", &c->power_w, "W", NULL);
    if (rec->r.relative)
        printf("  %-10s %+.1f %% (%+.1f to %+.1f)\n", "time", 100 * rec->r.time_change.value,
               100 * rec->r.time_change.low, 100 * rec->r.time_change.high);
    print_efficiency(rec, c);
    if (mw_goal_has_limits(&rec->goal))
        printf("  %-10s kept with %.0f %%\n", "limits", 100 * c->chance);
}

/* "Run it on 2 cores: 1.35 s, about 1.8x one core (89 %)." and what binds it. */
static void print_answer(const struct recommendation *rec)
{
    static const double rough = .05; /* of an efficiency: half of its interval */
    const struct mw_option *c = &rec->r.options[rec->r.choice];
    const struct mw_spread *e = &c->efficiency;
    char name[64], time[80];
    goal_name(&c->candidate, name, sizeof name);
    bool disturbed = rec->answer.diagnosed && rec->answer.diagnosis.disturbed;
    if (disturbed)
        printf("%s\n", rec->answer.headline.items[0]);
    printf("%s %s%s%s", disturbed ? "Measure again before relying on it; of these runs the best was on" : "Run it on",
           cli_bold(), name, cli_reset());
    if (c->has_time) {
        goal_name_time(c->time_s.value, rec->model.rate_unit, time, sizeof time);
        printf(": %s", time);
    }
    if (rec->goal.objective != MW_OBJECTIVE_TIME && c->has_energy)
        printf("%s%.4g J", c->has_time ? ", " : ": ", c->energy_j.value);
    if (c->candidate.cores > 1 && e->value > 0 && c->baseline_measured) {
        bool about = e->high - e->low > 2 * rough;
        printf(", %s%.*gx one core (%.0f %%)", about ? "about " : "", about ? 2 : 3, e->value * c->candidate.cores,
               about ? 5 * round(20 * e->value) : 100 * e->value);
    }
    printf(c->measured ? ".\n" : "; not measured: run it once before relying on it.\n");
    if (rec->answer.diagnosed && rec->answer.headline.count > 1)
        printf("%s: %s\n", mw_verdict_name(rec->answer.diagnosis.verdict), rec->answer.headline.items[1]);
}

static void print_ties(const struct recommendation *rec)
{
    const struct mw_recommendation *r = &rec->r;
    const struct mw_option *c = &r->options[r->choice];
    char name[64];
    if (r->tie_count)
        printf("near-ties within 2 %%:");
    for (size_t i = 0; i < r->tie_count && i < TIES_SHOWN; i++) {
        const struct mw_option *o = &r->options[r->ties[i]];
        goal_name(&o->candidate, name, sizeof name);
        printf("%s %s (%+.1f %%)", i ? "," : "", name, 100 * (o->expected / c->expected - 1));
    }
    if (r->tie_count > TIES_SHOWN)
        printf(", and %zu more", r->tie_count - TIES_SHOWN);
    if (r->tie_count)
        printf("\n");
    if (r->options[r->cheapest].candidate.cores < c->candidate.cores) {
        goal_name(&r->options[r->cheapest].candidate, name, sizeof name);
        printf("the one with the fewest cores: %s\n", name);
    }
}

/* Of the measured choice only what has a chance worth a run. */
static void print_verify(const struct recommendation *rec)
{
    static const double worth = .05;
    const struct mw_recommendation *r = &rec->r;
    const struct mw_option *c = &r->options[r->choice];
    char name[64];
    size_t said = 0;
    for (size_t i = 0; i < r->verify_count; i++) {
        const struct mw_option *o = &r->options[r->verify[i]];
        if (c->measured && o->ahead < worth)
            continue;
        goal_name(&o->candidate, name, sizeof name);
        printf("%s %s", said++ ? "," : c->measured ? "not measured, and perhaps better:" : "measure first:", name);
        if (c->measured)
            printf(" (%.0f %% chance)", 100 * o->ahead);
    }
    if (said)
        printf("\n");
}

static void print_front(const struct recommendation *rec)
{
    printf("\nneither faster nor less energy is to be had but by\n  %5s %9s %12s %12s\n", "cores", "freq_ghz", "time_s",
           "energy_j");
    for (size_t i = 0; i < rec->r.front_count; i++) {
        const struct mw_option *o = &rec->r.options[rec->r.front[i]];
        printf("  %5.0f %9.4g %12.5g %12.5g%s\n", o->candidate.cores, o->candidate.freq_hz / 1e9, o->time_s.value,
               o->energy_j.value, o->measured ? "  measured" : "");
    }
    if (!rec->r.front_count)
        printf("  nothing: no power is known\n");
}

void recommend_print(const struct recommendation *rec)
{
    char name[64];
    if (!rec->r.feasible) {
        const struct mw_option *c = &rec->r.options[rec->r.choice];
        goal_name(&c->candidate, name, sizeof name);
        printf("nearest: %s, keeps the limits with %.0f %%\n", name, 100 * c->chance);
        if (c->has_time)
            print_quantity("time", &c->time_s, "s", NULL);
        if (c->has_energy && c->has_time)
            print_quantity("power", &c->power_w, "W", NULL);
        return;
    }
    print_answer(rec);
    print_choice(rec);
    print_ties(rec);
    print_verify(rec);
    if (rec->pareto)
        print_front(rec);
    struct mw_command_facts facts = facts_of(rec);
    goal_print_commands(&rec->r.options[rec->r.choice].candidate, &facts);
}

static json_t *spread_json(bool has, const struct mw_spread *s, double unit)
{
    return has ? json_pack("{s:f, s:f, s:f}", "value", s->value * unit, "low", s->low * unit, "high", s->high * unit)
               : json_null();
}

static json_t *option_json(const struct mw_option *o)
{
    json_t *object = goal_candidate_json(&o->candidate);
    json_object_set_new(object, "measured", json_boolean(o->measured));
    json_object_set_new(object, "extrapolated", json_boolean(o->extrapolated));
    json_object_set_new(object, "time_s", spread_json(o->has_time, &o->time_s, 1));
    json_object_set_new(object, "energy_j", spread_json(o->has_energy, &o->energy_j, 1));
    json_object_set_new(object, "power_w", spread_json(o->has_energy && o->has_time, &o->power_w, 1));
    json_object_set_new(object, "objective", spread_json(true, &o->objective, 1));
    json_object_set_new(object, "efficiency", spread_json(true, &o->efficiency, 1));
    json_object_set_new(object, "efficiency_baseline_measured", json_boolean(o->baseline_measured));
    json_object_set_new(object, "chance_limits", json_real(o->chance));
    return object;
}

static json_t *list_json(const struct recommendation *rec, const size_t *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, option_json(&rec->r.options[list[i]]));
    return array;
}

static void set_result(json_t *root, const struct recommendation *rec)
{
    const struct mw_recommendation *r = &rec->r;
    const struct mw_option *choice = &r->options[r->choice];
    struct mw_command_facts facts = facts_of(rec);
    json_object_set_new(root, "feasible", json_boolean(r->feasible));
    json_object_set_new(root, "choice", r->feasible ? option_json(choice) : json_null());
    json_object_set_new(root, "reference", option_json(&r->reference));
    json_t *expected = json_object();
    json_object_set_new(expected, "time_change_percent",
                        spread_json(choice->has_time || r->relative, &r->time_change, 100));
    json_object_set_new(expected, "energy_change_percent", spread_json(choice->has_energy, &r->energy_change, 100));
    json_object_set_new(root, "expected", r->feasible ? json_incref(expected) : json_null());
    json_decref(expected);
    json_object_set_new(root, "ties", list_json(rec, r->ties, r->tie_count));
    json_object_set_new(root, "fewest_cores", r->feasible ? option_json(&r->options[r->cheapest]) : json_null());
    json_object_set_new(root, "verify", list_json(rec, r->verify, r->verify_count));
    if (rec->pareto)
        json_object_set_new(root, "pareto", list_json(rec, r->front, r->front_count));
    if (!r->feasible) {
        json_object_set_new(root, "obstacle", json_string(r->obstacle));
        json_object_set_new(root, "nearest", option_json(choice));
    }
    json_object_set_new(root, "commands", r->feasible ? goal_commands_json(&choice->candidate, &facts) : json_array());
}

enum mw_err recommend_write_json(const struct recommendation *rec, struct mw_error *error)
{
    struct mw_provenance run = {0};
    enum mw_err err = mw_provenance_init(&run, rec->cli->argc, rec->cli->argv, error);
    json_t *root = json_object();
    json_object_set_new(root, "schema", json_string("memwall-recommendation/1"));
    json_object_set_new(root, "model", json_string(rec->cli->operands[0]));
    json_object_set_new(root, "goal", goal_json(&rec->goal));
    set_result(root, rec);
    if (!err)
        json_object_set_new(root, "run", mw_provenance_json(&run));
    if (!err)
        err = mw_json_write(root, rec->cli->common.output, rec->cli->common.force, error);
    json_decref(root);
    mw_provenance_release(&run);
    return err;
}
