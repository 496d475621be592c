// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How long a fit takes, by points and threads, and whether the optimum is the optimum.
 * usage: fit_speed [seeds]   tables under $MEMWALL_DATA or ../shared/data
 */
#include "fit/numeric/guard.h"
#include "fit/fit.h"
#include "fit/predict/predict.h"
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

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const struct mw_error *error)
{
    fprintf(stderr, "bench-fit: %s: %s\n", what, error->message);
    exit(1);
}

/* n runs of a program like canneal on `configurations` of them, noise of 3 %. */
static struct mw_dataset simulate(size_t n, size_t configurations)
{
    static const double params[] = {.97, 1.2, .02, .4};
    static char name[] = "simulated", none[] = "";
    struct mw_dataset d = {.file = name,
                           .workload = none,
                           .input = none,
                           .count = n,
                           .quantity = MW_TIME,
                           .memory_freq_hz = MW_MEMORY_FREQ_ASSUMED_HZ};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    size_t per_freq = configurations < 64 ? (configurations + 3) / 4 : (size_t)(sqrt((double)configurations) * 1.3);
    d.rows = calloc(n, sizeof *d.rows);
    for (size_t i = 0; i < n && d.rows; i++) {
        size_t at = i % configurations;
        unsigned cores = (unsigned)(at % per_freq) + 1;
        double freq_hz =
            1.2e9 + 1.2e9 * (double)(at / per_freq) / fmax(ceil((double)configurations / (double)per_freq), 1);
        double noise = .03 * (gsl_rng_uniform(rng) + gsl_rng_uniform(rng) - 1) * 2.4;
        d.rows[i] = (struct mw_row){
            .has = MW_HAS_VALUE | MW_HAS_FREQ,
            .cores = cores,
            .freq_hz = freq_hz,
            .line = (long)i + 2,
            .value = mw_time_s(&mw_law_vls, params, 50e9, cores, freq_hz, MW_MEMORY_FREQ_ASSUMED_HZ) * exp(noise)};
    }
    gsl_rng_free(rng);
    return d;
}

/* Least time of some repeats of the whole fit and, where cores > 0, of predicting from there to twelve cores more. */
static void time_fit(const char *law, size_t rows, size_t configurations, double cores, int threads, int repeats)
{
    struct mw_dataset d = simulate(rows, configurations);
    struct mw_fit_options options = {.law = law, .seed = 1};
    struct mw_error error;
    double fit_s = HUGE_VAL, predict_s = HUGE_VAL;
    size_t points = 0;
    omp_set_num_threads(threads);
    for (int r = 0; r < repeats; r++) {
        struct mw_model model = {0};
        double start = now_s();
        if (mw_fit(&model, &d, &options, &error))
            stop("fit", &error);
        fit_s = fmin(fit_s, now_s() - start);
        points = model.points.count;
        enum { QUERIES = 312 };
        struct mw_config query[QUERIES];
        struct mw_prediction out[QUERIES];
        for (size_t i = 0; i < QUERIES; i++)
            query[i] = (struct mw_config){cores + (double)(i % 13), 1.2e9 + 5e7 * (double)(i / 13)};
        start = now_s();
        if (cores > 0 && mw_predict(&model, query, QUERIES, out, &error))
            stop("predict", &error);
        predict_s = fmin(predict_s, now_s() - start);
        mw_model_release(&model);
    }
    printf("%-8s %9zu %9zu %7d %10.1f", law, rows, points, threads, 1e3 * fit_s);
    if (cores > 0)
        printf(" %10.1f  %g to %g cores", 1e3 * predict_s, cores, cores + 12);
    printf("\n");
    fflush(stdout);
    free(d.rows);
}

/* Least time of one search of the optimum. */
static void time_search(size_t points)
{
    struct mw_dataset d = simulate(points, points);
    struct mw_points condensed;
    struct mw_error error;
    if (mw_points_from_dataset(&condensed, &d, &error))
        stop("points", &error);
    printf("%9zu", condensed.count);
    for (int loss = MW_LOSS_ROBUST; loss <= MW_LOSS_SPEEDUP_MSE; loss++) {
        struct mw_problem problem;
        struct mw_optimum best;
        double least = HUGE_VAL;
        if (mw_problem_init(&problem, &condensed, (enum mw_loss)loss, MW_MEMORY_FREQ_ASSUMED_HZ, &error))
            stop("problem", &error);
        mw_problem_law(&problem, &mw_law_vls);
        for (int r = 0; r < (points > 2000 ? 1 : 7); r++) {
            double start = now_s();
            if (mw_search(&best, &problem, MW_METHOD_CSA, (unsigned long)r + 1, &error))
                stop("search", &error);
            least = fmin(least, now_s() - start);
        }
        printf(" %14.2f", 1e3 * least);
        mw_problem_release(&problem);
    }
    printf("\n");
    fflush(stdout);
    mw_points_release(&condensed);
    free(d.rows);
}

/* The best of many random starts, each polished: slow, and without any idea of patterns or annealing. */
static double multistart(const struct mw_problem *problem, size_t starts, struct mw_error *error)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double best = HUGE_VAL;
    gsl_rng_set(rng, 4711);
    for (size_t i = 0; i < starts; i++) {
        struct mw_optimum at = {.loss = HUGE_VAL};
        for (size_t j = 0; j < problem->law->param_count; j++)
            at.params[j] = mw_start_value(problem->low[j], problem->high[j], gsl_rng_uniform(rng));
        if (mw_search_near(&at, problem, 80, error))
            stop("multistart", error);
        best = fmin(best, at.loss);
    }
    gsl_rng_free(rng);
    return best;
}

struct quality {
    size_t problems, seed_misses, beaten; /* seeds apart by over 1e-6; a multistart better by over 1e-6 */
    double worst_seed, worst_beaten, time_s;
    size_t searches;
};

static void judge(struct quality *q, const char *name, const struct mw_points *points, const struct mw_law *law,
                  enum mw_loss loss, size_t seeds)
{
    struct mw_problem problem;
    struct mw_error error;
    double low = HUGE_VAL, high = 0;
    if (mw_problem_init(&problem, points, loss, MW_MEMORY_FREQ_ASSUMED_HZ, &error))
        stop(name, &error);
    mw_problem_law(&problem, law);
    for (size_t seed = 1; seed <= seeds; seed++) {
        struct mw_optimum best;
        double start = now_s();
        if (mw_search(&best, &problem, MW_METHOD_CSA, seed, &error))
            stop(name, &error);
        q->time_s += now_s() - start;
        low = fmin(low, best.loss);
        high = fmax(high, best.loss);
    }
    double other = multistart(&problem, 1000, &error);
    q->problems++;
    q->searches += seeds;
    q->seed_misses += high > low * (1 + 1e-6);
    q->worst_seed = fmax(q->worst_seed, high / low - 1);
    q->beaten += high > other * (1 + 1e-6);
    q->worst_beaten = fmax(q->worst_beaten, high / other - 1);
    if (high > fmin(low, other) * (1 + 1e-6))
        printf("  %s, %s, %s: worst seed %.2e over the best known\n", name, law->name, mw_loss_name(loss),
               high / fmin(low, other) - 1);
    mw_problem_release(&problem);
}

static bool optima(const struct mw_law *law, size_t seeds)
{
    const char *set = getenv("MEMWALL_DATA"), *folder = set ? set : "../shared/data";
    char path[512], name[64], input[16], length[16], where[40], label[96];
    struct quality q = {0};
    snprintf(path, sizeof path, "%s/parsec-speedup/usable.txt", folder);
    FILE *list = fopen(path, "r");
    if (!list)
        return false;
    while (fscanf(list, "%63s %15s %15s", name, input, length) == 3) {
        struct mw_dataset d = {0};
        struct mw_points points;
        struct mw_error error;
        const char *wheres[] = {where};
        snprintf(where, sizeof where, "input=%s", input);
        snprintf(label, sizeof label, "%s input %s", name, input);
        snprintf(path, sizeof path, "%s/parsec-speedup/%s.csv", folder, name);
        if (mw_dataset_read(&d, path, &(struct mw_dataset_options){.where = wheres, .where_count = 1}, &error) ||
            mw_points_from_dataset(&points, &d, &error))
            stop(label, &error);
        for (int loss = MW_LOSS_ROBUST; loss <= MW_LOSS_SPEEDUP_MSE; loss++)
            judge(&q, label, &points, law, (enum mw_loss)loss, seeds);
        mw_points_release(&points);
        mw_dataset_release(&d);
    }
    fclose(list);
    printf("%-18s %8zu %7zu %10zu %12.1e %10zu %12.1e %10.1f\n", law->name, q.problems, seeds, q.seed_misses,
           q.worst_seed, q.beaten, q.worst_beaten, 1e3 * q.time_s / (double)q.searches);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {10, 30, 100, 187, 300, 1000, 10000, 100000, 1000000};
    size_t seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    mw_guard_enter();
    omp_set_num_threads(1);
    printf("one search of the optimum of vls, one core, ms\n%9s %14s %14s %14s\n", "points", "robust", "log",
           "speedup-mse");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        time_search(sizes[i]);
    printf("\nwhole fit (detectors, laws, intervals, ensemble), and 312 predictions, ms\n%-8s %9s %9s %7s %10s %10s\n",
           "law", "rows", "points", "threads", "fit", "predict");
    for (int threads = 1; threads <= 2; threads++) {
        time_fit("auto", 187, 187, 1, threads, 5); /* 1 to 17 cores are measured */
        time_fit("auto", 187, 187, 18, threads, 5);
        time_fit("vls", 187, 187, 1, threads, 5);
        time_fit("auto", 10, 10, 1, threads, 5);
        time_fit("auto", 1000000, 187, 0, threads, 1);
    }
    printf("\noptimum on the usable sets: apart by seed, and beaten by 1,000 polished random starts, by over 1e-6\n");
    printf("%-18s %8s %7s %10s %12s %10s %12s %10s\n", "law", "problems", "seeds", "seeds off", "worst", "beaten",
           "worst", "ms each");
    static const char *const laws[] = {"vls", "usl", "amdahl-memory", "tiers"};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (!optima(mw_law_find(laws[i]), seeds)) {
            printf("skipped: no ../shared/data\n");
            break;
        }
    return 0;
}
