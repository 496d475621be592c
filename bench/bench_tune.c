// SPDX-License-Identifier: GPL-3.0-or-later
// How many measurements the tuner needs, by replay of measured tables, beside simpler searches. `make bench-advice`.
#include "advise/tune.h"
#include "bench/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    const char *name;
    enum mw_objective objective;
    double slowdown, cap; /* fraction over, share of, the reference; 0: none */
};

static const struct task tasks[] = {
    {"time", MW_OBJECTIVE_TIME, 0, 0},           {"energy", MW_OBJECTIVE_ENERGY, 0, 0},
    {"edp", MW_OBJECTIVE_EDP, 0, 0},             {"energy, slower by <= 5 %", MW_OBJECTIVE_ENERGY, .05, 0},
    {"energy, slower by <= 10 %", MW_OBJECTIVE_ENERGY, .1, 0}, {"time, power <= .50", MW_OBJECTIVE_TIME, 0, .5},
    {"time, power <= .70", MW_OBJECTIVE_TIME, 0, .7}, {"time, power <= .85", MW_OBJECTIVE_TIME, 0, .85},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

static const double tolerance = .02;

/* What a run of a search came to. */
struct outcome {
    size_t first;  /* measurements until the best is within the tolerance of the table's */
    size_t stop;   /* measurements at its own stop; 0: it has none */
    double regret; /* true objective of what it recommends over the table's best, ln */
    double broken; /* ln by which the recommendation breaks the limit; <= 0 holds */
    bool feasible;
};

/* The truth about one task on one table. */
struct truth {
    struct mw_goal goal;
    double *ln_objective;
    bool *feasible;
    double best, limit;
    bool any;
};

static size_t reference(const struct bench_table *t)
{
    size_t best = 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->freq_hz[i] > t->freq_hz[best] || (t->freq_hz[i] >= t->freq_hz[best] && t->cores[i] > t->cores[best]))
            best = i;
    return best;
}

static struct truth find_truth(const struct bench_table *t, const struct task *task)
{
    size_t r = reference(t);
    struct truth truth = {.goal = {.objective = task->objective, .certainty = .9}, .best = INFINITY};
    truth.goal.has_slowdown = task->slowdown > 0;
    truth.goal.max_slowdown = task->slowdown;
    truth.goal.power_cap_w = task->cap > 0 ? task->cap * t->energy_j[r] / t->time_s[r] : 0;
    truth.ln_objective = malloc(t->count * sizeof *truth.ln_objective);
    truth.feasible = malloc(t->count * sizeof *truth.feasible);
    for (size_t i = 0; i < t->count; i++) {
        struct mw_outlook o = {0};
        double variance;
        o.ln_time = t->energy_only ? 0 : log(t->time_s[i]);
        o.ln_power = log(t->energy_j[i]) - o.ln_time;
        truth.ln_objective[i] = mw_goal_value(&truth.goal, &o, &variance);
        truth.feasible[i] = mw_goal_chance(&truth.goal, &o, t->energy_only ? 0 : log(t->time_s[r])) > .5;
        if (truth.feasible[i] && truth.ln_objective[i] < truth.best) {
            truth.best = truth.ln_objective[i];
            truth.any = true;
        }
    }
    return truth;
}

static void forget_truth(struct truth *truth)
{
    free(truth->ln_objective);
    free(truth->feasible);
}

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

static struct outcome run_tuner(const struct bench_table *t, const struct truth *truth, const struct noise *noise)
{
    struct outcome o = {.first = 0};
    struct mw_tune_options options = {.tolerance = tolerance, .max_points = getenv("MAXP") ? atoi(getenv("MAXP")) : 20,
                                      .boundaries = &t->boundary, .boundary_count = t->boundary > 0,
                                      .energy_only = t->energy_only, .seed = noise->seed + 1};
    struct mw_candidate *candidates = malloc(t->count * sizeof *candidates);
    for (size_t i = 0; i < t->count; i++)
        candidates[i] = (struct mw_candidate){t->cores[i], t->freq_hz[i]};
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
        struct mw_reading reading = {.time_s = t->time_s[i] * e, .energy_j = t->energy_j[i] * e * w,
                                     .spread = noise->known ? noise->time_sd : 0};
        if (mw_tuner_observe(tuner, i, &reading, NULL, &error)) {
            fprintf(stderr, "%s: %s\n", t->name, error.message);
            exit(1);
        }
        struct mw_tune_result r = mw_tuner_result(tuner);
        if (!o.first && truth->feasible[i] && truth->ln_objective[i] <= truth->best + log1p(tolerance))
            o.first = r.count;
        if (getenv("BENCH_TRACE"))
            printf("    %2zu  %2u %.1f  %.3f %s  left %.3f  %s\n", r.count, t->cores[i], t->freq_hz[i] / 1e9,
                   truth->ln_objective[i] - truth->best, truth->feasible[i] ? "" : "infeasible",
                   r.steps[r.count - 1].chance_left, reason);
    }
    struct mw_tune_result r = mw_tuner_result(tuner);
    size_t chosen = r.steps[r.recommended].candidate;
    o.stop = r.count;
    o.feasible = r.feasible;
    o.regret = truth->ln_objective[chosen] - truth->best;
    if (truth->goal.power_cap_w > 0)
        o.broken = log(t->energy_j[chosen] / t->time_s[chosen] / truth->goal.power_cap_w);
    if (truth->goal.has_slowdown)
        o.broken = log(t->time_s[chosen] / t->time_s[reference(t)] / (1 + truth->goal.max_slowdown));
    if (!o.first)
        o.first = r.count + 1;
    mw_tuner_free(tuner);
    free(candidates);
    return o;
}

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
    s->early += o->stop > 0 && (o->regret > log1p(tolerance) || !o->feasible);
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

static void over_tables(const char *title, const struct bench_tables *tables, size_t first_task, size_t last_task,
                        const struct noise *noise, unsigned long seeds, bool each)
{
    struct summary all = {0};
    heading(title);
    for (size_t k = first_task; k <= last_task; k++) {
        struct summary s = {0};
        for (size_t i = 0; i < tables->count; i++) {
            struct truth truth = find_truth(&tables->items[i], &tasks[k]);
            for (unsigned long seed = 0; seed < seeds && truth.any; seed++) {
                struct noise n = *noise;
                n.seed = noise->seed + seed * 1000 + i;
                if (getenv("BENCH_TRACE"))
                    printf("  %s %s\n", tables->items[i].name, tasks[k].name);
                struct outcome o = run_tuner(&tables->items[i], &truth, &n);
                add(&s, &o);
                add(&all, &o);
            }
            forget_truth(&truth);
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
    struct bench_tables power = {0}, multicores = {0}, speedup_long = {0};
    if (!bench_read_power(&power) || !bench_read_multicores(&multicores) || !bench_read_speedup(&speedup_long, true)) {
        printf("bench-advice: no measured tables at ../shared/data: skipped\n");
        return 0;
    }
    const struct noise none = {.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0};
    if (strstr("power", only))
        over_tables("parsec-power, tuner", &power, 0, TASKS - 1, &none, getenv("SEEDS") ? atoi(getenv("SEEDS")) : 1, true);
    if (strstr("noise", only)) {
        const struct noise known = {.time_sd = .05, .power_sd = .01, .known = true}, unknown = {.time_sd = .05, .power_sd = .01};
        over_tables("parsec-power, 5 % noise, known", &power, 0, TASKS-1, &known, getenv("SEEDS") ? atoi(getenv("SEEDS")) : 2, true);
        over_tables("parsec-power, 5 % noise, not known", &power, 0, TASKS-1, &unknown,  getenv("SEEDS") ? atoi(getenv("SEEDS")) : 2, true);
    }
    if (strstr("multicores", only))
        over_tables("multicores, tuner", &multicores, 0, 2, &none, getenv("SEEDS") ? atoi(getenv("SEEDS")) : 1, true);
    if (strstr("long", only))
        over_tables("parsec-speedup, long sets, energy only, tuner", &speedup_long, 1, 1, &none, getenv("SEEDS") ? atoi(getenv("SEEDS")) : 1, true);
    return 0;
}
