// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/schedule/jobs.h"

#include "data/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct schedule_options {
    unsigned long cores;
    double power_cap_w, certainty;
    const char *objective;
};

static const char *const objective_choices[] = {"energy", "makespan", NULL};

#define OPT(name, kind, field, argument, help, ...)                                                                    \
    {                                                                                                                  \
        name, kind, CLI_FIELD(struct schedule_options, field), argument, help, __VA_ARGS__                             \
    }

static const struct cli_option options[] = {
    OPT("cores", CLI_COUNT, cores, "N", "cores for all jobs together (default: \"cores\" of the file)", NULL, 1, 1e7),
    OPT("power-cap", CLI_NUMBER, power_cap_w, "W", "power of all jobs together (default: \"power_cap_w\" of the file)",
        NULL, 0, 1e12),
    OPT("objective", CLI_CHOICE, objective, "WHAT", "energy (default) or makespan, the time of the longest job",
        objective_choices, 0, 0),
    OPT("certainty", CLI_PERCENT, certainty, "PCT", "that each predicted time and power holds (default 90)", NULL, 50,
        99.99),
    {0},
};

static void defaults(void *data)
{
    struct schedule_options *o = data;
    o->certainty = .9;
}

static void print_human(const struct jobs_file *file, const struct mw_assignment *a,
                        const struct mw_jobs_limits *limits)
{
    printf("%-20s %6s %9s %12s %12s %10s %10s %12s %12s\n", "job", "cores", "freq_ghz", "time_s", "at most", "power_w",
           "at most", "energy_j", "deadline_s");
    for (size_t j = 0; j < file->count; j++) {
        const struct mw_job_option *o = &file->jobs[j].options[a->option[j]];
        printf("%-20s %6u ", file->jobs[j].name, o->cores);
        o->freq_hz > 0 ? printf("%9.4g ", o->freq_hz / 1e9) : printf("%9s ", "-");
        struct job_expected e = jobs_expected(file, j, a->option[j]);
        printf("%12.5g %12.5g ", e.time_s, o->time_s);
        o->power_w > 0 ? printf("%10.5g %10.5g ", e.power_w, o->power_w) : printf("%10s %10s ", "-", "-");
        o->energy_j > 0 ? printf("%12.5g", o->energy_j) : printf("%12s", "-");
        file->jobs[j].deadline_s > 0 ? printf(" %12.5g\n", file->jobs[j].deadline_s) : printf("\n");
    }
    printf("all: %u of %u cores, longest at most %.5g s", a->cores, limits->cores, a->makespan_s);
    if (a->power_w > 0)
        printf(", at most %.5g W", a->power_w);
    if (limits->power_cap_w > 0)
        printf(" of %.5g W", limits->power_cap_w);
    if (a->energy_j > 0)
        printf(", %.5g J", a->energy_j);
    printf("\n");
}

static json_t *jobs_json(const struct jobs_file *file, const struct mw_assignment *a)
{
    json_t *list = json_array();
    for (size_t j = 0; a->feasible && j < file->count; j++) {
        const struct mw_job_option *o = &file->jobs[j].options[a->option[j]];
        struct mw_config candidate = {o->cores, o->freq_hz};
        json_t *object = goal_candidate_json(&candidate);
        json_object_set_new(object, "name", json_string(file->jobs[j].name));
        struct job_expected e = jobs_expected(file, j, a->option[j]);
        json_object_set_new(object, "time_s", json_real(e.time_s));
        json_object_set_new(object, "time_most_s", json_real(o->time_s));
        json_object_set_new(object, "power_w", mw_json_real(e.power_w > 0, e.power_w));
        json_object_set_new(object, "power_most_w", mw_json_real(o->power_w > 0, o->power_w));
        json_object_set_new(object, "energy_j", mw_json_real(o->energy_j > 0, o->energy_j));
        json_object_set_new(object, "deadline_s", mw_json_real(file->jobs[j].deadline_s > 0, file->jobs[j].deadline_s));
        json_object_set_new(object, "commands", goal_commands_json(&candidate, &(struct mw_command_facts){0}));
        json_array_append_new(list, object);
    }
    return list;
}

static enum mw_err write_json(struct cli *cli, const struct jobs_file *file, const struct mw_assignment *a,
                              const struct mw_jobs_limits *limits, const char *objective, struct mw_error *error)
{
    struct mw_provenance run = {0};
    enum mw_err err = mw_provenance_init(&run, cli->argc, cli->argv, error);
    json_t *root = json_object();
    json_object_set_new(root, "schema", json_string("memwall-schedule/1"));
    json_object_set_new(root, "objective", json_string(objective));
    json_object_set_new(root, "limits",
                        json_pack("{s:I, s:o}", "cores", (json_int_t)limits->cores, "power_cap_w",
                                  mw_json_real(limits->power_cap_w > 0, limits->power_cap_w)));
    json_object_set_new(root, "feasible", json_boolean(a->feasible));
    json_object_set_new(root, "obstacle", a->feasible ? json_null() : json_string(a->obstacle));
    json_object_set_new(root, "jobs", jobs_json(file, a));
    json_object_set_new(root, "total",
                        a->feasible ? json_pack("{s:I, s:o, s:o, s:f}", "cores", (json_int_t)a->cores, "power_w",
                                                mw_json_real(a->power_w > 0, a->power_w), "energy_j",
                                                mw_json_real(a->energy_j > 0, a->energy_j), "makespan_s", a->makespan_s)
                                    : json_null());
    if (!err)
        json_object_set_new(root, "run", mw_provenance_json(&run));
    if (!err)
        err = mw_json_write(root, cli->common.output, cli->common.force, error);
    json_decref(root);
    mw_provenance_release(&run);
    return err;
}

/* Options win over the file. */
static enum mw_err settle(const struct schedule_options *o, const struct jobs_file *file, struct mw_jobs_limits *limits,
                          const char **objective, struct mw_error *error)
{
    *limits = (struct mw_jobs_limits){.cores = o->cores ? (unsigned)o->cores : file->cores,
                                      .power_cap_w = o->power_cap_w > 0 ? o->power_cap_w : file->power_cap_w};
    *objective = o->objective ? o->objective : file->makespan ? "makespan" : "energy";
    if (!limits->cores) {
        mw_fail(error, MW_USAGE, "how many cores are there for all jobs together?");
        return mw_hint(error, "--cores N, or \"cores\": N in the file");
    }
    for (size_t j = 0; j < file->count; j++) {
        bool known = true;
        for (size_t k = 0; k < file->jobs[j].option_count; k++)
            known = known && file->jobs[j].options[k].power_w > 0 && file->jobs[j].options[k].energy_j > 0;
        if (!known && (limits->power_cap_w > 0 || !strcmp(*objective, "energy"))) {
            mw_fail(error, MW_NOFIT, "job '%s': no power is known, and the %s needs it", file->jobs[j].name,
                    limits->power_cap_w > 0 ? "power cap" : "objective energy");
            return mw_hint(error, "fit runs with energy_j or power_w, or use --objective makespan without a cap");
        }
    }
    return MW_OK;
}

static int run(struct cli *cli, const void *data)
{
    const struct schedule_options *o = data;
    struct jobs_file file = {0};
    struct mw_assignment a = {0};
    struct mw_jobs_limits limits;
    const char *objective;
    enum mw_err err = jobs_read(&file, cli->operands[0], o->certainty, &cli->error);
    if (!err)
        err = settle(o, &file, &limits, &objective, &cli->error);
    if (!err)
        err = mw_jobs_assign(&a, file.jobs, file.count, &limits,
                             strcmp(objective, "energy") ? MW_JOBS_MAKESPAN : MW_JOBS_ENERGY, &cli->error);
    if (!err && cli->common.json)
        err = write_json(cli, &file, &a, &limits, objective, &cli->error);
    else if (!err && a.feasible)
        print_human(&file, &a, &limits);
    if (!err && !a.feasible)
        err = mw_fail(&cli->error, MW_INFEASIBLE, "there is no schedule: %s", a.obstacle);
    mw_assignment_release(&a);
    jobs_release(&file);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_schedule = {
    .name = "schedule",
    .summary = "cores and frequency for several workloads at once",
    .usage = "[options] JOBS",
    .description =
        "Chooses cores and frequency for each of several fitted workloads that run at the same time, so that the cores, the "
        "power cap and each job's deadline are kept and the energy of all (or the time of the longest) is least. The optimum "
        "is exact: a multiple-choice knapsack, solved by GLPK. Where there is no schedule, the constraint that breaks is "
        "named with what it would need, and the exit status is 1.\n"
        "JOBS is JSON: {\"cores\": 64, \"power_cap_w\": 900, \"objective\": \"energy\", \"jobs\": [{\"name\": \"cfd\", \"model\": "
        "\"cfd.json\", \"deadline_s\": 3600, \"cores\": \"1-32\", \"freq\": \"1.2-2.4:0.2\"}, …]}; a model is a file of memwall fit, "
        "named from the folder of JOBS. In place of a model, \"options\": [{\"cores\", \"freq_ghz\", \"time_s\", \"power_w\", "
        "\"energy_j\"}, …] says what there is to choose from. A key that is not one of these is refused. Predicted times and powers are those of memwall predict; limits and totals are counted at "
        "the upper end that holds with the certainty asked for (at most; time_most_s, power_most_w); the power of a job is that of its own node, idle power included.",
    .options = options,
    .groups = CLI_OUTPUT | CLI_JSON,
    .options_size = sizeof(struct schedule_options),
    .defaults = defaults,
    .run = run,
    .examples = "  memwall schedule jobs.json --cores 64\n"
                "  memwall schedule jobs.json --cores 1024 --power-cap 8000 --objective makespan --json\n",
    .operands_min = 1,
    .operands_max = 1,
};
