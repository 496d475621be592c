// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/posterior/cautious.h"
#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 15,000 draws a law leave dozens that fit ten points; more change verdicts in under 1 % of programs. */
enum { DRAWS = 15000, RESAMPLED = 4000 };

enum mw_err mw_cautious_init(struct mw_cautious *cautious, const struct mw_diagnose_options *options,
                             struct mw_error *error)
{
    unsigned *boundaries = options->boundary_count ? malloc(options->boundary_count * sizeof *boundaries) : NULL;
    if (options->boundary_count && !boundaries)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu boundaries", options->boundary_count);
    if (boundaries)
        memcpy(boundaries, options->boundaries, options->boundary_count * sizeof *boundaries);
    *cautious = (struct mw_cautious){.options = *options, .boundaries = boundaries};
    cautious->options.boundaries = boundaries;
    return MW_OK;
}

void mw_cautious_release(struct mw_cautious *cautious)
{
    mw_posterior_bank_free(cautious->bank);
    mw_posterior_release(&cautious->posterior);
    free(cautious->boundaries);
    *cautious = (struct mw_cautious){0};
}

/* The bank's priors are of P cores and the known boundaries. */
static enum mw_err bank_for(struct mw_cautious *d, struct mw_error *error)
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

enum mw_err mw_cautious_read(struct mw_cautious *d, const struct mw_points *points, struct mw_error *error)
{
    struct mw_posterior posterior = {0};
    enum mw_err err = mw_view_build(&d->view, points, &d->options, error);
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

struct mw_shares mw_cautious_shares(const struct mw_cautious *d, double p, double x)
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
    return (struct mw_shares){.cores = p,
                              .serial = interval(column[0], n),
                              .parallel = interval(column[1], n),
                              .latency = interval(column[2], n),
                              .nonscaling = interval(column[3], n),
                              .overhead = interval(column[4], n),
                              .uneven = interval(column[5], n),
                              .wait = interval(column[6], n)};
}

struct mw_interval mw_cautious_fixed(const struct mw_cautious *d, double p)
{
    static _Thread_local double share[RESAMPLED];
    double r = d->view.clock_low;
    for (size_t i = 0; i < d->posterior.count; i++) {
        const struct mw_posterior_draw *draw = &d->posterior.draws[i];
        double high, low, cpu;
        mw_mechanism_at(draw->law, draw->q, &d->frame, p, 1, &high, &cpu, NULL);
        mw_mechanism_at(draw->law, draw->q, &d->frame, p, r, &low, &cpu, NULL);
        share[i] = fmin(fmax((1 - r * low / high) / (1 - r), 0), 1);
    }
    return interval(share, d->posterior.count);
}
