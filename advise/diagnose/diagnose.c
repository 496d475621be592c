// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/diagnose_internal.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

struct mw_diagnose_options mw_diagnose_options_of(const struct mw_model *model, unsigned long seed)
{
    return (struct mw_diagnose_options){
        .boundaries = model->boundaries, .boundary_count = model->boundary_count, .seed = seed ? seed : model->seed};
}

enum mw_err mw_diagnoser_alloc(struct mw_diagnoser **result, const struct mw_diagnose_options *options,
                               struct mw_error *error)
{
    struct mw_diagnoser *diagnoser = calloc(1, sizeof *diagnoser);
    if (!diagnoser)
        return mw_fail(error, MW_NOMEM, "out of memory for a diagnosis");
    enum mw_err err = mw_cautious_init(&diagnoser->reading, options, error);
    if (err)
        free(diagnoser);
    else
        *result = diagnoser;
    return err;
}

void mw_diagnoser_free(struct mw_diagnoser *diagnoser)
{
    if (!diagnoser)
        return;
    mw_cautious_release(&diagnoser->reading);
    free(diagnoser);
}

static enum mw_err run_equal(struct mw_diagnoser *diagnoser, struct mw_diagnosis *result,
                             const struct mw_points *points, struct mw_error *error)
{
    enum mw_err err = mw_cautious_read(&diagnoser->reading, points, error);
    if (err)
        return err;
    const struct mw_view *view = &diagnoser->reading.view;
    const struct mw_posterior *posterior = &diagnoser->reading.posterior;
    struct mw_diagnosis d = {
        .cores = view->cores,
        .freq_max_hz = view->freq_scale_hz,
        .freq_min_hz = view->freq_min_hz,
        .memory_open = view->one_clock,
        .points_given = points->count,
        .points_used = view->count,
        .effective = posterior->effective,
        .residual = posterior->sigma,
        .speedups = view->ratio,
        .has_fixed = !view->ratio && !view->one_clock && !mw_freq_same(view->freq_scale_hz, view->freq_min_hz),
        .witness = view->witness,
        .cpu_limit = points->cpu_limit,
        .clock_fixed = points->clock_fixed,
    };
    mw_observe(&d.seen, points, view, d.residual);
    mw_diagnose_count(&d, posterior, &diagnoser->reading.frame);
    mw_diagnose_decide(&d, view, points);
    d.end_count = d.verdict == MW_VERDICT_FLAT ? 0 : d.memory_open ? 2 : 4; /* of a flat curve nobody knows */
    for (size_t i = 0; i < d.end_count; i++) {
        double p = i % 2 ? d.cores : 1, freq_hz = i < 2 ? d.freq_max_hz : d.freq_min_hz;
        d.ends[i] = mw_cautious_shares(&diagnoser->reading, p, i < 2 ? 1 : view->clock_low);
        d.ends[i].freq_hz = freq_hz;
        if (i < 2 && d.has_fixed)
            d.fixed[i] = mw_cautious_fixed(&diagnoser->reading, p);
    }
    *result = d;
    return MW_OK;
}

enum mw_err mw_diagnoser_run(struct mw_diagnoser *diagnoser, struct mw_diagnosis *result,
                             const struct mw_points *points, struct mw_error *error)
{
    struct mw_points equal = {0};
    if (!points->weak)
        return run_equal(diagnoser, result, points, error);
    enum mw_err err = mw_points_of_equal_work(&equal, points, error);
    if (!err)
        err = run_equal(diagnoser, result, &equal, error);
    if (!err)
        result->weak = true;
    mw_points_release(&equal);
    return err;
}

struct mw_point mw_diagnoser_expect(const struct mw_diagnoser *diagnoser, const struct mw_config *config)
{
    const struct mw_cautious *d = &diagnoser->reading;
    double x = mw_view_clock(&d->view, config->cores, config->freq_hz);
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
