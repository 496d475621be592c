// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/numeric/csa.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

enum { M = MW_CSA_ANNEALERS, D_MAX = 16 };

/* Section IV of the paper: 99 % of the largest variance, steps of 5 %; T_0 of generation and acceptance. */
static const double desired_variance = .99, alpha = .05, generation_start = .3, acceptance_start = 1;

static double reflect(double u)
{
    u = fabs(fmod(u, 2));
    return u > 1 ? 2 - u : u;
}

static void probe(const gsl_rng *rng, size_t d, const double *u, double width, double *out)
{
    for (size_t j = 0; j < d; j++)
        out[j] = reflect(u[j] + width * tan(M_PI * (gsl_rng_uniform_pos(rng) - .5)));
}

/* A_i of every annealer; returns their variance as a share of its largest value (m - 1)/m^2. */
static double acceptances(const double *energy, double temperature, double *probability)
{
    double highest = energy[0], sum = 0, squares = 0;
    for (size_t i = 1; i < M; i++)
        highest = fmax(highest, energy[i]);
    for (size_t i = 0; i < M; i++)
        sum += probability[i] = exp((energy[i] - highest) / temperature);
    for (size_t i = 0; i < M; i++) {
        probability[i] /= sum;
        squares += probability[i] * probability[i];
    }
    return (squares / M - 1.0 / (M * M)) / ((M - 1.0) / (M * M));
}

enum mw_err mw_csa_run(const struct mw_anneal *anneal, unsigned sweeps, double *u, double *energy, double *variance,
                       struct mw_error *error)
{
    size_t d = anneal->d;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!rng)
        return mw_fail(error, MW_NOMEM, "out of memory");
    gsl_rng_set(rng, anneal->seed);
    double at[M][D_MAX], now[M], probability[M], next[D_MAX], temperature = acceptance_start, late = 0;
    for (size_t i = 0; i < M; i++) {
        memcpy(at[i], u + i * d, d * sizeof **at);
        now[i] = energy[i] = anneal->energy(anneal->context, at[i]);
    }
    for (unsigned k = 0; k < sweeps; k++) {
        double width = generation_start / (1 + k);
        double spread = acceptances(now, temperature, probability);
        if (k >= sweeps / 2)
            late += spread / (sweeps - sweeps / 2);
        for (size_t i = 0; i < M; i++) {
            probe(rng, d, at[i], width, next);
            double then = anneal->energy(anneal->context, next);
            if (then > now[i] && gsl_rng_uniform(rng) >= probability[i])
                continue;
            now[i] = then;
            memcpy(at[i], next, d * sizeof *next);
            if (then < energy[i]) {
                energy[i] = then;
                memcpy(u + i * d, next, d * sizeof *next);
            }
        }
        temperature *= spread < desired_variance ? 1 - alpha : 1 + alpha;
    }
    gsl_rng_free(rng);
    if (variance)
        *variance = late;
    return MW_OK;
}
