// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/buying.h"

#include <math.h>
#include <stdio.h>

/* Core counts measured on B; negative: a fraction of all its cores. */
enum { DESIGN_POINTS = 4 };
struct design {
    const char *name;
    double at[DESIGN_POINTS];
};
static const struct design DESIGNS[] = {
    {"{1}", {1}},
    {"{1,2}", {1, 2}},
    {"{1,4}", {1, 4}},
    {"{P}", {-1}},
    {"{P/2,P}", {-.5, -1}},
    {"{1,P}", {1, -1}},
    {"{1,4,P}", {1, 4, -1}},
    {"{1,P/2,P}", {1, -.5, -1}},
    {"{1,2,4,8}", {1, 2, 4, 8}},
    {"{1,4,P/2,P}", {1, 4, -.5, -1}},
};

enum { SIZES = 3 };
static const unsigned SIZE[SIZES] = {48, 10, 4};

/* Sums over the pairs whose B has so many cores. */
struct tally {
    double error, pairs, inside, points;
};

/* The core counts of a design on B; 0 where B is too small to tell them apart. */
static size_t cores_of(const struct design *design, unsigned all, unsigned *cores)
{
    size_t n = 0;
    for (int k = 0; k < DESIGN_POINTS && design->at[k] != 0; k++) {
        cores[n] = (unsigned)(design->at[k] > 0 ? design->at[k] : -design->at[k] * all);
        if (cores[n] > all || (n && cores[n] <= cores[n - 1]))
            return 0;
        n++;
    }
    return n;
}

/* The core counts over one that the design leaves out. */
static size_t left_out(unsigned all, const unsigned *cores, size_t n, double *asked)
{
    size_t m = 0;
    for (unsigned q = 2; q <= all; q++) {
        bool known = false;
        for (size_t i = 0; i < n; i++)
            known = known || cores[i] == q;
        if (!known)
            asked[m++] = q;
    }
    return m;
}

/* All answers for B's program with these points there, from each other machine that has the program. */
static void add(struct tally *tally, int b, int program, const unsigned *cores, size_t n)
{
    struct curve *c = &curves[b][program];
    struct mw_model fitted = {0};
    bool fits = buying_fit(&fitted, &c->dataset, c->cores, cores, n);
    struct mw_point items[DESIGN_POINTS];
    for (size_t i = 0; i < n; i++)
        items[i] = (struct mw_point){.cores = cores[i],
                                     .freq_hz = c->source.freq_hz,
                                     .value = c->time_s[cores[i]],
                                     .count = 1,
                                     .noise_factor = 1};
    struct mw_points runs = {.items = items, .count = n, .quantity = MW_TIME};
    struct mw_transfer_target target = {.profile = &profiles[b], .runs = &runs, .runs_model = fits ? &fitted : NULL};
    double asked[MOST];
    size_t m = left_out(c->cores, cores, n, asked);
    for (int a = 0; a < MACHINES && m > 0; a++) {
        if (a == b || !curves[a][program].present)
            continue;
        struct mw_transfer_result r = buying_answer(a, program, MW_TRANSFER_EXPONENT, &target, asked, m);
        for (size_t i = 0; i < m; i++) {
            double t = c->time_s[(unsigned)asked[i]];
            tally->error += fabs(t / r.estimates[i].time_s - 1) / (double)m;
            tally->inside += t >= r.estimates[i].time_low_s && t <= r.estimates[i].time_high_s;
        }
        tally->points += (double)m;
        tally->pairs++;
        mw_transfer_result_release(&r);
    }
    if (fits)
        mw_model_release(&fitted);
}

void buying_points(void)
{
    printf(
        "\nPoints on B: mean error in %% of speed (1/T) at the core counts not measured (90 %% coverage), by size of B\n%-12s",
        "");
    for (int s = 0; s < SIZES; s++)
        printf(" %10u cores", SIZE[s]);
    printf("\n");
    for (size_t d = 0; d < sizeof DESIGNS / sizeof *DESIGNS; d++) {
        struct tally tally[SIZES] = {0};
        for (int b = 0; b < MACHINES; b++)
            for (int p = 0; p < PROGRAMS; p++) {
                unsigned cores[DESIGN_POINTS];
                const struct curve *c = &curves[b][p];
                size_t n = c->present ? cores_of(&DESIGNS[d], c->cores, cores) : 0;
                for (int s = 0; s < SIZES && n; s++)
                    if (SIZE[s] == c->cores)
                        add(&tally[s], b, p, cores, n);
            }
        printf("%-12s", DESIGNS[d].name);
        for (int s = 0; s < SIZES; s++)
            if (tally[s].pairs > 0)
                printf("   %5.1f (%3.0f)   ", 100 * tally[s].error / tally[s].pairs,
                       100 * tally[s].inside / tally[s].points);
            else
                printf("   %5s         ", "-");
        printf("\n");
        fflush(stdout);
    }
}
