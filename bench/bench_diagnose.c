// SPDX-License-Identifier: GPL-3.0-or-later
/* make bench-diagnose: how often verdicts are right, on simulated programs of nine kinds and on measured tables. */
#include "bench/diagnose_tables.h"
#include "bench/diagnose_truth.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_CLASS = 34, MAX_POINTS = 20 };
static const double HIGH = 2.4e9, LOW = 1.2e9;

struct score {
    unsigned right, open, wrong, likeliest, total;
    double points;
};

struct plan {
    const char *name;
    unsigned cores;
    unsigned high[24], low[8]; /* core counts at each frequency, 0-terminated; none: sequential */
};

static const struct plan PLANS[] = {
    {"P=8, ten planned points", 8, {1, 2, 3, 4, 5, 6, 7, 8}, {2, 8}},
    {"P=24, ten planned points", 24, {1, 4, 10, 12, 13, 17, 21, 24}, {4, 24}},
    {"P=64, ten planned points", 64, {1, 8, 24, 32, 33, 45, 57, 64}, {8, 64}},
    {"P=8, sequential", 8, {0}, {0}},
    {"P=24, sequential", 24, {0}, {0}},
    {"P=64, sequential", 64, {0}, {0}},
};

static void add(struct mw_points *points, struct mw_point point)
{
    points->items[points->count++] = point;
}

static enum mw_err planned(const struct plan *plan, const struct truth *truth, gsl_rng *rng,
                           struct mw_diagnoser *diagnoser, struct mw_points *points, struct mw_diagnosis *d,
                           struct mw_error *error)
{
    for (size_t i = 0; plan->high[i]; i++)
        add(points, truth_measure(truth, rng, plan->high[i], HIGH));
    for (size_t i = 0; plan->low[i]; i++)
        add(points, truth_measure(truth, rng, plan->low[i], LOW));
    return mw_diagnoser_run(diagnoser, d, points, error);
}

static enum mw_err sequential(const struct truth *truth, gsl_rng *rng, struct mw_diagnoser *diagnoser,
                              struct mw_points *points, struct mw_diagnosis *d, struct mw_error *error)
{
    struct mw_query candidates[128];
    size_t n = 0;
    for (unsigned p = 1; p <= truth->cores; p++) {
        candidates[n++] = (struct mw_query){p, LOW};
        candidates[n++] = (struct mw_query){p, HIGH};
    }
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

static void run_plan(const struct plan *plan, double misfit, bool verbose, unsigned long seed)
{
    struct score all = {0}, by_class[MW_VERDICT_CLASSES] = {0};
    unsigned boundary = plan->cores / 2;
#pragma omp parallel
    {
        struct mw_error error;
        struct mw_diagnoser *diagnoser = NULL;
        struct mw_diagnose_options options = {plan->cores, HIGH, &boundary, 1, 1};
        gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
        if (mw_diagnoser_alloc(&diagnoser, &options, &error) != MW_OK)
            abort();
#pragma omp for schedule(dynamic, 4)
        for (unsigned i = 0; i < PER_CLASS * MW_VERDICT_CLASSES; i++) {
            struct truth truth;
            struct mw_point items[MAX_POINTS + 4];
            struct mw_points points = {items, 0, MW_TIME};
            struct mw_diagnosis d;
            gsl_rng_set(rng, seed * 1000003 + i);
            truth_draw(&truth, rng, (enum mw_verdict)(i % MW_VERDICT_CLASSES), plan->cores, misfit);
            enum mw_err err = plan->high[0] ? planned(plan, &truth, rng, diagnoser, &points, &d, &error)
                                            : sequential(&truth, rng, diagnoser, &points, &d, &error);
            if (err != MW_OK) {
                fprintf(stderr, "%s\n", error.message);
                abort();
            }
#pragma omp critical
            {
                count(&all, &d, truth.label, points.count);
                count(&by_class[truth.label], &d, truth.label, points.count);
                if (verbose && d.verdict != MW_VERDICT_UNDETERMINED && !matches(d.verdict, truth.label))
                    printf("#   %s called %s (%.2f)\n", mw_verdict_name(truth.label), mw_verdict_name(d.verdict),
                           d.confidence);
            }
        }
        gsl_rng_free(rng);
        mw_diagnoser_free(diagnoser);
    }
    double n = all.total;
    printf("%-26s %5.0f %% %8.1f %12.1f %8.1f %12.1f %8.1f  ", plan->name, 100 * misfit, 100 * all.right / n,
           100 * all.open / n, 100 * all.wrong / n, 100 * all.likeliest / n, all.points / n);
    for (int c = 0; c < MW_VERDICT_CLASSES; c++)
        printf(" %2u/%u/%u", by_class[c].right, by_class[c].open, by_class[c].wrong);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    diagnose_tables("../shared/data");
    bool verbose = argc > 1 && !strcmp(argv[1], "-v");
    unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    printf(
        "\nSimulated programs of nine kinds, %d each, 2 to 5 %% noise, boundary at half of the cores; %% of programs.\n",
        PER_CLASS);
    printf("The last columns: right/undetermined/wrong for");
    for (int c = 0; c < MW_VERDICT_CLASSES; c++)
        printf("%s %s", c ? "," : "", mw_verdict_name((enum mw_verdict)c));
    printf(".\n%-26s %7s %8s %12s %8s %12s %8s\n", "", "misfit", "right", "undetermined", "wrong", "likeliest",
           "points");
    for (size_t i = 0; i < sizeof PLANS / sizeof *PLANS; i++)
        run_plan(&PLANS[i], 0, verbose, seed);
    for (size_t i = 0; i < sizeof PLANS / sizeof *PLANS; i++)
        if (PLANS[i].cores == 24)
            run_plan(&PLANS[i], .04, verbose, seed);
    return 0;
}
