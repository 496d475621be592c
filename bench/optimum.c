// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Whether the optimum is the optimum: searches of every law on every usable set under every loss, beside differential
 * evolution with Nelder and Mead's simplex and a multistart, which know nothing of patterns, annealing or each other.
 * usage: optimum [seeds [starts [law...]]]   tables under $MEMWALL_DATA or ../shared/data
 */
#include "fit/numeric/guard.h"
#include "bench/splits.h"
#include "fit/numeric/polish.h"
#include "fit/search/score.h"
#include "fit/search/starts.h"
#include "model/laws.h"
#include "model/time.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX = MW_LAW_MAX_PARAMS };
static const double tolerance = 1e-6;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench-optimum: %s: %s\n", what, why);
    exit(1);
}

static void random_params(const struct mw_problem *problem, gsl_rng *rng, double *params)
{
    for (size_t j = 0; j < problem->law->param_count; j++) {
        params[j] = mw_start_value(problem->low[j], problem->high[j], gsl_rng_uniform(rng));
        if (problem->law->whole & 1u << j)
            params[j] = floor(params[j]);
    }
}

/* The best of many random starts, each polished; of whole parameters every value is a start now and then. */
static double multistart(const struct mw_problem *problem, size_t starts, gsl_rng *rng)
{
    struct mw_error error;
    double best = HUGE_VAL;
    for (size_t i = 0; i < starts; i++) {
        struct mw_optimum at = {.loss = HUGE_VAL};
        random_params(problem, rng, at.params);
        for (size_t j = 0; j < problem->law->param_count; j++) {
            double values = floor(problem->high[j]) - ceil(problem->low[j]) + 1;
            if (problem->law->whole & 1u << j)
                at.params[j] = ceil(problem->low[j]) + fmod((double)i, values);
        }
        if (mw_search_near(&at, problem, 80, &error))
            stop("multistart", error.message);
        best = fmin(best, at.loss);
    }
    return best;
}

struct evaluator {
    const struct mw_problem *problem;
    struct mw_scratch scratch;
};

static double loss_at(void *context, const double *params)
{
    struct evaluator *e = context;
    double loss = mw_problem_loss(e->problem, params, NULL, &e->scratch);
    return isfinite(loss) ? loss : HUGE_VAL;
}

/* Storn and Price, Journal of Global Optimization 11 (1997): best/1/bin with dithered factor, ended by the simplex. */
static double differential_evolution(const struct mw_problem *problem, gsl_rng *rng)
{
    enum { POPULATION = 60, GENERATIONS = 400, SIMPLEX = 2000 };
    struct evaluator e = {.problem = problem};
    struct mw_error error;
    double x[POPULATION][MAX] = {{0}}, loss[POPULATION], value;
    size_t d = problem->law->param_count, best = 0;
    if (mw_scratch_init(&e.scratch, problem, &error))
        stop("differential evolution", error.message);
    for (size_t i = 0; i < POPULATION; i++) {
        random_params(problem, rng, x[i]);
        loss[i] = loss_at(&e, x[i]);
        best = loss[i] < loss[best] ? i : best;
    }
    for (size_t step = 0; step < (size_t)POPULATION * GENERATIONS; step++) {
        size_t i = step % POPULATION, a = gsl_rng_uniform_int(rng, POPULATION),
               b = gsl_rng_uniform_int(rng, POPULATION), always = gsl_rng_uniform_int(rng, d);
        double trial[MAX] = {0}, factor = .5 + .5 * gsl_rng_uniform(rng);
        for (size_t j = 0; j < d; j++) {
            bool cross = j == always || gsl_rng_uniform(rng) < .7;
            trial[j] = cross ? x[best][j] + factor * (x[a][j] - x[b][j]) : x[i][j];
            if (trial[j] < problem->low[j] || trial[j] > problem->high[j])
                trial[j] = problem->low[j] + gsl_rng_uniform(rng) * (problem->high[j] - problem->low[j]);
        }
        double then = loss_at(&e, trial);
        if (then <= loss[i]) {
            loss[i] = then;
            memcpy(x[i], trial, sizeof trial);
            best = then < loss[best] ? i : best;
        }
    }
    mw_polish_simplex(d, problem->low, problem->high, loss_at, &e, x[best], .05, SIMPLEX, &value);
    mw_scratch_release(&e.scratch);
    return value;
}

struct tally {
    size_t problems, searches, apart,
        beaten; /* apart: seeds disagree; beaten: another method is better than some seed */
    double worst, time_s, slowest_s;
};

static double other_methods(const struct mw_problem *problem, size_t starts)
{
    enum { RUNS = 3 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 4711);
    double best = multistart(problem, starts, rng);
    for (int run = 0; run < RUNS; run++)
        best = fmin(best, differential_evolution(problem, rng));
    gsl_rng_free(rng);
    return best;
}

/* The problem as a fit of this law alone poses it; false where there is none: no one-core run to form speedups with. */
static bool pose(struct mw_problem *problem, const struct bench_set *set, const struct mw_law *law, enum mw_loss loss)
{
    static const struct mw_knowledge knowledge = {.memory_freq_hz = MW_MEMORY_FREQ_ASSUMED_HZ};
    const struct mw_score_options options = {.loss = loss, .method = MW_METHOD_CSA, .seed = 1, .knowledge = &knowledge};
    const struct mw_law *of_scale = law->weak_scaling ? &mw_law_sun_ni : &mw_law_vls;
    struct mw_error error;
    if (mw_problem_init(problem, &set->points, loss, MW_MEMORY_FREQ_ASSUMED_HZ, &error))
        return false;
    if (loss == MW_LOSS_ROBUST && mw_robust_scale(&problem->robust_scale, &set->points, of_scale, &options, &error))
        stop(set->name, error.message);
    mw_problem_law(problem, law);
    return true;
}

static void judge(struct tally *tally, const struct bench_set *set, const struct mw_law *law, enum mw_loss loss,
                  size_t seeds, size_t starts)
{
    struct mw_problem problem;
    struct mw_error error;
    double low = HUGE_VAL, high = 0;
    size_t off = 0;
    double *found = calloc(seeds + 1, sizeof *found);
    if (!found || !pose(&problem, set, law, loss)) {
        free(found);
        return;
    }
    for (size_t seed = 0; seed < seeds; seed++) {
        struct mw_optimum best;
        double start = now_s();
        if (mw_search(&best, &problem, MW_METHOD_CSA, seed + 1, &error))
            stop(set->name, error.message);
        double took = now_s() - start;
        tally->time_s += took;
        tally->slowest_s = fmax(tally->slowest_s, took);
        found[seed] = best.loss;
        low = fmin(low, best.loss);
        high = fmax(high, best.loss);
    }
    double other = other_methods(&problem, starts), known = fmin(low, other);
    for (size_t seed = 0; seed < seeds; seed++)
        off += found[seed] > known * (1 + tolerance);
    tally->problems++;
    tally->searches += seeds;
    tally->apart += high > low * (1 + tolerance);
    tally->beaten += high > other * (1 + tolerance);
    tally->worst = fmax(tally->worst, high / known - 1);
    if (off)
        printf("  %s, %s, %s: %zu of %zu seeds off, worst by %.2e; best seed by %.2e\n", set->name, law->name,
               mw_loss_name(loss), off, seeds, high / known - 1, low / known - 1);
    fflush(stdout);
    free(found);
    mw_problem_release(&problem);
}

static void judge_law(const struct mw_law *law, const struct bench_sets *corpora, size_t count, size_t seeds,
                      size_t starts)
{
    struct tally t = {0};
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < corpora[c].count; i++)
            for (int loss = MW_LOSS_ROBUST; loss <= MW_LOSS_SPEEDUP_MSE; loss++)
                judge(&t, &corpora[c].items[i], law, (enum mw_loss)loss, seeds, starts);
    printf("%-18s %8zu %6zu %8zu %8zu %10.1e %10.1f %10.1f\n", law->name, t.problems, seeds, t.apart, t.beaten, t.worst,
           1e3 * t.time_s / fmax((double)t.searches, 1), 1e3 * t.slowest_s);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    enum { CORPORA = 3, LAWS = 3 }; /* LAWS: arguments before the laws */
    static const char *const names[CORPORA] = {"parsec-speedup", "parsec-power", "multicores"};
    struct bench_sets corpora[CORPORA];
    size_t seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 10, starts = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    mw_guard_enter();
    omp_set_num_threads(1);
    for (size_t c = 0; c < CORPORA; c++)
        if (!bench_sets_read(&corpora[c], names[c]))
            printf("skipped: no %s in ../shared/data\n", names[c]);
    printf(
        "problems (sets x losses) where seeds are apart, and where some seed is beaten by %zu polished starts or by\n"
        "differential evolution and simplex, both by over 1e-6; ms of a search, mean and slowest\n\n"
        "%-18s %8s %6s %8s %8s %10s %10s %10s\n",
        starts, "law", "problems", "seeds", "apart", "beaten", "worst", "ms", "slowest");
    for (const struct mw_law *const *law = mw_laws; *law; law++) {
        bool wanted = argc <= LAWS;
        for (int i = LAWS; i < argc; i++)
            wanted = wanted || !strcmp(argv[i], (*law)->name);
        if (wanted)
            judge_law(*law, corpora, CORPORA, seeds, starts);
    }
    for (size_t c = 0; c < CORPORA; c++)
        bench_sets_release(&corpora[c]);
    return 0;
}
