// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/surrogate.h"

#include "fit/numeric/linalg.h"

#include <gsl/gsl_rng.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Differential-evolution Monte Carlo (ter Braak, Statistics and Computing 16, 2006, doi 10.1007/s11222-006-8769-1).
 * 24 chains: more than twice the dimension, as the paper asks. Burn-in and thinning by effective sample size on the
 * measured tables: doubling either leaves the tuner's choices as they are.
 */
enum {
    CHAINS = 24,
    BURN_FIRST = 240,
    BURN_WARM = 80,
    STEPS = 160,
    THIN = 40,
    POWER_THIN = 20, /* one law only, so more draws of it */
    STARTS = 60,     /* prior draws of which the best starts a chain */
    WIDTH = MW_SURROGATE_PARAMS + 4,
    JUMP_EVERY = 10, /* a full-length step between modes, as in the paper */
};
static const double jitter = 2e-3; /* width of the uniform noise that makes the chain ergodic, small against [0, 1] */

struct law_state {
    const struct mw_surrogate_law *law;
    bool times_power; /* energy: the power law's parameters follow */
    size_t dimension;
    bool warm;
    double u[CHAINS][WIDTH];
    double log_posterior[CHAINS];
};

struct mw_surrogate {
    enum mw_surrogate_kind kind;
    unsigned long seed;
    double noise_sd;
    double suggestion[WIDTH];
    bool has_suggestion;
    struct law_state *laws;
    size_t law_count;
    struct mw_residual residual;
    double *ln_value, *work, *other; /* n each, one block: ln_value owns it */
    size_t draw_count;
    struct draw {
        size_t law;
        double theta[WIDTH], offset, variance;
    } * draws;
    gsl_rng *rng;
};

static size_t thin(const struct mw_surrogate *s)
{
    return s->kind == MW_SURROGATE_POWER ? POWER_THIN : THIN;
}

enum mw_err mw_surrogate_alloc(struct mw_surrogate **surrogate, enum mw_surrogate_kind kind, double noise_sd,
                               unsigned long seed, struct mw_error *error)
{
    struct mw_surrogate *s = calloc(1, sizeof *s);
    size_t laws = kind == MW_SURROGATE_POWER ? 1 : MW_SURROGATE_TIME_LAWS;
    if (s) {
        *s = (struct mw_surrogate){.kind = kind, .seed = seed, .noise_sd = noise_sd, .law_count = laws};
        s->laws = calloc(laws, sizeof *s->laws);
        s->draws = calloc(laws * CHAINS * (STEPS / thin(s)), sizeof *s->draws);
        s->rng = gsl_rng_alloc(gsl_rng_taus2);
    }
    if (!s || !s->laws || !s->draws || !s->rng) {
        mw_surrogate_free(s);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t l = 0; l < laws; l++) {
        struct law_state *state = &s->laws[l];
        state->law = kind == MW_SURROGATE_POWER ? &mw_surrogate_power_law : &mw_surrogate_time_laws[l];
        state->times_power = kind == MW_SURROGATE_ENERGY;
        state->dimension = state->law->dimension + (state->times_power ? mw_surrogate_power_law.dimension : 0);
    }
    *surrogate = s;
    return MW_OK;
}

static void release_data(struct mw_surrogate *s)
{
    mw_residual_release(&s->residual);
    free(s->ln_value); /* one block with the scratch behind it */
    s->ln_value = s->work = s->other = NULL;
}

void mw_surrogate_free(struct mw_surrogate *surrogate)
{
    if (!surrogate)
        return;
    release_data(surrogate);
    free(surrogate->laws);
    free(surrogate->draws);
    if (surrogate->rng)
        gsl_rng_free(surrogate->rng);
    free(surrogate);
}

void mw_surrogate_suggest(struct mw_surrogate *surrogate, const double *u)
{
    memcpy(surrogate->suggestion, u, surrogate->laws[0].dimension * sizeof *u);
    surrogate->has_suggestion = true;
}

static void natural(const struct law_state *state, const double *u, double *theta)
{
    state->law->natural(u, theta);
    if (state->times_power)
        mw_surrogate_power_law.natural(u + state->law->dimension, theta + state->law->dimension);
}

/* ln law at the sites; other is scratch of n */
static void eval(const struct law_state *state, const double *theta, size_t n, const struct mw_site *sites,
                 double *ln_value, double *other)
{
    state->law->eval(theta, n, sites, ln_value);
    if (state->times_power) {
        mw_surrogate_power_law.eval(theta + state->law->dimension, n, sites, other);
        for (size_t i = 0; i < n; i++)
            ln_value[i] += other[i];
    }
}

/* Misfit in s->work, its generalised sum of squares. */
static double misfit(struct mw_surrogate *s, const struct law_state *state, const double *theta, double *offset)
{
    size_t n = s->residual.n;
    eval(state, theta, n, s->residual.sites, s->work, s->other);
    for (size_t i = 0; i < n; i++)
        s->work[i] = s->ln_value[i] - s->work[i];
    return mw_residual_square(&s->residual, s->work, offset);
}

static double log_posterior(struct mw_surrogate *s, const struct law_state *state, const double *u)
{
    double theta[WIDTH];
    natural(state, u, theta);
    double l = mw_residual_log_likelihood(&s->residual, misfit(s, state, theta, NULL));
    return state->law->log_prior ? l + state->law->log_prior(theta) : l;
}

static void start_chains(struct mw_surrogate *s, struct law_state *state)
{
    for (size_t c = 0; c < CHAINS; c++) {
        state->log_posterior[c] = -INFINITY;
        if (s->has_suggestion && c == 0) {
            memcpy(state->u[c], s->suggestion, sizeof s->suggestion);
            state->log_posterior[c] = log_posterior(s, state, state->u[c]);
            continue;
        }
        for (size_t k = 0; k < STARTS; k++) {
            double u[WIDTH];
            for (size_t d = 0; d < state->dimension; d++)
                u[d] = gsl_rng_uniform(s->rng);
            double l = log_posterior(s, state, u);
            if (l > state->log_posterior[c]) {
                state->log_posterior[c] = l;
                memcpy(state->u[c], u, sizeof u);
            }
        }
    }
}

static double reflect(double u)
{
    while (u < 0 || u > 1)
        u = u < 0 ? -u : 2 - u;
    return u;
}

/* One move of each chain along the difference of two others. */
static void sweep(struct mw_surrogate *s, struct law_state *state, size_t step)
{
    for (size_t c = 0; c < CHAINS; c++) {
        size_t a, b;
        do
            a = gsl_rng_uniform_int(s->rng, CHAINS);
        while (a == c);
        do
            b = gsl_rng_uniform_int(s->rng, CHAINS);
        while (b == c || b == a);
        double best = 2.38 / sqrt(2 * (double)state->dimension);
        double gamma = step % JUMP_EVERY == 0 ? 1 : best * (.3 + .9 * gsl_rng_uniform(s->rng));
        double u[WIDTH];
        for (size_t d = 0; d < state->dimension; d++)
            u[d] = reflect(state->u[c][d] + gamma * (state->u[a][d] - state->u[b][d]) +
                           jitter * (gsl_rng_uniform(s->rng) - .5));
        double l = log_posterior(s, state, u);
        if (l > state->log_posterior[c] || gsl_rng_uniform(s->rng) < exp(l - state->log_posterior[c])) {
            memcpy(state->u[c], u, state->dimension * sizeof *u);
            state->log_posterior[c] = l;
        }
    }
}

static void record(struct mw_surrogate *s, size_t law)
{
    const struct law_state *state = &s->laws[law];
    for (size_t c = 0; c < CHAINS; c++) {
        struct draw *d = &s->draws[s->draw_count++];
        d->law = law;
        natural(state, state->u[c], d->theta);
        d->variance = mw_residual_variance(&s->residual, misfit(s, state, d->theta, &d->offset));
    }
}

static void sample(struct mw_surrogate *s, size_t law)
{
    struct law_state *state = &s->laws[law];
    size_t burn = state->warm ? BURN_WARM : BURN_FIRST;
    /* A generator of its own for each law and number of points: a resumed sequence is the same sequence. */
    gsl_rng_set(s->rng, s->seed * 1000003 + s->residual.n * 31 + law + 1);
    if (state->warm)
        for (size_t c = 0; c < CHAINS; c++)
            state->log_posterior[c] = log_posterior(s, state, state->u[c]);
    else
        start_chains(s, state);
    state->warm = true;
    for (size_t step = 0; step < burn + STEPS; step++) {
        sweep(s, state, step);
        if (step >= burn && (step - burn) % thin(s) == 0)
            record(s, law);
    }
}

enum mw_err mw_surrogate_fit(struct mw_surrogate *surrogate, size_t n, const struct mw_site *sites,
                             const double *ln_value, const double *noise_factor, struct mw_error *error)
{
    struct mw_residual residual;
    struct mw_residual_kernel kernel = surrogate->kind == MW_SURROGATE_POWER ? mw_residual_power : mw_residual_time;
    kernel.prior_sd = fmax(kernel.prior_sd, surrogate->noise_sd);
    double *memory = calloc(3 * n, sizeof *memory);
    if (!memory)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
    enum mw_err err = mw_residual_init(&residual, &kernel, n, sites, noise_factor, error);
    if (err) {
        free(memory);
        return err;
    }
    release_data(surrogate);
    surrogate->residual = residual;
    surrogate->ln_value = memory;
    surrogate->work = memory + n;
    surrogate->other = memory + 2 * n;
    memcpy(surrogate->ln_value, ln_value, n * sizeof *ln_value);
    surrogate->draw_count = 0;
    for (size_t law = 0; law < surrogate->law_count; law++)
        sample(surrogate, law);
    return MW_OK;
}

/* What one draw says at the query: law, offset and kriged misfit. work: 2 x points. */
static void draw_values(const struct mw_surrogate *s, const struct draw *draw, size_t n, const struct mw_site *query,
                        const double *gain, double *value, double *other, double *work)
{
    size_t points = s->residual.n;
    const struct law_state *state = &s->laws[draw->law];
    eval(state, draw->theta, points, s->residual.sites, work, work + points);
    for (size_t j = 0; j < points; j++)
        work[j] = s->ln_value[j] - work[j] - draw->offset;
    eval(state, draw->theta, n, query, value, other);
    for (size_t i = 0; i < n; i++)
        value[i] += draw->offset + mw_dot(gain + i * points, work, points);
}

enum mw_err mw_surrogate_predict(const struct mw_surrogate *surrogate, size_t n, const struct mw_site *query,
                                 double *mean, double *variance, struct mw_error *error)
{
    const struct mw_surrogate *s = surrogate;
    size_t points = s->residual.n;
    double *gain = malloc((n * (points + 4) + 2 * points) * sizeof *gain);
    if (!gain)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    double *value = gain + n * points, *other = value + n, *base = other + n, *square = base + n, *work = square + n;
    for (size_t i = 0; i < n; i++) {
        base[i] = mw_residual_gain(&s->residual, &query[i], gain + i * points);
        mean[i] = square[i] = 0;
    }
    double sigma = mw_surrogate_sigma(s);
    for (size_t d = 0; d < s->draw_count; d++) {
        draw_values(s, &s->draws[d], n, query, gain, value, other, work);
        for (size_t i = 0; i < n; i++) {
            /* Welford's recurrence: the values differ little against their size */
            double delta = value[i] - mean[i];
            mean[i] += delta / (double)(d + 1);
            square[i] += delta * (value[i] - mean[i]);
        }
    }
    for (size_t i = 0; i < n; i++)
        variance[i] = square[i] / (double)s->draw_count + sigma * sigma * base[i];
    free(gain);
    return MW_OK;
}

enum mw_err mw_surrogate_covariance(const struct mw_surrogate *surrogate, size_t n, const struct mw_site *query,
                                    double *covariance, double *nugget, struct mw_error *error)
{
    const struct mw_surrogate *s = surrogate;
    size_t points = s->residual.n;
    double *gain = malloc((n * (points + 3) + 2 * points) * sizeof *gain);
    if (!gain)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n);
    double *value = gain + n * points, *other = value + n, *mean = other + n, *work = mean + n;
    double sigma = mw_surrogate_sigma(s), square = sigma * sigma, count = (double)s->draw_count;
    for (size_t i = 0; i < n; i++) {
        mw_residual_gain(&s->residual, &query[i], gain + i * points);
        mean[i] = 0;
        for (size_t k = 0; k <= i; k++)
            covariance[i * n + k] = square * mw_residual_covariance(&s->residual, &query[i], gain + i * points,
                                                                    &query[k], gain + k * points);
    }
    for (size_t d = 0; d < s->draw_count; d++) { /* Welford's recurrence for pairs */
        draw_values(s, &s->draws[d], n, query, gain, value, other, work);
        double step = 1 / (double)(d + 1);
        for (size_t i = 0; i < n; i++) {
            other[i] = value[i] - mean[i];
            mean[i] += other[i] * step;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k <= i; k++)
                covariance[i * n + k] += other[i] * (value[k] - mean[k]) / count;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            covariance[k * n + i] = covariance[i * n + k];
    *nugget = square * (1 - s->residual.kernel.share);
    free(gain);
    return MW_OK;
}

double mw_surrogate_sigma(const struct mw_surrogate *surrogate)
{
    double sum = 0;
    for (size_t d = 0; d < surrogate->draw_count; d++)
        sum += surrogate->draws[d].variance;
    return sqrt(sum / (double)surrogate->draw_count);
}

size_t mw_surrogate_draw_count(const struct mw_surrogate *surrogate)
{
    return surrogate->draw_count;
}

const double *mw_surrogate_draw(const struct mw_surrogate *surrogate, size_t i, double *offset)
{
    *offset = surrogate->draws[i].offset;
    return surrogate->draws[i].theta;
}
