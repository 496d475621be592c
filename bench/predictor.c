// SPDX-License-Identifier: GPL-3.0-or-later
// Queries a second of an open predictor, all different and inside the data, beside mw_predict; and how far their answers differ.
#include "fit/predict/predict.h"
#include "memwall/memwall.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { QUERIES = 100000, COMPARED = 2000 };

/* Of all threads on a processor, for a machine that does other things too. */
static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double difference(const struct mw_answer *a, const struct mw_prediction *p)
{
    double worst = fmax(fabs(a->value / p->value - 1), fabs(a->low / p->low - 1));
    worst = fmax(worst, fmax(fabs(a->high / p->high - 1), fabs(a->ln_mean - p->ln_mean)));
    worst = fmax(worst, fabs(a->ln_sd - p->ln_sd));
    if (a->speedup > 0)
        worst = fmax(worst, fmax(fabs(a->speedup / p->speedup - 1), fabs(a->speedup_high / p->speedup_high - 1)));
    return a->has_energy ? fmax(worst, fabs(a->energy_j / p->energy_j - 1)) : worst;
}

int main(int argc, char **argv)
{
    static struct mw_config configs[QUERIES];
    static struct mw_answer answers[QUERIES];
    static struct mw_prediction want[COMPARED];
    const char *path = argc > 1 ? argv[1] : "data/examples/canneal.csv";
    struct mw_dataset *dataset;
    struct mw_model *model;
    struct mw_error error;
    struct mw_range range;
    if (mw_dataset_load(&dataset, path, NULL, &error) || mw_model_fit(&model, dataset, NULL, &error)) {
        fprintf(stderr, "bench-predictor: %s\n", error.message);
        return 1;
    }
    mw_model_range(model, &range);
    size_t counts = (size_t)(range.cores_high - range.cores_low) + 1;
    for (size_t i = 0; i < QUERIES; i++)
        configs[i] = (struct mw_config){range.cores_low + (double)(i % counts),
                                        range.freq_low_hz + (range.freq_high_hz - range.freq_low_hz) *
                                                                fmod((double)i * .6180339887498949, 1)};
    double start = now_s(), cpu = cpu_s();
    if (mw_predict(model, configs, COMPARED, want, &error))
        return 1;
    double whole_s = (now_s() - start) / COMPARED, whole_cpu_s = (cpu_s() - cpu) / COMPARED;
    printf("%-28s %10s %12s %14s %10s %12s\n", path, "opening s", "queries/s", "CPU us/query", "CPU ratio",
           "difference");
    printf("%-28s %10s %12.0f %14.1f %10.1f %12s\n", "mw_predict, 2,000 at once", "-", 1 / whole_s, 1e6 * whole_cpu_s,
           1., "-");
    const struct {
        const char *name;
        struct mw_predictor_options options;
    } ways[] = {{"value", {.without_energy = true, .without_speedup = true}},
                {"value and speedup", {.without_energy = true}},
                {"with energy", {.without_energy = false}}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        struct mw_predictor *predictor;
        start = now_s();
        if (mw_predictor_open(&predictor, model, &ways[w].options, &error))
            return 1;
        double opened = now_s() - start, worst = 0;
        start = now_s();
        cpu = cpu_s();
        if (mw_predictor_ask(predictor, configs, QUERIES, answers, &error))
            return 1;
        double took = now_s() - start, each = (cpu_s() - cpu) / QUERIES;
        for (size_t i = 0; i < COMPARED; i++)
            worst = fmax(worst, difference(&answers[i], &want[i]));
        printf("%-28s %10.2f %12.0f %14.1f %10.1f %12.1e\n", ways[w].name, opened, QUERIES / took, 1e6 * each,
               whole_cpu_s / each, worst);
        mw_predictor_close(predictor);
    }
    mw_model_free(model);
    mw_dataset_free(dataset);
    return 0;
}
