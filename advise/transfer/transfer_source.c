// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/transfer/transfer.h"
#include "data/units.h"
#include "fit/predict/mixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond A's cores the mixture is asked at this many core counts, evenly in ln p, and interpolated. */
enum { REACH_POINTS = 16 };

static bool at_freq(const struct mw_point *point, double freq_hz)
{
    return point->value > 0 && mw_freq_same(point->freq_hz, freq_hz);
}

/* Physical cores: those of the profile, else all that were measured. */
static unsigned physical(const struct mw_transfer_source *source, unsigned most)
{
    unsigned cores = source->machine ? source->machine->cores : 0;
    return cores && cores < most ? cores : most;
}

static enum mw_err mixture_value(const struct mw_model *model, double cores, double freq_hz, double *value,
                                 struct mw_error *error)
{
    struct mw_config query = {cores, freq_hz};
    struct mw_prediction out;
    enum mw_err err = mw_predict(model, &query, 1, &out, error);
    if (err == MW_OK)
        *value = out.value;
    return err;
}

static double relative_speedup(const struct mw_transfer_source *source, double value, double one)
{
    return source->has_time ? one / value : value / one;
}

static void add(struct mw_transfer_source *source, double cores, double speedup, double time_s)
{
    source->ln_cores[source->count] = log(cores);
    source->ln_efficiency[source->count] = log(speedup / cores);
    source->time_s[source->count++] = time_s;
}

/*
 * The mixture of the physical cores alone: fitted with the hyper-threads, it would carry their bend on to the further cores
 * of the other machine.
 */
static enum mw_err fit_cores_only(struct mw_model *cores_only, const struct mw_transfer_source *source,
                                  struct mw_error *error)
{
    const struct mw_model *model = source->model;
    struct mw_model made = {.quantity = model->quantity,
                            .memory_freq_hz = model->memory_freq_hz,
                            .k_max = model->k_max,
                            .r_max = model->r_max,
                            .weak = model->weak,
                            .seed = model->seed};
    snprintf(made.law, sizeof made.law, "%s", model->law);
    made.points = (struct mw_points){.items = malloc(model->points.count * sizeof *made.points.items),
                                     .quantity = model->points.quantity};
    if (!made.points.items)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", model->points.count);
    for (size_t i = 0; i < model->points.count; i++)
        if (model->points.items[i].cores <= source->cores)
            made.points.items[made.points.count++] = model->points.items[i];
    enum mw_err err = mw_mixture_fit(&made, error);
    if (err != MW_OK)
        mw_model_release(&made);
    else
        *cores_only = made;
    return err;
}

/* The mixture from the last measured core count up to `reach`. */
static enum mw_err carry_on(struct mw_transfer_source *source, double reach, double one, bool threads,
                            struct mw_error *error)
{
    struct mw_config query[REACH_POINTS];
    struct mw_prediction out[REACH_POINTS];
    for (int k = 0; k < REACH_POINTS; k++)
        query[k] =
            (struct mw_config){source->cores * pow(reach / source->cores, (k + 1.) / REACH_POINTS), source->freq_hz};
    struct mw_model cores_only = {0};
    enum mw_err err = threads ? fit_cores_only(&cores_only, source, error) : MW_OK;
    if (err == MW_OK)
        err = mw_predict(threads ? &cores_only : source->model, query, REACH_POINTS, out, error);
    mw_model_release(&cores_only);
    for (int k = 0; k < REACH_POINTS && err == MW_OK; k++)
        add(source, query[k].cores, relative_speedup(source, out[k].value, one), 0);
    return err;
}

/* Measured points up to the physical cores, then the mixture; hyper-threads give the gain only. */
static enum mw_err fill(struct mw_transfer_source *source, double reach, struct mw_error *error)
{
    const struct mw_points *points = &source->model->points;
    double one = 0, gain_from = 0;
    unsigned most = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        if (!at_freq(point, source->freq_hz))
            continue;
        most = point->cores > most ? point->cores : most;
        if (point->cores == 1)
            one = point->value;
    }
    source->cores = physical(source, most);
    enum mw_err err = MW_OK;
    if (one <= 0 && source->has_time)
        err = mixture_value(source->model, 1, source->freq_hz, &one, error);
    if (err != MW_OK)
        return err;
    one = one > 0 ? one : 1;
    source->time_one_s = source->has_time ? one : 0;
    add(source, 1, 1, source->time_one_s);
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *point = &points->items[i];
        if (!at_freq(point, source->freq_hz) || point->cores == 1)
            continue;
        double speedup = relative_speedup(source, point->value, one);
        source->ln_noise = fmax(source->ln_noise, point->count > 1 ? point->spread / sqrt((double)point->count) : 0);
        if (point->cores <= source->cores)
            add(source, point->cores, speedup, source->has_time ? point->value : 0);
        if (point->cores == source->cores)
            gain_from = speedup;
        if (point->cores == most && most > source->cores && gain_from > 0)
            source->smt_gain = speedup / gain_from;
    }
    return reach > source->cores ? carry_on(source, reach, one, most > source->cores, error) : MW_OK;
}

double mw_transfer_efficiency(const struct mw_transfer_source *source, double cores)
{
    double x = log(cores);
    const double *u = source->ln_cores, *v = source->ln_efficiency;
    size_t last = source->count - 1, i = 1;
    if (x <= u[0] || last == 0)
        return exp(v[0]);
    if (x >= u[last])
        return exp(v[last]);
    while (u[i] < x)
        i++;
    return exp(v[i - 1] + (v[i] - v[i - 1]) * (x - u[i - 1]) / (u[i] - u[i - 1]));
}

enum mw_err mw_transfer_source_init(struct mw_transfer_source *source, double reach, struct mw_error *error)
{
    const struct mw_points *points = &source->model->points;
    if (points->count == 0)
        return mw_fail(error, MW_NOFIT, "the model has no times or speedups to carry to another machine");
    struct mw_transfer_source s = *source;
    size_t room = points->count + REACH_POINTS + 1;
    s.freq_hz = s.time_one_s = s.ln_noise = s.smt_gain = s.loss = 0;
    s.count = s.cores = 0;
    s.has_time = points->quantity == MW_TIME;
    s.exponent = s.exponent > 0 ? s.exponent : MW_TRANSFER_EXPONENT;
    for (size_t i = 0; i < points->count; i++)
        s.freq_hz = fmax(s.freq_hz, points->items[i].freq_hz);
    s.ln_cores = malloc(room * sizeof *s.ln_cores);
    s.ln_efficiency = malloc(room * sizeof *s.ln_efficiency);
    s.time_s = malloc(room * sizeof *s.time_s);
    enum mw_err err = MW_OK;
    if (!s.ln_cores || !s.ln_efficiency || !s.time_s)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu points", room);
    else
        err = fill(&s, reach, error);
    if (err != MW_OK) {
        mw_transfer_source_release(&s);
        return err;
    }
    s.loss = 1 - mw_transfer_efficiency(&s, 4);
    *source = s;
    return MW_OK;
}

void mw_transfer_source_release(struct mw_transfer_source *source)
{
    free(source->ln_cores);
    free(source->ln_efficiency);
    free(source->time_s);
    source->ln_cores = source->ln_efficiency = source->time_s = NULL;
    source->count = 0;
}
