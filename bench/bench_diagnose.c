// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make bench-diagnose: how often verdicts are right, on simulated programs of three sets of kinds and on measured tables.
 * By hand: build/release/bench/diagnose [-v] [-s SEED] [-n PROGRAMS] [-k SET]; -v names the wrong ones, -n are programs of each
 * kind and design, -k 0 is the forty kinds, 1 the ten that no law has, 2 the ten further ones; without -k all, and the tables.
 */
#include "bench/diagnose_tables.h"
#include "bench/diagnose_truth.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_KINDS = 64, MOST_COUNTS = 16, MOST_POINTS = 48, CLOCKS = 2, RUNS = 3 };
static const double HIGH = 2.4e9;

/* Core counts that people measure. */
struct design {
    const char *name;
    unsigned counts[MOST_COUNTS];
    size_t n;
};
static const struct design designs[] = {
    {"1,2", {1, 2}, 2},
    {"1,2,4", {1, 2, 4}, 3},
    {"1-8", {1, 2, 3, 4, 5, 6, 7, 8}, 8},
    {"1,2,4,8,16", {1, 2, 4, 8, 16}, 5},
    {"1-16", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 16},
    {"1,2,4,...,64", {1, 2, 4, 8, 16, 32, 64}, 7},
};
enum { DESIGNS = sizeof designs / sizeof *designs };

struct setting {
    unsigned programs;
    int set;
    unsigned long seed;
    bool verbose;
};

struct tally {
    unsigned of[SCORES], total;
};

static void add(struct tally *tally, enum score score)
{
    tally->of[score]++;
    tally->total++;
}

static double percent(const struct tally *t, enum score score)
{
    return t->total ? 100. * t->of[score] / t->total : 0;
}

/* One run: noise of T, of C a fifth to all of it, half shared; CPU time is at most what the cores have. */
struct run {
    double t, c;
};

static struct run run_once(double t, double c, double p, double noise, double of_cpu, gsl_rng *rng)
{
    double common = gsl_ran_gaussian(rng, noise), own = gsl_ran_gaussian(rng, noise);
    struct run run = {t * exp(common), c * exp(of_cpu * (.5 * common + sqrt(.75) * own))};
    run.c = fmin(run.c, p * run.t);
    return run;
}

static struct run middle(struct run *runs, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && runs[j].t < runs[j - 1].t; j--) {
            struct run swap = runs[j];
            runs[j] = runs[j - 1];
            runs[j - 1] = swap;
        }
    return runs[n / 2];
}

static size_t measure(struct mw_point *points, const struct truth *truth, const struct design *design, bool three,
                      gsl_rng *rng)
{
    static const double noises[] = {.01, .03, .06};
    const double clocks[] = {1, .75, .5};
    double noise = noises[gsl_rng_uniform_int(rng, 3)], of_cpu = .2 + .8 * gsl_rng_uniform(rng);
    double misfit_sd = gsl_rng_uniform(rng) < .5 ? 0 : .04;
    size_t repeats = gsl_rng_uniform(rng) < .5 ? 1 : RUNS, n = 0;
    for (size_t i = 0; i < design->n; i++) {
        double p = design->counts[i], misfit = exp(misfit_sd > 0 ? gsl_ran_gaussian(rng, misfit_sd) : 0), t, c;
        for (size_t f = 0; f < (three ? sizeof clocks / sizeof *clocks : 1); f++) {
            struct run runs[RUNS];
            truth->kind->at(truth, p, clocks[f], &t, &c);
            for (size_t k = 0; k < repeats; k++)
                runs[k] = run_once(100 * t * misfit, 100 * c * misfit, p, noise, of_cpu, rng);
            struct run run = middle(runs, repeats);
            points[n++] = (struct mw_point){.cores = design->counts[i],
                                            .freq_hz = HIGH * clocks[f],
                                            .value = run.t,
                                            .has_cpu_time = true,
                                            .cpu_time_s = run.c,
                                            .count = repeats,
                                            .noise_factor = 1};
        }
    }
    return n;
}

static enum score judge(const struct truth *truth, const struct design *design, bool three,
                        struct mw_diagnoser *diagnoser, gsl_rng *rng, bool verbose)
{
    struct mw_point items[MOST_POINTS];
    struct mw_points points = {.items = items, .count = measure(items, truth, design, three, rng), .quantity = MW_TIME};
    struct mw_diagnosis d;
    struct mw_error error;
    if (mw_diagnoser_run(diagnoser, &d, &points, &error)) {
        fprintf(stderr, "bench-diagnose: %s\n", error.message);
        exit(1);
    }
    enum score score = truth_score(truth, &d, design->counts, design->n);
    if (verbose && score == SCORE_WRONG)
        printf("# %s, %s, %s: %s (%.2f)\n", truth->kind->name, design->name, three ? "three F" : "one F",
               mw_verdict_name(d.verdict), d.confidence);
    return score;
}

/* All programs of one design, on one thread. */
static void run_design(const struct setting *how, const struct truth_kind *kinds, size_t count, size_t design,
                       struct tally by_kind[][CLOCKS], struct tally *by_design)
{
    struct mw_diagnose_options options = {.seed = 1};
    struct mw_diagnoser *diagnoser = NULL;
    struct mw_error error;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!rng || mw_diagnoser_alloc(&diagnoser, &options, &error))
        abort();
    for (size_t k = 0; k < count; k++)
        for (unsigned i = 0; i < how->programs; i++)
            for (int three = 0; three < CLOCKS; three++) {
                struct truth truth;
                gsl_rng_set(rng, ((how->seed * 97 + design) * 1009 + k) * 10007 + 2 * i + (unsigned)three);
                truth_draw(&truth, &kinds[k], designs[design].counts[designs[design].n - 1], rng);
                enum score score = judge(&truth, &designs[design], three, diagnoser, rng, how->verbose);
#pragma omp critical
                add(&by_kind[k][three], score);
                add(&by_design[three], score);
            }
    gsl_rng_free(rng);
    mw_diagnoser_free(diagnoser);
}

static void print_tally(const struct tally *t)
{
    printf("   %3.0f + %3.0f %6.1f %6.2f", percent(t, SCORE_CAUSE), percent(t, SCORE_FAMILY), percent(t, SCORE_OPEN),
           percent(t, SCORE_WRONG));
}

static struct tally both(const struct tally *pair)
{
    struct tally sum = {{0}, 0};
    for (int s = 0; s < SCORES; s++)
        sum.of[s] = pair[0].of[s] + pair[1].of[s];
    sum.total = pair[0].total + pair[1].total;
    return sum;
}

static void run_set(const struct setting *how, enum truth_set set)
{
    static const char *const titles[] = {"Forty kinds", "Ten kinds that no law has", "Ten further kinds"};
    struct tally by_kind[MOST_KINDS][CLOCKS] = {0}, by_design[DESIGNS][CLOCKS] = {0}, all[CLOCKS] = {0};
    const struct truth_kind *kinds;
    size_t count = truth_kinds(set, &kinds);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t d = 0; d < DESIGNS; d++)
        run_design(how, kinds, count, DESIGNS - 1 - d, by_kind, by_design[DESIGNS - 1 - d]);
    printf(
        "\n%s: %u programs of each kind, design and number of clocks, seed %lu; %%\n%-42s   one F: cause + family, open, "
        "wrong   three F                       wrong of both\n",
        titles[set], how->programs, how->seed, "");
    for (size_t d = 0; d < DESIGNS; d++) {
        printf("%-42s", designs[d].name);
        for (int f = 0; f < CLOCKS; f++)
            print_tally(&by_design[d][f]);
        printf("\n");
    }
    for (size_t k = 0; k < count; k++) {
        struct tally sum = both(by_kind[k]);
        printf("%-42s", kinds[k].name);
        for (int f = 0; f < CLOCKS; f++) {
            print_tally(&by_kind[k][f]);
            for (int s = 0; s < SCORES; s++)
                all[f].of[s] += by_kind[k][f].of[s];
            all[f].total += by_kind[k][f].total;
        }
        printf(" %8.2f\n", percent(&sum, SCORE_WRONG));
    }
    struct tally sum = both(all);
    printf("%-42s", "all");
    for (int f = 0; f < CLOCKS; f++)
        print_tally(&all[f]);
    printf(" %8.2f\n", percent(&sum, SCORE_WRONG));
    fflush(stdout);
}

static bool read_setting(struct setting *how, int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "vs:n:k:")) != -1) {
        unsigned long value = optarg ? strtoul(optarg, NULL, 10) : 0;
        if (option == 'v')
            how->verbose = true;
        else if (option == 's')
            how->seed = value;
        else if (option == 'n' && value > 0)
            how->programs = (unsigned)value;
        else if (option == 'k' && value < TRUTH_SETS)
            how->set = (int)value;
        else
            return false;
    }
    return optind == argc;
}

int main(int argc, char **argv)
{
    struct setting how = {.programs = 17, .set = -1, .seed = 1};
    if (!read_setting(&how, argc, argv)) {
        fprintf(stderr, "usage: diagnose [-v] [-s SEED] [-n PROGRAMS] [-k 0|1|2]\n");
        return 2;
    }
    if (how.set < 0)
        diagnose_tables("../shared/data");
    for (enum truth_set set = 0; set < TRUTH_SETS; set++)
        if (how.set < 0 || how.set == (int)set)
            run_set(&how, set);
    return 0;
}
