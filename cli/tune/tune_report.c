// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tune/tune.h"

#include "data/json.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void step_name(const struct tune *tune, const struct mw_tune_step *step, char *text, size_t size)
{
    goal_name(&tune->candidates[step->candidate], text, size);
}

/* What is being measured goes to standard error: standard output begins with the answer. */
void tune_print_step(const struct tune *tune, const struct mw_tune_step *step, size_t number)
{
    char name[64], time[80] = "";
    step_name(tune, step, name, sizeof name);
    if (step->reading.time_s > 0)
        goal_name_time(step->reading.time_s, tune->rate_unit, time, sizeof time);
    fprintf(stderr, "%2zu. %-20s %12s", number, name, time);
    if (step->reading.energy_j > 0)
        fprintf(stderr, " %10.5g J", step->reading.energy_j);
    fprintf(stderr, "  %s\n      why: %s", step->taught, step->reason);
    if (step->expected && tune->rate_unit && tune->goal.objective == MW_OBJECTIVE_TIME)
        fprintf(stderr, "; expected %.4g to %.4g %s", 1 / step->high, 1 / step->low, tune->rate_unit);
    else if (step->expected)
        fprintf(stderr, "; expected %s %.4g to %.4g %s", mw_objective_name(tune->goal.objective), step->low, step->high,
                mw_objective_unit(tune->goal.objective));
    fprintf(stderr, "\n      chance that something better by %.3g %% is left: %.0f %%\n",
            100 * tune->options->tolerance, 100 * step->chance_left);
}

static const char *stop_words(enum mw_tune_stop stopped)
{
    switch (stopped) {
    case MW_TUNE_CERTAIN:
        return "certain enough";
    case MW_TUNE_EXHAUSTED:
        return "every configuration is measured";
    case MW_TUNE_BUDGET:
        return "the budget of --max-points is spent";
    case MW_TUNE_INFEASIBLE:
        return "no configuration keeps the limits";
    case MW_TUNE_UNDECIDED:
        return "runs scatter too much to tell those that were measured apart";
    case MW_TUNE_GOES_ON:
        break;
    }
    return "interrupted";
}

/* The program in one line for the ready lines; the caller frees; NULL where nothing was run. */
static char *program_words(const struct tune *tune, unsigned cores)
{
    char *text = NULL;
    size_t size;
    bool good = true;
    FILE *f = tune->cli->program ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    for (char **word = tune->cli->program; *word && good; word++) {
        char *plain = mw_run_substitute(*word, cores);
        good = plain != NULL;
        fputs(word == tune->cli->program ? "" : " ", f);
        if (good)
            mw_quote_word(f, plain);
        free(plain);
    }
    if (fclose(f) || !good) {
        free(text);
        return NULL;
    }
    return text;
}

static char *cpu_list(const struct tune *tune, unsigned cores)
{
    struct mw_error ignored;
    unsigned *cpus = tune->runner ? calloc(cores + 1, sizeof *cpus) : NULL;
    char *text = NULL;
    size_t size;
    FILE *f = cpus && !mw_runner_cpus(tune->runner, cores, cpus, &ignored) ? open_memstream(&text, &size) : NULL;
    for (unsigned i = 0; f && i < cores; i++)
        fprintf(f, "%s%u", i ? "," : "", cpus[i]);
    free(cpus);
    if (f && fclose(f)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The range of frequencies among the candidates is what there is to go back to. */
static struct mw_command_facts facts_for(const struct tune *tune, unsigned cores)
{
    struct mw_command_facts facts = {
        .freq_low_hz = INFINITY, .program = program_words(tune, cores), .cpus = cpu_list(tune, cores)};
    for (size_t i = 0; i < tune->candidate_count; i++) {
        facts.freq_low_hz = fmin(facts.freq_low_hz, tune->candidates[i].freq_hz);
        facts.freq_high_hz = fmax(facts.freq_high_hz, tune->candidates[i].freq_hz);
    }
    return facts;
}

static void release_facts(struct mw_command_facts *facts)
{
    free((char *)facts->program);
    free((char *)facts->cpus);
}

/* The reading of the fewest cores at the frequency of this one. */
static const struct mw_tune_step *fewest(const struct tune *tune, const struct mw_tune_result *r,
                                         const struct mw_tune_step *of)
{
    const struct mw_tune_step *few = of;
    for (size_t i = 0; i < r->count; i++) {
        const struct mw_config *c = &tune->candidates[r->steps[i].candidate];
        if (mw_freq_same(c->freq_hz, tune->candidates[of->candidate].freq_hz) &&
            c->cores < tune->candidates[few->candidate].cores)
            few = &r->steps[i];
    }
    return few;
}

/* "Run it on 2 cores: 1.35 s, 1.78x one (89 %)." */
static void print_answer(const struct tune *tune, const struct mw_tune_result *r)
{
    const struct mw_tune_step *choice = &r->steps[r->recommended], *few = fewest(tune, r, choice);
    const struct mw_config *at = &tune->candidates[choice->candidate], *base = &tune->candidates[few->candidate];
    char name[64], time[80];
    step_name(tune, choice, name, sizeof name);
    printf("Run it on %s%s%s", cli_bold(), name, cli_reset());
    if (choice->reading.time_s > 0) {
        goal_name_time(choice->reading.time_s, tune->rate_unit, time, sizeof time);
        printf(": %s", time);
    }
    if (choice->reading.energy_j > 0)
        printf("%s%.5g J", choice->reading.time_s > 0 ? ", " : ": ", choice->reading.energy_j);
    if (choice->reading.time_s > 0 && 2 * base->cores <= at->cores) {
        double speedup = few->reading.time_s / choice->reading.time_s;
        printf(", %.3gx ", speedup);
        printf(base->cores > 1 ? "%.0f cores" : "one core", base->cores);
        printf(" (%.0f %%)", 100 * speedup * base->cores / at->cores);
    }
    printf(".\n");
}

static void print_against(const struct tune *tune, const struct mw_tune_result *r)
{
    const struct mw_tune_step *choice = &r->steps[r->recommended], *first = &r->steps[0];
    char name[64], other[64];
    step_name(tune, choice, name, sizeof name);
    step_name(tune, first, other, sizeof other);
    printf("recommended: %s", name);
    if (choice != first && choice->reading.time_s > 0)
        printf(", time %+.1f %%", 100 * (choice->reading.time_s / first->reading.time_s - 1));
    if (choice != first && choice->reading.energy_j > 0)
        printf("%s energy %+.1f %%", choice->reading.time_s > 0 ? "," : "",
               100 * (choice->reading.energy_j / first->reading.energy_j - 1));
    if (choice != first)
        printf(" against %s", other);
    printf("\n");
}

void tune_print_result(const struct tune *tune, enum mw_tune_stop stopped)
{
    struct mw_tune_result r = mw_tuner_result(tune->tuner);
    const struct mw_tune_step *choice = &r.steps[r.recommended];
    char other[64];
    if (r.feasible)
        print_answer(tune, &r);
    else
        printf("recommended: nothing, since no configuration measured keeps the limits\n");
    if (r.feasible && stopped != MW_TUNE_UNDECIDED)
        printf("certainty %.0f %% that nothing is better by %.3g %%\n", 100 * fmin(r.certainty, .99),
               100 * tune->options->tolerance);
    printf("stopped after %zu of %zu configurations: %s", r.count, tune->candidate_count, stop_words(stopped));
    if (r.thorough)
        printf(" (careful stop: %s)", r.thorough_why);
    printf("\n");
    if (!r.feasible)
        return;
    print_against(tune, &r);
    if (r.best != r.recommended) {
        step_name(tune, &r.steps[r.best], other, sizeof other);
        if (r.noise_sd > 0)
            printf("the best single reading was %s: readings differ by %.1f %%, so it is not the one to trust\n", other,
                   100 * r.noise_sd);
        else
            printf(
                "the best single reading was %s, but not by more than readings scatter, and its neighbours say that it was "
                "lucky\n",
                other);
    }
    struct mw_command_facts facts = facts_for(tune, (unsigned)tune->candidates[choice->candidate].cores);
    goal_print_commands(&tune->candidates[choice->candidate], &facts);
    release_facts(&facts);
}

static json_t *step_json(const struct tune *tune, const struct mw_tune_step *step)
{
    json_t *o = goal_candidate_json(&tune->candidates[step->candidate]);
    json_object_set_new(o, "time_s", mw_json_real(step->reading.time_s > 0, step->reading.time_s));
    json_object_set_new(o, "energy_j", mw_json_real(step->reading.energy_j > 0, step->reading.energy_j));
    json_object_set_new(o, "objective", json_real(step->objective));
    json_object_set_new(o, "times_measured", json_integer((json_int_t)step->times));
    json_object_set_new(o, "keeps_limits", json_boolean(step->feasible));
    return o;
}

static json_t *measured_json(const struct tune *tune, const struct mw_tune_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->count; i++) {
        const struct mw_tune_step *step = &r->steps[i];
        json_t *o = step_json(tune, step);
        json_object_set_new(o, "reason", json_string(step->reason));
        json_object_set_new(o, "taught", json_string(step->taught));
        json_object_set_new(o, "expected_low", mw_json_real(step->expected, step->low));
        json_object_set_new(o, "expected_high", mw_json_real(step->expected, step->high));
        json_object_set_new(o, "chance_left", json_real(step->chance_left));
        json_array_append_new(list, o);
    }
    return list;
}

static const char *stop_name(enum mw_tune_stop stopped)
{
    switch (stopped) {
    case MW_TUNE_CERTAIN:
        return "certain";
    case MW_TUNE_EXHAUSTED:
        return "all-measured";
    case MW_TUNE_BUDGET:
        return "budget";
    case MW_TUNE_INFEASIBLE:
        return "infeasible";
    case MW_TUNE_UNDECIDED:
        return "undecided";
    case MW_TUNE_GOES_ON:
        break;
    }
    return "interrupted";
}

enum mw_err tune_write_json(const struct tune *tune, enum mw_tune_stop stopped, struct mw_error *error)
{
    struct mw_tune_result r = mw_tuner_result(tune->tuner);
    const struct mw_tune_step *choice = &r.steps[r.recommended];
    const struct mw_config *candidate = &tune->candidates[choice->candidate];
    struct mw_command_facts facts = facts_for(tune, (unsigned)candidate->cores);
    struct mw_provenance run = {0};
    enum mw_err err = mw_provenance_init(&run, tune->cli->argc, tune->cli->argv, error);
    json_t *root = json_object();
    json_object_set_new(root, "schema", json_string("memwall-tune/1"));
    json_object_set_new(root, "goal", goal_json(&tune->goal));
    json_object_set_new(root, "candidates", json_integer((json_int_t)tune->candidate_count));
    json_object_set_new(root, "measured", measured_json(tune, &r));
    json_object_set_new(root, "best", r.feasible ? step_json(tune, &r.steps[r.best]) : json_null());
    json_object_set_new(root, "recommended", r.feasible ? step_json(tune, choice) : json_null());
    json_object_set_new(root, "certainty", json_real(r.certainty));
    json_object_set_new(root, "tolerance_percent", json_real(100 * tune->options->tolerance));
    json_object_set_new(root, "stopped", json_string(stop_name(stopped)));
    json_object_set_new(root, "careful_stop", r.thorough ? json_string(r.thorough_why) : json_null());
    json_object_set_new(root, "noise_percent", mw_json_real(r.noise_sd > 0, 100 * r.noise_sd));
    json_object_set_new(root, "commands", r.feasible ? goal_commands_json(candidate, &facts) : json_array());
    if (!err)
        json_object_set_new(root, "run", mw_provenance_json(&run));
    if (!err)
        err = mw_json_write(root, tune->cli->common.output, tune->cli->common.force, error);
    json_decref(root);
    release_facts(&facts);
    mw_provenance_release(&run);
    return err;
}
