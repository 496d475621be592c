// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/diagnose_internal.h"
#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 15,000 draws a law leave dozens that fit ten points; more change verdicts in under 1 % of programs. */
enum { DRAWS = 15000, RESAMPLED = 4000 };

static const char *const NAMES[MW_VERDICT_COUNT] = {
    "scales-well", "serial",        "memory-latency", "memory-bandwidth", "cache-benefiting",
    "granularity", "boundary-step", "slows-down",     "weak-scaling",     "waiting",
    "limit",       "one-thread",    "clock",          "busy-clock",       "memory",
    "flat",        "idle-clock",    "idle-fixed",     "busy-fixed",       "idle",
    "busy",        "both",          "undetermined",
};

const char *mw_verdict_name(enum mw_verdict verdict)
{
    return NAMES[verdict];
}

const char *mw_family_name(enum mw_family family)
{
    static const char *const names[MW_FAMILY_COUNT + 1] = {"scales", "idle", "busy", "both", "superlinear", ""};
    return names[family];
}

const char *mw_pair_name(enum mw_pair pair)
{
    static const char *const names[MW_PAIR_COUNT] = {"idle-clock", "idle-fixed", "busy-clock", "busy-fixed", ""};
    return names[pair];
}

double mw_karp_flatt(double speedup, double cores)
{
    return (1 / speedup - 1 / cores) / (1 - 1 / cores);
}

struct mw_diagnose_options mw_diagnose_options_of(const struct mw_model *model, unsigned long seed)
{
    return (struct mw_diagnose_options){
        .boundaries = model->boundaries, .boundary_count = model->boundary_count, .seed = seed};
}

enum mw_err mw_diagnoser_alloc(struct mw_diagnoser **result, const struct mw_diagnose_options *options,
                               struct mw_error *error)
{
    struct mw_diagnoser *diagnoser = calloc(1, sizeof *diagnoser);
    unsigned *boundaries = options->boundary_count ? malloc(options->boundary_count * sizeof *boundaries) : NULL;
    if (!diagnoser || (options->boundary_count && !boundaries)) {
        free(diagnoser);
        free(boundaries);
        return mw_fail(error, MW_NOMEM, "out of memory for a diagnosis");
    }
    if (boundaries)
        memcpy(boundaries, options->boundaries, options->boundary_count * sizeof *boundaries);
    diagnoser->options = *options;
    diagnoser->options.boundaries = diagnoser->boundaries = boundaries;
    *result = diagnoser;
    return MW_OK;
}

void mw_diagnoser_free(struct mw_diagnoser *diagnoser)
{
    if (!diagnoser)
        return;
    mw_posterior_bank_free(diagnoser->bank);
    mw_posterior_release(&diagnoser->posterior);
    free(diagnoser->boundaries);
    free(diagnoser);
}

/* The bank's priors are of P cores and the known boundaries. */
static enum mw_err bank_for(struct mw_diagnoser *d, struct mw_error *error)
{
    if (d->bank && d->frame.cores == d->view.cores)
        return MW_OK;
    mw_posterior_bank_free(d->bank);
    d->bank = NULL;
    d->frame = (struct mw_frame){.cores = d->view.cores, .boundaries = d->places};
    for (size_t i = 0; i < d->options.boundary_count && i < d->view.place_count; i++)
        d->places[d->frame.boundary_count++] = (struct mw_boundary){d->view.places[i], 1};
    return mw_posterior_bank_alloc(&d->bank, &d->frame, DRAWS, d->options.seed, error);
}

static enum mw_err infer(struct mw_diagnoser *d, const struct mw_points *points, struct mw_error *error)
{
    struct mw_posterior posterior = {0};
    enum mw_err err = mw_diagnose_view_build(&d->view, points, &d->options, error);
    if (!err)
        err = bank_for(d, error);
    if (err)
        return err;
    d->frame.measured = d->view.counts;
    d->frame.measured_count = d->view.core_counts;
    struct mw_posterior_data data = {d->view.points, d->view.count, d->view.has_cpu, d->view.ratio};
    err = mw_posterior_infer(&posterior, d->bank, &data, RESAMPLED, error);
    if (err)
        return err;
    mw_posterior_release(&d->posterior);
    d->posterior = posterior;
    return MW_OK;
}

static struct mw_interval interval(double *values, size_t n)
{
    mw_sort(values, n);
    return (struct mw_interval){mw_quantile_sorted(values, n, .05), mw_quantile_sorted(values, n, .5),
                                mw_quantile_sorted(values, n, .95)};
}

static struct mw_diagnosis_shares shares_at(const struct mw_diagnoser *d, double p, double x)
{
    enum { PARTS = 7 };
    static _Thread_local double column[PARTS][RESAMPLED];
    size_t n = d->posterior.count;
    for (size_t i = 0; i < n; i++) {
        const struct mw_posterior_draw *draw = &d->posterior.draws[i];
        struct mw_use use;
        double t, c;
        mw_mechanism_at(draw->law, draw->q, &d->frame, p, x, &t, &c, &use);
        const struct mw_parts *parts = &use.time;
        const double part[PARTS] = {parts->serial,   parts->parallel, parts->latency, parts->nonscaling,
                                    parts->overhead, parts->uneven,   parts->wait};
        for (size_t k = 0; k < PARTS; k++)
            column[k][i] = part[k] / t;
    }
    return (struct mw_diagnosis_shares){.cores = p,
                                        .serial = interval(column[0], n),
                                        .parallel = interval(column[1], n),
                                        .latency = interval(column[2], n),
                                        .nonscaling = interval(column[3], n),
                                        .overhead = interval(column[4], n),
                                        .uneven = interval(column[5], n),
                                        .wait = interval(column[6], n)};
}

enum mw_err mw_diagnoser_run(struct mw_diagnoser *diagnoser, struct mw_diagnosis *result,
                             const struct mw_points *points, struct mw_error *error)
{
    enum mw_err err = infer(diagnoser, points, error);
    if (err)
        return err;
    const struct mw_diagnose_view *view = &diagnoser->view;
    struct mw_diagnosis d = {
        .cores = view->cores,
        .freq_max_hz = view->freq_scale_hz,
        .freq_min_hz = view->freq_min_hz,
        .memory_open = view->one_clock,
        .points_given = points->count,
        .points_used = view->count,
        .effective = diagnoser->posterior.effective,
        .residual = diagnoser->posterior.sigma,
        .speedups = view->ratio,
        .witness = view->witness,
        .cpu_limit = points->cpu_limit,
    };
    mw_observe(&d.seen, points, view, d.residual);
    mw_diagnose_count(&d, &diagnoser->posterior, &diagnoser->frame);
    mw_diagnose_decide(&d, view, points);
    d.end_count = d.verdict == MW_VERDICT_FLAT ? 0 : d.memory_open ? 2 : 4; /* of a flat curve nobody knows */
    for (size_t i = 0; i < d.end_count; i++) {
        double x = i < 2 ? 1 : d.freq_min_hz / d.freq_max_hz;
        d.ends[i] = shares_at(diagnoser, i % 2 ? d.cores : 1, x);
        d.ends[i].freq_hz = x * d.freq_max_hz;
    }
    *result = d;
    return MW_OK;
}

struct mw_point mw_diagnoser_expect(const struct mw_diagnoser *d, const struct mw_config *config)
{
    double x = config->freq_hz > 0 && d->view.freq_scale_hz > 0 ? fmin(config->freq_hz / d->view.freq_scale_hz, 1) : 1;
    double ln_time = 0, ln_cpu = 0, n = (double)d->posterior.count;
    for (size_t i = 0; i < d->posterior.count; i++) {
        const struct mw_posterior_draw *draw = &d->posterior.draws[i];
        double t, c, one, ignored;
        mw_mechanism_at(draw->law, draw->q, &d->frame, config->cores, x, &t, &c, NULL);
        mw_mechanism_at(draw->law, draw->q, &d->frame, 1, x, &one, &ignored, NULL);
        ln_time += (draw->ln_level + log(t) - (d->view.ratio ? log(one) : 0)) / n;
        ln_cpu += (draw->ln_level + log(c)) / n;
    }
    return (struct mw_point){.cores = (unsigned)config->cores,
                             .freq_hz = config->freq_hz,
                             .value = exp(d->view.ratio ? -ln_time : ln_time),
                             .has_cpu_time = d->view.has_cpu,
                             .cpu_time_s = d->view.has_cpu ? exp(ln_cpu) : 0,
                             .count = 1,
                             .noise_factor = 1};
}

enum mw_err mw_diagnose(struct mw_diagnosis *diagnosis, const struct mw_points *points,
                        const struct mw_diagnose_options *options, struct mw_error *error)
{
    struct mw_diagnoser *diagnoser = NULL;
    enum mw_err err = mw_diagnoser_alloc(&diagnoser, options, error);
    if (err == MW_OK)
        err = mw_diagnoser_run(diagnoser, diagnosis, points, error);
    mw_diagnoser_free(diagnoser);
    return err;
}
