// SPDX-License-Identifier: GPL-3.0-or-later
// How many measurements the tuner needs, by replay of measured tables, beside simpler searches. `make bench-advice`.
#include "advise/tune/tune.h"
#include "bench/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct task tasks[] = {
    {"time", MW_OBJECTIVE_TIME, 0, 0},
    {"energy", MW_OBJECTIVE_ENERGY, 0, 0},
    {"edp", MW_OBJECTIVE_EDP, 0, 0},
    {"energy, slower by <= 5 %", MW_OBJECTIVE_ENERGY, .05, 0},
    {"energy, slower by <= 10 %", MW_OBJECTIVE_ENERGY, .1, 0},
    {"time, power <= .50", MW_OBJECTIVE_TIME, 0, .5},
    {"time, power <= .70", MW_OBJECTIVE_TIME, 0, .7},
    {"time, power <= .85", MW_OBJECTIVE_TIME, 0, .85},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

/* Reproducible normal deviates. */
static double normal(unsigned long long *state)
{
    double sum = 0;
    for (int k = 0; k < 12; k++) {
        *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
        sum += (double)(*state >> 11) / 9007199254740992.0;
    }
    return sum - 6;
}

struct noise {
    double time_sd, power_sd;
    bool known;
    unsigned long seed;
};

enum { MOST_POINTS = 20 }; /* the command's default */

static struct outcome run_tuner(const struct bench_table *t, const struct truth *truth, const struct noise *noise)
{
    struct outcome o = {.first = 0};
    struct mw_tune_options options = {.tolerance = search_tolerance,
                                      .max_points = MOST_POINTS,
                                      .boundaries = &t->boundary,
                                      .boundary_count = t->boundary > 0,
                                      .energy_only = t->energy_only,
                                      .repeats = noise->time_sd > 0,
                                      .seed = noise->seed + 1};
    struct mw_config *candidates = malloc(t->count * sizeof *candidates);
    for (size_t i = 0; i < t->count; i++)
        candidates[i] = (struct mw_config){t->cores[i], t->freq_hz[i]};
    struct mw_tuner *tuner;
    struct mw_error error;
    unsigned long long state = noise->seed * 7919 + 17;
    if (mw_tuner_alloc(&tuner, &truth->goal, &options, candidates, t->count, &error)) {
        fprintf(stderr, "%s: %s\n", t->name, error.message);
        exit(1);
    }
    for (;;) {
        size_t i;
        char reason[160];
        if (mw_tuner_next(tuner, &i, reason, sizeof reason) != MW_TUNE_GOES_ON)
            break;
        double e = exp(noise->time_sd * normal(&state)), w = exp(noise->power_sd * normal(&state));
        struct mw_reading reading = {.time_s = t->time_s[i] * e,
                                     .energy_j = t->energy_j[i] * e * w,
                                     .spread = noise->known ? noise->time_sd : 0};
        if (mw_tuner_observe(tuner, i, &reading, NULL, &error)) {
            fprintf(stderr, "%s: %s\n", t->name, error.message);
            exit(1);
        }
        struct mw_tune_result r = mw_tuner_result(tuner);
        if (!o.first && truth_reached(truth, i))
            o.first = r.taken;
    }
    struct mw_tune_result r = mw_tuner_result(tuner);
    size_t chosen = r.steps[r.recommended].candidate;
    o.stop = r.taken;
    o.feasible = r.feasible;
    o.regret = truth->ln_objective[chosen] - truth->best;
    if (truth->goal.power_cap_w > 0)
        o.broken = log(t->energy_j[chosen] / t->time_s[chosen] / truth->goal.power_cap_w);
    if (truth->goal.has_slowdown)
        o.broken = log(t->time_s[chosen] / t->time_s[table_reference(t)] / (1 + truth->goal.max_slowdown));
    if (!o.first)
        o.first = r.taken + 1;
    mw_tuner_free(tuner);
    free(candidates);
    return o;
}

/* A rival, or the tuner with this noise on its readings. */
struct search {
    struct outcome (*run)(const struct bench_table *t, const struct truth *truth, unsigned long seed);
    struct noise noise;
};

struct summary {
    size_t runs, first_max, stop_max, early, broken;
    double first, stop, regret, regret_max;
};

static void add(struct summary *s, const struct outcome *o)
{
    double regret = fmax(0, o->regret);
    s->runs++;
    s->first += (double)o->first;
    s->stop += (double)o->stop;
    s->first_max = o->first > s->first_max ? o->first : s->first_max;
    s->stop_max = o->stop > s->stop_max ? o->stop : s->stop_max;
    s->early += o->stop > 0 && (o->regret > log1p(search_tolerance) || !o->feasible);
    s->broken += o->broken > .01;
    s->regret += regret;
    s->regret_max = fmax(s->regret_max, regret);
}

static void print(const char *name, const struct summary *s)
{
    double n = (double)s->runs;
    printf("%-34s %4zu %7.1f %4zu", name, s->runs, s->first / n, s->first_max);
    if (s->stop > 0)
        printf(" %7.1f %4zu %7.1f %7.2f %6.1f %5zu", s->stop / n, s->stop_max, 100 * (double)s->early / n,
               100 * s->regret / n, 100 * s->regret_max, s->broken);
    printf("\n");
}

static void heading(const char *title)
{
    printf("\n%s\n%-34s %4s %7s %4s %7s %4s %7s %7s %6s %5s\n", title, "", "runs", "to have", "max", "to know", "max",
           "early %", "regret%", "max", "broken");
}

static struct outcome run_one(const struct bench_table *t, const struct truth *truth, const struct search *search,
                              unsigned long seed)
{
    if (search->run)
        return search->run(t, truth, seed);
    struct noise n = search->noise;
    n.seed = seed;
    return run_tuner(t, truth, &n);
}

static void over_tables(const char *title, const struct bench_tables *tables, size_t first_task, size_t last_task,
                        const struct search *search, unsigned long seeds, bool each)
{
    struct summary all = {0};
    heading(title);
    for (size_t k = first_task; k <= last_task; k++) {
        struct summary s = {0};
        for (size_t i = 0; i < tables->count; i++) {
            struct truth truth = truth_find(&tables->items[i], &tasks[k]);
            for (unsigned long seed = 0; seed < seeds && truth.any; seed++) {
                struct outcome o = run_one(&tables->items[i], &truth, search, seed * 1000 + i);
                add(&s, &o);
                add(&all, &o);
            }
            truth_forget(&truth);
        }
        if (each)
            print(tasks[k].name, &s);
    }
    print("all", &all);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    struct bench_tables power = {0}, multicores = {0}, speedup = {0};
    if (!bench_read_power(&power) || !bench_read_multicores(&multicores) || !bench_read_speedup(&speedup, true)) {
        printf("bench-advice: no measured tables at ../shared/data: skipped\n");
        return 0;
    }
    const struct search tuner = {0}, random = {.run = search_random}, grid = {.run = search_grid},
                        gp = {.run = search_gaussian_process};
    const struct search noisy = {.noise = {.time_sd = .05, .power_sd = .01}};
    const struct search told = {.noise = {.time_sd = .05, .power_sd = .01, .known = true}};
    printf(
        "to have: measurements until the best is within 2 %% of the table's; to know: at the search's own stop;\n"
        "early: stopped with more than 2 %% left; regret: of what is recommended, in the true table; broken: limits, by over 1 %%\n");
    if (strstr("power", only)) {
        over_tables("parsec-power, memwall tune", &power, 0, TASKS - 1, &tuner, 1, true);
        over_tables("parsec-power, expected improvement on a plain Gaussian process", &power, 0, TASKS - 1, &gp, 1,
                    true);
        over_tables("parsec-power, grid", &power, 0, TASKS - 1, &grid, 1, false);
        over_tables("parsec-power, random", &power, 0, TASKS - 1, &random, 20, false);
    }
    if (strstr("noise", only)) {
        over_tables("parsec-power, 5 % noise, readings without repetitions, memwall tune", &power, 0, TASKS - 1, &noisy,
                    2, true);
        over_tables("parsec-power, 5 % noise, known from repetitions, memwall tune", &power, 0, TASKS - 1, &told, 2,
                    true);
    }
    if (strstr("multicores", only)) {
        over_tables("multicores, one frequency, memwall tune", &multicores, 0, 2, &tuner, 1, true);
        over_tables("multicores, plain Gaussian process", &multicores, 0, 2, &gp, 1, false);
    }
    if (strstr("long", only)) {
        over_tables("parsec-speedup, long sets, energies alone, memwall tune", &speedup, 1, 1, &tuner, 1, false);
        over_tables("parsec-speedup, long sets, plain Gaussian process", &speedup, 1, 1, &gp, 1, false);
    }
    bench_release(&power);
    bench_release(&multicores);
    bench_release(&speedup);
    return 0;
}
