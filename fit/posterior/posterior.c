// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/posterior/posterior.h"
#include "fit/numeric/linalg.h"
#include "fit/posterior/hot_posterior.h"

#include <float.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* docs/diagnosis.md: chosen on simulated programs of five seeds, checked on others. */
static const double SHARED = .4;      /* of the variance, between clocks at one core count */
static const double CLOCK_LENGTH = 1; /* of that, in ln x */
static const double SCALE = .03;      /* how well a law holds at best */
static const double FREEDOM_LEAST = 3, FREEDOM_SHARE = .33;
static const double OTHER_WEIGHT = .03, OTHER_AMPLITUDE = 80, OTHER_BY_CLOCK = 1.5, OTHER_COMMON = .3;
static const double EFFECTIVE_LEAST = 30, SOFTER = .8, SOFTEST = .05;
static const double TOO_UNLIKELY = -40; /* ln of a weight that no sum feels */

struct column {
    size_t count;
    double *storage, *q[MW_MECHANISM_PARAMS];
};

struct mw_posterior_bank {
    const struct mw_frame *frame;
    struct column laws[MW_MECHANISM_COUNT];
    size_t count; /* draws of all laws */
};

static enum mw_err draw_law(struct column *column, const struct mw_mechanism *law, const struct mw_frame *frame,
                            gsl_rng *rng, struct mw_error *error)
{
    column->storage = malloc(column->count * MW_MECHANISM_PARAMS * sizeof *column->storage);
    if (!column->storage)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu draws", column->count);
    for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
        column->q[k] = column->storage + k * column->count;
    for (size_t i = 0; i < column->count; i++) {
        double u[MW_MECHANISM_PARAMS] = {0}, q[MW_MECHANISM_PARAMS];
        for (size_t k = 0; k < MW_MECHANISM_COMMON + law->own; k++)
            u[k] = gsl_rng_uniform(rng);
        mw_mechanism_draw(law, q, u, frame);
        for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++)
            column->q[k][i] = q[k];
    }
    return MW_OK;
}

enum mw_err mw_posterior_bank_alloc(struct mw_posterior_bank **result, const struct mw_frame *frame,
                                    size_t draws_per_law, unsigned long seed, struct mw_error *error)
{
    if (frame->cores < 1 || draws_per_law < 3)
        return mw_fail(error, MW_USAGE, "a bank needs at least one core and three draws of each law");
    struct mw_posterior_bank *bank = calloc(1, sizeof *bank);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    enum mw_err err = bank && rng ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory for a bank of draws");
    for (size_t l = 0; l < MW_MECHANISM_COUNT && !err; l++) {
        gsl_rng_set(rng, seed * MW_MECHANISM_COUNT + l); /* a stream for each law */
        /* a law without parameters of its own varies less */
        bank->laws[l].count = mw_mechanisms[l].own ? draws_per_law : draws_per_law / 3;
        bank->count += bank->laws[l].count;
        err = draw_law(&bank->laws[l], &mw_mechanisms[l], frame, rng, error);
    }
    gsl_rng_free(rng);
    if (err) {
        mw_posterior_bank_free(bank);
        return err;
    }
    bank->frame = frame;
    *result = bank;
    return MW_OK;
}

void mw_posterior_bank_free(struct mw_posterior_bank *bank)
{
    if (!bank)
        return;
    for (size_t l = 0; l < MW_MECHANISM_COUNT; l++)
        free(bank->laws[l].storage);
    free(bank);
}

static int by_cores(const void *a, const void *b)
{
    const struct mw_posterior_point *x = a, *y = b;
    if (x->cores != y->cores)
        return x->cores < y->cores ? -1 : 1;
    return (x->clock > y->clock) - (x->clock < y->clock);
}

static double covariance(const struct mw_posterior_point *a, const struct mw_posterior_point *b)
{
    double distance = log(a->clock / b->clock) / CLOCK_LENGTH, own = a == b ? (1 - SHARED) * a->noise : 0;
    return own + (a->cores == b->cores ? SHARED * exp(-.5 * distance * distance) : 0);
}

static bool whiten(struct mw_whitened *made, const struct mw_posterior_point *points,
                   const struct mw_posterior_data *data)
{
    enum { N = MW_POSTERIOR_POINTS };
    static _Thread_local double k[N * N], w[N * N];
    const double rho = MW_POSTERIOR_RHO;
    size_t n = data->count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            k[i * n + j] = covariance(&points[i], &points[j]);
    if (!mw_cholesky(k, n))
        return false;
    mw_lower_inverse(k, n, w);
    made->count = n;
    made->has_cpu = data->has_cpu;
    made->ratio = data->ratio;
    made->one_square = 0;
    for (size_t i = 0; i < n; i++) {
        made->p[i] = points[i].cores;
        made->x[i] = points[i].clock;
        made->ln_time[i] = points[i].ln_time;
        made->ln_cpu[i] = points[i].ln_cpu;
        made->first[i] = i > 0 && points[i - 1].cores == points[i].cores ? made->first[i - 1] : i;
        made->one[i] = 0;
        for (size_t j = made->first[i]; j <= i; j++) {
            made->w[i][j] = w[i * n + j];
            made->one[i] += w[i * n + j];
        }
        made->one_square += made->one[i] * made->one[i] * (data->has_cpu ? 1 + (1 - rho) / (1 + rho) : 1);
    }
    return true;
}

/* ln of the determinant's part of a likelihood: -1/2 ln|K| - 1/2 ln 1' K^-1 1. */
static double log_norm(const struct mw_whitened *w)
{
    const double rho = MW_POSTERIOR_RHO;
    double sum = -.5 * log(w->one_square);
    for (size_t i = 0; i < w->count; i++)
        sum += (w->has_cpu ? 2 : 1) * log(w->w[i][i]) - (w->has_cpu ? .5 * log(1 - rho * rho) : 0);
    return sum;
}

static double freedom_of(size_t values)
{
    return fmax(FREEDOM_LEAST, FREEDOM_SHARE * (double)values);
}

static double log_likelihood(double ss, size_t values)
{
    double nu = freedom_of(values);
    return -.5 * ((double)values - 1 + nu) * log(ss + nu * SCALE * SCALE);
}

/* Any T(p), any C(p), any power of the clock: K and, in each block, a large term that is free at each core count. */
static enum mw_err other_likelihood(double *result, const struct mw_posterior_point *points,
                                    const struct mw_posterior_data *data, struct mw_error *error)
{
    size_t n = data->count, m = data->has_cpu ? 2 * n : n;
    double *k = malloc(2 * m * m * sizeof *k), *w = k + m * m, y[2 * MW_POSTERIOR_POINTS], z[2 * MW_POSTERIOR_POINTS];
    double one[2 * MW_POSTERIOR_POINTS], all[2 * MW_POSTERIOR_POINTS];
    if (!k)
        return mw_fail(error, MW_NOMEM, "out of memory for the covariance");
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            const struct mw_posterior_point *a = &points[i % n], *b = &points[j % n];
            double same = a->cores == b->cores, free_part = OTHER_BY_CLOCK * log(a->clock) * log(b->clock);
            free_part = same + free_part * (OTHER_COMMON + (1 - OTHER_COMMON) * same);
            bool block = i / n == j / n;
            k[i * m + j] =
                (block ? 1 : MW_POSTERIOR_RHO) * covariance(a, b) + (block ? OTHER_AMPLITUDE * free_part : 0);
        }
    if (!mw_cholesky(k, m)) {
        free(k);
        return mw_fail(error, MW_NOFIT, "the covariance of the points is singular");
    }
    mw_lower_inverse(k, m, w);
    for (size_t i = 0; i < m; i++) {
        y[i] = i < n ? points[i].ln_time : points[i - n].ln_cpu;
        all[i] = 1;
    }
    mw_lower_multiply(w, m, y, z);
    mw_lower_multiply(w, m, all, one);
    double square = mw_dot(one, one, m), along = mw_dot(z, one, m);
    *result = log_likelihood(fmax(mw_dot(z, z, m) - along * along / square, 0), m) - .5 * mw_cholesky_log_det(k, m) -
              .5 * log(square);
    free(k);
    return MW_OK;
}

/* Weights of all draws in the order law, draw. */
struct weights {
    double *ss, *ln_likelihood, *value;
    double prior[MW_MECHANISM_COUNT]; /* ln, of one draw */
    double other;                     /* ln likelihood of the free law */
    double total, effective, power;
};

static void weigh_at(struct weights *weights, const struct mw_posterior_bank *bank, double power, double top)
{
    double squares = 0;
    size_t at = 0;
    weights->total = 0;
    weights->power = power;
    for (size_t l = 0; l < MW_MECHANISM_COUNT; l++)
        for (size_t i = 0; i < bank->laws[l].count; i++, at++) {
            double l_w = power * (weights->ln_likelihood[at] - top),
                   w = l_w > TOO_UNLIKELY ? exp(l_w + weights->prior[l]) : 0;
            weights->value[at] = w;
            weights->total += w;
            squares += w * w;
        }
    weights->effective = squares > 0 ? weights->total * weights->total / squares : 0;
}

/* Where few draws fit, more of them count: that can only make the answer less sure. Returns the free law's chance. */
static double weigh(struct weights *weights, const struct mw_posterior_bank *bank)
{
    double top = weights->other, power = 1;
    for (size_t i = 0; i < bank->count; i++)
        top = fmax(top, weights->ln_likelihood[i]);
    weigh_at(weights, bank, power, top);
    while (weights->effective < EFFECTIVE_LEAST && power > SOFTEST)
        weigh_at(weights, bank, power *= SOFTER, top);
    double other = OTHER_WEIGHT * exp(power * (weights->other - top));
    return other / (weights->total + other);
}

static void likelihoods(struct weights *weights, const struct mw_posterior_bank *bank, const struct mw_whitened *white)
{
    size_t at = 0, values = (white->has_cpu ? 2 : 1) * white->count;
    double norm = log_norm(white), all = 0;
    for (size_t l = 0; l < MW_MECHANISM_COUNT; l++)
        all += mw_mechanisms[l].weight;
    for (size_t l = 0; l < MW_MECHANISM_COUNT; l++) {
        const struct column *column = &bank->laws[l];
        mw_whitened_squares(white, &mw_mechanisms[l], (const double *const *)column->q, column->count, bank->frame,
                            weights->ss + at, NULL);
        weights->prior[l] = log(mw_mechanisms[l].weight / all * (1 - OTHER_WEIGHT) / (double)column->count);
        for (size_t i = 0; i < column->count; i++, at++)
            weights->ln_likelihood[at] = log_likelihood(weights->ss[at], values) + norm;
    }
}

static double sigma_of(const struct weights *weights, size_t count, size_t values)
{
    double ss = 0, nu = freedom_of(values);
    for (size_t i = 0; i < count; i++)
        ss += weights->value[i] * weights->ss[i];
    return sqrt((ss / weights->total + nu * SCALE * SCALE) / ((double)values - 1 + nu));
}

static struct mw_posterior_draw draw_of(const struct mw_posterior_bank *bank, size_t l, size_t i,
                                        const struct mw_whitened *white)
{
    struct mw_posterior_draw draw = {.law = &mw_mechanisms[l]};
    const double *q[MW_MECHANISM_PARAMS];
    double ss;
    for (size_t k = 0; k < MW_MECHANISM_PARAMS; k++) {
        draw.q[k] = bank->laws[l].q[k][i];
        q[k] = &draw.q[k];
    }
    mw_whitened_squares(white, draw.law, q, 1, bank->frame, &ss, &draw.ln_level);
    draw.outcome = mw_mechanism_class(draw.law, draw.q, bank->frame);
    return draw;
}

/* Systematic resampling. */
static void resample(struct mw_posterior *posterior, const struct mw_posterior_bank *bank,
                     const struct weights *weights, const struct mw_whitened *white)
{
    double step = weights->total / (double)posterior->count, next = .5 * step, sum = 0;
    size_t taken = 0, at = 0;
    for (size_t l = 0; l < MW_MECHANISM_COUNT; l++)
        for (size_t i = 0; i < bank->laws[l].count && taken < posterior->count; i++, at++) {
            sum += weights->value[at];
            if (next >= sum)
                continue;
            struct mw_posterior_draw draw = draw_of(bank, l, i, white);
            for (; taken < posterior->count && next < sum; next += step)
                posterior->draws[taken++] = draw;
        }
    for (; taken > 0 && taken < posterior->count; taken++) /* rounding of the last sum */
        posterior->draws[taken] = posterior->draws[taken - 1];
}

enum mw_err mw_posterior_infer(struct mw_posterior *result, const struct mw_posterior_bank *bank,
                               const struct mw_posterior_data *data, size_t count, struct mw_error *error)
{
    struct mw_posterior_point points[MW_POSTERIOR_POINTS];
    struct mw_whitened white;
    if (data->count < 1 || data->count > MW_POSTERIOR_POINTS || count < 1)
        return mw_fail(error, MW_USAGE, "1 to %d points can be weighed, not %zu", MW_POSTERIOR_POINTS, data->count);
    memcpy(points, data->points, data->count * sizeof *points);
    qsort(points, data->count, sizeof *points, by_cores);
    if (!whiten(&white, points, data))
        return mw_fail(error, MW_NOFIT, "the covariance of the points is singular");
    struct weights weights = {.ss = malloc(3 * bank->count * sizeof(double))};
    struct mw_posterior posterior = {.draws = malloc(count * sizeof *posterior.draws), .count = count};
    enum mw_err err =
        weights.ss && posterior.draws ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory for the posterior");
    if (!err)
        err = other_likelihood(&weights.other, points, data, error);
    if (!err) {
        weights.ln_likelihood = weights.ss + bank->count;
        weights.value = weights.ln_likelihood + bank->count;
        likelihoods(&weights, bank, &white);
        posterior.other = weigh(&weights, bank);
        posterior.effective = weights.effective;
        posterior.power = weights.power;
        posterior.sigma = sigma_of(&weights, bank->count, (data->has_cpu ? 2 : 1) * data->count);
        resample(&posterior, bank, &weights, &white);
        *result = posterior;
    } else {
        free(posterior.draws);
    }
    free(weights.ss);
    return err;
}

void mw_posterior_release(struct mw_posterior *posterior)
{
    free(posterior->draws);
    *posterior = (struct mw_posterior){0};
}
