// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of predictions on held-out points of the measured sets: the mixture beside single laws by least squares.
// usage: accuracy [SPLIT [SEED [METHOD]]], SPLIT a part of "corpus: split", METHOD of a name; all by default.
#include "bench/splits.h"

#include "data/stats.h"
#include "fit/predict/mixture.h"
#include "fit/predict/predict.h"
#include "fit/search/search.h"
#include "model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct method {
    const char *name, *law; /* law NULL: the mixture */
    enum mw_loss loss;
};
static const struct method methods[] = {
    {"auto", NULL, MW_LOSS_LOG},
    {"amdahl, log", "amdahl", MW_LOSS_LOG},
    {"usl, log", "usl", MW_LOSS_LOG},
    {"vls, log", "vls", MW_LOSS_LOG},
    {"amdahl, speedup", "amdahl", MW_LOSS_SPEEDUP_MSE},
    {"usl, speedup", "usl", MW_LOSS_SPEEDUP_MSE},
    {"vls, speedup", "vls", MW_LOSS_SPEEDUP_MSE},
};

struct guess {
    double value, low, high;
};

static bool by_mixture(const struct bench_set *set, bool knows, struct mw_points *train, const struct mw_points *test,
                       unsigned long seed, struct guess *out)
{
    /* none, and known: one that nothing crosses */
    unsigned after = set->boundary ? set->boundary : train->items[0].cores;
    enum mw_boundary_kind kind = set->kind;
    struct mw_model model = {.quantity = train->quantity,
                             .points = *train,
                             .boundaries = &after,
                             .boundary_kinds = &kind,
                             .boundary_count = knows,
                             .memory_freq_hz = MW_MEMORY_FREQ_ASSUMED_HZ,
                             .seed = seed};
    struct mw_error error;
    struct mw_config *query = calloc(test->count, sizeof *query);
    struct mw_prediction *predictions = calloc(test->count, sizeof *predictions);
    bool done = query && predictions && !mw_mixture_fit(&model, &error);
    for (size_t i = 0; done && i < test->count; i++)
        query[i] = (struct mw_config){.cores = test->items[i].cores, .freq_hz = test->items[i].freq_hz};
    done = done && !mw_predict(&model, query, test->count, predictions, &error);
    for (size_t i = 0; done && i < test->count; i++)
        out[i] = (struct guess){predictions[i].value, predictions[i].low, predictions[i].high};
    model.points = (struct mw_points){0};
    model.boundaries = NULL;
    model.boundary_kinds = NULL;
    mw_model_release(&model);
    free(query);
    free(predictions);
    return done;
}

/* Parameters by the loss; the scale of times is the one of least squares in ln time at these parameters. */
static bool by_law(const struct mw_points *train, const struct mw_points *test, const struct method *method,
                   unsigned long seed, struct guess *out)
{
    const struct mw_law *law = mw_law_find(method->law);
    struct mw_problem problem = {0}, scaled = {0};
    struct mw_scratch scratch = {0};
    struct mw_optimum best;
    struct mw_error error;
    double b = 0;
    bool done = law && !mw_problem_init(&problem, train, method->loss, MW_MEMORY_FREQ_ASSUMED_HZ, &error);
    if (done) {
        mw_problem_law(&problem, law);
        done = !mw_search(&best, &problem, MW_METHOD_CSA, seed, &error);
    }
    bool times = train->quantity == MW_TIME;
    if (done && (times || method->loss == MW_LOSS_LOG)) {
        done = !mw_problem_init(&scaled, train, MW_LOSS_LOG, MW_MEMORY_FREQ_ASSUMED_HZ, &error);
        if (done)
            mw_problem_law(&scaled, law);
        done = done && !mw_scratch_init(&scratch, &scaled, &error);
        if (done)
            mw_problem_loss(&scaled, best.params, &b, &scratch);
    }
    for (size_t i = 0; done && i < test->count; i++) {
        double phi = test->items[i].freq_hz / MW_MEMORY_FREQ_ASSUMED_HZ,
               h = mw_law_h(law, best.params, test->items[i].cores, phi);
        double value = times ? exp(b) * h / test->items[i].freq_hz : exp(-b) * mw_law_h(law, best.params, 1, phi) / h;
        out[i] = (struct guess){value, value, value};
    }
    mw_scratch_release(&scratch);
    mw_problem_release(&scaled);
    mw_problem_release(&problem);
    return done;
}

struct score {
    double error, covered, half_width, time_ms;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool judge(const struct bench_set *set, const struct bench_split *split, const struct method *method,
                  unsigned long seed, struct score *score)
{
    char *mark = calloc(set->points.count + 1, 1);
    if (!mark || !split->cut(set, mark)) {
        free(mark);
        return false;
    }
    struct mw_points train = bench_select(&set->points, mark, BENCH_TRAIN);
    struct mw_points test = bench_select(&set->points, mark, BENCH_TEST);
    if (split->spoil)
        split->spoil(&train, bench_seed(set));
    struct guess *guess = calloc(test.count, sizeof *guess);
    double *widths = calloc(test.count, sizeof *widths);
    double start = now_ms();
    bool done = guess && widths &&
                (method->law ? by_law(&train, &test, method, seed, guess)
                             : by_mixture(set, !split->unaware, &train, &test, seed, guess));
    *score = (struct score){.time_ms = now_ms() - start};
    for (size_t i = 0; done && i < test.count; i++) {
        double value = test.items[i].value, n = (double)test.count;
        score->error += 100 * fabs(guess[i].value / value - 1) / n;
        score->covered += 100 * (value >= guess[i].low && value <= guess[i].high) / n;
        widths[i] = log(guess[i].high / guess[i].low) / 2;
    }
    if (done)
        score->half_width = mw_median(widths, test.count);
    free(guess);
    free(widths);
    mw_points_release(&train);
    mw_points_release(&test);
    free(mark);
    return done;
}

static void print_row(const struct bench_split *split, const struct method *method, const struct score *scores,
                      size_t count)
{
    double *values = malloc((count + 1) * sizeof *values), covered = 0, time_ms = 0, mean = 0;
    if (!values || count == 0) {
        free(values);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = scores[i].error;
        mean += scores[i].error / (double)count;
        covered += scores[i].covered / (double)count;
        time_ms += scores[i].time_ms / (double)count;
    }
    printf("%-15s %-19s %-16s %4zu %7.2f %7.2f", split->corpus, split->name, method->name, count, mean,
           mw_median(values, count));
    for (size_t i = 0; i < count; i++)
        values[i] = scores[i].half_width;
    if (method->law)
        printf(" %7s %7s", "-", "-");
    else
        printf(" %7.1f %7.3f", covered, mw_median(values, count));
    printf(" %8.1f\n", time_ms);
    fflush(stdout);
    free(values);
}

static void run(const struct bench_split *split, const struct bench_sets *sets, unsigned long seed, const char *only)
{
    struct score *scores = malloc((sets->count + 1) * sizeof *scores);
    for (size_t m = 0; scores && m < sizeof methods / sizeof *methods; m++) {
        size_t count = 0;
        for (size_t i = 0; strstr(methods[m].name, only) && i < sets->count; i++)
            if (!split->long_only || sets->items[i].is_long)
                count += judge(&sets->items[i], split, &methods[m], seed, &scores[count]);
        print_row(split, &methods[m], scores, count);
    }
    free(scores);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "", *corpora[] = {"parsec-power", "parsec-speedup", "multicores"};
    unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    printf("%-15s %-19s %-16s %4s %7s %7s %7s %7s %8s\n", "corpus", "split", "method", "sets", "mean %", "median",
           "inside", "half ln", "cpu ms");
    for (size_t c = 0; c < 3; c++) {
        struct bench_sets sets;
        if (!bench_sets_read(&sets, corpora[c])) {
            printf("%-15s not there, skipped\n", corpora[c]);
            continue;
        }
        for (size_t s = 0; s < bench_split_count; s++) {
            char label[80];
            snprintf(label, sizeof label, "%s: %s", bench_splits[s].corpus, bench_splits[s].name);
            if (!strcmp(bench_splits[s].corpus, corpora[c]) && strstr(label, only))
                run(&bench_splits[s], &sets, seed, argc > 3 ? argv[3] : "");
        }
        bench_sets_release(&sets);
    }
    return 0;
}
