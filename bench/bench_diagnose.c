// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make bench-diagnose: how often verdicts are right, on simulated programs of nine kinds and on measured tables.
 * By hand: build/release/bench/diagnose [-v] [-s SEED] [-n PROGRAMS] [-p CORES]; -v names the wrong ones, -n are programs of
 * each kind (three times as many from planned points, which are quick), -p leaves out other core counts and the tables.
 */
#include "advise/tune/plan.h"
#include "bench/diagnose_tables.h"
#include "bench/diagnose_truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_POINTS = 20, MOST_CORES = 64 };
static const double HIGH = 2.4e9, LOW = 1.2e9;

struct score {
    unsigned right, open, wrong, likeliest, total;
    double points;
};

struct setting {
    unsigned per_class, only_cores;
    unsigned long seed;
    bool verbose;
};

static void add(struct mw_points *points, struct mw_point point)
{
    points->items[points->count++] = point;
}

/* All core counts at the two frequencies. */
static size_t offer(struct mw_config *candidates, unsigned cores)
{
    size_t n = 0;
    for (unsigned p = 1; p <= cores; p++) {
        candidates[n++] = (struct mw_config){p, LOW};
        candidates[n++] = (struct mw_config){p, HIGH};
    }
    return n;
}

/* The first design of `memwall plan --for diagnosis`: ten points. */
static enum mw_err planned(const struct truth *truth, gsl_rng *rng, struct mw_diagnoser *diagnoser,
                           struct mw_points *points, struct mw_diagnosis *d, struct mw_error *error)
{
    struct mw_config candidates[2 * MOST_CORES];
    unsigned boundary = truth->cores / 2;
    struct mw_plan_options options = {.purpose = MW_PLAN_DIAGNOSIS,
                                      .candidates = candidates,
                                      .candidate_count = offer(candidates, truth->cores),
                                      .boundaries = &boundary,
                                      .boundary_count = 1,
                                      .seed = 1};
    struct mw_plan plan;
    enum mw_err err = mw_plan_make(&plan, points, &options, error);
    if (err != MW_OK)
        return err;
    for (size_t i = 0; i < plan.count; i++)
        add(points,
            truth_measure(truth, rng, (unsigned)plan.points[i].candidate.cores, plan.points[i].candidate.freq_hz));
    mw_plan_release(&plan);
    return mw_diagnoser_run(diagnoser, d, points, error);
}

static enum mw_err sequential(const struct truth *truth, gsl_rng *rng, struct mw_diagnoser *diagnoser,
                              struct mw_points *points, struct mw_diagnosis *d, struct mw_error *error)
{
    struct mw_config candidates[2 * MOST_CORES];
    size_t n = offer(candidates, truth->cores);
    while (points->count < MAX_POINTS) {
        struct mw_diagnose_step step;
        enum mw_err err = mw_diagnoser_next(diagnoser, &step, d, points, candidates, n, error);
        if (err != MW_OK || step.done)
            return err;
        add(points,
            truth_measure(truth, rng, (unsigned)candidates[step.candidate].cores, candidates[step.candidate].freq_hz));
    }
    return mw_diagnoser_run(diagnoser, d, points, error);
}

static bool matches(enum mw_verdict verdict, enum mw_verdict label)
{
    return verdict == label || (verdict == MW_VERDICT_MEMORY &&
                                (label == MW_VERDICT_MEMORY_LATENCY || label == MW_VERDICT_MEMORY_BANDWIDTH));
}

static void count(struct score *score, const struct mw_diagnosis *d, enum mw_verdict label, size_t points)
{
    score->total++;
    score->right += matches(d->verdict, label);
    score->open += d->verdict == MW_VERDICT_UNDETERMINED;
    score->wrong += d->verdict != MW_VERDICT_UNDETERMINED && !matches(d->verdict, label);
    score->likeliest += d->likeliest == label;
    score->points += (double)points;
}

/* One program: drawn, measured and diagnosed. */
static struct mw_diagnosis diagnose_one(struct truth *truth, gsl_rng *rng, struct mw_diagnoser *diagnoser,
                                        bool from_three, size_t *count)
{
    struct mw_point items[MAX_POINTS];
    struct mw_points points = {items, 0, MW_TIME};
    struct mw_diagnosis d;
    struct mw_error error;
    enum mw_err err = (from_three ? sequential : planned)(truth, rng, diagnoser, &points, &d, &error);
    if (err != MW_OK) {
        fprintf(stderr, "bench-diagnose: %s\n", error.message);
        exit(1);
    }
    *count = points.count;
    return d;
}

static void print_scores(const char *name, unsigned cores, double misfit, const struct score *all,
                         const struct score *by_class)
{
    double n = all->total;
    printf("P=%-3u %-20s %5.0f %% %8.1f %12.1f %8.1f %12.1f %8.1f  ", cores, name, 100 * misfit, 100 * all->right / n,
           100 * all->open / n, 100 * all->wrong / n, 100 * all->likeliest / n, all->points / n);
    for (int c = 0; c < MW_VERDICT_CLASSES; c++)
        printf(" %2u/%u/%u", by_class[c].right, by_class[c].open, by_class[c].wrong);
    printf("\n");
    fflush(stdout);
}

static void run(const struct setting *how, unsigned cores, bool from_three, double misfit)
{
    struct score all = {0}, by_class[MW_VERDICT_CLASSES] = {0};
    unsigned boundary = cores / 2, programs = (from_three ? 1 : 3) * how->per_class * MW_VERDICT_CLASSES;
    if (how->only_cores && how->only_cores != cores)
        return;
#pragma omp parallel
    {
        struct mw_error error;
        struct mw_diagnoser *diagnoser = NULL;
        struct mw_diagnose_options options = {cores, HIGH, &boundary, 1, 1};
        gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
        if (mw_diagnoser_alloc(&diagnoser, &options, &error) != MW_OK)
            abort();
#pragma omp for schedule(dynamic, 4)
        for (unsigned i = 0; i < programs; i++) {
            struct truth truth;
            size_t points;
            gsl_rng_set(rng, how->seed * 1000003 + i);
            truth_draw(&truth, rng, (enum mw_verdict)(i % MW_VERDICT_CLASSES), cores, misfit);
            struct mw_diagnosis d = diagnose_one(&truth, rng, diagnoser, from_three, &points);
#pragma omp critical
            {
                count(&all, &d, truth.label, points);
                count(&by_class[truth.label], &d, truth.label, points);
                if (how->verbose && d.verdict != MW_VERDICT_UNDETERMINED && !matches(d.verdict, truth.label))
                    printf("#   %s called %s (%.2f)\n", mw_verdict_name(truth.label), mw_verdict_name(d.verdict),
                           d.confidence);
            }
        }
        gsl_rng_free(rng);
        mw_diagnoser_free(diagnoser);
    }
    print_scores(from_three ? "sequential" : "ten planned points", cores, misfit, &all, by_class);
}

static bool read_setting(struct setting *how, int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "vs:n:p:")) != -1) {
        unsigned long value = optarg ? strtoul(optarg, NULL, 10) : 0;
        if (option == 'v')
            how->verbose = true;
        else if (option == 's')
            how->seed = value;
        else if (option == 'n' && value > 0)
            how->per_class = (unsigned)value;
        else if (option == 'p' && (value == 8 || value == 24 || value == 64))
            how->only_cores = (unsigned)value;
        else
            return false;
    }
    return optind == argc;
}

int main(int argc, char **argv)
{
    static const unsigned cores[] = {8, 24, 64};
    struct setting how = {.per_class = 34, .seed = 1};
    if (!read_setting(&how, argc, argv)) {
        fprintf(stderr, "usage: diagnose [-v] [-s SEED] [-n PROGRAMS] [-p 8|24|64]\n");
        return 2;
    }
    if (!how.only_cores)
        diagnose_tables("../shared/data");
    printf(
        "\nSimulated programs of nine kinds (%u each from planned points, %u in sequence), 2 to 5 %% noise, boundary at half "
        "of the cores; %% of programs.\n",
        3 * how.per_class, how.per_class);
    printf("The last columns: right/undetermined/wrong for");
    for (int c = 0; c < MW_VERDICT_CLASSES; c++)
        printf("%s %s", c ? "," : "", mw_verdict_name((enum mw_verdict)c));
    printf(".\n%-26s %7s %8s %12s %8s %12s %8s\n", "", "misfit", "right", "undetermined", "wrong", "likeliest",
           "points");
    for (int from_three = 0; from_three < 2; from_three++)
        for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
            run(&how, cores[i], from_three, 0);
    for (int from_three = 0; from_three < 2; from_three++)
        run(&how, 24, from_three, .04);
    return 0;
}
