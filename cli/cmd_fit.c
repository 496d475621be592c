// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/fit_device.h"

#include "advise/diagnose/answer.h"
#include "data/cell.h"
#include "data/json.h"
#include "data/units.h"
#include "fit/fit.h"
#include "fit/search/search.h"
#include "fit/update.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fit_options {
    const char *law, *loss, *machine, *boundaries, *by, *method, *update, *thousands;
    double memory_freq_hz;
    struct cli_strings where, map;
    bool keep_all, weak, as_measured, device;
};

static const char *const losses[] = {"robust", "log", "speedup-mse", NULL};
static const char *const methods[] = {"csa", "siman", NULL};

static const struct cli_option options_table[] = {
    {"law", CLI_STRING, CLI_FIELD(struct fit_options, law), "NAME",
     "auto (default): all laws, predictions by their mixture; or one law: vls, vls-contention, vls-onecore, amdahl, usl, "
     "amdahl-memory, usl-memory, contention-memory, saturating, granularity, power, socket, tiers, gustafson, sun-ni",
     NULL, 0, 0},
    {"loss", CLI_CHOICE, CLI_FIELD(struct fit_options, loss), "NAME",
     "robust (default): Cauchy loss of log time; log: squares of log time; speedup-mse: squares of speedup", losses, 0,
     0},
    {"memory-freq", CLI_FREQ, CLI_FIELD(struct fit_options, memory_freq_hz), "GHz",
     "the memory's frequency; default: from the file or the machine's profile, else 2.133 GHz", NULL, 0, 0},
    {"machine", CLI_STRING, CLI_FIELD(struct fit_options, machine), "FILE",
     "profile of the machine (memwall machine --json): its latency bounds k, its bandwidths how few cores can fill the memory, its boundaries place steps",
     NULL, 0, 0},
    {"boundaries", CLI_STRING, CLI_FIELD(struct fit_options, boundaries), "LIST",
     "core counts after which something else begins, with what it is: 12:socket, 8:node, 4:slower (cores) or 16:smt; it shifts "
     "and opens predictions beyond",
     NULL, 0, 0},
    {"where", CLI_REPEATED, CLI_FIELD(struct fit_options, where), "COLUMN=VALUE", "only these rows; may be repeated",
     NULL, 0, 0},
    {"by", CLI_STRING, CLI_FIELD(struct fit_options, by), "COLUMN,…",
     "a model for each combination of values, in files named after -o", NULL, 0, 0},
    {"map", CLI_REPEATED, CLI_FIELD(struct fit_options, map), "FIELD=COLUMN",
     "which column holds cores, freq, time, rate, speedup, energy or power; cores=A*B is the product of two, energy=A+B a "
     "sum; may be repeated",
     NULL, 0, 0},
    {"thousands", CLI_CHOICE, CLI_FIELD(struct fit_options, thousands), "CHAR",
     "the sign between thousands (, . ' or _) where the numbers leave it open; of comma and dot the other is the decimal "
     "sign",
     mw_thousands_signs, 0, 0},
    {"method", CLI_CHOICE, CLI_FIELD(struct fit_options, method), "NAME",
     "csa (default): coupled simulated annealing; siman: GSL's annealing", methods, 0, 0},
    {"keep-all", CLI_FLAG, CLI_FIELD(struct fit_options, keep_all), NULL, "set no row aside", NULL, 0, 0},
    {"as-measured", CLI_FLAG, CLI_FIELD(struct fit_options, as_measured), NULL,
     "keep the main thread's wait for a core (column main_wait_s) in the times", NULL, 0, 0},
    {"device", CLI_FLAG, CLI_FIELD(struct fit_options, device), NULL,
     "runs over gpus or gpu_freq_ghz: the host's and the device's share of the time by two terms, or why they can't be told",
     NULL, 0, 0},
    {"weak", CLI_FLAG, CLI_FIELD(struct fit_options, weak), NULL,
     "the work grows with the cores: Gustafson's and Sun and Ni's laws", NULL, 0, 0},
    {"update", CLI_STRING, CLI_FIELD(struct fit_options, update), "MODEL",
     "fold the runs of the file into this model; law, loss and memory frequency are the model's unless given", NULL, 0,
     0},
    {0},
};

/* One fit asked for: options as the library takes them, and the model to update. */
struct job {
    struct cli *cli;
    const struct fit_options *options;
    struct mw_fit_options fit;
    struct mw_model old;
    bool has_old;
};

/* What the model to update was fitted with holds unless the user says otherwise. */
static void inherit(struct job *job)
{
    struct mw_fit_options *fit = &job->fit;
    const struct mw_model *old = &job->old;
    if (!fit->law && strcmp(old->law, "mixture") != 0)
        fit->law = old->law;
    if (!job->options->loss)
        (void)mw_loss_find(old->loss, &fit->loss);
    if (!job->options->method)
        (void)mw_method_find(old->method, &fit->method);
    if (!(fit->memory_freq_hz > 0) && !old->memory_freq_assumed)
        fit->memory_freq_hz = old->memory_freq_hz;
    if (!fit->boundary_count) {
        fit->boundaries = old->boundaries;
        fit->boundary_kinds = (const unsigned *)old->boundary_kinds;
        fit->boundary_count = old->boundary_count;
    }
    fit->weak = fit->weak || old->weak;
}

/* Parameters that the data tell; all of them with --verbose. */
static void print_params(const struct mw_model *m, bool all)
{
    size_t told = 0;
    for (size_t i = 0; i < m->param_count; i++)
        told += m->params[i].status != MW_PARAM_NOT_IDENTIFIABLE;
    const char *law = strcmp(m->law, "mixture") ? m->law : m->weak ? "sun-ni" : "vls";
    if (!told && !all) {
        printf("\nparameters of %s: none can be told from these points (--verbose shows them)\n", law);
        return;
    }
    printf("\nparameters of %s, loss %s, 90 %% profile intervals:\n", law, m->loss);
    printf("%s%-8s %12s %12s %12s  %s%s\n", cli_bold(), "", "value", "low", "high", "status", cli_reset());
    for (size_t i = 0; i < m->param_count; i++) {
        const struct mw_model_param *p = &m->params[i];
        if (all || p->status != MW_PARAM_NOT_IDENTIFIABLE)
            printf("%-8s %12.5g %12.5g %12.5g  %s%s%s\n", p->name, p->value, p->low, p->high,
                   mw_param_status_name(p->status), p->settle[0] ? "; would settle it: " : "", p->settle);
    }
    if (m->has_time_scale)
        printf("%-8s %12.5g s GHz\n", "A", m->time_scale_s_ghz);
    if (told < m->param_count && !all)
        printf("%zu more can't be told from these points (--verbose)\n", m->param_count - told);
}

static void print_law(const struct mw_model_law *l, bool best)
{
    char mse[24] = "-", cv[24] = "-";
    if (l->has_mse_speedup)
        snprintf(mse, sizeof mse, "%.4f", l->mse_speedup);
    if (l->has_cv)
        snprintf(cv, sizeof cv, "%.2f", l->cv_mape_percent);
    printf("%-18s %10.4f %12s %12s%s\n", l->name, l->rmse_log, mse, cv, best ? "  least" : "");
}

/* Laws that leave out as well as the best, to a tenth of its error, are one answer. */
static void print_laws(const struct mw_model *m, bool all)
{
    static const double same = .1;
    const struct mw_model_law *best = mw_fit_best_law(m);
    size_t folded = 0;
    if (!best && !all && m->law_count > 1) {
        printf("laws: %zu fitted, and too few points to tell which is right (--verbose lists them)\n", m->law_count);
        return;
    }
    printf("\n%s%-18s %10s %12s %12s%s\n", cli_bold(), "law", "rms ln", "mse speedup", "left out %", cli_reset());
    for (size_t i = 0; i < m->law_count; i++) {
        const struct mw_model_law *l = &m->laws[i];
        bool like_best = best && l != best && l->has_cv &&
                         fabs(l->cv_mape_percent - best->cv_mape_percent) <= same * best->cv_mape_percent;
        if (like_best && !all)
            folded++;
        else
            print_law(l, l == best);
    }
    if (folded)
        printf("%zu more leave out as well as %s (--verbose)\n", folded, best->name);
    if (!strcmp(m->law, "mixture"))
        printf("predictions are made by a mixture of them\n");
}

/* For people, where the model itself goes to a file: the answer, why, what to do; then the tables. */
static enum mw_err print_summary(struct cli *cli, const struct mw_model *m, const char *path)
{
    struct mw_answer answer;
    bool all = cli->common.verbose;
    enum mw_err err = mw_answer_find(&answer, m, cli->common.seed, &cli->error);
    if (err)
        return err;
    for (size_t i = 0; i < answer.headline.count; i++)
        printf("%s%s%s\n", i ? "" : cli_bold(), answer.headline.items[i], i ? "" : cli_reset());
    for (size_t i = 0; i < answer.advice.count; i++)
        printf("- %s\n", answer.advice.items[i]);
    if (!answer.diagnosed)
        printf("One configuration says nothing about others: measure further core counts (memwall scan).\n");
    mw_answer_release(&answer);
    printf("model written to %s: %zu of %zu rows of %s, %zu point%s%s\n", path, m->used, m->rows, m->file,
           m->points.count, m->points.count == 1 ? "" : "s", m->quantity == MW_SPEEDUP ? " (speedups)" : "");
    print_params(m, all);
    for (size_t i = 0; i < m->combination_count; i++)
        printf("%s\n", m->combinations[i].text);
    print_laws(m, all);
    fflush(stdout); /* before the warnings */
    return MW_OK;
}

static void report_words(const struct job *job, const struct mw_model *m)
{
    enum { SHOWN = 5 };
    for (size_t i = 0; i < m->set_aside_count && i < SHOWN; i++)
        cli_warn(job->cli, "line %ld set aside: %s", m->set_aside[i].line, m->set_aside[i].reason);
    if (m->set_aside_count > SHOWN)
        cli_warn(job->cli, "%zu more rows set aside: data.set_aside of the model lists them",
                 m->set_aside_count - SHOWN);
    for (size_t i = 0; i < m->warning_count; i++)
        cli_warn(job->cli, "%s", m->warnings[i]);
}

static enum mw_err fit_one(struct job *job, struct mw_dataset *dataset, const char *path)
{
    struct cli *cli = job->cli;
    struct mw_model model = {0};
    struct mw_provenance run = {0};
    enum mw_err err = job->has_old ? mw_dataset_add_model(dataset, &job->old, &cli->error) : MW_OK;
    if (!err)
        err = mw_fit(&model, dataset, &job->fit, &cli->error);
    if (!err)
        err = mw_provenance_init(&run, cli->argc, cli->argv, &cli->error);
    if (!err)
        err = mw_model_write(&model, path, cli->common.force, &run, &cli->error);
    if (!err && path && strcmp(path, "-") != 0)
        err = print_summary(cli, &model, path);
    if (!err)
        report_words(job, &model);
    mw_provenance_release(&run);
    mw_model_release(&model);
    return err;
}

/* "dir/name.json" and "input=3, set=cores" -> "dir/name-input-3-set-cores.json"; NULL without memory. */
static char *name_with_label(const char *path, const char *label)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    char *name;
    if (asprintf(&name, "%.*s-%s%s", stem, path, label, dot ? dot : "") < 0)
        return NULL;
    char *to = name + stem + 1;
    for (const char *c = label; *c; c++)
        if (isalnum((unsigned char)*c) || *c == '.' || *c == '_')
            *to++ = *c;
        else if (to[-1] != '-')
            *to++ = '-';
    strcpy(to, dot ? dot : "");
    return name;
}

static enum mw_err fit_each(struct job *job, const char *file, const struct mw_dataset_options *reading)
{
    enum { COLUMNS = 8 };
    struct cli *cli = job->cli;
    const char *columns[COLUMNS];
    size_t column_count = 0, count = 0;
    struct mw_dataset *sets = NULL;
    char *words = strdup(job->options->by), *rest = NULL;
    enum mw_err err = words ? MW_OK : mw_fail(&cli->error, MW_NOMEM, "out of memory");
    for (char *word = words ? strtok_r(words, ",", &rest) : NULL; word; word = strtok_r(NULL, ",", &rest)) {
        if (column_count == COLUMNS)
            err = mw_fail(&cli->error, MW_USAGE, "option '--by': more than %d columns", COLUMNS);
        else
            columns[column_count++] = word;
    }
    if (!err)
        err = mw_dataset_read_by(&sets, &count, file, reading, columns, column_count, &cli->error);
    for (size_t i = 0; i < count && !err; i++) {
        char *path = name_with_label(cli->common.output, sets[i].label);
        cli_progress(cli, i, count, "%s", sets[i].label);
        err = path ? fit_one(job, &sets[i], path) : mw_fail(&cli->error, MW_NOMEM, "out of memory");
        free(path);
    }
    for (size_t i = 0; i < count; i++)
        mw_dataset_release(&sets[i]);
    free(sets);
    free(words);
    return err;
}

static int run(struct cli *cli, const void *opaque)
{
    const struct fit_options *o = opaque;
    struct job job = {.cli = cli, .options = o};
    struct mw_dataset dataset = {0};
    unsigned *boundaries = NULL;
    enum mw_boundary_kind *kinds = NULL;
    size_t boundary_count = 0;
    const struct mw_dataset_options reading = {.where = o->where.items,
                                               .where_count = o->where.count,
                                               .map = o->map.items,
                                               .map_count = o->map.count,
                                               .keep_all = o->keep_all,
                                               .thousands = o->thousands ? *o->thousands : '\0'};
    if (o->device && (o->by || o->update || o->law || o->where.count || o->map.count || o->weak))
        return cli_usage(cli, "option '--device' takes the table of a scan and no other options of fit");
    if (o->device)
        return fit_device(cli, cli->operands[0]);
    bool to_file = cli->common.output && strcmp(cli->common.output, "-") != 0;
    if (o->by && (!to_file || o->update))
        return cli_usage(cli, o->update ? "--by and --update exclude each other"
                                        : "--by writes a model for each set: give -o NAME.json");
    enum mw_err err =
        o->boundaries ? mw_boundaries_parse(o->boundaries, &boundaries, &kinds, &boundary_count, &cli->error) : MW_OK;
    if (err)
        goto out;
    job.fit = (struct mw_fit_options){.law = o->law,
                                      .memory_freq_hz = o->memory_freq_hz,
                                      .machine_path = o->machine,
                                      .boundaries = boundaries,
                                      .boundary_kinds = (const unsigned *)kinds,
                                      .boundary_count = boundary_count,
                                      .keep_all = o->keep_all,
                                      .as_measured = o->as_measured,
                                      .weak = o->weak,
                                      .seed = cli->common.seed};
    if (o->loss)
        (void)mw_loss_find(o->loss, &job.fit.loss); /* the option table knows no other words */
    if (o->method)
        (void)mw_method_find(o->method, &job.fit.method);
    if (o->update) {
        err = mw_model_read(&job.old, o->update, &cli->error);
        if (err)
            goto out;
        job.has_old = true;
        inherit(&job);
    }
    if (o->by) {
        err = fit_each(&job, cli->operands[0], &reading);
        goto out;
    }
    err = mw_dataset_read(&dataset, cli->operands[0], &reading, &cli->error);
    if (!err)
        err = fit_one(&job, &dataset, cli->common.output);
out:
    mw_dataset_release(&dataset);
    mw_model_release(&job.old);
    free(boundaries);
    free(kinds);
    return err ? cli_fail(cli, &cli->error) : 0;
}

const struct cli_command cmd_fit = {
    .name = "fit",
    .summary = "fit laws of speedup to measured runs",
    .usage = "[options] runs.csv",
    .description = "Reads a table of runs (cores, frequency where there are several, and a time, a rate or a speedup; "
                   "energy or power if measured; of energies alone 'memwall tune --replay' finds the least), condenses "
                   "repetitions to medians, names rows that can't be right, and fits every law to the rest. "
                   "Rows of one configuration that another column tells apart (sizes, governors, power caps) are no "
                   "repetitions: that is an error, and --where or --by settles it. Cores are processes x threads where "
                   "the columns say so. "
                   "The model holds the laws with their scores, the parameters of the variable-latency law (or of the "
                   "law asked for) "
                   "with intervals and with what the data can't tell, and the set of fits that predictions are made "
                   "from. It goes to "
                   "standard output, or to -o FILE, and then a summary is printed. Standard input is -.",
    .options = options_table,
    .groups = CLI_OUTPUT | CLI_SEED | CLI_VERBOSE,
    .options_size = sizeof(struct fit_options),
    .run = run,
    .examples = "  memwall fit runs.csv -o model.json\n"
                "  memwall fit runs.csv --where input=3 --law vls --loss speedup-mse --memory-freq 2.133\n"
                "  memwall fit mpi.csv --map 'cores=ranks*threads' --by mesh -o model.json\n"
                "  memwall measure stream | memwall fit - --where kernel=triad | memwall predict -\n"
                "  memwall fit --update model.json new.csv -o model.json --force\n",
    .operands_min = 1,
    .operands_max = 1,
};
