// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/goal_options.h"

#include "advise/tune/plan.h"
#include "advise/recommend/recommend.h"
#include "data/json.h"
#include "data/model_file/model_file.h"
#include "data/profile.h"
#include "data/stats.h"
#include "data/units.h"
#include "measure/freq/cpufreq.h"
#include "measure/machine/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan_options {
    struct goal_options goal;
    unsigned long points;
    const char *purpose, *cores, *freq, *machine, *boundaries;
    double tolerance;
    struct cli_strings where, map;
};

static const char *const purpose_choices[] = {"best", "surface", "diagnosis", NULL};

#define OPT(name, kind, field, argument, help, ...)                                                                    \
    {                                                                                                                  \
        name, kind, CLI_FIELD(struct plan_options, field), argument, help, __VA_ARGS__                                 \
    }

static const struct cli_option options[] = {
    OPT("points", CLI_COUNT, points, "N", "how many (default: three next ones, or the whole first design)", NULL, 1,
        1000),
    OPT("for", CLI_CHOICE, purpose, "WHAT",
        "best (default): the best configuration; surface: predictions everywhere; diagnosis: the cause",
        purpose_choices, 0, 0),
    GOAL_OPTIONS(struct plan_options),
    OPT("tolerance", CLI_PERCENT, tolerance, "PCT", "what counts as better (default 2)", NULL, 0.01, 50),
    OPT("cores", CLI_STRING, cores, "LIST",
        "core counts to choose from (default: 1 to the most measured, or those of the machine)", NULL, 0, 0),
    OPT("freq", CLI_STRING, freq, "LIST",
        "frequencies to choose from (default: the measured ones and the steps of 0.1 GHz between, or those of the machine)",
        NULL, 0, 0),
    OPT("machine", CLI_STRING, machine, "FILE",
        "profile of the machine (memwall machine --json): cores, frequencies, boundaries", NULL, 0, 0),
    OPT("boundaries", CLI_STRING, boundaries, "LIST",
        "core counts after which a socket, node or other kind of core begins", NULL, 0, 0),
    OPT("where", CLI_REPEATED, where, "COL=VALUE", "of a table: only rows with this value; may be repeated", NULL, 0,
        0),
    OPT("map", CLI_REPEATED, map, "NAME=COL", "of a table: which column is what, as in cores=nt; may be repeated", NULL,
        0, 0),
    {0},
};

static void defaults(void *data)
{
    struct plan_options *o = data;
    goal_options_default(&o->goal);
    o->purpose = "best";
    o->tolerance = .02;
}

/* What is known, and what can be chosen. */
struct plan_task {
    struct cli *cli;
    struct mw_points points;
    double memory_freq_hz;
    double *cores, *freqs; /* offered, ascending */
    size_t core_count, freq_count;
    unsigned *boundaries;
    size_t boundary_count;
    struct mw_config *candidates;
    size_t candidate_count;
    struct mw_plan plan;
    bool other_freq; /* the data name one frequency and nobody said what can be set: a run at another would tell more */
};

static void release(struct plan_task *t)
{
    mw_points_release(&t->points);
    mw_plan_release(&t->plan);
    free(t->cores);
    free(t->freqs);
    free(t->boundaries);
    free(t->candidates);
}

static enum mw_err keep_boundaries(struct plan_task *t, const unsigned *from, size_t count, struct mw_error *error)
{
    if (t->boundaries)
        return MW_OK;
    t->boundaries = calloc(count + 1, sizeof *t->boundaries);
    if (!t->boundaries)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        t->boundaries[i] = from[i];
    t->boundary_count = count;
    return MW_OK;
}

/* A model begins with a brace, a table never does. */
static bool is_json(const char *path)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
    int c = ' ';
    while (f && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
        c = fgetc(f);
    if (f == stdin && c != EOF)
        ungetc(c, stdin);
    else if (f)
        fclose(f);
    return f && c == '{';
}

static enum mw_err read_model(struct plan_task *t, const char *path, struct mw_error *error)
{
    struct mw_model model = {0};
    enum mw_err err = mw_model_read(&model, path, error);
    if (!err)
        err = model.boundary_count ? keep_boundaries(t, model.boundaries, model.boundary_count, error) : MW_OK;
    if (!err) {
        t->points = model.points;
        t->memory_freq_hz = model.memory_freq_hz;
        model.points = (struct mw_points){0};
    }
    mw_model_release(&model);
    return err;
}

static enum mw_err read_table(struct plan_task *t, const char *path, const struct plan_options *o,
                              struct mw_error *error)
{
    struct mw_dataset dataset = {0};
    struct mw_dataset_options how = {.where = o->where.items,
                                     .where_count = o->where.count,
                                     .map = o->map.items,
                                     .map_count = o->map.count,
                                     .energy_only = !strcmp(o->goal.objective, "energy")};
    enum mw_err err = mw_dataset_read(&dataset, path, &how, error);
    if (!err)
        err = mw_points_from_dataset(&t->points, &dataset, error);
    t->memory_freq_hz = err ? 0 : dataset.memory_freq_hz;
    mw_dataset_release(&dataset);
    return err;
}

static enum mw_err offer(double **values, size_t *count, const double *from, size_t n, struct mw_error *error)
{
    *values = calloc(n + 1, sizeof **values);
    if (!*values)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        if (!*count || from[i] > (*values)[*count - 1])
            (*values)[(*count)++] = from[i];
    return MW_OK;
}

static enum mw_err offer_cores(struct plan_task *t, unsigned most, struct mw_error *error)
{
    t->cores = calloc(most + 1, sizeof *t->cores);
    if (!t->cores)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (unsigned p = 1; p <= most; p++)
        t->cores[t->core_count++] = p;
    return MW_OK;
}

static enum mw_err offer_points(struct plan_task *t, struct mw_error *error)
{
    unsigned most = 1;
    for (size_t i = 0; i < t->points.count; i++)
        most = t->points.items[i].cores > most ? t->points.items[i].cores : most;
    enum mw_err err = offer_cores(t, most, error);
    return err ? err : mw_supposed_freqs(&t->points, &t->freqs, &t->freq_count, error);
}

static enum mw_err offer_profile(struct plan_task *t, const char *path, struct mw_error *error)
{
    struct mw_profile profile = {0};
    enum mw_err err = mw_profile_read(&profile, path, error);
    if (!err && !profile.cores)
        err = mw_fail(error, MW_DATA, "%s: 'cores' is missing", path);
    if (!err)
        err = offer_cores(t, profile.cores, error);
    if (!err)
        err = offer(&t->freqs, &t->freq_count, profile.freqs_hz, profile.freq_count, error);
    if (!err)
        err = keep_boundaries(t, profile.boundaries, profile.boundary_count, error);
    mw_profile_release(&profile);
    return err;
}

/* This machine: nothing is changed on it. */
static enum mw_err offer_machine(struct plan_task *t, struct mw_error *error)
{
    struct mw_topology topology;
    struct mw_cpufreq cpufreq;
    struct mw_error ignored;
    unsigned *at = NULL;
    enum mw_boundary_kind *what = NULL;
    size_t count = 0;
    enum mw_err err = mw_topology_open(&topology, t->cli->common.root, error);
    if (err)
        return err;
    err = mw_topology_boundaries(&topology, MW_ORDER_COMPACT, false, &at, &what, &count, error);
    if (!err)
        err = offer_cores(t, (unsigned)topology.core_count, error);
    if (!err)
        err = keep_boundaries(t, at, count, error);
    free(at);
    free(what);
    mw_topology_close(&topology);
    if (!err && !mw_cpufreq_open(&cpufreq, t->cli->common.root, true, &ignored)) {
        err = offer(&t->freqs, &t->freq_count, cpufreq.freqs_hz, cpufreq.freq_count, error);
        mw_cpufreq_close(&cpufreq);
    }
    return err;
}

/* Lists asked for, against what is offered, become the candidates. */
static enum mw_err make_candidates(struct plan_task *t, const struct plan_options *o, struct mw_error *error)
{
    double *cores = NULL, *freqs = NULL;
    size_t core_count = 0, freq_count = 0;
    bool known = t->freq_count && t->freqs[t->freq_count - 1] > 0;
    enum mw_err err = mw_parse_cores(o->cores ? o->cores : "all", t->cores, t->core_count, &cores, &core_count, error);
    if (!err && (o->freq || known))
        err =
            mw_parse_freqs(o->freq ? o->freq : "all", t->freqs, known ? t->freq_count : 0, &freqs, &freq_count, error);
    size_t per_core = freq_count ? freq_count : 1;
    t->candidates = err ? NULL : calloc(core_count * per_core, sizeof *t->candidates);
    if (!err && !t->candidates)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t f = 0; !err && f < per_core; f++)
        for (size_t p = 0; p < core_count; p++)
            t->candidates[t->candidate_count++] = (struct mw_config){(unsigned)cores[p], freqs ? freqs[f] : 0};
    free(cores);
    free(freqs);
    return err;
}

static enum mw_err make(struct plan_task *t, const struct plan_options *o, struct mw_error *error)
{
    static const enum mw_plan_purpose purposes[] = {MW_PLAN_BEST, MW_PLAN_SURFACE, MW_PLAN_DIAGNOSIS};
    struct mw_plan_options with = {.tolerance = o->tolerance,
                                   .count = o->points,
                                   .candidates = t->candidates,
                                   .candidate_count = t->candidate_count,
                                   .boundaries = t->boundaries,
                                   .boundary_count = t->boundary_count,
                                   .memory_freq_hz = t->memory_freq_hz,
                                   .seed = t->cli->common.seed};
    for (size_t i = 0; purpose_choices[i]; i++)
        if (!strcmp(purpose_choices[i], o->purpose))
            with.purpose = purposes[i];
    bool freqs_known = o->machine || o->freq || t->freq_count > 1;
    enum mw_err err = goal_from_options(&with.goal, &o->goal, error);
    if (!err && t->points.count && t->points.quantity == MW_SPEEDUP && with.purpose == MW_PLAN_BEST)
        err = mw_fail(error, MW_DATA, "'%s' holds speedups: without times the best configuration cannot be planned for",
                      t->cli->operands[0]);
    if (!err)
        err = mw_plan_make(&t->plan, &t->points, &with, error);
    t->other_freq = !err && t->plan.memory_open && !freqs_known;
    t->plan.settled = t->plan.settled && !t->other_freq;
    if (t->other_freq) {
        size_t length = strlen(t->plan.state);
        snprintf(t->plan.state + length, sizeof t->plan.state - length,
                 "; memory is not excluded: if the frequency can be set, one run of all %.0f cores at the lowest tells",
                 t->cores[t->core_count - 1]);
    }
    return err;
}

static void print_human(const struct plan_task *t)
{
    double total = 0;
    printf("%s\n", t->plan.state);
    if (t->plan.settled)
        printf("nothing left is worth a run\n");
    for (size_t i = 0; i < t->plan.count; i++) {
        const struct mw_plan_point *p = &t->plan.points[i];
        char name[64];
        goal_name(&p->candidate, name, sizeof name);
        printf("%2zu. %s%s%s", i + 1, cli_bold(), name, cli_reset());
        if (p->has_time)
            printf(", about %.4g s", p->time_s);
        printf("\n      why: %s\n      settles: %s\n", p->reason, p->settles);
        total += p->time_s;
    }
    if (total > 0 && t->plan.count > 1)
        printf("one run of each takes about %.4g s\n", total);
}

static enum mw_err write_json(const struct plan_task *t, const struct plan_options *o, struct mw_error *error)
{
    struct mw_provenance run = {0};
    double total = 0;
    enum mw_err err = mw_provenance_init(&run, t->cli->argc, t->cli->argv, error);
    json_t *root = json_object(), *list = json_array();
    for (size_t i = 0; i < t->plan.count; i++) {
        const struct mw_plan_point *p = &t->plan.points[i];
        json_t *object = goal_candidate_json(&p->candidate);
        json_object_set_new(object, "time_s", mw_json_real(p->has_time, p->time_s));
        json_object_set_new(object, "reason", json_string(p->reason));
        json_object_set_new(object, "settles", json_string(p->settles));
        json_array_append_new(list, object);
        total += p->time_s;
    }
    json_object_set_new(root, "schema", json_string("memwall-plan/1"));
    json_object_set_new(root, "for", json_string(o->purpose));
    json_object_set_new(root, "state", json_string(t->plan.state));
    json_object_set_new(root, "settled", json_boolean(t->plan.settled));
    json_object_set_new(root, "points", list);
    json_object_set_new(root, "total_time_s", mw_json_real(total > 0, total));
    if (!err)
        json_object_set_new(root, "run", mw_provenance_json(&run));
    if (!err)
        err = mw_json_write(root, t->cli->common.output, t->cli->common.force, error);
    json_decref(root);
    mw_provenance_release(&run);
    return err;
}

static int run(struct cli *cli, const void *data)
{
    const struct plan_options *o = data;
    struct plan_task t = {.cli = cli};
    const char *path = cli->operand_count ? cli->operands[0] : NULL;
    enum mw_err err = MW_OK;
    if (o->boundaries)
        err = mw_boundaries_parse(o->boundaries, &t.boundaries, NULL, &t.boundary_count, &cli->error);
    if (!err && path)
        err = is_json(path) ? read_model(&t, path, &cli->error) : read_table(&t, path, o, &cli->error);
    if (!err && o->machine)
        err = offer_profile(&t, o->machine, &cli->error);
    else if (!err)
        err = path ? offer_points(&t, &cli->error) : offer_machine(&t, &cli->error);
    if (!err)
        err = make_candidates(&t, o, &cli->error);
    if (!err)
        err = make(&t, o, &cli->error);
    if (!err && cli->common.json)
        err = write_json(&t, o, &cli->error);
    else if (!err)
        print_human(&t);
    release(&t);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_plan = {
    .name = "plan",
    .summary = "which cores and frequency to measure next, and what that would settle",
    .usage = "[options] [RUNS | MODEL]",
    .description =
        "Says what to measure next, given what was measured: for the best configuration under an objective and limits (the "
        "rule of memwall tune), for predictions over the whole surface (the points that lower the uncertainty most for the "
        "time they take), or for a diagnosis (the points that tell the possible causes apart). Each comes with its expected "
        "run time and with what it would settle; several at once are planned as if each came out as predicted.\n"
        "Without a file it gives a first design for a machine (this one, that of --machine, or --cores and --freq): three "
        "points for the best configuration, six for the surface, ten for a diagnosis.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_JSON | CLI_SEED | CLI_ROOT,
    .options_size = sizeof(struct plan_options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall plan --for diagnosis --cores 1-24 --freq 1.2-2.4:0.1 --boundaries 12\n"
                "  memwall plan runs.csv --objective energy --points 5\n"
                "  memwall plan model.json --for surface\n",
    .operands_min = 0,
    .operands_max = 1,
};
