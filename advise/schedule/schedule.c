// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/schedule/schedule.h"

#include "advise/schedule/knapsack.h"
#include "data/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    const struct mw_job *jobs;
    size_t count;
    const struct mw_jobs_limits *limits;
    struct mw_choice *choices; /* room for all options */
    size_t *picked;            /* of each job, index into choices */
};

enum weight { COST_ENERGY, COST_CORES, COST_POWER };

/* Equal times are equal whatever their last bit. */
static const double rounding = 1e-12;

static bool in_time(const struct mw_job *job, const struct mw_job_option *o, double longest)
{
    return (!(job->deadline_s > 0) || o->time_s <= job->deadline_s * (1 + rounding)) &&
           o->time_s <= longest * (1 + rounding);
}

/* The best assignment with all times within `longest`; task->picked and the choices hold it. */
static enum mw_err solve(struct task *t, double longest, enum weight what, bool *feasible, struct mw_error *error)
{
    size_t n = 0;
    const double none = INFINITY;
    const double capacity[2] = {what == COST_CORES ? none : (double)t->limits->cores,
                                what == COST_POWER || !(t->limits->power_cap_w > 0) ? none : t->limits->power_cap_w};
    for (size_t j = 0; j < t->count; j++) {
        size_t before = n;
        for (size_t o = 0; o < t->jobs[j].option_count; o++) {
            const struct mw_job_option *option = &t->jobs[j].options[o];
            if (!in_time(&t->jobs[j], option, longest) || option->cores > t->limits->cores)
                continue;
            double cost = what == COST_ENERGY ? option->energy_j : what == COST_CORES ? option->cores : option->power_w;
            t->choices[n++] =
                (struct mw_choice){.class = j, .origin = o, .cost = cost, .weight = {option->cores, option->power_w}};
        }
        if (n == before) {
            *feasible = false;
            return MW_OK;
        }
    }
    return mw_knapsack_solve(t->choices, n, t->count, capacity, t->picked, feasible, error);
}

/* The shortest longest time: bisection over the times that there are, each a question of fitting. */
static enum mw_err shortest(struct task *t, double *longest, bool *feasible, struct mw_error *error)
{
    size_t n = 0, total = 0;
    for (size_t j = 0; j < t->count; j++)
        total += t->jobs[j].option_count;
    double *times = malloc(total * sizeof *times);
    if (!times)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t j = 0; j < t->count; j++)
        for (size_t o = 0; o < t->jobs[j].option_count; o++)
            times[n++] = t->jobs[j].options[o].time_s;
    mw_sort(times, n);
    enum mw_err err = MW_OK;
    size_t low = 0, high = n - 1;
    *feasible = false;
    while (!err && low <= high) {
        size_t middle = low + (high - low) / 2;
        bool fits;
        err = solve(t, times[middle], COST_ENERGY, &fits, error);
        if (!err && fits) {
            *longest = times[middle];
            *feasible = true;
            if (!middle)
                break;
            high = middle - 1;
        } else {
            low = middle + 1;
        }
    }
    free(times);
    return err;
}

static double sum_picked(const struct task *t, enum weight what)
{
    double sum = 0;
    for (size_t j = 0; j < t->count; j++) {
        const struct mw_choice *c = &t->choices[t->picked[j]];
        sum += what == COST_CORES ? c->weight[0] : c->weight[1];
    }
    return sum;
}

/* A job that cannot keep its own deadline on the cores there are. */
static bool explain_job(const struct task *t, char *text, size_t size)
{
    for (size_t j = 0; j < t->count; j++) {
        const struct mw_job_option *fastest = NULL;
        bool possible = false;
        for (size_t o = 0; o < t->jobs[j].option_count; o++) {
            const struct mw_job_option *option = &t->jobs[j].options[o];
            if (option->cores > t->limits->cores)
                continue;
            possible = possible || in_time(&t->jobs[j], option, INFINITY);
            if (!fastest || option->time_s < fastest->time_s)
                fastest = option;
        }
        if (possible)
            continue;
        if (fastest)
            snprintf(text, size, "job '%s' cannot keep its deadline of %.5g s: %.5g s on %u cores is its fastest",
                     t->jobs[j].name, t->jobs[j].deadline_s, fastest->time_s, fastest->cores);
        else
            snprintf(text, size, "job '%s' needs more than the %u cores there are", t->jobs[j].name, t->limits->cores);
        return true;
    }
    return false;
}

/* Each limit alone, then what one needs under the other. */
static enum mw_err explain(struct task *t, char *text, size_t size, struct mw_error *error)
{
    const struct mw_jobs_limits *limits = t->limits, none = {.cores = limits->cores};
    bool fits;
    if (explain_job(t, text, size))
        return MW_OK;
    t->limits = &none;
    enum mw_err err = solve(t, INFINITY, COST_CORES, &fits, error);
    double cores = !err && fits ? sum_picked(t, COST_CORES) : 0;
    if (!err && cores > limits->cores) {
        snprintf(text, size, "the cores: the jobs with their deadlines need at least %.0f at once, %u are there", cores,
                 limits->cores);
    } else if (!err) {
        err = solve(t, INFINITY, COST_POWER, &fits, error); /* under the cores, without the cap */
        double power = !err && fits ? sum_picked(t, COST_POWER) : 0;
        if (!err)
            snprintf(text, size,
                     "the power cap of %.5g W: on %u cores with their deadlines the jobs need at least %.5g W",
                     limits->power_cap_w, limits->cores, power);
    }
    t->limits = limits;
    return err;
}

static void take(struct mw_assignment *a, const struct task *t)
{
    a->feasible = true;
    for (size_t j = 0; j < t->count; j++) {
        a->option[j] = t->choices[t->picked[j]].origin;
        const struct mw_job_option *o = &t->jobs[j].options[a->option[j]];
        a->cores += o->cores;
        a->power_w += o->power_w;
        a->energy_j += o->energy_j;
        a->makespan_s = fmax(a->makespan_s, o->time_s);
    }
}

enum mw_err mw_jobs_assign(struct mw_assignment *assignment, const struct mw_job *jobs, size_t count,
                           const struct mw_jobs_limits *limits, enum mw_jobs_objective objective,
                           struct mw_error *error)
{
    size_t total = 0;
    for (size_t j = 0; j < count; j++) {
        if (!jobs[j].option_count)
            return mw_fail(error, MW_USAGE, "job '%s' has nothing to choose from", jobs[j].name);
        total += jobs[j].option_count;
    }
    if (!count)
        return mw_fail(error, MW_USAGE, "there is no job");
    struct mw_assignment a = {.option = calloc(count, sizeof *a.option)};
    struct task t = {.jobs = jobs,
                     .count = count,
                     .limits = limits,
                     .choices = calloc(total, sizeof *t.choices),
                     .picked = calloc(count, sizeof *t.picked)};
    bool feasible = false;
    double longest = INFINITY;
    enum mw_err err = a.option && t.choices && t.picked ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err && objective == MW_JOBS_MAKESPAN)
        err = shortest(&t, &longest, &feasible, error);
    if (!err && (objective == MW_JOBS_ENERGY || feasible))
        err = solve(&t, longest, COST_ENERGY, &feasible, error);
    if (!err && feasible)
        take(&a, &t);
    else if (!err)
        err = explain(&t, a.obstacle, sizeof a.obstacle, error);
    free(t.choices);
    free(t.picked);
    if (err)
        free(a.option);
    else
        *assignment = a;
    return err;
}

void mw_assignment_release(struct mw_assignment *assignment)
{
    free(assignment->option);
    memset(assignment, 0, sizeof *assignment);
}
