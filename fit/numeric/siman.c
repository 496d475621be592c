// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/numeric/csa.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_siman.h>
#include <math.h>
#include <string.h>

enum { D_MAX = 16 };

/* gsl_siman copies a configuration byte by byte and gives its callbacks nothing else, so it carries the problem along. */
struct configuration {
    const struct mw_anneal *anneal;
    double u[D_MAX];
};

static double energy_of(void *xp)
{
    const struct configuration *c = xp;
    return c->anneal->energy(c->anneal->context, c->u);
}

static void step(const gsl_rng *rng, void *xp, double size)
{
    struct configuration *c = xp;
    for (size_t j = 0; j < c->anneal->d; j++) {
        double u = fabs(fmod(c->u[j] + size * (2 * gsl_rng_uniform(rng) - 1), 2));
        c->u[j] = u > 1 ? 2 - u : u;
    }
}

static double distance(void *xp, void *yp)
{
    const struct configuration *a = xp, *b = yp;
    double sum = 0;
    for (size_t j = 0; j < a->anneal->d; j++)
        sum += fabs(a->u[j] - b->u[j]);
    return sum;
}

enum mw_err mw_siman_run(const struct mw_anneal *anneal, unsigned sweeps, double *u, double *energy,
                         struct mw_error *error)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!rng)
        return mw_fail(error, MW_NOMEM, "out of memory");
    gsl_rng_set(rng, anneal->seed);
    /* From T = 1 (a factor e of the loss) down to a thousandth in `sweeps` steps. */
    const gsl_siman_params_t params = {.n_tries = 1,
                                       .iters_fixed_T = 1,
                                       .step_size = .1,
                                       .k = 1,
                                       .t_initial = 1,
                                       .mu_t = exp(log(1e3) / sweeps),
                                       .t_min = 1e-3};
    for (size_t i = 0; i < MW_CSA_ANNEALERS; i++) {
        struct configuration c = {.anneal = anneal};
        memcpy(c.u, u + i * anneal->d, anneal->d * sizeof *u);
        gsl_siman_solve(rng, &c, energy_of, step, distance, NULL, NULL, NULL, NULL, sizeof c, params);
        memcpy(u + i * anneal->d, c.u, anneal->d * sizeof *u);
        energy[i] = energy_of(&c);
    }
    gsl_rng_free(rng);
    return MW_OK;
}
