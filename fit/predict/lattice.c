// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/lattice.h"

#include "fit/search/searcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The prior's share: no value that fits badly alone, but well with a discrepancy, is drawn less than half as often. */
static const double prior_share = 0.5;
/* Power of the likelihood: a discrepancy may explain what this law alone cannot. */
static const double temper = 0.5;
/* Smallest noise, in ln: exact data must not leave a single value. */
static const double sigma_least = 0.003;

/* The loss that the other parameters reach from c; they stay there for the next value, which is likely to be near. */
static double reach(struct mw_searcher *s, struct mw_search_point *c)
{
    enum { ITERATIONS = 4 };
    mw_search_point_evaluate(s, c);
    if (isfinite(c->loss))
        mw_search_point_polish(s, c, ITERATIONS, false);
    if (!isfinite(c->loss))
        c->loss = HUGE_VAL;
    return c->loss;
}

/* ln of the tempered likelihood of each value, less its largest. */
static void profile(const struct mw_lattice *lattice, struct mw_searcher *s, double *ln_l)
{
    const struct mw_problem *pr = &s->problem;
    enum { FRESH = 16 };                               /* values from one new start to the next */
    const double n = (double)pr->n, best_guess = 0.05; /* of the way to a bad program, in every parameter */
    struct mw_search_point start = {0};
    for (size_t j = 0; j < pr->law->param_count; j++)
        start.params[j] = pr->low[j] + best_guess * (pr->high[j] - pr->low[j]);
    start.params[0] = pr->high[0] - best_guess * (pr->high[0] - pr->low[0]); /* f */
    struct mw_search_point walk = start;
    double top = -HUGE_VAL;
    for (size_t i = 0; i < lattice->count; i++) {
        struct mw_search_point fresh = start;
        walk.params[lattice->param] = fresh.params[lattice->param] = lattice->low + (double)i;
        reach(s, &walk);
        if (i % FRESH == 0 && reach(s, &fresh) < walk.loss)
            walk = fresh;
        ln_l[i] = -temper * n / 2 * log(walk.loss + sigma_least * sigma_least);
        top = fmax(top, ln_l[i]);
    }
    for (size_t i = 0; i < lattice->count; i++)
        ln_l[i] -= top;
}

/* mass, ln_l: count each; fills edge and ln_ratio. */
static void mix(struct mw_lattice *lattice, const double *mass, const double *ln_l)
{
    double sum = 0, weighted = 0, below = 0;
    for (size_t i = 0; i < lattice->count; i++) {
        sum += mass[i];
        weighted += mass[i] * exp(ln_l[i]);
    }
    for (size_t i = 0; i < lattice->count; i++) {
        double over_prior = prior_share + (1 - prior_share) * exp(ln_l[i]) * sum / weighted;
        below += mass[i] / sum * over_prior;
        lattice->edge[i] = below;
        lattice->ln_ratio[i] = -log(over_prior);
    }
}

enum mw_err mw_lattice_init(struct mw_lattice *lattice, const struct mw_problem *problem,
                            double (*prior_mass)(double value, size_t param, const void *context), const void *context,
                            struct mw_error *error)
{
    struct mw_lattice made = {0};
    struct mw_searcher searcher = {0};
    while (!(problem->law->whole & 1u << made.param))
        made.param++;
    made.low = ceil(problem->low[made.param]);
    made.count = (size_t)(floor(problem->high[made.param]) - made.low) + 1;
    double *mass = malloc(4 * made.count * sizeof *mass), *ln_l = mass + made.count;
    enum mw_err err = mass ? mw_searcher_init(&searcher, problem, error)
                           : mw_fail(error, MW_NOMEM, "out of memory for %zu values", made.count);
    if (err) {
        free(mass);
        return err;
    }
    made.edge = mass + 2 * made.count;
    made.ln_ratio = mass + 3 * made.count;
    for (size_t i = 0; i < made.count; i++)
        mass[i] = prior_mass(made.low + (double)i, made.param, context);
    profile(&made, &searcher, ln_l);
    mix(&made, mass, ln_l);
    mw_searcher_release(&searcher);
    /* the results move to the front of the array, which is then theirs */
    memmove(mass, made.edge, 2 * made.count * sizeof *mass);
    made.edge = mass;
    made.ln_ratio = mass + made.count;
    *lattice = made;
    return MW_OK;
}

void mw_lattice_release(struct mw_lattice *lattice)
{
    free(lattice->edge);
    *lattice = (struct mw_lattice){0};
}

double mw_lattice_value(const struct mw_lattice *lattice, double u, double *ln_ratio)
{
    size_t low = 0, high = lattice->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (u < lattice->edge[middle])
            high = middle;
        else
            low = middle + 1;
    }
    *ln_ratio += lattice->ln_ratio[low];
    return lattice->low + (double)low;
}
