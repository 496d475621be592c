// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/search/power.h"

#include "data/clock.h"
#include "fit/numeric/linalg.h"
#include "fit/surrogate.h"
#include "fit/thin.h"
#include "model/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_POINTS = 3,         /* with fewer, idle power and a core's share cannot be told apart */
    SAMPLED_POINTS = 48,      /* points that the posterior is sampled with: more change it by less than its width */
    KEPT_DRAWS = 96,          /* draws kept in the model */
    CONDITIONED_POINTS = 256, /* points that the residual is conditioned on: the cost grows as their cube */
};

/* Sites of the points with power, and their power. */
struct power_data {
    size_t n;
    struct mw_site *sites;
    double *power_w, *noise;
    struct mw_clock *clocks; /* of the sites, where points say at which clock their cores ran */
    size_t clock_count;      /* 0: they don't */
};

static void power_data_release(struct power_data *d)
{
    free(d->clocks);
    free(d->sites);
    free(d->power_w);
    free(d->noise);
}

static struct mw_site power_site(double cores, double freq_hz, double freq_ref_hz, unsigned cores_per_socket)
{
    double freq = freq_hz > 0 ? freq_hz : 1e9, x = freq_hz > 0 && freq_ref_hz > 0 ? freq_hz / freq_ref_hz : 1;
    return (struct mw_site){
        .cores = cores, .freq_ghz = freq / 1e9, .phi = 1, .x = x, .sockets = mw_sockets(cores, cores_per_socket)};
}

static bool point_power(const struct mw_points *points, size_t i, double *power_w)
{
    const struct mw_point *p = &points->items[i];
    if (p->has_power)
        *power_w = p->power_w;
    else if (p->has_energy && points->quantity == MW_TIME)
        *power_w = p->energy_j / p->value;
    else
        return false;
    return *power_w > 0;
}

static enum mw_err power_data_init(struct power_data *data, const struct mw_points *points, double freq_ref_hz,
                                   unsigned cores_per_socket, struct mw_error *error)
{
    struct power_data d = {0};
    d.sites = malloc((points->count + 1) * sizeof *d.sites);
    d.power_w = malloc((points->count + 1) * sizeof *d.power_w);
    d.noise = malloc((points->count + 1) * sizeof *d.noise);
    d.clocks = malloc((points->count + 1) * sizeof *d.clocks);
    bool by_clock = mw_clock_known(points);
    if (!d.sites || !d.power_w || !d.noise || !d.clocks) {
        power_data_release(&d);
        return mw_fail(error, MW_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < points->count; i++) {
        if (!point_power(points, i, &d.power_w[d.n]))
            continue;
        const struct mw_point *p = &points->items[i];
        d.clocks[d.n] = (struct mw_clock){p->cores, p->freq_hz, by_clock ? p->freq_effective_hz : p->freq_hz};
        d.sites[d.n] = power_site(p->cores, d.clocks[d.n].effective_hz, freq_ref_hz, cores_per_socket);
        d.noise[d.n++] = fmax(1, p->noise_factor);
    }
    size_t kept[CONDITIONED_POINTS];
    d.n = mw_thin(d.sites, d.n, CONDITIONED_POINTS, kept);
    for (size_t i = 0; i < d.n; i++) { /* kept[i] >= i */
        d.sites[i] = d.sites[kept[i]];
        d.clocks[i] = d.clocks[kept[i]];
        d.power_w[i] = d.power_w[kept[i]];
        d.noise[i] = d.noise[kept[i]];
    }
    d.clock_count = by_clock ? d.n : 0;
    *data = d;
    return MW_OK;
}

/*
 * min sum ((P - X c) / P)^2 over c >= 0. The optimum is the least squares solution on its own support, so with five
 * terms the best admissible one of all 31 supports is exact.
 */
static void solve_non_negative(const struct power_data *d, double best[MW_POWER_TERMS])
{
    enum { T = MW_POWER_TERMS };
    double normal[T][T] = {0}, right[T] = {0}, best_gain = -INFINITY;
    for (size_t i = 0; i < d->n; i++) {
        double terms[T];
        mw_power_terms(d->sites[i].cores, d->sites[i].sockets, d->sites[i].x, terms);
        for (int a = 0; a < T; a++) {
            right[a] += terms[a] / d->power_w[i];
            for (int b = 0; b < T; b++)
                normal[a][b] += terms[a] * terms[b] / (d->power_w[i] * d->power_w[i]);
        }
    }
    for (unsigned set = 1; set < 1u << T; set++) {
        int member[T], m = 0;
        for (int t = 0; t < T; t++)
            if (set >> t & 1)
                member[m++] = t;
        double l[T * T], z[T], c[T], gain = 0;
        for (int a = 0; a < m; a++)
            for (int b = 0; b <= a; b++)
                l[a * m + b] = normal[member[a]][member[b]] * (a == b ? 1 + 1e-10 : 1); /* terms may coincide */
        if (!mw_cholesky(l, (size_t)m))
            continue;
        bool admissible = true;
        for (int a = 0; a < m; a++) {
            z[a] = right[member[a]];
            for (int b = 0; b < a; b++)
                z[a] -= l[a * m + b] * z[b];
            z[a] /= l[a * m + a];
            gain += z[a] * z[a]; /* by how much the sum of squares falls */
        }
        for (int a = m - 1; a >= 0; a--) {
            c[a] = z[a];
            for (int b = a + 1; b < m; b++)
                c[a] -= l[b * m + a] * c[b];
            c[a] /= l[a * m + a];
            admissible = admissible && c[a] >= 0;
        }
        if (!admissible || gain <= best_gain)
            continue;
        best_gain = gain;
        memset(best, 0, T * sizeof *best);
        for (int a = 0; a < m; a++)
            best[member[a]] = c[a];
    }
}

/* The least squares solution as a point of the sampler's unit cube. */
static void suggest(struct mw_surrogate *surrogate, const double c[MW_POWER_TERMS])
{
    double u[4], s0 = c[MW_POWER_S0];
    for (int t = 0; t < 4; t++) {
        const double *bound = mw_surrogate_power_bounds[t];
        double ratio = s0 > 0 ? c[t + 1] / s0 : bound[1];
        u[t] = fmin(1, fmax(0, log(fmax(ratio, bound[0]) / bound[0]) / log(bound[1] / bound[0])));
    }
    mw_surrogate_suggest(surrogate, u);
}

static enum mw_err sample(struct mw_model_power *power, const struct power_data *d, unsigned long seed,
                          struct mw_error *error)
{
    struct mw_surrogate *surrogate = NULL;
    struct mw_site sites[SAMPLED_POINTS];
    double ln_power[SAMPLED_POINTS], noise[SAMPLED_POINTS];
    size_t kept[SAMPLED_POINTS], n = mw_thin(d->sites, d->n, SAMPLED_POINTS, kept);
    for (size_t i = 0; i < n; i++) {
        sites[i] = d->sites[kept[i]];
        ln_power[i] = log(d->power_w[kept[i]]);
        noise[i] = d->noise[kept[i]];
    }
    double *draws = malloc((size_t)KEPT_DRAWS * MW_POWER_TERMS * sizeof *draws);
    enum mw_err err = draws ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_surrogate_alloc(&surrogate, MW_SURROGATE_POWER, 0, seed, error);
    if (!err) {
        suggest(surrogate, (double[]){power->s0_w, power->s1_w, power->u3_w, power->c1_w, power->c3_w});
        err = mw_surrogate_fit(surrogate, n, sites, ln_power, noise, error);
    }
    if (!err) {
        size_t count = mw_surrogate_draw_count(surrogate);
        for (size_t i = 0; i < KEPT_DRAWS; i++) {
            double offset;
            const double *theta = mw_surrogate_draw(surrogate, i * count / KEPT_DRAWS, &offset);
            draws[i * MW_POWER_TERMS] = exp(offset);
            for (int t = 1; t < MW_POWER_TERMS; t++)
                draws[i * MW_POWER_TERMS + (size_t)t] = exp(offset) * theta[t - 1];
        }
        power->residual_sd = mw_surrogate_sigma(surrogate);
        power->draw_count = KEPT_DRAWS;
        power->draws = draws;
        draws = NULL;
    }
    free(draws);
    mw_surrogate_free(surrogate);
    return err;
}

enum mw_err mw_power_fit(struct mw_model_power *power, const struct mw_points *points, unsigned cores_per_socket,
                         unsigned long seed, struct mw_error *error)
{
    struct power_data data;
    struct mw_model_power result = {.cores_per_socket = cores_per_socket};
    double watts, coefficients[MW_POWER_TERMS] = {0};
    bool by_clock = mw_clock_known(points);
    for (size_t i = 0; i < points->count; i++) {
        const struct mw_point *p = &points->items[i];
        if (point_power(points, i, &watts))
            result.freq_ref_hz = fmax(result.freq_ref_hz, by_clock ? p->freq_effective_hz : p->freq_hz);
    }
    enum mw_err err = power_data_init(&data, points, result.freq_ref_hz, cores_per_socket, error);
    if (err)
        return err;
    if (data.n >= LEAST_POINTS) {
        result.present = true;
        solve_non_negative(&data, coefficients);
        result.s0_w = coefficients[MW_POWER_S0];
        result.s1_w = coefficients[MW_POWER_S1];
        result.u3_w = coefficients[MW_POWER_U3];
        result.c1_w = coefficients[MW_POWER_C1];
        result.c3_w = coefficients[MW_POWER_C3];
        if (cores_per_socket)
            snprintf(result.source, sizeof result.source, "%zu points, %u cores a socket", data.n, cores_per_socket);
        else
            snprintf(result.source, sizeof result.source, "%zu points, cores a socket unknown: one socket assumed",
                     data.n);
        err = sample(&result, &data, seed, error);
    }
    power_data_release(&data);
    if (!err)
        *power = result;
    return err;
}

/* Coefficients of draw i, or the single law where there are no draws. */
static void draw_coefficients(const struct mw_model_power *power, size_t i, double c[MW_POWER_TERMS])
{
    if (power->draw_count)
        memcpy(c, power->draws + i * MW_POWER_TERMS, MW_POWER_TERMS * sizeof *c);
    else
        memcpy(c, (double[]){power->s0_w, power->s1_w, power->u3_w, power->c1_w, power->c3_w},
               MW_POWER_TERMS * sizeof *c);
}

static double ln_law(const double c[MW_POWER_TERMS], const struct mw_site *s)
{
    /* a hand-written law may be all zero somewhere: a milliwatt keeps its logarithm finite */
    return log(fmax(1e-3, mw_power_law(c, s->cores, s->sockets, s->x)));
}

struct mw_power_view {
    const struct mw_model_power *power;
    struct power_data data; /* n may be 0: the law alone */
    struct mw_residual residual;
    double *misfit;  /* draws x n, offset taken off */
    double *offset;  /* per draw */
    double variance; /* mean sigma^2 */
    size_t draws;
};

static enum mw_err condition(struct mw_power_view *c, struct mw_error *error)
{
    size_t n = c->data.n;
    c->draws = c->power->draw_count ? c->power->draw_count : 1;
    c->misfit = malloc((c->draws * (n + 1) + 1) * sizeof *c->misfit);
    if (!c->misfit)
        return mw_fail(error, MW_NOMEM, "out of memory");
    c->offset = c->misfit + c->draws * n;
    c->variance = c->power->residual_sd * c->power->residual_sd;
    if (!n) {
        memset(c->offset, 0, c->draws * sizeof *c->offset);
        return MW_OK;
    }
    enum mw_err err = mw_residual_init(&c->residual, &mw_residual_power, n, c->data.sites, c->data.noise, error);
    if (err)
        return err;
    c->variance = 0;
    for (size_t d = 0; d < c->draws; d++) {
        double coefficients[MW_POWER_TERMS], *r = c->misfit + d * n;
        draw_coefficients(c->power, d, coefficients);
        for (size_t i = 0; i < n; i++)
            r[i] = log(c->data.power_w[i]) - ln_law(coefficients, &c->data.sites[i]);
        double square = mw_residual_square(&c->residual, r, &c->offset[d]);
        c->variance += mw_residual_variance(&c->residual, square) / (double)c->draws;
        for (size_t i = 0; i < n; i++)
            r[i] -= c->offset[d];
    }
    return MW_OK;
}

enum mw_err mw_power_view_alloc(struct mw_power_view **view, const struct mw_model_power *power,
                                const struct mw_points *points, struct mw_error *error)
{
    if (!power->present)
        return mw_fail(error, MW_NOFIT, "the model knows nothing of power");
    struct mw_power_view *made = calloc(1, sizeof *made);
    if (!made)
        return mw_fail(error, MW_NOMEM, "out of memory");
    made->power = power;
    enum mw_err err = power_data_init(&made->data, points, power->freq_ref_hz, power->cores_per_socket, error);
    if (!err)
        err = condition(made, error);
    if (err)
        mw_power_view_free(made);
    else
        *view = made;
    return err;
}

void mw_power_view_free(struct mw_power_view *view)
{
    if (!view)
        return;
    free(view->misfit);
    mw_residual_release(&view->residual);
    power_data_release(&view->data);
    free(view);
}

/* Mean and variance of ln P at one site; work is scratch of 2 n. */
static void predict_site(const struct mw_power_view *c, const struct mw_site *site, double *work, double *mean,
                         double *variance)
{
    size_t n = c->data.n;
    double *gain = work;
    struct mw_residual residual = c->residual; /* with scratch of this thread */
    residual.scratch = work + n;
    double base = n ? mw_residual_gain(&residual, site, gain) : 1, m = 0, square = 0;
    for (size_t d = 0; d < c->draws; d++) {
        double coefficients[MW_POWER_TERMS];
        draw_coefficients(c->power, d, coefficients);
        double value = ln_law(coefficients, site) + c->offset[d] + mw_dot(gain, c->misfit + d * n, n);
        double delta = value - m;
        m += delta / (double)(d + 1);
        square += delta * (value - m);
    }
    *mean = m;
    *variance = square / (double)c->draws + c->variance * base;
}

enum mw_err mw_power_view_predict(const struct mw_power_view *view, const struct mw_config *query, size_t n,
                                  double *power_w, double *ln_sd, struct mw_error *error)
{
    const struct mw_model_power *power = view->power;
    double *result = malloc((2 * n + 1) * sizeof *result);
    bool starved = !result;
#pragma omp parallel if (n > 64)
    {
        double *work = malloc((2 * view->data.n + 1) * sizeof *work);
        if (!work) {
#pragma omp atomic write
            starved = true;
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) {
            if (!work || !result)
                continue;
            const struct power_data *d = &view->data;
            double clock_hz = mw_clock_at(d->clocks, d->clock_count, query[i].cores, query[i].freq_hz);
            struct mw_site site = power_site(query[i].cores, clock_hz, power->freq_ref_hz, power->cores_per_socket);
            double mean, variance;
            predict_site(view, &site, work, &mean, &variance);
            result[i] = exp(mean);
            result[n + i] = sqrt(variance);
        }
        free(work);
    }
    if (!starved) {
        memcpy(power_w, result, n * sizeof *power_w);
        memcpy(ln_sd, result + n, n * sizeof *ln_sd);
    }
    free(result);
    return starved ? mw_fail(error, MW_NOMEM, "out of memory for %zu predictions", n) : MW_OK;
}

enum mw_err mw_power_predict(const struct mw_model_power *power, const struct mw_points *points,
                             const struct mw_config *query, size_t n, double *power_w, double *ln_sd,
                             struct mw_error *error)
{
    struct mw_power_view *view = NULL;
    enum mw_err err = mw_power_view_alloc(&view, power, points, error);
    if (!err)
        err = mw_power_view_predict(view, query, n, power_w, ln_sd, error);
    mw_power_view_free(view);
    return err;
}
