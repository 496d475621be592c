// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/transfer/whatif.h"
#include "bench/buying.h"

#include <math.h>
#include <stdio.h>

static bool freq_in(double freq_hz, const double *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(freq_hz - list[i]) < 1e6)
            return true;
    return false;
}

/* Fits the runs at two frequencies, asks for memory x at 2.4 GHz, compares with x T(p, x F) of the table. */
static void twin_of(const char *path, const double *fitted, double *square, double *nothing, unsigned *count,
                    unsigned *crossed)
{
    static const double TRUTH[] = {1.4e9, 1.7e9, 2.0e9};
    struct mw_dataset dataset;
    struct mw_points all;
    struct mw_model model;
    struct mw_error error;
    if (mw_dataset_read(&dataset, path, &(struct mw_dataset_options){0}, &error) != MW_OK)
        return;
    if (mw_points_from_dataset(&all, &dataset, &error) != MW_OK)
        buying_die(&error);
    for (size_t i = 0; i < dataset.count; i++)
        if (!freq_in(dataset.rows[i].freq_hz, fitted, 2) || dataset.rows[i].cores % 4 > 1)
            dataset.rows[i].set_aside = "not among the runs at two frequencies";
    if (mw_fit(&model, &dataset, &(struct mw_fit_options){.seed = 1}, &error) != MW_OK)
        buying_die(&error);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct mw_point *twin = &all.items[i];
            struct mw_diagnosis diagnosis = {.verdict = MW_VERDICT_UNDETERMINED};
            struct mw_whatif what = {.latency = TRUTH[k] / 2.4e9, .bandwidth = 1};
            struct mw_config query = {twin->cores, 2.4e9};
            struct mw_whatif_answer a;
            if (fabs(twin->freq_hz - TRUTH[k]) > 1e6 || TRUTH[k] < fitted[0] || twin->cores % 4 > 1)
                continue;
            if (mw_whatif_answer(&a, &what, &model, &diagnosis, &query, &error) != MW_OK)
                buying_die(&error);
            double truth = log(what.latency * twin->value);
            *square += pow(log(a.value) - truth, 2);
            *nothing += pow(log(a.now) - truth, 2);
            *crossed += a.crossed;
            ++*count;
        }
    mw_model_release(&model);
    mw_points_release(&all);
    mw_dataset_release(&dataset);
}

void buying_what_if(const char *folder)
{
    static const char *const NAMES[] = {"blackscholes", "canneal", "dedup", "ferret", "raytrace", "swaptions", "x264"};
    static const double FITTED[2][2] = {{1.2e9, 2.4e9}, {1.8e9, 2.4e9}};
    printf(
        "\nWhat if memory were faster, by the twin identity, from runs at two frequencies (7 programs): rms error of ln T\n");
    for (int f = 0; f < 2; f++) {
        double square = 0, nothing = 0;
        unsigned count = 0, crossed = 0;
        for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
            char path[512];
            snprintf(path, sizeof path, "%s/../parsec-power/%s.csv", folder, NAMES[i]);
            twin_of(path, FITTED[f], &square, &nothing, &count, &crossed);
        }
        if (count)
            printf(
                "%.1f and 2.4 GHz: %.3f (answering \"no change\": %.3f); %u of %u outside the bounds by over 2 %%, all said\n",
                FITTED[f][0] / 1e9, sqrt(square / count), sqrt(nothing / count), crossed, count);
    }
}
