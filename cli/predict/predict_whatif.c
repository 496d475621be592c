// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/predict/predict_target.h"

#include "advise/transfer/whatif.h"
#include "data/json.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void domain(const struct mw_points *points, double *cores, double *freq_hz)
{
    *cores = *freq_hz = 0;
    for (size_t i = 0; i < points->count; i++) {
        *cores = fmax(*cores, points->items[i].cores);
        *freq_hz = fmax(*freq_hz, points->items[i].freq_hz);
    }
}

/* --cores and --freq, or all cores at the highest frequency. */
static enum mw_err grid(const struct mw_model *model, const char *cores, const char *freq, struct mw_config **result,
                        size_t *count, struct mw_error *error)
{
    double most, highest, *p = NULL, *f = NULL;
    size_t np = 1, nf = 1;
    domain(&model->points, &most, &highest);
    enum mw_err err = cores ? mw_parse_cores(cores, &most, 1, &p, &np, error) : MW_OK;
    if (!err && freq)
        err = mw_parse_freqs(freq, &highest, 1, &f, &nf, error);
    struct mw_config *queries = err ? NULL : malloc(np * nf * sizeof *queries);
    if (!err && !queries)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu answers", np * nf);
    for (size_t i = 0; !err && i < np * nf; i++)
        queries[i] = (struct mw_config){p ? p[i / nf] : most, f ? f[i % nf] : highest};
    free(p);
    free(f);
    if (err)
        return err;
    *result = queries;
    *count = np * nf;
    return MW_OK;
}

static void change_words(char *text, size_t size, const struct mw_whatif *what)
{
    size_t at = 0;
    text[0] = '\0';
    if (what->latency < 1 || what->latency > 1)
        at += (size_t)snprintf(text + at, size - at, "memory latency %s to %.3g of today's",
                               what->latency < 1 ? "fell" : "rose", what->latency);
    if (what->bandwidth < 1 || what->bandwidth > 1)
        at += (size_t)snprintf(text + at, size - at, "%smemory bandwidth %s to %.3g times today's", at ? " and " : "",
                               what->bandwidth < 1 ? "fell" : "rose", what->bandwidth);
    if (what->cores > 0)
        snprintf(text + at, size - at, "%sthere %s %.0f core%s", at ? " and " : "", what->cores > 1 ? "were" : "was",
                 what->cores, what->cores > 1 ? "s" : "");
}

static void print_source(FILE *out, const struct mw_whatif_answer *a)
{
    const double *runs = a->runs_hz;
    if (runs[0] <= 0)
        fprintf(out, "Read from the model at %.3g GHz: none of your runs there is on %.0f core%s.\n",
                a->read_at_hz / 1e9, a->cores, a->cores > 1 ? "s" : "");
    else if (runs[1] > runs[0])
        fprintf(out, "Read between your own runs at %.3g and %.3g GHz, as of %.3g GHz.\n", runs[0] / 1e9, runs[1] / 1e9,
                a->read_at_hz / 1e9);
    else
        fprintf(out, "Read from your own runs at %.3g GHz.\n", runs[0] / 1e9);
}

static void print_answer(FILE *out, const struct mw_whatif *what, const struct mw_whatif_answer *a,
                         const struct mw_config *query)
{
    char change[200], at[64] = "";
    change_words(change, sizeof change, what);
    if (query->freq_hz > 0)
        snprintf(at, sizeof at, " at %.3g GHz", query->freq_hz / 1e9);
    fprintf(out, "If only %s and everything else stayed: ", change);
    if (a->has_figure)
        fprintf(out, "%.3g s (%.3g-%.3g) instead of %.3g s on %.0f core%s%s", a->value, a->low, a->high, a->now,
                query->cores, query->cores > 1 ? "s" : "", at);
    else
        fprintf(out, "between %.3g s and %.3g s, instead of %.3g s on %.0f core%s%s; %s, so no single figure",
                a->bound_low, a->bound_high, a->now, query->cores, query->cores > 1 ? "s" : "", at, a->why);
    if (a->has_figure && a->bound_low < a->bound_high)
        fprintf(out, "; it cannot leave %.3g to %.3g s", a->bound_low, a->bound_high);
    fputs(".\n", out);
    if (a->read_at_hz > 0)
        print_source(out, a);
    if (a->has_wider)
        fprintf(out, "That is with memory %s; %s: %.3g s.\n",
                what->bandwidth > 1 ? "growing with the cores" : "as it is",
                what->bandwidth > 1 ? "if it stayed as it is" : "if its bandwidth grew with the cores", a->wider);
    if (a->crossed)
        fprintf(out, "The figure lies outside what is possible by over 2 %%: noise in the runs; it is not clipped.\n");
}

static json_t *answer_json(const struct mw_whatif_answer *a, const struct mw_config *query)
{
    json_t *o = json_object();
    json_object_set_new(o, "cores", mw_json_real(true, a->cores));
    json_object_set_new(o, "freq_ghz", mw_json_real(a->freq_hz > 0, a->freq_hz / 1e9));
    json_object_set_new(o, "now_cores", mw_json_real(true, query->cores));
    json_object_set_new(o, "now_s", mw_json_real(true, a->now));
    json_object_set_new(o, "time_s", mw_json_real(a->has_figure, a->value));
    json_object_set_new(o, "time_low_s", mw_json_real(a->has_figure, a->low));
    json_object_set_new(o, "time_high_s", mw_json_real(a->has_figure, a->high));
    json_object_set_new(o, "bound_low_s", mw_json_real(true, a->bound_low));
    json_object_set_new(o, "bound_high_s", mw_json_real(true, a->bound_high));
    json_object_set_new(o, "bounds_crossed", json_boolean(a->crossed));
    json_object_set_new(o, "read_at_ghz", mw_json_real(a->read_at_hz > 0, a->read_at_hz / 1e9));
    json_object_set_new(o, "other_memory_time_s", mw_json_real(a->has_wider, a->wider));
    json_object_set_new(o, "open", json_string(a->has_figure ? "" : a->why));
    return o;
}

static enum mw_err write_json(const struct cli *cli, const struct mw_whatif_answer *answers,
                              const struct mw_config *queries, size_t count, struct mw_error *error)
{
    struct mw_provenance run = {0};
    enum mw_err err = mw_provenance_init(&run, cli->argc, cli->argv, error);
    if (err)
        return err;
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "schema", json_string("memwall-what-if/1"));
    json_object_set_new(root, "run", mw_provenance_json(&run));
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, answer_json(&answers[i], &queries[i]));
    json_object_set_new(root, "answers", list);
    err = mw_json_write(root, cli->common.output, cli->common.force, error);
    json_decref(root);
    mw_provenance_release(&run);
    return err;
}

static enum mw_err write_text(const struct cli *cli, const struct mw_whatif *what,
                              const struct mw_whatif_answer *answers, const struct mw_config *queries, size_t count,
                              struct mw_error *error)
{
    struct mw_output output;
    enum mw_err err = mw_output_open(&output, cli->common.output, cli->common.force, error);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        print_answer(output.stream, what, &answers[i], &queries[i]);
    err = mw_output_commit(&output, error);
    mw_output_release(&output);
    return err;
}

int cli_predict_whatif(struct cli *cli, const struct mw_model *model, const struct predict_target_options *o,
                       const char *cores, const char *freq)
{
    struct mw_whatif what;
    struct mw_config *queries = NULL;
    struct mw_whatif_answer *answers = NULL;
    struct mw_diagnosis diagnosis;
    size_t count = 0;
    struct mw_diagnose_options how = mw_diagnose_options_of(model, 1);
    enum mw_err err = mw_whatif_parse(&what, o->what_if, &cli->error);
    if (!err)
        err = grid(model, cores, freq, &queries, &count, &cli->error);
    if (!err)
        err = mw_diagnose(&diagnosis, &model->points, &how, &cli->error);
    if (!err && !(answers = calloc(count, sizeof *answers)))
        err = mw_fail(&cli->error, MW_NOMEM, "out of memory for %zu answers", count);
    for (size_t i = 0; i < count && !err; i++)
        err = mw_whatif_answer(&answers[i], &what, model, &diagnosis, &queries[i], &cli->error);
    if (!err)
        err = cli->common.json ? write_json(cli, answers, queries, count, &cli->error)
                               : write_text(cli, &what, answers, queries, count, &cli->error);
    free(queries);
    free(answers);
    return err ? cli_fail(cli, &cli->error) : 0;
}
