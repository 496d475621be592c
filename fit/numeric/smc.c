// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/numeric/smc.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Smallest effective share of the particles that a step of temperature may leave. */
static const double effective_share = 0.5;
static const double bisection_tolerance = 1e-3;
/* Below this temperature particles are still spread widely, and a sweep less mixes them. */
static const double broad = 0.1;
/* A flat likelihood needs one step, a sharp one about ln(range of ln L); more than this is a likelihood gone wrong. */
enum { MAX_STEPS = 60, BISECTIONS = 40 };
/* 2.38/sqrt(2 d) is optimal for Gaussians (ter Braak 2006, after Roberts and Rosenthal 2001); spread around it. */
static const double jump_optimal = 2.38, jump_low = 0.4, jump_width = 0.9;
/* One coordinate at a time: 2.38/sqrt(2). */
static const double jump_single = 1.7;
/* Keeps a population from collapsing onto a lattice of its own differences. */
static const double jitter = 1e-3;

struct population {
    size_t n, dims;
    double *u, *log_l; /* the particles */
    double *old_u, *old_log_l, *weight;
    gsl_rng *rng;
};

static double *particle(const struct population *s, size_t i)
{
    return s->u + i * s->dims;
}

/* Sum of weights L^step over the largest, and its effective number of particles. */
static double effective(const struct population *s, double step, double top, double *sum)
{
    double first = 0, second = 0;
    for (size_t i = 0; i < s->n; i++) {
        double w = exp(step * (s->log_l[i] - top));
        first += w;
        second += w * w;
    }
    *sum = first;
    return first * first / second;
}

/* The next step of temperature; adds its part of the evidence and leaves the weights. */
static double temper(struct population *s, double reached, double *log_evidence)
{
    double top = s->log_l[0], sum, least = effective_share * (double)s->n;
    for (size_t i = 1; i < s->n; i++)
        top = fmax(top, s->log_l[i]);
    double step = 1 - reached;
    if (effective(s, step, top, &sum) < least) {
        double low = 0, high = step;
        for (int i = 0; i < BISECTIONS && high - low > bisection_tolerance * high; i++) {
            step = (low + high) / 2;
            if (effective(s, step, top, &sum) < least)
                high = step;
            else
                low = step;
        }
    }
    sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->weight[i] = exp(step * (s->log_l[i] - top));
    *log_evidence += log(sum / (double)s->n) + step * top;
    for (size_t i = 0; i < s->n; i++)
        s->weight[i] *= (double)s->n / sum;
    return step;
}

/* Systematic resampling: one random offset, equal strides through the summed weights. */
static void resample(struct population *s)
{
    memcpy(s->old_u, s->u, s->n * s->dims * sizeof *s->u);
    memcpy(s->old_log_l, s->log_l, s->n * sizeof *s->log_l);
    double summed = s->weight[0], position = gsl_rng_uniform(s->rng);
    for (size_t i = 0, from = 0; i < s->n; i++, position += 1) {
        while (position > summed && from + 1 < s->n)
            summed += s->weight[++from];
        memcpy(particle(s, i), s->old_u + from * s->dims, s->dims * sizeof *s->u);
        s->log_l[i] = s->old_log_l[from];
    }
}

static double reflect(double x)
{
    x = fabs(x);
    x -= 2 * floor(x / 2);
    return x > 1 ? 2 - x : x;
}

/* The difference of two other particles, scaled; every fourth sweep in one coordinate, every fourth unscaled. */
static void propose(struct population *s, size_t i, size_t sweep, double *proposal)
{
    size_t a, b;
    do {
        a = gsl_rng_uniform_int(s->rng, s->n);
    } while (a == i);
    do {
        b = gsl_rng_uniform_int(s->rng, s->n);
    } while (b == i || b == a);
    bool single = sweep % 4 == 1, whole = sweep % 4 == 3;
    double jump = whole ? 1 : jump_low + jump_width * gsl_rng_uniform(s->rng);
    if (!whole)
        jump *= single ? jump_single : jump_optimal / sqrt(2.0 * (double)s->dims);
    size_t only = single ? gsl_rng_uniform_int(s->rng, s->dims) : 0;
    const double *from = particle(s, i), *ua = particle(s, a), *ub = particle(s, b);
    for (size_t j = 0; j < s->dims; j++) {
        proposal[j] = from[j];
        if (!single || j == only)
            proposal[j] = reflect(from[j] + jump * (ua[j] - ub[j]) + jitter * (2 * gsl_rng_uniform(s->rng) - 1));
    }
}

static void move(struct population *s, const struct mw_smc *smc, size_t sweep, double temperature)
{
    double proposal[MW_SMC_MAX_DIMS];
    for (size_t i = 0; i < s->n; i++) {
        propose(s, i, sweep, proposal);
        double log_l = smc->log_likelihood(proposal, smc->context);
        double gain = log_l - s->log_l[i];
        /* always drawn: where a move changes nothing, rounding must not decide how many numbers are used up */
        double chance = gsl_rng_uniform(s->rng);
        if (gain >= 0 || chance < exp(temperature * gain)) {
            memcpy(particle(s, i), proposal, s->dims * sizeof *proposal);
            s->log_l[i] = log_l;
        }
    }
}

static void population_release(struct population *s)
{
    free(s->u);
    free(s->old_u);
    free(s->log_l);
    free(s->old_log_l);
    free(s->weight);
    if (s->rng)
        gsl_rng_free(s->rng);
}

static bool population_init(struct population *s, const struct mw_smc *smc)
{
    *s = (struct population){.n = smc->particles, .dims = smc->dims};
    s->u = malloc(s->n * s->dims * sizeof *s->u);
    s->old_u = malloc(s->n * s->dims * sizeof *s->u);
    s->log_l = malloc(s->n * sizeof *s->log_l);
    s->old_log_l = malloc(s->n * sizeof *s->log_l);
    s->weight = malloc(s->n * sizeof *s->weight);
    s->rng = gsl_rng_alloc(gsl_rng_taus2);
    return s->u && s->old_u && s->log_l && s->old_log_l && s->weight && s->rng;
}

enum mw_err mw_smc_sample(const struct mw_smc *smc, double *u, double *log_evidence, struct mw_error *error)
{
    struct population s;
    if (!population_init(&s, smc)) {
        population_release(&s);
        return mw_fail(error, MW_NOMEM, "out of memory for %zu particles", smc->particles);
    }
    gsl_rng_set(s.rng, smc->seed);
    for (size_t i = 0; i < s.n; i++) {
        for (size_t j = 0; j < s.dims; j++)
            particle(&s, i)[j] = gsl_rng_uniform(s.rng);
        s.log_l[i] = smc->log_likelihood(particle(&s, i), smc->context);
    }
    double temperature = 0, evidence = 0;
    for (int step = 0; temperature < 1; step++) {
        double gained = temper(&s, temperature, &evidence);
        temperature += gained;
        /* The last step ends at exactly 1; rounding may leave it a hair below. */
        if (temperature > 1 - 1e-9 || step + 1 == MAX_STEPS)
            temperature = 1;
        resample(&s);
        size_t sweeps = temperature < broad ? smc->sweeps - 1 : temperature < 1 ? smc->sweeps : smc->final_sweeps;
        for (size_t sweep = 0; sweep < sweeps; sweep++)
            move(&s, smc, sweep, temperature);
    }
    memcpy(u, s.u, s.n * s.dims * sizeof *u);
    *log_evidence = evidence;
    population_release(&s);
    return MW_OK;
}
