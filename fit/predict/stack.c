// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/stack.h"

#include "data/stats.h"
#include "data/units.h"
#include "fit/numeric/polish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weight of the largest core counts, as (p/p_max)^.7 on a residual: a law that can't have the whole curve right is to have
   its end right. */
static const double tail = 0.7;
/* Error per ln p of a left-out end that counts as one standard deviation. */
static const double tau = 0.2, noise_in_hindcast = 0.02;
/* What a set without four core counts is taken to scatter by, the weight of that in levels, and the range. */
static const double noise_usual = 0.03, noise_levels = 3, noise_low = 0.015, noise_high = 0.2;
/* A free fit: the priors hold next to nothing. */
static const double loose = 0.05;
/* Frequency: prior of the logit of the share it does not touch; sd of a speedup's baseline. */
static const double share_mean = -2, share_sd = 1.5, baseline_sd = 0.2;
/* No floor in sight: docs/prediction.md. */
static const double no_floor_times = 1.6, no_floor_rms = 0.01, exponent_low = 0.3, exponent_high = 0.8;

static double logistic(double u)
{
    return 1 / (1 + exp(-u));
}

/* p and ln p -> time over that of one core, but for a factor */
static double amdahl(const double *t, double p, double ln_p)
{
    double s = logistic(t[0]);
    (void)ln_p;
    return s + (1 - s) / p;
}
static double usl(const double *t, double p, double ln_p)
{
    (void)ln_p;
    return (1 + exp(t[0]) * (p - 1) + exp(t[1]) * p * (p - 1)) / p;
}
static double contention(const double *t, double p, double ln_p)
{
    return amdahl(t, p, ln_p) + exp(t[1]) * (p - 1);
}
static double saturating(const double *t, double p, double ln_p)
{
    double s = logistic(t[0]);
    (void)ln_p;
    return s + (1 - s) * sqrt(1 / (p * p) + exp(2 * t[1]));
}
static double power(const double *t, double p, double ln_p)
{
    double s = logistic(t[0]);
    (void)p;
    return s + (1 - s) * exp(-(.3 + .85 * logistic(t[1])) * ln_p);
}
static double latency(const double *t, double p, double ln_p)
{
    return amdahl(t, p, ln_p) * (1 + exp(t[1]) / p);
}
static double pure_power(const double *t, double p, double ln_p)
{
    (void)p;
    return exp(-(.05 + 1.1 * logistic(t[0])) * ln_p);
}

struct law {
    double (*shape)(const double *theta, double p, double ln_p);
    size_t d;
    double mean[2], sd[2]; /* logit of a share or exponent, ln of a cost */
};
/* Means and widths by empirical Bayes on parsec-power and parsec-speedup. */
static const struct law laws[MW_STACK_LAWS] = {
    {amdahl, 1, {-3.4}, {1.6}},          {usl, 2, {-4, -9.3}, {2, 2.7}},  {contention, 2, {-3.4, -9.3}, {1.6, 2.7}},
    {saturating, 2, {-4, -4}, {2, 1.5}}, {power, 2, {-4, 1.2}, {2, 1.2}}, {latency, 2, {-3.4, -3.5}, {1.6, 2}},
};
static const struct law law_of_power = {pure_power, 1, {1.2}, {1.2}};
enum { USL = 1, POWER = 4, LATENCY = 5 };

/* The rows of a fit, ascending in cores so that those below a cut come first. */
struct rows {
    struct mw_stack *stack;
    size_t n;
    double *p, *ln_p, *ratio; /* ratio: F_max/F */
    double *y, *precision;    /* ln time; 1/noise as the sites have it */
    size_t *freq;
    double *level;
    size_t level_count;
};

struct task {
    const struct rows *rows;
    const struct law *law;
    size_t n, d; /* the first n rows; d with the share of frequency */
    double *w;   /* on a residual */
    double lambda;
    double offset[MW_STACK_FREQS];
};

static double ln_law(const struct mw_stack *stack, const struct law *law, const double *theta, double p, double ln_p,
                     double ratio)
{
    double value = log(law->shape(theta, p, ln_p));
    if (stack->quantity == MW_SPEEDUP)
        return value - log(law->shape(theta, 1, 0));
    if (stack->many_freqs) {
        double share = logistic(theta[law->d]);
        value += log((1 - share) * ratio + share);
    }
    return value;
}

/* The level: free for times; for speedups each frequency has the error of its one-core run. */
static void take_offset(struct task *t, double *v)
{
    const struct rows *rows = t->rows;
    bool speedup = rows->stack->quantity == MW_SPEEDUP;
    double sum[MW_STACK_FREQS] = {0}, weight[MW_STACK_FREQS] = {0};
    for (size_t i = 0; i < t->n; i++) {
        size_t f = speedup ? rows->freq[i] : 0;
        sum[f] += t->w[i] * t->w[i] * v[i];
        weight[f] += t->w[i] * t->w[i];
    }
    double prior = speedup ? 1 / (baseline_sd * baseline_sd) : 0;
    for (size_t f = 0; f < MW_STACK_FREQS; f++)
        t->offset[f] = weight[f] > 0 ? sum[f] / (weight[f] + prior) : 0;
    for (size_t i = 0; i < t->n; i++)
        v[i] -= t->offset[speedup ? rows->freq[i] : 0];
}

static void residuals(void *context, const double *theta, double *r)
{
    struct task *t = context;
    const struct rows *rows = t->rows;
    for (size_t i = 0; i < t->n; i++)
        r[i] = rows->y[i] - ln_law(rows->stack, t->law, theta, rows->p[i], rows->ln_p[i], rows->ratio[i]);
    take_offset(t, r);
    for (size_t i = 0; i < t->n; i++)
        r[i] *= t->w[i];
    double hold = sqrt(t->lambda);
    for (size_t j = 0; j < t->d; j++)
        r[t->n + j] = j < t->law->d ? hold * (theta[j] - t->law->mean[j]) / t->law->sd[j]
                                    : hold * (theta[j] - share_mean) / share_sd;
    for (size_t f = 0; f < rows->stack->freq_count; f++) /* constant 0 for times */
        r[t->n + t->d + f] = rows->stack->quantity == MW_SPEEDUP ? t->offset[f] / baseline_sd : 0;
}

/* Scratch of one thread. */
struct bench {
    struct mw_polish_scratch polish;
    double *w, *left;
};

static size_t levels_of(const struct rows *rows, size_t n)
{
    size_t count = 0;
    while (count < rows->level_count && rows->level[count] <= rows->p[n - 1])
        count++;
    return count;
}

/* The first n rows by one law from three starts. */
static void fit_law(const struct rows *rows, const struct law *law, size_t n, double lambda, double noise,
                    double tail_power, struct bench *bench, struct mw_stack_fit *out)
{
    enum { STARTS = 3, ITERATIONS = 40 };
    static const double from[STARTS] = {0, .8, -.8};
    const struct mw_stack *stack = rows->stack;
    bool many = stack->quantity == MW_TIME && stack->many_freqs;
    struct task task = {.rows = rows, .law = law, .n = n, .d = law->d + many, .w = bench->w, .lambda = lambda};
    double low[MW_STACK_PARAMS], high[MW_STACK_PARAMS], best = INFINITY;
    double per_level = fmax(1, (double)n / (double)levels_of(rows, n));
    for (size_t i = 0; i < n; i++)
        task.w[i] =
            pow(rows->p[i] / rows->p[n - 1], tail_power) / (noise * pow(per_level, .25)) * sqrt(rows->precision[i]);
    for (size_t j = 0; j < task.d; j++) {
        low[j] = -60; /* exp and logistic stay finite */
        high[j] = 60;
    }
    struct mw_least_squares ls = {.n = n + task.d + stack->freq_count,
                                  .d = task.d,
                                  .low = low,
                                  .high = high,
                                  .penalties = task.d + stack->freq_count,
                                  .residuals = residuals,
                                  .context = &task};
    for (size_t s = 0; s < STARTS; s++) {
        double theta[MW_STACK_PARAMS] = {0}, value;
        for (size_t j = 0; j < task.d; j++) {
            double mean = j < law->d ? law->mean[j] : share_mean, sd = j < law->d ? law->sd[j] : share_sd;
            theta[j] = mean + (j ? -1 : 1) * from[s] * sd;
        }
        mw_polish_lm(&ls, theta, ITERATIONS, false, &value, &bench->polish);
        if (value < best) {
            best = value;
            memcpy(out->theta, theta, sizeof theta);
        }
    }
    residuals(&task, out->theta, bench->left);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += bench->left[i] * bench->left[i] / (task.w[i] * task.w[i]);
    out->rms = sqrt(sum / (double)n);
    memcpy(out->offset, task.offset, sizeof out->offset);
}

/* What the best of three free laws leaves, drawn to the usual as if by three levels. */
static double noise_of(const struct rows *rows, size_t n, struct bench *bench)
{
    static const size_t of[] = {USL, POWER, LATENCY};
    double levels = (double)levels_of(rows, n), least = INFINITY;
    if (levels < 4)
        return noise_usual;
    for (size_t k = 0; k < 3; k++) {
        struct mw_stack_fit fit;
        fit_law(rows, &laws[of[k]], n, loose, noise_usual, 0, bench, &fit);
        least = fmin(least, fit.rms * sqrt(levels / fmax(levels - 3, 1)));
    }
    double variance = (least * least * levels + noise_usual * noise_usual * noise_levels) / (levels + noise_levels);
    return fmin(fmax(sqrt(variance), noise_low), noise_high);
}

static double ln_value(const struct mw_stack *stack, const struct law *law, const struct mw_stack_fit *fit,
                       const struct mw_site *site)
{
    bool speedup = stack->quantity == MW_SPEEDUP;
    double offset = speedup ? 0 : fit->offset[0];
    for (size_t f = 0; speedup && f < stack->freq_count; f++)
        if (mw_freq_same(stack->freqs_hz[f], site->freq_hz))
            offset = fit->offset[f];
    double time =
        ln_law(stack, law, fit->theta, site->p, site->ln_p, stack->clock_max_hz / exp(site->ln_clock)) + offset;
    return speedup ? -time : time;
}

/* How many rows there are up to each cut: at most three. */
static size_t cuts_of(const struct rows *rows, size_t *cut)
{
    static const double parts[] = {.75, .5, .25};
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        size_t n = 0;
        while (n < rows->n && rows->p[n] <= parts[k] * rows->stack->p_max * (1 + 1e-9))
            n++;
        if (n && levels_of(rows, n) >= 3 && !(count && cut[count - 1] == n))
            cut[count++] = n;
    }
    if (!count && rows->level_count >= 3) {
        size_t n = 0;
        while (rows->p[n] <= rows->level[rows->level_count - 2])
            n++;
        cut[count++] = n;
    }
    return count;
}

/* Each law's error on the rows beyond a cut, from those up to it, into the logarithms of the weights. */
static void hindcast(const struct rows *rows, size_t n, double share, struct bench *bench)
{
    struct mw_stack *stack = rows->stack;
    double c = rows->p[n - 1], far = 0, noise = noise_of(rows, n, bench);
    double m = (double)(rows->n - n);
    for (size_t i = n; i < rows->n; i++)
        far += log(rows->p[i] / c) * log(rows->p[i] / c) / m;
    double floor = fmax(noise, noise_in_hindcast) / sqrt(far);
    for (size_t l = 0; l < MW_STACK_LAWS; l++) {
        struct mw_stack_fit fit;
        double sum = 0;
        fit_law(rows, &laws[l], n, 1, noise, tail, bench, &fit);
        for (size_t i = n; i < rows->n; i++) {
            double offset = fit.offset[stack->quantity == MW_SPEEDUP ? rows->freq[i] : 0];
            double off =
                rows->y[i] - offset - ln_law(stack, &laws[l], fit.theta, rows->p[i], rows->ln_p[i], rows->ratio[i]);
            sum += off * off / m;
        }
        stack->weight[l] -= .5 * sum / far / (tau * tau + floor * floor) * share;
    }
}

static void weigh(const struct rows *rows, struct bench *bench)
{
    struct mw_stack *stack = rows->stack;
    size_t cut[3] = {0}, count = cuts_of(rows, cut);
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < count; k++)
        hindcast(rows, cut[k], fmin((double)count, 2) / (double)count, bench);
    for (size_t l = 0; l < MW_STACK_LAWS; l++)
        most = fmax(most, stack->weight[l]);
    for (size_t l = 0; l < MW_STACK_LAWS; l++)
        sum += stack->weight[l] = exp(stack->weight[l] - most);
    for (size_t l = 0; l < MW_STACK_LAWS; l++)
        stack->weight[l] /= sum;
}

/* Slope of the mean ln time of each level over ln p. */
static double exponent_of(const struct rows *rows)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, levels = (double)rows->level_count;
    for (size_t k = 0, i = 0; k < rows->level_count; k++) {
        double mean = 0, count = 0, x = log(rows->level[k]);
        for (; i < rows->n && rows->p[i] <= rows->level[k]; i++, count++)
            mean += rows->y[i];
        sx += x;
        sy += mean / count;
        sxx += x * x;
        sxy += x * mean / count;
    }
    double spread = sxx - sx * sx / levels;
    return spread > 0 ? -(sxy - sx * sy / levels) / spread : 0;
}

/* Whether a power of the cores, which never ends, is as good as the laws that do. */
static void look_for_floor(const struct rows *rows, struct bench *bench)
{
    struct mw_stack *stack = rows->stack;
    double best = INFINITY;
    fit_law(rows, &law_of_power, rows->n, loose, stack->noise, 0, bench, &stack->power);
    for (size_t l = 0; l < MW_STACK_LAWS; l++) {
        struct mw_stack_fit fit;
        fit_law(rows, &laws[l], rows->n, loose, stack->noise, 0, bench, &fit);
        best = fmin(best, fit.rms);
    }
    stack->exponent = exponent_of(rows);
    stack->no_floor = rows->level_count >= 3 && stack->power.rms < no_floor_times * fmax(best, no_floor_rms) &&
                      stack->exponent >= exponent_low && stack->exponent <= exponent_high;
}

static int by_cores(const void *a, const void *b)
{
    const struct mw_site *x = *(const struct mw_site *const *)a, *y = *(const struct mw_site *const *)b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->freq_hz > y->freq_hz) - (x->freq_hz < y->freq_hz);
}

/* The frequencies in the order met; further ones than there is room for share the last. */
static size_t freq_index(struct mw_stack *stack, double freq_hz)
{
    size_t f = 0;
    while (f < stack->freq_count && !mw_freq_same(stack->freqs_hz[f], freq_hz))
        f++;
    if (f == stack->freq_count && f < MW_STACK_FREQS)
        stack->freqs_hz[stack->freq_count++] = freq_hz;
    return f < MW_STACK_FREQS ? f : MW_STACK_FREQS - 1;
}

static bool fill(struct rows *rows, const struct mw_sites *sites)
{
    struct mw_stack *stack = rows->stack;
    size_t room = sites->count;
    const struct mw_site **list = malloc((room + 1) * sizeof *list);
    rows->p = malloc((6 * room + 1) * sizeof *rows->p);
    rows->freq = malloc((room + 1) * sizeof *rows->freq);
    if (!list || !rows->p || !rows->freq) {
        free(list);
        return false;
    }
    rows->ln_p = rows->p + room;
    rows->ratio = rows->ln_p + room;
    rows->y = rows->ratio + room;
    rows->precision = rows->y + room;
    rows->level = rows->precision + room;
    for (size_t i = 0; i < room; i++)
        if (isfinite(sites->reading[i])) {
            list[rows->n++] = &sites->items[i];
            stack->clock_max_hz = fmax(stack->clock_max_hz, exp(sites->items[i].ln_clock));
        }
    qsort(list, rows->n, sizeof *list, by_cores);
    for (size_t i = 0; i < rows->n; i++) {
        rows->p[i] = list[i]->p;
        rows->ln_p[i] = list[i]->ln_p;
        rows->ratio[i] = stack->clock_max_hz / exp(list[i]->ln_clock);
        rows->y[i] = stack->quantity == MW_SPEEDUP ? -list[i]->ln_value : list[i]->ln_value;
        rows->precision[i] = 1 / list[i]->noise;
        rows->freq[i] = freq_index(stack, list[i]->freq_hz);
        if (!rows->level_count || rows->p[i] > rows->level[rows->level_count - 1])
            rows->level[rows->level_count++] = rows->p[i];
    }
    stack->many_freqs = stack->freq_count > 1;
    stack->p_max = rows->n ? rows->p[rows->n - 1] : 0;
    free(list);
    return true;
}

enum mw_err mw_stack_fit(struct mw_stack *stack, const struct mw_sites *sites, enum mw_quantity quantity,
                         struct mw_error *error)
{
    struct mw_stack made = {.quantity = quantity};
    struct rows rows = {.stack = &made};
    struct bench bench = {0};
    enum mw_err err = fill(&rows, sites) ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    size_t all = rows.n + MW_STACK_PARAMS + MW_STACK_FREQS;
    if (!err && !rows.n)
        err = mw_fail(error, MW_NOFIT, "no point to fit");
    if (!err)
        err = mw_polish_scratch_init(&bench.polish, all, MW_STACK_PARAMS, error);
    if (!err && !(bench.w = malloc(2 * all * sizeof *bench.w)))
        err = mw_fail(error, MW_NOMEM, "out of memory");
    if (!err) {
        bench.left = bench.w + all;
        made.noise = noise_of(&rows, rows.n, &bench);
        for (size_t l = 0; l < MW_STACK_LAWS; l++)
            fit_law(&rows, &laws[l], rows.n, 1, made.noise, tail, &bench, &made.fits[l]);
        weigh(&rows, &bench);
        look_for_floor(&rows, &bench);
        *stack = made;
    }
    mw_polish_scratch_release(&bench.polish);
    free(bench.w);
    free(rows.p);
    free(rows.freq);
    return err;
}

/* The weighted median, linear between the middles of the weights. */
static double middle_of(const double *value, const double *weight)
{
    size_t order[MW_STACK_LAWS];
    for (size_t l = 0; l < MW_STACK_LAWS; l++) {
        size_t k = l;
        for (; k > 0 && value[order[k - 1]] > value[l]; k--)
            order[k] = order[k - 1];
        order[k] = l;
    }
    double below = 0, last_at = 0, last = value[order[0]];
    for (size_t k = 0; k < MW_STACK_LAWS; k++) {
        double at = below + weight[order[k]] / 2, now = value[order[k]];
        if (at >= .5)
            return at > last_at && k ? last + (now - last) * (.5 - last_at) / (at - last_at) : now;
        below += weight[order[k]];
        last_at = at;
        last = now;
    }
    return last;
}

double mw_stack_spread(const struct mw_stack *stack, const struct mw_site *site)
{
    double value[MW_STACK_LAWS], sum = 0;
    for (size_t l = 0; l < MW_STACK_LAWS; l++)
        value[l] = ln_value(stack, &laws[l], &stack->fits[l], site);
    double middle = middle_of(value, stack->weight);
    for (size_t l = 0; l < MW_STACK_LAWS; l++)
        sum += stack->weight[l] * (value[l] - middle) * (value[l] - middle);
    return sqrt(sum);
}

double mw_stack_power(const struct mw_stack *stack, const struct mw_site *site)
{
    return ln_value(stack, &law_of_power, &stack->power, site);
}
