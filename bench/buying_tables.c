// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/buying.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Physical cores and clock of the article; the Xeon's turbo steps as in data/profiles/xeon-e5-2630v4.json. */
static struct mw_profile_clock TURBO[] = {{1, 3.1e9}, {2, 3.1e9}, {3, 2.9e9}, {4, 2.8e9}, {5, 2.7e9},
                                          {6, 2.6e9}, {7, 2.5e9}, {8, 2.4e9}, {10, 2.4e9}};
static const struct {
    const char *name, *files;
    unsigned cores;
    double clock_hz;
    const char *isa;
} MACHINE[MACHINES] = {
    {"amd", "amd", 48, 2.1e9, "x86_64"},
    {"arm", "arm", 48, 1.73e9, "aarch64"},
    {"xeon", "xeon", 10, 3.1e9, "x86_64"},
    {"i7", "i7", 4, 4.0e9, "x86_64"},
    {"pi3", "pi3", 4, 1.2e9, "aarch64"},
    {"tx2-a57", "tx2-static-little_cores", 4, 2.0e9, "aarch64"},
    {"xu3-a15", "xu3-static-big_cores", 4, 2.0e9, "armv7"},
    {"xu3-a7", "xu3-static-little_cores", 4, 1.4e9, "armv7"},
};
static const struct {
    const char *name;
    bool memory; /* stencils, sparse solvers, graph: as their authors describe them, set before any rule was tried */
} PROGRAM[PROGRAMS] = {{"bs", false}, {"bt", true},  {"cl", true},  {"fe", true},
                       {"gh", true},  {"km", false}, {"lv", false}, {"pf", false}};

struct curve curves[MACHINES][PROGRAMS];
struct mw_profile profiles[MACHINES];

_Noreturn void buying_die(const struct mw_error *error)
{
    fprintf(stderr, "bench-buying: %s\n", error->message);
    exit(1);
}

bool buying_fit(struct mw_model *model, struct mw_dataset *dataset, unsigned physical, const unsigned *cores,
                size_t count)
{
    struct mw_error error;
    for (size_t i = 0; i < dataset->count; i++) {
        bool keep = dataset->rows[i].cores <= physical;
        for (size_t k = 0, found = 0; keep && cores && k < count; k++) {
            found += cores[k] == dataset->rows[i].cores;
            keep = k + 1 < count || found;
        }
        dataset->rows[i].set_aside = keep ? NULL : "not among the points asked for";
    }
    return mw_fit(model, dataset, &(struct mw_fit_options){.seed = 1}, &error) == MW_OK;
}

bool buying_load(const char *folder)
{
    bool any = false;
    for (int m = 0; m < MACHINES; m++) {
        profiles[m] =
            (struct mw_profile){.cores = MACHINE[m].cores, .isa = (char *)(uintptr_t)MACHINE[m].isa, .smt = 1};
        static struct mw_profile_clock single[MACHINES];
        single[m] = (struct mw_profile_clock){1, MACHINE[m].clock_hz};
        profiles[m].clock = m == 2 ? TURBO : &single[m];
        profiles[m].clock_count = m == 2 ? sizeof TURBO / sizeof *TURBO : 1;
        for (int p = 0; p < PROGRAMS; p++) {
            char path[512];
            struct mw_error error;
            struct curve *c = &curves[m][p];
            struct mw_points points;
            snprintf(path, sizeof path, "%s/%s-%s.csv", folder, MACHINE[m].files, PROGRAM[p].name);
            if (mw_dataset_read(&c->dataset, path, &(struct mw_dataset_options){0}, &error) != MW_OK)
                continue;
            if (!buying_fit(&c->model, &c->dataset, MACHINE[m].cores, NULL, 0) ||
                mw_points_from_dataset(&points, &c->dataset, &error) != MW_OK)
                buying_die(&error);
            for (size_t i = 0; i < points.count; i++)
                if (points.items[i].cores <= MACHINE[m].cores)
                    c->time_s[points.items[i].cores] = points.items[i].value;
            c->cores = MACHINE[m].cores;
            c->memory = PROGRAM[p].memory;
            c->present = any = true;
            c->source = (struct mw_transfer_source){.model = &c->model,
                                                    .machine = &profiles[m],
                                                    .memory = PROGRAM[p].memory ? MW_TRANSFER_MEMORY_YES
                                                                                : MW_TRANSFER_MEMORY_NO};
            if (mw_transfer_source_init(&c->source, MOST, &error) != MW_OK)
                buying_die(&error);
            mw_points_release(&points);
        }
    }
    return any;
}

struct mw_transfer_result buying_answer(int a, int program, double exponent, const struct mw_transfer_target *target,
                                        const double *cores, size_t n)
{
    struct mw_error error;
    struct mw_transfer_source source = curves[a][program].source; /* borrowed; only the exponent is its own */
    struct mw_transfer_result result;
    source.exponent = exponent;
    if (mw_transfer_predict(&result, &source, target, cores, n, &error) != MW_OK)
        buying_die(&error);
    return result;
}
