// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/search.h"

#include "fit/numeric/linalg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double search_tolerance = .02;

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "bench-advice: out of memory\n");
        exit(1);
    }
    return memory;
}

size_t table_reference(const struct bench_table *t)
{
    size_t best = 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->freq_hz[i] > t->freq_hz[best] || (t->freq_hz[i] >= t->freq_hz[best] && t->cores[i] > t->cores[best]))
            best = i;
    return best;
}

struct truth truth_find(const struct bench_table *t, const struct task *task)
{
    size_t r = table_reference(t);
    struct truth truth = {.goal = {.objective = task->objective, .certainty = .9}, .best = INFINITY};
    truth.goal.has_slowdown = task->slowdown > 0;
    truth.goal.max_slowdown = task->slowdown;
    truth.goal.power_cap_w = task->cap > 0 ? task->cap * t->energy_j[r] / t->time_s[r] : 0;
    truth.ln_objective = need(t->count, sizeof *truth.ln_objective);
    truth.feasible = need(t->count, sizeof *truth.feasible);
    if (mw_goal_has_limits(&truth.goal))
        truth.limited = need(t->count, sizeof *truth.limited);
    double ln_reference = t->energy_only ? 0 : log(t->time_s[r]);
    truth.limit = task->cap > 0 ? log(truth.goal.power_cap_w) : ln_reference + log1p(task->slowdown);
    const struct mw_outlook reference = {.ln_time = ln_reference};
    for (size_t i = 0; i < t->count; i++) {
        struct mw_outlook o = {0};
        double variance;
        o.ln_time = t->energy_only ? 0 : log(t->time_s[i]);
        o.ln_power = log(t->energy_j[i]) - o.ln_time;
        truth.ln_objective[i] = mw_goal_value(&truth.goal, &o, &variance);
        if (truth.limited)
            truth.limited[i] = task->cap > 0 ? o.ln_power : o.ln_time;
        truth.feasible[i] = mw_goal_chance(&truth.goal, &o, &reference) > .5;
        if (truth.feasible[i] && truth.ln_objective[i] < truth.best) {
            truth.best = truth.ln_objective[i];
            truth.any = true;
        }
    }
    return truth;
}

void truth_forget(struct truth *truth)
{
    free(truth->ln_objective);
    free(truth->limited);
    free(truth->feasible);
}

bool truth_reached(const struct truth *truth, size_t i)
{
    return truth->feasible[i] && truth->ln_objective[i] <= truth->best + log1p(search_tolerance);
}

static size_t random_below(unsigned long long *state, size_t n)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(*state >> 33) % n;
}

/* Appends what is not in the order yet, shuffled. */
static void append_rest(size_t *order, size_t count, size_t total, unsigned long seed)
{
    unsigned long long state = seed * 7919 + 1;
    bool *in = need(total, sizeof *in);
    for (size_t i = 0; i < count; i++)
        in[order[i]] = true;
    size_t from = count;
    for (size_t i = 0; i < total; i++)
        if (!in[i])
            order[count++] = i;
    for (size_t i = count; i-- > from + 1;) {
        size_t k = from + random_below(&state, i - from + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    free(in);
}

static struct outcome walk(const struct truth *truth, const size_t *order, size_t count)
{
    struct outcome o = {.first = count};
    for (size_t i = 0; i < count; i++) {
        if (truth_reached(truth, order[i])) {
            o.first = i + 1;
            break;
        }
    }
    return o;
}

struct outcome search_random(const struct bench_table *t, const struct truth *truth, unsigned long seed)
{
    size_t *order = need(t->count, sizeof *order);
    append_rest(order, 0, t->count, seed);
    struct outcome o = walk(truth, order, t->count);
    free(order);
    return o;
}

struct outcome search_grid(const struct bench_table *t, const struct truth *truth, unsigned long seed)
{
    static const int sides[] = {1, 2, 4, 8};
    size_t *order = need(t->count, sizeof *order), count = 0;
    bool *in = need(t->count, sizeof *in);
    double low = INFINITY, high = 0, most = 0;
    for (size_t i = 0; i < t->count; i++) {
        low = fmin(low, t->freq_hz[i]);
        high = fmax(high, t->freq_hz[i]);
        most = fmax(most, t->cores[i]);
    }
    struct mw_config *c = need(t->count, sizeof *c);
    for (size_t i = 0; i < t->count; i++)
        c[i] = (struct mw_config){t->cores[i], t->freq_hz[i]};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        int k = sides[s];
        for (int f = k; f >= 0; f--)
            for (int p = k; p >= 0; p--) {
                double cores = k == 1 && !p ? most / 2 : fmax(1, most * (p + 1) / (k + 1));
                size_t i = mw_config_nearest(c, t->count, cores, low + (high - low) * f / k);
                if (!in[i])
                    order[count++] = i;
                in[i] = true;
            }
    }
    append_rest(order, count, t->count, seed);
    struct outcome o = walk(truth, order, t->count);
    free(order);
    free(in);
    free(c);
    return o;
}

/* A Gaussian process on the measured configurations: lengths, whitened residual and its parts. */
struct process {
    size_t n;
    double length_cores, length_freq, mean, variance;
    double lower[SEARCH_MOST * SEARCH_MOST], inverse[SEARCH_MOST * SEARCH_MOST], z[SEARCH_MOST];
};

static double matern(double dx, double dy)
{
    double r = sqrt(5 * (dx * dx + dy * dy));
    return (1 + r + r * r / 3) * exp(-r);
}

/* ln p over its usual range, and ln F over the table's. */
static void place(const struct bench_table *t, size_t i, double *x, double *y)
{
    double low = INFINITY, high = 0, most = 0;
    for (size_t k = 0; k < t->count; k++) {
        low = fmin(low, t->freq_hz[k]);
        high = fmax(high, t->freq_hz[k]);
        most = fmax(most, t->cores[k]);
    }
    *x = log(t->cores[i] / most) / 3;
    *y = high > low ? log(t->freq_hz[i] / high) / log(high / low) : 0;
}

static double fit_lengths(struct process *g, const double *x, const double *y, const double *value)
{
    static const double nugget = 1e-4, prior = .02;
    size_t n = g->n;
    double ones[SEARCH_MOST], whitened_ones[SEARCH_MOST], residual[SEARCH_MOST];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            g->lower[i * n + k] =
                matern((x[i] - x[k]) / g->length_cores, (y[i] - y[k]) / g->length_freq) + (i == k ? nugget : 0);
    if (!mw_cholesky(g->lower, n))
        return -INFINITY;
    mw_lower_inverse(g->lower, n, g->inverse);
    for (size_t i = 0; i < n; i++)
        ones[i] = 1;
    mw_lower_multiply(g->inverse, n, ones, whitened_ones);
    mw_lower_multiply(g->inverse, n, value, residual);
    double oo = mw_dot(whitened_ones, whitened_ones, n);
    g->mean = mw_dot(whitened_ones, residual, n) / oo;
    for (size_t i = 0; i < n; i++)
        g->z[i] = residual[i] - g->mean * whitened_ones[i];
    g->variance = (mw_dot(g->z, g->z, n) + prior) / ((double)n + 2);
    return -.5 * (double)n * log(g->variance) - .5 * mw_cholesky_log_det(g->lower, n) - .5 * log(oo);
}

static void process_fit(struct process *g, const double *x, const double *y, const double *value, size_t n)
{
    static const double cores[] = {.15, .3, .6, 1.2}, freqs[] = {.2, .5, 1, 2};
    double best = -INFINITY, best_cores = .3, best_freq = 1;
    g->n = n;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            g->length_cores = cores[a];
            g->length_freq = freqs[b];
            double l = fit_lengths(g, x, y, value);
            if (l > best) {
                best = l;
                best_cores = cores[a];
                best_freq = freqs[b];
            }
        }
    g->length_cores = best_cores;
    g->length_freq = best_freq;
    fit_lengths(g, x, y, value);
}

static double process_predict(const struct process *g, const double *x, const double *y, double px, double py,
                              double *sd)
{
    double k[SEARCH_MOST], v[SEARCH_MOST];
    for (size_t i = 0; i < g->n; i++)
        k[i] = matern((x[i] - px) / g->length_cores, (y[i] - py) / g->length_freq);
    mw_lower_multiply(g->inverse, g->n, k, v);
    *sd = sqrt(g->variance * fmax(1e-6, 1 - mw_dot(v, v, g->n)));
    return g->mean + mw_dot(v, g->z, g->n);
}

/* One look at all that is not measured: the next configuration and the largest chance left. */
static size_t look(const struct bench_table *t, const struct truth *truth, const size_t *done, size_t n, double best,
                   double *chance_left)
{
    double x[SEARCH_MOST], y[SEARCH_MOST], value[SEARCH_MOST], limited[SEARCH_MOST], best_score = -INFINITY;
    struct process *objective = need(1, sizeof *objective), *limit = need(1, sizeof *limit);
    bool *in = need(t->count, sizeof *in);
    size_t next = t->count;
    for (size_t i = 0; i < n; i++) {
        place(t, done[i], &x[i], &y[i]);
        value[i] = truth->ln_objective[done[i]];
        limited[i] = truth->limited ? truth->limited[done[i]] : 0;
        in[done[i]] = true;
    }
    process_fit(objective, x, y, value, n);
    if (truth->limited)
        process_fit(limit, x, y, limited, n);
    *chance_left = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (in[i])
            continue;
        double px, py, sd, chance = 1;
        place(t, i, &px, &py);
        if (truth->limited) {
            double mean = process_predict(limit, x, y, px, py, &sd);
            chance = mw_normal_cdf((truth->limit - mean) / sd);
        }
        double mean = process_predict(objective, x, y, px, py, &sd), u = (best - mean) / sd;
        double score = isfinite(best) ? sd * (u * mw_normal_cdf(u) + mw_normal_pdf(u)) * chance : chance * exp(-mean);
        double better = isfinite(best) ? chance * mw_normal_cdf((best + log1p(-search_tolerance) - mean) / sd) : chance;
        *chance_left = fmax(*chance_left, better);
        if (score > best_score) {
            best_score = score;
            next = i;
        }
    }
    free(objective);
    free(limit);
    free(in);
    return next;
}

struct outcome search_gaussian_process(const struct bench_table *t, const struct truth *truth, unsigned long seed)
{
    (void)seed;
    struct outcome o = {0};
    struct mw_config *c = need(t->count, sizeof *c);
    size_t done[SEARCH_MOST], n = 0, r = table_reference(t);
    double low = INFINITY, best = INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        c[i] = (struct mw_config){t->cores[i], t->freq_hz[i]};
        low = fmin(low, t->freq_hz[i]);
    }
    size_t next = r, quarter = mw_config_nearest(c, t->count, fmax(1, c[r].cores / 4.), c[r].freq_hz);
    size_t other = mw_config_nearest(c, t->count, t->one_frequency ? fmax(1, c[r].cores / 2.) : c[r].cores, low);
    while (next < t->count && n < SEARCH_MOST) {
        double left = 1;
        done[n++] = next;
        if (truth->feasible[next])
            best = fmin(best, truth->ln_objective[next]);
        if (!o.first && truth_reached(truth, next))
            o.first = n;
        next = n == 1 ? other : n == 2 ? quarter : look(t, truth, done, n, best, &left);
        if (n >= 5 && !o.stop && left < .1 && isfinite(best)) {
            o.stop = n;
            o.regret = best - truth->best;
            o.feasible = true;
        }
        if (o.stop && o.first)
            break;
    }
    if (!o.first)
        o.first = n + 1;
    if (!o.stop) {
        o.stop = n;
        o.feasible = isfinite(best);
        o.regret = isfinite(best) ? best - truth->best : 0;
    }
    free(c);
    return o;
}
