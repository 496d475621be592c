// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/recommend_noise.h"

#include "advise/recommend/recommend.h"
#include "bench/search.h"
#include "data/stats.h"
#include "fit/predict/mixture.h"
#include "fit/search/power.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 3 };
/* A meter scatters less than a run takes time: trials of docs/advice.md. */
static const double power_noise = .02;

struct tally {
    size_t runs, limited, broken;
    double regret, inside, inside_run, change_inside, half_width, measured;
};

static _Noreturn void give_up(const char *name, const struct mw_error *error)
{
    fprintf(stderr, "bench-recommend: %s: %s\n", name, error ? error->message : "out of memory");
    exit(1);
}

/* Which rows of a table are measured: at most three frequencies, and of the core counts 1, 2, 3, 4, 6, 8 … */
static bool is_measured(const struct bench_table *t, size_t i)
{
    double low = INFINITY, high = 0;
    unsigned p = t->cores[i], most = 0;
    for (size_t k = 0; k < t->count; k++) {
        low = fmin(low, t->freq_hz[k]);
        high = fmax(high, t->freq_hz[k]);
        most = t->cores[k] > most ? t->cores[k] : most;
    }
    double f = t->freq_hz[i], middle = 1e8 * round((low + high) / 2e8);
    bool at = fabs(f - low) < 1e6 || fabs(f - high) < 1e6 || fabs(f - middle) < 1e6;
    return at && (p == 1 || p == most || most <= 8 || p % (most <= 24 ? 2 : 4) == 0);
}

static struct mw_point noisy(const struct bench_table *t, size_t i, double noise, size_t repetitions, gsl_rng *rng)
{
    double time_s[REPETITIONS], power_w[REPETITIONS], ln[REPETITIONS], mean = 0, sum = 0;
    for (size_t r = 0; r < repetitions; r++) {
        time_s[r] = t->time_s[i] * exp(gsl_ran_gaussian(rng, noise));
        power_w[r] = t->energy_j[i] / t->time_s[i] * exp(gsl_ran_gaussian(rng, power_noise));
        ln[r] = log(time_s[r]);
        mean += ln[r] / (double)repetitions;
    }
    for (size_t r = 0; r < repetitions; r++)
        sum += (ln[r] - mean) * (ln[r] - mean);
    struct mw_point point = {.cores = t->cores[i],
                             .freq_hz = t->freq_hz[i],
                             .value = mw_median(time_s, repetitions),
                             .spread = repetitions > 1 ? sqrt(sum / (double)(repetitions - 1)) : 0,
                             .count = repetitions,
                             .noise_factor = 1,
                             .has_power = true,
                             .power_w = mw_median(power_w, repetitions)};
    point.has_energy = true;
    point.energy_j = point.power_w * point.value;
    return point;
}

static struct mw_model model_of(const struct bench_table *t, double noise, size_t repetitions, gsl_rng *rng)
{
    struct mw_error error;
    struct mw_model model = {
        .quantity = MW_TIME, .memory_freq_hz = 2.133e9, .seed = 1, .points = {.quantity = MW_TIME}};
    model.points.items = calloc(t->count, sizeof *model.points.items);
    if (!model.points.items)
        give_up(t->name, NULL);
    for (size_t i = 0; i < t->count; i++)
        if (is_measured(t, i))
            model.points.items[model.points.count++] = noisy(t, i, noise, repetitions, rng);
    if (mw_mixture_fit(&model, &error) || mw_power_fit(&model.power, &model.points, t->boundary, 1, &error))
        give_up(t->name, &error);
    return model;
}

static size_t row_of(const struct bench_table *t, struct mw_config c)
{
    size_t i = 0;
    while (i < t->count && !(t->cores[i] == c.cores && fabs(t->freq_hz[i] - c.freq_hz) < 1e6))
        i++;
    return i;
}

static bool holds(double value, const struct mw_spread *s)
{
    return value >= s->low && value <= s->high;
}

/* One question to one model. */
static void ask(const struct bench_table *t, const struct mw_model *model, const struct task *task, double noise,
                gsl_rng *rng, struct tally *tally)
{
    struct truth truth = truth_find(t, task);
    struct mw_recommendation r = {0};
    struct mw_error error;
    if (mw_recommend(&r, model, &truth.goal, &(struct mw_recommend_options){0}, &error))
        give_up(t->name, &error);
    const struct mw_option *o = &r.options[r.choice];
    size_t row = row_of(t, o->candidate), reference = row_of(t, r.reference.candidate);
    if (r.feasible && row < t->count && reference < t->count) {
        double run = t->time_s[row] * exp(gsl_ran_gaussian(rng, noise));
        tally->runs++;
        tally->inside += holds(t->time_s[row], &o->time_s);
        tally->inside_run += holds(run, &o->time_s);
        tally->change_inside += row == reference || holds(t->time_s[row] / t->time_s[reference] - 1, &r.time_change);
        tally->half_width += log(o->time_s.high / o->time_s.low) / 2;
        tally->measured += o->measured;
        if (task->slowdown > 0 || task->cap > 0) {
            tally->limited++;
            tally->broken += truth.limited[row] > truth.limit + 1e-6;
        } else {
            tally->regret += truth.ln_objective[row] - truth.best;
        }
    }
    mw_recommendation_release(&r);
    truth_forget(&truth);
}

void recommend_from_noise(const struct bench_tables *tables, const char *corpus, unsigned long seeds)
{
    static const double noises[] = {.05, .1, .15};
    static const struct task free_tasks[] = {{"time", MW_OBJECTIVE_TIME, 0, 0}, {"energy", MW_OBJECTIVE_ENERGY, 0, 0}};
    static const struct task limits[] = {
        {"", MW_OBJECTIVE_ENERGY, .1, 0}, {"", MW_OBJECTIVE_ENERGY, .25, 0}, {"", MW_OBJECTIVE_TIME, 0, .7}};
    printf(
        "\nnoisy %s: 90 %% intervals of what is chosen, %% that hold the time without noise and that of one more run\n"
        "%6s %5s %6s %9s %9s %9s %9s %9s %9s %9s\n",
        corpus, "noise", "runs", "asked", "regret %", "time", "one run", "change", "half ln", "measured", "broken %");
    for (size_t k = 0; k < 3; k++)
        for (size_t repetitions = 1; repetitions <= REPETITIONS; repetitions += 2) {
            struct tally plain = {0}, bound = {0};
            for (size_t i = 0; i < tables->count; i++)
                for (unsigned long seed = 1; seed <= seeds; seed++) {
                    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
                    gsl_rng_set(rng, seed * 1000 + i);
                    struct mw_model model = model_of(&tables->items[i], noises[k], repetitions, rng);
                    for (size_t q = 0; q < 2; q++)
                        ask(&tables->items[i], &model, &free_tasks[q], noises[k], rng, &plain);
                    for (size_t q = 0; q < 3; q++)
                        ask(&tables->items[i], &model, &limits[q], noises[k], rng, &bound);
                    mw_model_release(&model);
                    gsl_rng_free(rng);
                }
            double n = (double)plain.runs, m = (double)bound.limited;
            printf("%4.0f %% %5zu %6zu %9.2f %9.1f %9.1f %9.1f %9.3f %9.1f %9.1f\n", 100 * noises[k], repetitions,
                   plain.runs, 100 * plain.regret / n, 100 * plain.inside / n, 100 * plain.inside_run / n,
                   100 * plain.change_inside / n, plain.half_width / n, 100 * plain.measured / n,
                   100 * (double)bound.broken / m);
            fflush(stdout);
        }
}
