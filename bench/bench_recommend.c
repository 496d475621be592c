// SPDX-License-Identifier: GPL-3.0-or-later
// Advice from ten designed points of each measured table, and from noisy tables, checked against the whole table.
// `make bench-recommend`; usage: recommend [SEEDS], draws of noise a table and setting.
#include "advise/recommend/recommend.h"
#include "bench/recommend_noise.h"
#include "bench/search.h"
#include "fit/predict/mixture.h"
#include "fit/search/power.h"
#include "model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DESIGN = 10 };
/* by frequency and cores, as a model has them */
static const struct mw_config design[DESIGN] = {{1, 1.2e9}, {4, 1.2e9}, {16, 1.2e9}, {24, 1.2e9}, {2, 1.8e9},
                                                {8, 1.8e9}, {1, 2.4e9}, {4, 2.4e9},  {12, 2.4e9}, {24, 2.4e9}};

static _Noreturn void give_up(const struct bench_table *t, const struct mw_error *error)
{
    fprintf(stderr, "bench-advice: %s: %s\n", t->name, error->message);
    exit(1);
}

static size_t find(const struct bench_table *t, struct mw_config c)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->cores[i] == c.cores && fabs(t->freq_hz[i] - c.freq_hz) < 1e6)
            return i;
    fprintf(stderr, "bench-advice: %s lacks %.0f cores at %g GHz\n", t->name, c.cores, c.freq_hz / 1e9);
    exit(1);
}

static struct mw_model model_of_ten(const struct bench_table *t)
{
    struct mw_error error;
    struct mw_model model = {.quantity = MW_TIME,
                             .memory_freq_hz = MW_MEMORY_FREQ_ASSUMED_HZ,
                             .seed = 1,
                             .points = {.count = DESIGN, .quantity = MW_TIME}};
    model.points.items = calloc(DESIGN, sizeof *model.points.items);
    for (size_t d = 0; model.points.items && d < DESIGN; d++) {
        size_t i = find(t, design[d]);
        model.points.items[d] = (struct mw_point){.cores = t->cores[i],
                                                  .freq_hz = t->freq_hz[i],
                                                  .value = t->time_s[i],
                                                  .count = 1,
                                                  .noise_factor = 1,
                                                  .has_energy = true,
                                                  .energy_j = t->energy_j[i]};
    }
    if (!model.points.items || mw_mixture_fit(&model, &error) ||
        mw_power_fit(&model.power, &model.points, t->boundary, 1, &error))
        give_up(t, &error);
    return model;
}

/* ln of the best of the ten, and after measuring the three that are named. */
static void verify(const struct bench_table *t, const struct mw_model *model, const struct truth *truth, double *ten,
                   double *three)
{
    struct mw_recommendation r;
    struct mw_error error;
    *ten = INFINITY;
    for (size_t d = 0; d < DESIGN; d++)
        *ten = fmin(*ten, truth->ln_objective[find(t, design[d])]);
    if (mw_recommend(&r, model, &truth->goal, &(struct mw_recommend_options){0}, &error))
        give_up(t, &error);
    *three = *ten;
    for (size_t v = 0; v < r.verify_count; v++)
        *three = fmin(*three, truth->ln_objective[find(t, r.options[r.verify[v]].candidate)]);
    mw_recommendation_release(&r);
}

static void objectives(const struct bench_tables *tables, const struct mw_model *models)
{
    static const struct task tasks[] = {{"time", MW_OBJECTIVE_TIME, 0, 0},
                                        {"energy", MW_OBJECTIVE_ENERGY, 0, 0},
                                        {"edp", MW_OBJECTIVE_EDP, 0, 0},
                                        {"ed2p", MW_OBJECTIVE_ED2P, 0, 0}};
    printf(
        "\nrecommend from ten points of each parsec-power table, %% over the table's best (mean, worst)\n%-10s %22s %16s %22s\n",
        "", "all cores, highest F", "best of the ten", "three named measured");
    for (size_t k = 0; k < 4; k++) {
        double mean[3] = {0}, worst[3] = {0};
        for (size_t i = 0; i < tables->count; i++) {
            struct truth truth = truth_find(&tables->items[i], &tasks[k]);
            double value[3];
            value[0] = truth.ln_objective[table_reference(&tables->items[i])];
            verify(&tables->items[i], &models[i], &truth, &value[1], &value[2]);
            for (int v = 0; v < 3; v++) {
                double over = 100 * expm1(value[v] - truth.best);
                mean[v] += over / (double)tables->count;
                worst[v] = fmax(worst[v], over);
            }
            truth_forget(&truth);
        }
        printf("%-10s %14.2f %7.2f %8.2f %7.2f %14.2f %7.2f\n", tasks[k].name, mean[0], worst[0], mean[1], worst[1],
               mean[2], worst[2]);
    }
}

static void limits(const struct bench_tables *tables, const struct mw_model *models)
{
    static const double caps[] = {.5, .6, .7, .8, .9}, slowdowns[] = {.02, .05, .1, .25, .5};
    printf("\nlimits at 90 %% certainty from the same ten points\n%-22s %5s %14s %9s %16s %7s\n", "", "runs",
           "broken by >1 %%", "worst %%", "price if kept %%", "none");
    for (int kind = 0; kind < 2; kind++) {
        size_t runs = 0, broken = 0, kept = 0, none = 0;
        double worst = 0, price = 0;
        for (size_t i = 0; i < tables->count; i++)
            for (size_t k = 0; k < 5; k++) {
                struct task task = {"", kind ? MW_OBJECTIVE_ENERGY : MW_OBJECTIVE_TIME, kind ? slowdowns[k] : 0,
                                    kind ? 0 : caps[k]};
                struct truth truth = truth_find(&tables->items[i], &task);
                struct mw_recommendation r = {0};
                struct mw_error error;
                if (truth.any && mw_recommend(&r, &models[i], &truth.goal, &(struct mw_recommend_options){0}, &error))
                    give_up(&tables->items[i], &error);
                if (truth.any && !r.feasible) {
                    none++;
                } else if (truth.any) {
                    size_t choice = find(&tables->items[i], r.options[r.choice].candidate);
                    double over = truth.limited[choice] - truth.limit;
                    runs++;
                    broken += over > log(1.01);
                    worst = fmax(worst, over);
                    kept += truth.feasible[choice];
                    price += truth.feasible[choice] ? truth.ln_objective[choice] - truth.best : 0;
                }
                mw_recommendation_release(&r);
                truth_forget(&truth);
            }
        printf("%-22s %5zu %12.1f %% %9.2f %16.2f %7zu\n", kind ? "energy, slowdown" : "time, power cap", runs,
               100 * (double)broken / (double)runs, 100 * worst, 100 * price / (double)kept, none);
    }
}

int main(int argc, char **argv)
{
    struct bench_tables tables = {0};
    if (!bench_read_power(&tables)) {
        printf("bench-advice: no measured tables at ../shared/data: recommend is skipped\n");
        return 0;
    }
    struct mw_model *models = calloc(tables.count, sizeof *models);
    for (size_t i = 0; models && i < tables.count; i++)
        models[i] = model_of_ten(&tables.items[i]);
    if (!models)
        return 1;
    objectives(&tables, models);
    limits(&tables, models);
    for (size_t i = 0; i < tables.count; i++)
        mw_model_release(&models[i]);
    free(models);
    unsigned long seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
    recommend_from_noise(&tables, "parsec-power", seeds);
    bench_release(&tables);
    if (bench_read_multicores(&tables)) {
        recommend_from_noise(&tables, "multicores", (seeds + 3) / 4);
        bench_release(&tables);
    }
    return 0;
}
