// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/mechanism.h"
#include "fit/hot_mechanism.h"
#include "fit/numeric/linalg.h"

#include <float.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Process of the residuals: RHO of the variance is shared by points of one core count (.61 to .77 between frequencies
 * where a whole table is known, less the part that the seven laws explain; verdicts don't change from 0 to .4), with a
 * length of one in ln F. The scale has an inverse-chi-square prior: NU degrees of freedom at SCALE, the noise of a
 * mean of repeats and the misfit of a law together.
 */
static const double RHO = .4, FREQ_LENGTH = 1, NU = 3, SCALE = .03;

/*
 * Prior weights of the laws. Steps lie at known places and are looked for there; grains, of which half of the prior is
 * fewer than the cores, need a seventh or uneven ones are taken for serial work.
 */
static const double LAW_WEIGHT[MW_MECHANISM_COUNT] = {.26, .14, .14, .14, .07, .15, .10};

struct mw_mechanism_bank {
    double cores;
    size_t count; /* draws a law */
    float *column[MW_MECHANISM_COUNT][MW_COLUMN_COUNT];
    float *place; /* steps: position in [0, 1) among the boundaries */
    float *ss;    /* count x laws */
    float *storage;
};

static double log_uniform(gsl_rng *rng, double low, double high)
{
    return low * exp(log(high / low) * gsl_rng_uniform(rng));
}

/*
 * Priors, log-uniform over what programs show: serial share 1e-4 to 1; memory over compute time on one core at the highest
 * frequency .012 to 7.2 (cache law from .072: less cannot be superlinear); its part that cores don't shrink from 1e-3;
 * a roof at a speedup of 1.5 to 3 P; overhead 1e-5 to 1 a core; 2 to 8 P grains; steps of 3 to 90 %; the work of weak
 * scaling grows by -5 to 15 % with each factor e of cores.
 */
static void draw_one(struct mw_mechanism_bank *bank, enum mw_mechanism law, size_t i, gsl_rng *rng)
{
    double serial = log_uniform(rng, 1e-4, 1), memory = log_uniform(rng, .012, 7.2);
    double nonscaling = 0, extra = 0, extra2 = 0, extra3 = 0, cores = bank->cores;
    switch (law) {
    case MW_MECHANISM_ADDITIVE:
        nonscaling = memory * log_uniform(rng, 1e-3, 1);
        break;
    case MW_MECHANISM_ROOF:
        extra = (1 + memory) / log_uniform(rng, 1.5, 3 * cores);
        break;
    case MW_MECHANISM_OVERHEAD:
        extra = log_uniform(rng, 1e-5, 1);
        if (gsl_rng_uniform(rng) < .5) {
            extra2 = extra;
            extra = 0;
        }
        break;
    case MW_MECHANISM_GRANULARITY:
        extra = floor(log_uniform(rng, 2, 8 * cores + .99));
        break;
    case MW_MECHANISM_STEP:
        extra = log_uniform(rng, .03, .9);
        extra3 = gsl_rng_uniform(rng) < .5;
        bank->place[i] = (float)gsl_rng_uniform(rng);
        break;
    case MW_MECHANISM_CACHE:
        memory = log_uniform(rng, .072, 7.2);
        extra = memory * (1 - gsl_rng_uniform(rng));
        break;
    case MW_MECHANISM_WEAK:
        extra = -.05 + .2 * gsl_rng_uniform(rng);
        break;
    case MW_MECHANISM_COUNT:
        break;
    }
    float **column = bank->column[law];
    column[MW_COLUMN_SERIAL][i] = (float)serial;
    column[MW_COLUMN_PARALLEL][i] = (float)(1 - serial);
    column[MW_COLUMN_LATENCY][i] = (float)(memory - nonscaling);
    column[MW_COLUMN_NONSCALING][i] = (float)nonscaling;
    column[MW_COLUMN_EXTRA][i] = (float)extra;
    column[MW_COLUMN_EXTRA2][i] = (float)extra2;
    column[MW_COLUMN_EXTRA3][i] = (float)extra3;
}

enum mw_err mw_mechanism_bank_alloc(struct mw_mechanism_bank **result, unsigned cores, size_t draws_per_law,
                                    unsigned long seed, struct mw_error *error)
{
    if (cores < 1 || draws_per_law < 1)
        return mw_fail(error, MW_USAGE, "a bank needs at least one core and one draw");
    size_t columns = MW_MECHANISM_COUNT * (MW_COLUMN_COUNT + 1) + 1;
    struct mw_mechanism_bank *bank = calloc(1, sizeof *bank);
    float *storage = calloc(columns * draws_per_law, sizeof *storage);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!bank || !storage || !rng) {
        free(bank);
        free(storage);
        if (rng)
            gsl_rng_free(rng);
        return mw_fail(error, MW_NOMEM, "out of memory for %zu draws", draws_per_law);
    }
    *bank = (struct mw_mechanism_bank){.cores = cores, .count = draws_per_law, .storage = storage};
    for (int law = 0; law < MW_MECHANISM_COUNT; law++)
        for (int c = 0; c < MW_COLUMN_COUNT; c++, storage += draws_per_law)
            bank->column[law][c] = storage;
    bank->place = storage;
    bank->ss = storage + draws_per_law;
    for (int law = 0; law < MW_MECHANISM_COUNT; law++) {
        gsl_rng_set(rng, seed * MW_MECHANISM_COUNT + (unsigned long)law); /* a stream for each law */
        for (size_t i = 0; i < draws_per_law; i++)
            draw_one(bank, (enum mw_mechanism)law, i, rng);
    }
    gsl_rng_free(rng);
    *result = bank;
    return MW_OK;
}

void mw_mechanism_bank_free(struct mw_mechanism_bank *bank)
{
    if (!bank)
        return;
    free(bank->storage);
    free(bank);
}

static int by_cores(const void *a, const void *b)
{
    const struct mw_mechanism_point *x = a, *y = b;
    if (x->cores != y->cores)
        return x->cores < y->cores ? -1 : 1;
    return (x->freq > y->freq) - (x->freq < y->freq);
}

static double covariance(const struct mw_mechanism_point *a, const struct mw_mechanism_point *b)
{
    if (a->cores != b->cores)
        return 0;
    double distance = log(a->freq / b->freq) / FREQ_LENGTH;
    return RHO * exp(-.5 * distance * distance);
}

/* Sorts the points by cores, so that W has a block for each core count, and inverts the covariance's factor. */
static bool plan_build(struct mw_mechanism_plan *plan, const struct mw_mechanism_data *data, double cores)
{
    enum { N = MW_MECHANISM_MAX_POINTS };
    struct mw_mechanism_point points[N];
    static _Thread_local double k[N * N], w[N * N];
    size_t n = data->count;
    memcpy(points, data->points, n * sizeof *points);
    qsort(points, n, sizeof *points, by_cores);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            k[i * n + j] = covariance(&points[i], &points[j]) + (i == j ? (1 - RHO) * points[i].noise : 0);
    if (!mw_cholesky(k, n))
        return false;
    mw_lower_inverse(k, n, w);
    *plan = (struct mw_mechanism_plan){.count = n, .ratio = data->ratio, .cores = (float)cores};
    for (size_t i = 0; i < n; i++) {
        plan->p[i] = (float)points[i].cores;
        plan->x[i] = (float)points[i].freq;
        plan->y[i] = (float)(points[i].ln_value - points[0].ln_value);
        plan->first[i] = i > 0 && points[i - 1].cores == points[i].cores ? plan->first[i - 1] : i;
        for (size_t j = plan->first[i]; j <= i; j++) {
            plan->w[i][j] = (float)w[i * n + j];
            plan->one[i] += plan->w[i][j];
        }
        plan->one_square += plan->one[i] * plan->one[i];
    }
    return true;
}

static void place_steps(struct mw_mechanism_bank *bank, const struct mw_mechanism_data *data)
{
    double total = 0;
    for (size_t b = 0; b < data->boundary_count; b++)
        total += data->boundaries[b].weight;
    float *after = bank->column[MW_MECHANISM_STEP][MW_COLUMN_EXTRA2];
    for (size_t i = 0; i < bank->count; i++) {
        double left = (double)bank->place[i] * total;
        size_t b = 0;
        while (b + 1 < data->boundary_count && left >= data->boundaries[b].weight)
            left -= data->boundaries[b++].weight;
        after[i] = (float)data->boundaries[b].after;
    }
}

static double log_weight(double ss, enum mw_mechanism law, size_t n)
{
    return -.5 * ((double)n - 1 + NU) * log(ss + NU * SCALE * SCALE) + log(LAW_WEIGHT[law]);
}

static struct mw_mechanism_draw draw_get(const struct mw_mechanism_bank *bank, enum mw_mechanism law, size_t i)
{
    float *const *c = bank->column[law];
    double extra = (double)c[MW_COLUMN_EXTRA][i], extra2 = (double)c[MW_COLUMN_EXTRA2][i];
    struct mw_mechanism_draw draw = {
        .law = law,
        .serial = (double)c[MW_COLUMN_SERIAL][i],
        .parallel = (double)c[MW_COLUMN_PARALLEL][i],
        .latency = (double)c[MW_COLUMN_LATENCY][i],
        .nonscaling = (double)c[MW_COLUMN_NONSCALING][i],
    };
    switch (law) {
    case MW_MECHANISM_ROOF:
        draw.roof = extra;
        break;
    case MW_MECHANISM_OVERHEAD:
        draw.overhead_compute = extra;
        draw.overhead_fixed = extra2;
        break;
    case MW_MECHANISM_GRANULARITY:
        draw.grains = extra;
        break;
    case MW_MECHANISM_STEP:
        draw.step = extra;
        draw.step_after = extra2;
        draw.step_persists = c[MW_COLUMN_EXTRA3][i] > 0 || extra2 >= bank->cores - 1;
        break;
    case MW_MECHANISM_CACHE:
        draw.cache = extra;
        break;
    case MW_MECHANISM_WEAK:
        draw.growth = extra;
        break;
    case MW_MECHANISM_ADDITIVE:
    case MW_MECHANISM_COUNT:
        break;
    }
    return draw;
}

/* The level that generalised least squares gives this draw. */
static double draw_level(const struct mw_mechanism_plan *plan, const struct mw_mechanism_draw *draw, double shift)
{
    double r[MW_MECHANISM_MAX_POINTS], level = 0;
    for (size_t i = 0; i < plan->count; i++) {
        double p = (double)plan->p[i], x = (double)plan->x[i], cores = (double)plan->cores;
        r[i] = (double)plan->y[i] - log(mw_mechanism_time(draw, p, x, cores, NULL));
        if (plan->ratio)
            r[i] += log(mw_mechanism_time(draw, 1, x, cores, NULL));
    }
    for (size_t i = 0; i < plan->count; i++) {
        double z = 0;
        for (size_t j = plan->first[i]; j <= i; j++)
            z += (double)plan->w[i][j] * r[j];
        level += z * (double)plan->one[i];
    }
    return shift + level / (double)plan->one_square;
}

struct weights {
    double *value; /* laws x draws, relative to the largest */
    double total, squares;
    double sigma;
};

/* Weighs all draws by the data; value[] in the order law, draw. */
static void weigh(struct mw_mechanism_bank *bank, const struct mw_mechanism_plan *plan, size_t laws_skipped,
                  struct weights *weights)
{
    double largest = -DBL_MAX;
    double freedom = (double)plan->count - 1 + NU;
    for (int law = 0; law < MW_MECHANISM_COUNT; law++) {
        double *value = weights->value + (size_t)law * bank->count;
        if (laws_skipped == (size_t)law) {
            for (size_t i = 0; i < bank->count; i++)
                value[i] = -DBL_MAX;
            continue;
        }
        mw_mechanism_squares((enum mw_mechanism)law, (const float *const *)bank->column[law], bank->count, plan,
                             bank->ss);
        for (size_t i = 0; i < bank->count; i++) {
            value[i] = log_weight((double)bank->ss[i], (enum mw_mechanism)law, plan->count);
            largest = value[i] > largest ? value[i] : largest;
        }
    }
    weights->total = weights->squares = weights->sigma = 0;
    for (size_t i = 0; i < bank->count * MW_MECHANISM_COUNT; i++) {
        double l = weights->value[i] - largest;
        double w = l > -40 ? exp(l) : 0;
        weights->value[i] = w;
        weights->total += w;
        weights->squares += w * w;
        if (w > 0) { /* scale of this draw, from its sum of squares */
            enum mw_mechanism law = (enum mw_mechanism)(i / bank->count);
            double ss = exp(-2 * (l + largest - log(LAW_WEIGHT[law])) / freedom);
            weights->sigma += w * sqrt(ss / freedom);
        }
    }
    weights->sigma /= weights->total;
}

static void resample(const struct mw_mechanism_bank *bank, const struct mw_mechanism_plan *plan, double shift,
                     const struct weights *weights, struct mw_mechanism_posterior *posterior)
{
    double step = weights->total / (double)posterior->count, next = .5 * step, sum = 0;
    size_t taken = 0, all = bank->count * MW_MECHANISM_COUNT;
    for (size_t i = 0; i < all; i++) {
        enum mw_mechanism law = (enum mw_mechanism)(i / bank->count);
        posterior->law_chance[law] += weights->value[i] / weights->total;
        sum += weights->value[i];
        if (taken >= posterior->count || next >= sum)
            continue;
        struct mw_mechanism_draw draw = draw_get(bank, law, i % bank->count);
        draw.ln_scale = draw_level(plan, &draw, shift);
        for (; taken < posterior->count && next < sum; next += step)
            posterior->draws[taken++] = draw;
    }
    for (; taken > 0 && taken < posterior->count; taken++) /* rounding of the last sum */
        posterior->draws[taken] = posterior->draws[taken - 1];
}

enum mw_err mw_mechanism_infer(struct mw_mechanism_posterior *result, struct mw_mechanism_bank *bank,
                               const struct mw_mechanism_data *data, size_t count, struct mw_error *error)
{
    if (data->count < 1 || data->count > MW_MECHANISM_MAX_POINTS || count < 1)
        return mw_fail(error, MW_USAGE, "1 to %d points can be weighed, not %zu", MW_MECHANISM_MAX_POINTS, data->count);
    struct mw_mechanism_plan plan;
    if (!plan_build(&plan, data, bank->cores))
        return mw_fail(error, MW_NOFIT, "the covariance of the points is singular");
    struct mw_mechanism_point lowest = data->points[0];
    for (size_t i = 1; i < data->count; i++)
        if (by_cores(&data->points[i], &lowest) < 0)
            lowest = data->points[i];
    struct weights weights = {.value = malloc(bank->count * MW_MECHANISM_COUNT * sizeof(double))};
    struct mw_mechanism_posterior posterior = {.draws = malloc(count * sizeof *posterior.draws), .count = count};
    if (!weights.value || !posterior.draws) {
        free(weights.value);
        free(posterior.draws);
        return mw_fail(error, MW_NOMEM, "out of memory for the posterior");
    }
    if (data->boundary_count > 0)
        place_steps(bank, data);
    weigh(bank, &plan, data->boundary_count > 0 ? MW_MECHANISM_COUNT : MW_MECHANISM_STEP, &weights);
    posterior.effective = weights.total * weights.total / weights.squares;
    posterior.sigma = weights.sigma;
    resample(bank, &plan, lowest.ln_value, &weights, &posterior);
    free(weights.value);
    *result = posterior;
    return MW_OK;
}

void mw_mechanism_posterior_release(struct mw_mechanism_posterior *posterior)
{
    free(posterior->draws);
    *posterior = (struct mw_mechanism_posterior){0};
}

double mw_mechanism_time(const struct mw_mechanism_draw *d, double p, double x, double cores,
                         struct mw_mechanism_shares *shares)
{
    double w = 1 / p;
    if (d->law == MW_MECHANISM_WEAK) {
        double one = 1 / x + d->latency;
        if (shares)
            *shares = (struct mw_mechanism_shares){.parallel = 1 / x / one, .latency = d->latency / one};
        return one * (1 + d->growth * log(p));
    }
    double busiest = d->law == MW_MECHANISM_GRANULARITY ? ceil(d->grains * w - 1e-5) / d->grains : w;
    double serial = d->serial / x, parallel = d->parallel * busiest / x;
    double latency = d->latency * busiest - d->cache * w * (1 - w);
    double overhead = (p - 1) * (d->overhead_compute / x + d->overhead_fixed);
    double sum = serial + parallel + latency + d->nonscaling + overhead, t = sum;
    if (d->law == MW_MECHANISM_STEP && p > d->step_after)
        t *= 1 + d->step * (d->step_persists ? 1 : (cores - p) / (cores - d->step_after - 1));
    if (d->law == MW_MECHANISM_ROOF && d->roof > t) {
        if (shares)
            *shares = (struct mw_mechanism_shares){.nonscaling = 1};
        return d->roof;
    }
    if (shares)
        *shares = (struct mw_mechanism_shares){serial / sum, parallel / sum, latency / sum, d->nonscaling / sum,
                                               overhead / sum};
    return t;
}
