// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/diagnose_tables.h"
#include "advise/diagnose/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 25 };

/* What is known of each: the verdicts that are right, by the issue and by whoever published the set. */
static const struct {
    const char *file, *right;
    unsigned boundary; /* 0: not given */
} TABLES[] = {
    {"parsec-power/blackscholes.csv", "boundary-step", 12},
    {"parsec-power/canneal.csv", "memory memory-latency memory-bandwidth", 12},
    {"parsec-power/dedup.csv", "undetermined serial", 12},
    {"parsec-power/ferret.csv", "scales-well", 12},
    {"parsec-power/raytrace.csv", "scales-well", 12},
    {"parsec-power/swaptions.csv", "boundary-step", 12},
    {"parsec-power/x264.csv", "boundary-step", 12},
    {"multicores/xeon-gh.csv", "serial", 0},
    {"multicores/xeon-bt.csv", "boundary-step", 0},
    {"formats/gpssdr11_inverse.csv", "slows-down", 0},
    {"formats/gentoolto288_weak.csv", "flat", 0},
};

static const char *judge(const struct mw_diagnosis *d, const char *right)
{
    const char *name = mw_verdict_name(d->verdict), *at = strstr(right, name);
    size_t length = strlen(name);
    bool found = at && (at[length] == ' ' || at[length] == '\0');
    return found ? "right" : d->verdict == MW_VERDICT_UNDETERMINED ? "open" : "WRONG";
}

static void fail(const struct mw_error *error)
{
    fprintf(stderr, "bench-diagnose: %s\n", error->message);
    exit(1);
}

/* Replays the table: only its points at the ends of the frequency range can be measured. */
static size_t replay(struct mw_diagnosis *d, const struct mw_points *table, const unsigned *boundary,
                     size_t boundary_count)
{
    struct mw_error error;
    struct mw_diagnoser *diagnoser = NULL;
    struct mw_config *candidates = malloc(table->count * sizeof *candidates);
    struct mw_point measured[MOST_POINTS];
    struct mw_points points = {.items = measured, .count = 0, .quantity = MW_TIME};
    double low = HUGE_VAL, high = 0;
    unsigned most = 0;
    size_t n = 0;
    for (size_t i = 0; i < table->count; i++) {
        low = fmin(low, table->items[i].freq_hz);
        high = fmax(high, table->items[i].freq_hz);
        most = table->items[i].cores > most ? table->items[i].cores : most;
    }
    struct mw_diagnose_options options = {
        .cores = most, .freq_max_hz = high, .boundaries = boundary, .boundary_count = boundary_count, .seed = 1};
    if (!candidates || mw_diagnoser_alloc(&diagnoser, &options, &error) != MW_OK)
        abort();
    for (size_t i = 0; i < table->count; i++)
        if (table->items[i].freq_hz <= low || table->items[i].freq_hz >= high)
            candidates[n++] = (struct mw_config){table->items[i].cores, table->items[i].freq_hz};
    while (points.count < MOST_POINTS) {
        struct mw_diagnose_step step;
        if (mw_diagnoser_next(diagnoser, &step, d, &points, candidates, n, &error) != MW_OK)
            fail(&error);
        if (step.done)
            break;
        for (size_t i = 0; i < table->count; i++)
            if (fabs(table->items[i].cores - candidates[step.candidate].cores) < .5 &&
                fabs(table->items[i].freq_hz - candidates[step.candidate].freq_hz) < 1)
                measured[points.count] = table->items[i];
        points.count++;
    }
    if (mw_diagnoser_run(diagnoser, d, &points, &error) != MW_OK)
        fail(&error);
    mw_diagnoser_free(diagnoser);
    free(candidates);
    return points.count;
}

void diagnose_tables(const char *folder)
{
    printf("\nMeasured tables: whole without and with their boundary, and by replay from three points (n: points)\n");
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        char path[512];
        struct mw_error error;
        struct mw_dataset dataset;
        struct mw_points points;
        struct mw_diagnosis d;
        snprintf(path, sizeof path, "%s/%s", folder, TABLES[i].file);
        if (mw_dataset_read(&dataset, path, &(struct mw_dataset_options){0}, &error) != MW_OK) {
            printf("%-32s skipped: %s\n", TABLES[i].file, error.message);
            continue;
        }
        if (mw_points_from_dataset(&points, &dataset, &error) != MW_OK)
            fail(&error);
        size_t known = TABLES[i].boundary > 0;
        printf("%-32s", TABLES[i].file);
        for (size_t given = 0; given <= known; given++) {
            struct mw_diagnose_options options = {
                .boundaries = &TABLES[i].boundary, .boundary_count = given, .seed = 1};
            if (mw_diagnose(&d, &points, &options, &error) != MW_OK)
                fail(&error);
            printf(" %s %.2f (%s);", mw_verdict_name(d.verdict), d.confidence, judge(&d, TABLES[i].right));
        }
        if (known) {
            size_t n = replay(&d, &points, &TABLES[i].boundary, 1);
            printf(" replay %s %.2f n=%zu (%s)", mw_verdict_name(d.verdict), d.confidence, n,
                   judge(&d, TABLES[i].right));
        }
        printf("\n");
        fflush(stdout);
        mw_points_release(&points);
        mw_dataset_release(&dataset);
    }
}
