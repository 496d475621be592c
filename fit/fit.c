// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/fit.h"

#include "data/profile.h"
#include "fit/main_wait.h"
#include "fit/numeric/guard.h"
#include "fit/predict/combine.h"
#include "fit/predict/mixture.h"
#include "fit/search/power.h"
#include "fit/quality/quality.h"
#include "fit/shares.h"
#include "model/laws.h"
#include "model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where nothing is known of the memory: DDR4-2133, the machine that the law was published with. */

/* All of one fit; what ends in the model is moved there at the end. */
struct work {
    struct mw_fit_options options;
    const struct mw_dataset *dataset;
    enum mw_loss loss;
    enum mw_method method;
    bool automatic, weak;
    const struct mw_law *law; /* whose parameters are reported */
    struct mw_profile profile;
    struct mw_knowledge knowledge;
    struct mw_quality quality;
    struct mw_domain domain;
    struct mw_score scores[32];
    size_t score_count;
    double robust_scale;
    struct mw_model model;
};

static enum mw_err unknown_law(const char *name, struct mw_error *error)
{
    char list[256] = "auto";
    for (const struct mw_law *const *law = mw_laws; *law; law++)
        snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", (*law)->name);
    mw_fail(error, MW_USAGE, "unknown law '%s'", name);
    return mw_hint(error, "the laws are %s", list);
}

static enum mw_err read_options(struct work *w, struct mw_error *error)
{
    const struct mw_fit_options *o = &w->options;
    const char *law = o->law ? o->law : "auto";
    w->automatic = !strcmp(law, "auto");
    w->weak = o->weak || w->dataset->weak;
    w->law = w->automatic ? w->weak ? &mw_law_sun_ni : &mw_law_vls : mw_law_find(law);
    if (!w->law)
        return unknown_law(law, error);
    w->weak = w->weak || w->law->weak_scaling;
    if ((unsigned)o->loss > MW_LOSS_SPEEDUP_MSE || (unsigned)o->method > MW_METHOD_SIMAN)
        return mw_fail(error, MW_USAGE, "no loss %d or no method %d", (int)o->loss, (int)o->method);
    w->loss = o->loss;
    w->method = o->method;
    snprintf(w->model.loss, sizeof w->model.loss, "%s", mw_loss_name(w->loss));
    snprintf(w->model.method, sizeof w->model.method, "%s", mw_method_name(w->method));
    snprintf(w->model.law, sizeof w->model.law, "%s", w->automatic ? "mixture" : w->law->name);
    w->model.seed = o->seed;
    w->model.weak = w->weak;
    if (w->dataset->quantity != MW_ENERGY)
        return MW_OK;
    mw_fail(error, MW_DATA, "%s: energies without times or speedups cannot be fitted", w->dataset->file);
    return mw_hint(error, "tune --replay and plan take such a table with --objective energy");
}

/*
 * The largest r = 1/cores at which memory can be full: one node's bandwidth over what one core of STREAM draws, with a
 * margin, since a core may draw more with other access. A program that computes between its accesses needs more cores.
 * 0 where the bandwidths are not measured.
 */
static double fullest(const struct mw_profile *profile)
{
    const double margin = 1.25;
    if (!(profile->stream_bps > 0) || !(profile->stream_1_bps > 0) || profile->stream_guessed)
        return 0;
    double nodes =
        profile->cores_per_node ? ceil((double)profile->cores / profile->cores_per_node) : fmax(profile->sockets, 1);
    return margin * profile->stream_1_bps * nodes / profile->stream_bps;
}

/* The kinds of the boundaries, from where the boundaries are from. */
static enum mw_err keep_kinds(struct work *w, struct mw_error *error)
{
    const unsigned *given = w->options.boundary_count ? w->options.boundary_kinds : NULL;
    const enum mw_boundary_kind *known = w->options.boundary_count ? NULL : w->profile.boundary_kinds;
    size_t count = w->model.boundary_count;
    if ((!given && !known) || !count)
        return MW_OK;
    w->model.boundary_kinds = malloc(count * sizeof *w->model.boundary_kinds);
    if (!w->model.boundary_kinds)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        w->model.boundary_kinds[i] = known                         ? known[i]
                                     : given[i] <= MW_BOUNDARY_SMT ? (enum mw_boundary_kind)given[i]
                                                                   : 0;
    return MW_OK;
}

/*
 * What the machine's profile bounds: k/F_mem is the excess of a memory instruction over a processor one, which no more
 * than a main-memory access takes, so k <= latency x F_mem. Memory that stops scaling at 1/r cores: see above.
 */
static enum mw_err know_machine(struct work *w, struct mw_error *error)
{
    const struct mw_fit_options *o = &w->options;
    struct mw_knowledge *k = &w->knowledge;
    if (o->machine_path) {
        enum mw_err err = mw_profile_read(&w->profile, o->machine_path, error);
        if (err)
            return err;
    }
    const double from[] = {o->memory_freq_hz, w->profile.memory_freq_hz, w->dataset->memory_freq_hz};
    for (size_t i = 0; i < sizeof from / sizeof *from && !(k->memory_freq_hz > 0); i++)
        k->memory_freq_hz = from[i];
    w->model.memory_freq_assumed = !(k->memory_freq_hz > 0);
    if (w->model.memory_freq_assumed)
        k->memory_freq_hz = MW_MEMORY_FREQ_ASSUMED_HZ;
    w->model.memory_freq_hz = k->memory_freq_hz;
    w->model.has_cpu_limit = w->dataset->cpu_limit > 0;
    k->limits = (struct mw_law_limits){w->profile.latency_s * k->memory_freq_hz, fullest(&w->profile)};
    w->model.k_max = k->limits.k_max;
    w->model.r_max = k->limits.r_max;
    k->boundaries = o->boundary_count ? o->boundaries : w->profile.boundaries;
    k->boundary_count = o->boundary_count ? o->boundary_count : w->profile.boundary_count;
    w->model.cores_per_socket = w->profile.sockets  ? w->profile.cores / w->profile.sockets
                                : k->boundary_count ? k->boundaries[0]
                                                    : 0;
    if (k->boundary_count) {
        w->model.boundaries = malloc(k->boundary_count * sizeof *w->model.boundaries);
        if (!w->model.boundaries)
            return mw_fail(error, MW_NOMEM, "out of memory");
        memcpy(w->model.boundaries, k->boundaries, k->boundary_count * sizeof *w->model.boundaries);
        w->model.boundary_count = k->boundary_count;
    }
    return keep_kinds(w, error);
}

/* The median of n times that are multiples of a tick has a further error of tick/sqrt(12), about. */
static void coarse_noise(struct mw_points *points, double tick_s)
{
    for (size_t i = 0; i < points->count && tick_s > 0; i++)
        points->items[i].spread = hypot(points->items[i].spread, tick_s / sqrt(12) / points->items[i].value);
}

/* The rows with a value, for updates: detectors look at all of them again. */
static enum mw_err keep_runs(struct work *w, struct mw_error *error)
{
    const struct mw_dataset *d = w->dataset;
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += !d->rows[i].set_aside && d->rows[i].has & MW_HAS_VALUE;
    if (count > MW_MODEL_RUNS)
        return MW_OK;
    w->model.runs = malloc((count + 1) * sizeof *w->model.runs);
    if (!w->model.runs)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < d->count; i++)
        if (!d->rows[i].set_aside && d->rows[i].has & MW_HAS_VALUE)
            w->model.runs[w->model.run_count++] = d->rows[i];
    return MW_OK;
}

/* Detectors look at times as a quiet machine would have given them, where the runs tell how long they waited for a core. */
static enum mw_err check_quality(struct work *w, struct mw_dataset *kept, struct mw_error *error)
{
    double most = 0;
    bool timed = kept->quantity == MW_TIME && !w->options.as_measured;
    bool blind = timed && mw_main_wait_blind(kept->rows, kept->count);
    kept->main_wait_taken = timed && !blind;
    size_t taken = kept->main_wait_taken ? mw_main_wait_take(kept->rows, kept->count, &most) : 0;
    enum mw_err err = mw_quality_check(&w->quality, kept, w->options.keep_all, w->weak, error);
    if (!err && taken)
        err =
            mw_quality_warn(&w->quality, error,
                            "the main thread waited for a core in %zu of %zu runs, up to %.0f %% of the time: that is "
                            "taken off their times (--as-measured leaves it)",
                            taken, kept->count, 100 * most);
    if (!err && blind)
        err = mw_quality_warn(&w->quality, error,
                              "other programs had much of the cores of runs whose main thread does not say how long it "
                              "waited: their times can't be corrected, and mean little");
    return err;
}

/* Detectors, then the rows that are left as points. */
static enum mw_err condense(struct work *w, struct mw_error *error)
{
    enum { SHAPE_MAX = 10000 }; /* detectors of shape compare every core count with every other */
    struct mw_dataset kept = *w->dataset;
    enum mw_err err = keep_runs(w, error);
    if (err)
        return err;
    kept.rows = malloc((kept.count + 1) * sizeof *kept.rows);
    if (!kept.rows)
        return mw_fail(error, MW_NOMEM, "out of memory");
    memcpy(kept.rows, w->dataset->rows, kept.count * sizeof *kept.rows);
    err = check_quality(w, &kept, error);
    for (size_t i = 0; i < kept.count && !err; i++) {
        if (w->quality.aside[i])
            kept.rows[i].set_aside = "by a detector";
        w->model.used += !kept.rows[i].set_aside && kept.rows[i].has & MW_HAS_VALUE;
    }
    w->model.rows = kept.count + w->dataset->set_aside_count;
    if (!err)
        err = mw_points_from_dataset(&w->model.points, &kept, error);
    free(kept.rows);
    if (err)
        return err;
    w->model.points.weak = w->weak;
    coarse_noise(&w->model.points, w->quality.tick_s);
    mw_domain_of(&w->domain, &w->model.points);
    w->model.quantity = w->dataset->quantity;
    return w->model.points.count <= SHAPE_MAX ? mw_quality_shape(&w->quality, &w->model.points, w->weak, error) : MW_OK;
}

static enum mw_err score(struct work *w, struct mw_error *error)
{
    struct mw_score_options options = {w->loss, w->method, 0, w->options.seed, &w->knowledge, w->law};
    enum mw_err err = MW_OK;
    if (w->loss == MW_LOSS_ROBUST)
        err = mw_robust_scale(&w->robust_scale, &w->model.points, w->weak ? &mw_law_sun_ni : &mw_law_vls, &options,
                              error);
    if (err)
        return err;
    options.robust_scale = w->robust_scale;
    for (const struct mw_law *const *law = mw_laws; *law; law++)
        if (w->automatic ? (*law)->weak_scaling == w->weak : *law == w->law)
            w->scores[w->score_count++].law = *law;
    return mw_score_laws(w->scores, w->score_count, &w->model.points, &options, error);
}

static struct mw_score *reported(struct work *w)
{
    for (size_t i = 0; i < w->score_count; i++)
        if (w->scores[i].law == w->law)
            return &w->scores[i];
    return w->scores;
}

/* Intervals, status and combinations of the law whose parameters are reported. */
static enum mw_err judge_on(struct work *w, const struct mw_problem *problem, struct mw_optimum *optimum,
                            struct mw_error *error)
{
    struct mw_region region = {0};
    enum mw_err err = mw_intervals(w->model.params, &region, optimum, problem, error);
    if (!err) {
        mw_params_judge(w->model.params, &region, problem, &w->domain);
        err = mw_combinations(&w->model.combinations, &w->model.combination_count, &region, optimum, problem,
                              &w->domain, &w->knowledge, w->options.seed, error);
    }
    mw_region_release(&region);
    return err;
}

/*
 * With very many points intervals are those of an even selection: somewhat wider, and found in a second. The best values
 * stay those of all points.
 */
static enum mw_err judge(struct work *w, struct mw_error *error)
{
    enum { POINTS_MAX = 2000 };
    struct mw_problem problem = {0}, fewer = {0};
    struct mw_score *best = reported(w);
    enum mw_err err = mw_problem_init(&problem, &w->model.points, w->loss, w->knowledge.memory_freq_hz, error);
    if (err)
        return err;
    problem.robust_scale = w->robust_scale;
    mw_problem_law(&problem, w->law);
    mw_knowledge_apply(&w->knowledge, &problem);
    w->model.param_count = w->law->param_count;
    if (problem.n <= POINTS_MAX) {
        err = judge_on(w, &problem, &best->optimum, error);
    } else {
        struct mw_optimum near = best->optimum;
        err = mw_problem_thin(&fewer, &problem, POINTS_MAX, error);
        if (!err)
            err = mw_search_near(&near, &fewer, 20, error);
        if (!err)
            err = judge_on(w, &fewer, &near, error);
        for (size_t j = 0; j < w->model.param_count && !err; j++) {
            struct mw_model_param *param = &w->model.params[j];
            param->value = best->optimum.params[j];
            param->low = fmin(param->low, param->value);
            param->high = fmax(param->high, param->value);
        }
    }
    mw_problem_release(&fewer);
    mw_problem_release(&problem);
    return err;
}

static enum mw_err list_laws(struct work *w, struct mw_error *error)
{
    struct mw_model *m = &w->model;
    m->laws = calloc(w->score_count, sizeof *m->laws);
    if (!m->laws)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < w->score_count; i++, m->law_count++) {
        const struct mw_score *s = &w->scores[i];
        struct mw_model_law *law = &m->laws[i];
        snprintf(law->name, sizeof law->name, "%s", s->law->name);
        law->param_count = s->law->param_count;
        memcpy(law->params, s->optimum.params, law->param_count * sizeof *law->params);
        law->scale = exp(s->optimum.b) * (m->quantity == MW_TIME ? 1e-9 : 1);
        law->loss = s->optimum.loss;
        law->rmse_log = s->rmse_log;
        law->has_mse_speedup = s->has_mse_speedup;
        law->mse_speedup = s->mse_speedup;
        law->has_cv = s->has_cv;
        law->cv_mape_percent = s->cv_mape_percent;
        m->evaluations += s->optimum.evaluations;
    }
    const struct mw_score *s = reported(w);
    m->loss_value = s->optimum.loss;
    m->rmse_log_time = s->rmse_log;
    m->has_mse_speedup = s->has_mse_speedup;
    m->mse_speedup = s->mse_speedup;
    m->has_cv = s->has_cv;
    m->cv_mape_percent = s->cv_mape_percent;
    m->has_time_scale = m->quantity == MW_TIME && w->loss != MW_LOSS_SPEEDUP_MSE;
    m->time_scale_s_ghz = m->has_time_scale ? exp(s->optimum.b) * 1e-9 : 0;
    return MW_OK;
}

static enum mw_err sample(struct work *w, struct mw_error *error)
{
    enum mw_err err = mw_mixture_fit(&w->model, error);
    for (size_t i = 0; i < w->model.points.count && !err; i++) {
        const struct mw_point *p = &w->model.points.items[i];
        char at[32] = "";
        if (p->freq_hz > 0)
            snprintf(at, sizeof at, " at %.3g GHz", p->freq_hz / 1e9);
        if (p->noise_factor > 1)
            err = mw_quality_warn(
                &w->quality, error,
                "the value at line %ld (%u core%s%s) is contradicted by its neighbours: it is kept and weighs %.0f times "
                "less in predictions",
                p->line, p->cores, p->cores == 1 ? "" : "s", at, p->noise_factor);
    }
    if (!err)
        err = mw_shares_read(&w->model, &w->domain, error);
    return err ? err
               : mw_power_fit(&w->model.power, &w->model.points, w->model.cores_per_socket, w->options.seed, error);
}

static enum mw_err copy_text(char **to, const char *from, struct mw_error *error)
{
    *to = strdup(from ? from : "");
    return *to ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
}

const struct mw_model_law *mw_fit_best_law(const struct mw_model *model)
{
    const struct mw_model_law *best = NULL;
    for (size_t i = 0; i < model->law_count; i++)
        if (model->laws[i].has_cv && (!best || model->laws[i].cv_mape_percent < best->cv_mape_percent))
            best = &model->laws[i];
    return best;
}

/* A law that misses points left out by more than this describes nothing that could be relied on. */
enum { MISFIT_PERCENT = 30 };

static enum mw_err warn_of_misfit(struct work *w, struct mw_error *error)
{
    const struct mw_model_law *best = mw_fit_best_law(&w->model);
    if (!best || best->cv_mape_percent <= MISFIT_PERCENT)
        return MW_OK;
    return mw_quality_warn(&w->quality, error,
                           "no law describes these runs: the best, %s, is off by %.0f %% at points left out. Other "
                           "programs may have disturbed the runs, or they are of different inputs: look at the rows, "
                           "measure again",
                           best->name, best->cv_mape_percent);
}

/* Warnings of reading, of the detectors, and of what had to be assumed. */
static enum mw_err collect_words(struct work *w, struct mw_error *error)
{
    const struct mw_dataset *d = w->dataset;
    struct mw_model *m = &w->model;
    enum mw_err err = MW_OK;
    if (m->memory_freq_assumed && w->domain.freq_count > 1)
        err = mw_quality_warn(
            &w->quality, error,
            "the memory's frequency is not known; %.3f GHz is assumed (--memory-freq), which scales k and "
            "nothing else",
            MW_MEMORY_FREQ_ASSUMED_HZ / 1e9);
    if (!err && w->domain.freq_count < 2 && !d->clock_fixed) /* else nobody can do anything about it */
        err = mw_quality_warn(&w->quality, error, "one frequency only: effects of frequency can't be identified");
    size_t before = w->quality.warning_count;
    if (!err)
        err = warn_of_misfit(w, error);
    m->set_aside = calloc(d->set_aside_count + w->quality.set_aside_count + 1, sizeof *m->set_aside);
    m->warnings = calloc(d->warning_count + w->quality.warning_count + 1, sizeof *m->warnings);
    if (!err && (!m->set_aside || !m->warnings))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < d->set_aside_count && !err; i++, m->set_aside_count++) {
        m->set_aside[m->set_aside_count].line = d->set_aside[i].line;
        err = copy_text(&m->set_aside[m->set_aside_count].reason, d->set_aside[i].reason, error);
    }
    m->detected_count = w->quality.set_aside_count;
    for (size_t i = 0; i < w->quality.set_aside_count && !err; i++, m->set_aside_count++) {
        m->set_aside[m->set_aside_count].line = w->quality.set_aside[i].line;
        err = copy_text(&m->set_aside[m->set_aside_count].reason, w->quality.set_aside[i].reason, error);
    }
    for (size_t i = before; i < w->quality.warning_count && !err;
         i++) /* the misfit first: it is about all of the model */
        err = copy_text(&m->warnings[m->warning_count++], w->quality.warnings[i], error);
    for (size_t i = 0; i < d->warning_count && !err; i++)
        err = copy_text(&m->warnings[m->warning_count++], d->warnings[i], error);
    for (size_t i = 0; i < before && !err; i++)
        err = copy_text(&m->warnings[m->warning_count++], w->quality.warnings[i], error);
    snprintf(m->sha256, sizeof m->sha256, "%s", d->sha256);
    if (!err)
        err = copy_text(&m->file, d->file, error);
    if (!err)
        err = copy_text(&m->workload, d->workload, error);
    if (!err)
        err = copy_text(&m->command, d->command, error);
    if (!err)
        err = copy_text(&m->rate_unit, d->rate_unit ? mw_rate_words(d->rate_unit, (char[64]){0}, 64) : "", error);
    return err ? err : copy_text(&m->input, d->input, error);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum mw_err mw_fit(struct mw_model *model, const struct mw_dataset *dataset, const struct mw_fit_options *options,
                   struct mw_error *error)
{
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        return mw_fail(error, MW_NOMEM, "out of memory");
    w->options = *options;
    if (!w->options.seed)
        w->options.seed = 1;
    w->dataset = dataset;
    double start = seconds();
    mw_guard_enter();
    enum mw_err (*const steps[])(struct work *, struct mw_error *) = {
        read_options, know_machine, condense, score, judge, sample, list_laws, collect_words};
    enum mw_err err = MW_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !err; i++)
        err = steps[i](w, error);
    mw_guard_leave();
    if (err) {
        mw_model_release(&w->model);
    } else {
        w->model.wall_s = seconds() - start;
        *model = w->model;
    }
    mw_quality_release(&w->quality);
    mw_profile_release(&w->profile);
    free(w);
    return err;
}
