// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/mixture.h"

#include "fit/predict/beyond.h"

#include "fit/predict/likelihood.h"
#include "fit/predict/outlier.h"
#include "fit/predict/sites.h"
#include "fit/numeric/smc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for medians and intervals; evidence is then good to 2-4 nats, which the tempered weights bear. Few points are
   cheap, and leave more to the priors that have to be explored. */
enum { FEW_POINTS = 32, DRAWS = 40 };
struct effort {
    size_t particles, sweeps, final_sweeps;
};
static const struct effort effort_few = {300, 4, 12}, effort_many = {200, 3, 8};
enum { SCREEN_PASSES = 3, CAPACITY = 32 };
/* The law whose residual is screened: it bends both ways and has few parameters. */
static const struct mw_prior_member screening = {"usl-memory", MW_PRIOR_ROOT};

struct job {
    const struct mw_law *law;
    enum mw_prior prior;
    bool independent;
    struct mw_ensemble_fit fit;
    enum mw_err err;
    struct mw_error error;
};

struct context {
    const struct mw_model *model;
    double p_max;
    struct mw_law_limits limits;
    struct mw_whitener whitener;     /* of the joint or of the independent fits */
    const struct mw_law *lattice_of; /* the law with a whole parameter, and its lattice; NULL where no job has one */
    struct mw_lattice lattice;
};

static void fit_release(struct mw_ensemble_fit *fit)
{
    free(fit->params);
    free(fit->scale);
    free(fit->sigma);
    free(fit->kernel);
    *fit = (struct mw_ensemble_fit){0};
}

static enum mw_err fit_alloc(struct mw_ensemble_fit *fit, const struct job *job, struct mw_error *error)
{
    struct mw_ensemble_fit made = {.prior = (int)job->prior,
                                   .independent = job->independent,
                                   .draw_count = DRAWS,
                                   .param_count = job->law->param_count};
    snprintf(made.law, sizeof made.law, "%s", job->law->name);
    made.params = malloc(DRAWS * made.param_count * sizeof *made.params);
    made.scale = malloc(DRAWS * sizeof *made.scale);
    made.sigma = malloc(DRAWS * sizeof *made.sigma);
    made.kernel = malloc(DRAWS * sizeof *made.kernel);
    if (!made.params || !made.scale || !made.sigma || !made.kernel) {
        fit_release(&made);
        return mw_fail(error, MW_NOMEM, "out of memory for the fits of '%s'", job->law->name);
    }
    *fit = made;
    return MW_OK;
}

/* Every fit has a stream of its own, so that it does not matter which thread does it, or in which order. */
static unsigned long stream_seed(unsigned long seed, const struct job *job)
{
    unsigned long hash = 2166136261u; /* FNV-1a over the law's name */
    for (const char *c = job->law->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u & 0xffffffffu;
    hash = (hash ^ (unsigned long)job->prior) * 16777619u & 0xffffffffu;
    hash = (hash ^ (unsigned long)job->independent) * 16777619u & 0xffffffffu;
    return (hash ^ seed * 2654435761u) & 0xffffffffu;
}

/* Evenly taken particles in natural units. */
static void keep_draws(struct mw_likelihood *likelihood, const double *u, size_t particles, size_t dims,
                       struct mw_ensemble_fit *fit)
{
    for (size_t s = 0; s < DRAWS; s++) {
        struct mw_particle particle;
        mw_likelihood_particle(likelihood, u + s * particles / DRAWS * dims, &particle);
        memcpy(fit->params + s * fit->param_count, particle.params, fit->param_count * sizeof *fit->params);
        fit->scale[s] = particle.scale;
        fit->sigma[s] = particle.sigma;
        fit->kernel[s] = particle.kernel;
    }
}

static enum mw_err run_job(struct job *job, const struct context *context, struct mw_error *error)
{
    struct mw_likelihood likelihood = {0};
    const struct mw_whitener *whitener = &context->whitener;
    struct effort effort = whitener->n <= FEW_POINTS ? effort_few : effort_many;
    size_t dims = mw_likelihood_dims(job->law);
    if (job->law == context->lattice_of)
        effort.particles *= 2;
    double *u = malloc(effort.particles * dims * sizeof *u);
    if (!u)
        return mw_fail(error, MW_NOMEM, "out of memory for the fits of '%s'", job->law->name);
    enum mw_err err = mw_likelihood_init(&likelihood, whitener, error);
    if (err)
        goto out;
    mw_prior_map_init(&likelihood.prior, job->law, job->prior, context->p_max, &context->limits);
    if (job->law == context->lattice_of)
        likelihood.prior.lattice = &context->lattice;
    struct mw_smc smc = {.dims = dims,
                         .particles = effort.particles,
                         .sweeps = effort.sweeps,
                         .final_sweeps = effort.final_sweeps,
                         .seed = stream_seed(context->model->seed, job),
                         .log_likelihood = mw_likelihood_log,
                         .context = &likelihood};
    double log_evidence;
    err = mw_smc_sample(&smc, u, &log_evidence, error);
    if (!err)
        err = fit_alloc(&job->fit, job, error);
    if (!err) {
        job->fit.log_evidence = log_evidence;
        keep_draws(&likelihood, u, effort.particles, dims, &job->fit);
    }
out:
    mw_likelihood_release(&likelihood);
    free(u);
    return err;
}

/* ln value less the mean of a fit's draws of the law, at the sites. */
static void law_residual(const struct mw_ensemble_fit *fit, enum mw_quantity quantity, const struct mw_sites *sites,
                         double *residual)
{
    const struct mw_law *law = mw_law_find(fit->law);
    for (size_t i = 0; i < sites->count; i++) {
        const struct mw_site *site = &sites->items[i];
        double mean = 0;
        for (size_t s = 0; s < fit->draw_count; s++) {
            const double *params = fit->params + s * fit->param_count;
            double ln_h = log(mw_law_h(law, params, site->p, site->phi));
            mean += fit->scale[s] +
                    (quantity == MW_SPEEDUP ? log(mw_law_h(law, params, 1, site->phi)) - ln_h : ln_h - site->ln_clock);
        }
        residual[i] = site->ln_value - mean / (double)fit->draw_count;
    }
}

/* One pass: what the screening law leaves is looked at, and the points get their factors. */
static enum mw_err screen_once(const struct context *context, struct mw_points *points, const struct mw_sites *all,
                               double *work, size_t *found, struct mw_error *error)
{
    struct job job = {.law = mw_law_find(screening.law), .prior = screening.prior, .independent = true};
    enum mw_err err = run_job(&job, context, error);
    if (err)
        return err;
    double *factor = work + all->count;
    law_residual(&job.fit, points->quantity, all, work);
    err = mw_outlier_screen(points->quantity, all->items, work, all->count, factor, error);
    *found = 0;
    for (size_t i = 0; !err && i < all->count; i++) {
        points->items[all->point[i]].noise_factor = factor[i];
        *found += factor[i] > 1;
    }
    fit_release(&job.fit);
    return err;
}

/* The screening law is itself fitted to outliers, so it is fitted again with what was found until nothing more is. */
static enum mw_err screen(struct context *context, struct mw_points *points, struct mw_error *error)
{
    double memory_freq_hz = context->model->memory_freq_hz, cores_most = mw_beyond_fitted(context->model);
    struct mw_sites all = {0}, some = {0};
    double *work = NULL;
    size_t found = 0, before = 0;
    enum mw_err err = mw_sites_init(&all, points, memory_freq_hz, MW_SITES_CONDITION, cores_most, error);
    if (!err && !(work = malloc(2 * all.count * sizeof *work)))
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu points", all.count);
    for (int pass = 0; pass < SCREEN_PASSES && !err && (pass == 0 || found > before); pass++) {
        before = found;
        err = mw_sites_init(&some, points, memory_freq_hz, MW_SITES_SAMPLE, cores_most, error);
        if (err)
            break;
        context->p_max = some.p_max;
        err = mw_whitener_init(&context->whitener, some.items, some.count, points->quantity, true, error);
        if (!err)
            err = screen_once(context, points, &all, work, &found, error);
        mw_whitener_release(&context->whitener);
        mw_sites_release(&some);
    }
    free(work);
    mw_sites_release(&all);
    return err;
}

static size_t list_members(const struct mw_model *model, struct job *jobs, size_t capacity)
{
    const struct mw_prior_member *members;
    size_t count = 0, listed = mw_prior_members(&members);
    bool automatic = !model->law[0] || !strcmp(model->law, "mixture");
    for (size_t i = 0; automatic && !model->weak && i < listed && count < capacity; i++)
        jobs[count++] = (struct job){.law = mw_law_find(members[i].law), .prior = members[i].prior};
    for (const struct mw_law *const *law = mw_laws; *law; law++)
        if (automatic ? model->weak && (*law)->weak_scaling : !strcmp((*law)->name, model->law))
            for (int prior = 0; prior < MW_PRIOR_COUNT && count < capacity; prior++)
                jobs[count++] = (struct job){.law = *law, .prior = (enum mw_prior)prior};
    return count;
}

static enum mw_err run_all(struct job *jobs, size_t count, const struct context *context, struct mw_error *error)
{
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++)
        jobs[i].err = run_job(&jobs[i], context, &jobs[i].error);
    for (size_t i = 0; i < count; i++)
        if (jobs[i].err) {
            if (error)
                *error = jobs[i].error;
            return jobs[i].err;
        }
    return MW_OK;
}

/* The lattice of the law with a whole parameter; one of the laws of a mixture has such, or none. For joint fits: evidence
   decides among these, and beyond the measured cores, where the independent ones speak, single grains matter less. */
static enum mw_err lattice_law(struct context *context, const struct job *jobs, size_t count, struct mw_error *error)
{
    struct mw_problem all = {0}, few = {0};
    struct mw_prior_map map;
    size_t at = 0;
    while (at < count && !jobs[at].law->whole)
        at++;
    if (at == count || jobs[at].independent)
        return MW_OK;
    mw_prior_map_init(&map, jobs[at].law, jobs[at].prior, context->p_max, &context->limits);
    enum mw_err err =
        mw_problem_init(&all, &context->model->points, MW_LOSS_LOG, context->model->memory_freq_hz, error);
    if (!err)
        err = mw_problem_thin(&few, &all, MW_SITES_SAMPLE, error);
    if (!err) {
        mw_problem_law(&few, jobs[at].law);
        for (size_t i = few.n; i-- > 0;)
            few.y[i] = round((few.y[i] - few.y[0]) * 1e9) / 1e9; /* else the unit of time decides where polishes stop */
        err = mw_lattice_init(&context->lattice, &few, mw_prior_whole_mass, &map, error);
    }
    if (!err)
        context->lattice_of = jobs[at].law;
    mw_problem_release(&all);
    mw_problem_release(&few);
    return err;
}

/* Whitens the points as they are, and runs the jobs, all joint or all independent, into an ensemble. */
static enum mw_err sample(struct mw_ensemble *ensemble, struct job *jobs, size_t count, const struct mw_model *model,
                          struct mw_error *error)
{
    struct context context = {.model = model, .limits = {model->k_max, model->r_max}};
    struct mw_sites sites = {0};
    enum mw_err err =
        mw_sites_init(&sites, &model->points, model->memory_freq_hz, MW_SITES_SAMPLE, mw_beyond_fitted(model), error);
    if (err)
        return err;
    context.p_max = sites.p_max;
    struct mw_ensemble_fit *fits = malloc(count * sizeof *fits);
    if (!fits)
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err =
            mw_whitener_init(&context.whitener, sites.items, sites.count, model->quantity, jobs[0].independent, error);
    if (!err)
        err = lattice_law(&context, jobs, count, error);
    if (!err)
        err = run_all(jobs, count, &context, error);
    for (size_t i = 0; i < count; i++) {
        if (err)
            fit_release(&jobs[i].fit);
        else
            fits[i] = jobs[i].fit;
    }
    if (err)
        free(fits);
    else
        *ensemble = (struct mw_ensemble){fits, count};
    mw_lattice_release(&context.lattice);
    mw_whitener_release(&context.whitener);
    mw_sites_release(&sites);
    return err;
}

enum mw_err mw_mixture_fit(struct mw_model *model, struct mw_error *error)
{
    struct context context = {.model = model, .limits = {model->k_max, model->r_max}};
    struct job jobs[CAPACITY];
    size_t count = list_members(model, jobs, CAPACITY);
    if (count == 0)
        return mw_fail(error, MW_USAGE, "unknown law '%s'", model->law);
    for (size_t i = 0; i < model->points.count; i++)
        model->points.items[i].noise_factor = 1;
    enum mw_err err = screen(&context, &model->points, error);
    return err ? err : sample(&model->ensemble, jobs, count, model, error);
}

enum mw_err mw_mixture_independent(struct mw_ensemble *independent, const struct mw_model *model,
                                   struct mw_error *error)
{
    struct job jobs[CAPACITY];
    size_t count = 0;
    *independent = (struct mw_ensemble){0};
    for (size_t f = 0; f < model->ensemble.count && count < CAPACITY; f++) {
        const struct mw_ensemble_fit *fit = &model->ensemble.fits[f];
        const struct mw_law *law = mw_law_find(fit->law);
        if (law && !fit->independent && fit->prior >= 0 && fit->prior < MW_PRIOR_COUNT)
            jobs[count++] = (struct job){.law = law, .prior = (enum mw_prior)fit->prior, .independent = true};
    }
    return count ? sample(independent, jobs, count, model, error) : MW_OK;
}

void mw_mixture_release(struct mw_ensemble *ensemble)
{
    for (size_t i = 0; i < ensemble->count; i++)
        fit_release(&ensemble->fits[i]);
    free(ensemble->fits);
    *ensemble = (struct mw_ensemble){0};
}
