// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/splits.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool near(double a, double b)
{
    return fabs(a - b) < 0.01e9;
}

static void range(const struct mw_points *points, double *cores_most, double *freq_least, double *freq_most)
{
    *cores_most = *freq_most = 0;
    *freq_least = INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        *cores_most = fmax(*cores_most, points->items[i].cores);
        *freq_least = fmin(*freq_least, points->items[i].freq_hz);
        *freq_most = fmax(*freq_most, points->items[i].freq_hz);
    }
}

/* The k-th lowest frequency (from 0). */
static double low_freq(const struct mw_points *points, size_t k)
{
    double freq = 0;
    for (size_t round = 0; round <= k; round++) {
        double next = INFINITY;
        for (size_t i = 0; i < points->count; i++)
            if (points->items[i].freq_hz > freq + 1e6)
                next = fmin(next, points->items[i].freq_hz);
        freq = next;
    }
    return freq;
}

static bool mark_all(const struct bench_set *set, char *mark, bool (*train)(const struct mw_point *, const double *),
                     bool (*test)(const struct mw_point *, const double *), const double *with)
{
    size_t trained = 0, tested = 0;
    for (size_t i = 0; i < set->points.count; i++) {
        const struct mw_point *point = &set->points.items[i];
        bool is_train = train(point, with);
        mark[i] = is_train ? BENCH_TRAIN : !test || test(point, with) ? BENCH_TEST : BENCH_LEFT_OUT;
        trained += mark[i] == BENCH_TRAIN;
        tested += mark[i] == BENCH_TEST;
    }
    return trained && tested;
}

/* --- parsec-power --------------------------------------------------------------------------------------------- */

static bool in_ten(const struct mw_point *p, const double *with)
{
    static const double design[][2] = {{1, 1.2}, {1, 2.4},  {2, 1.8},  {4, 1.2},  {4, 2.4},
                                       {8, 1.8}, {12, 2.4}, {16, 1.2}, {24, 1.2}, {24, 2.4}};
    (void)with;
    for (size_t i = 0; i < sizeof design / sizeof *design; i++)
        if (p->cores == (unsigned)design[i][0] && near(p->freq_hz, design[i][1] * 1e9))
            return true;
    return false;
}
static bool few_cores(const struct mw_point *p, const double *with)
{
    (void)with;
    return p->cores <= 8;
}
static bool many_cores(const struct mw_point *p, const double *with)
{
    (void)with;
    return p->cores >= 16;
}
static bool slow(const struct mw_point *p, const double *with)
{
    (void)with;
    return p->freq_hz < 1.55e9;
}
static bool fast(const struct mw_point *p, const double *with)
{
    (void)with;
    return p->freq_hz > 2.35e9;
}
static bool few_slow(const struct mw_point *p, const double *with)
{
    return few_cores(p, with) && slow(p, with);
}
static bool many_fast(const struct mw_point *p, const double *with)
{
    return many_cores(p, with) && fast(p, with);
}
static bool cut_ten(const struct bench_set *set, char *mark)
{
    return mark_all(set, mark, in_ten, NULL, NULL);
}
static bool cut_cores(const struct bench_set *set, char *mark)
{
    return mark_all(set, mark, few_cores, many_cores, NULL);
}
static bool cut_freq(const struct bench_set *set, char *mark)
{
    return mark_all(set, mark, slow, fast, NULL);
}
static bool cut_both(const struct bench_set *set, char *mark)
{
    return mark_all(set, mark, few_slow, many_fast, NULL);
}

/* --- parsec-speedup: with[0], [1] the lowest and highest frequency, [2] the third lowest ----------------------- */

static bool at_ends(const struct mw_point *p, const double *with)
{
    return near(p->freq_hz, with[0]) || near(p->freq_hz, with[1]);
}
static bool in_design(const struct mw_point *p, const double *with)
{
    return at_ends(p, with) && (p->cores == 2 || p->cores == 6 || p->cores == 12 || p->cores == 20 || p->cores == 32);
}
static bool in_six(const struct mw_point *p, const double *with)
{
    return at_ends(p, with) && (p->cores == 4 || p->cores == 12 || p->cores == 32);
}
static bool up_to_third(const struct mw_point *p, const double *with)
{
    return p->freq_hz <= with[2] + 1e6;
}
static bool at_top(const struct mw_point *p, const double *with)
{
    return near(p->freq_hz, with[1]);
}
static bool cut_by_freqs(const struct bench_set *set, char *mark,
                         bool (*train)(const struct mw_point *, const double *),
                         bool (*test)(const struct mw_point *, const double *))
{
    double cores, with[3];
    range(&set->points, &cores, &with[0], &with[1]);
    with[2] = low_freq(&set->points, 2);
    return mark_all(set, mark, train, test, with);
}
static bool cut_design(const struct bench_set *set, char *mark)
{
    return cut_by_freqs(set, mark, in_design, NULL);
}
static bool cut_six(const struct bench_set *set, char *mark)
{
    return cut_by_freqs(set, mark, in_six, NULL);
}
static bool cut_top(const struct bench_set *set, char *mark)
{
    return cut_by_freqs(set, mark, up_to_third, at_top);
}

static gsl_rng *generator(unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        abort();
    gsl_rng_set(rng, seed);
    return rng;
}

static bool cut_twenty(const struct bench_set *set, char *mark)
{
    enum { TRAINED = 20 };
    size_t n = set->points.count;
    if (n <= TRAINED)
        return false;
    gsl_rng *rng = generator(bench_seed(set));
    memset(mark, BENCH_TEST, n);
    for (size_t left = TRAINED; left > 0;) {
        size_t i = gsl_rng_uniform_int(rng, n);
        if (mark[i] == BENCH_TEST) {
            mark[i] = BENCH_TRAIN;
            left--;
        }
    }
    gsl_rng_free(rng);
    return true;
}

static void spoil_two(struct mw_points *train, unsigned long seed)
{
    gsl_rng *rng = generator(seed + 1);
    size_t up = gsl_rng_uniform_int(rng, train->count), down;
    do {
        down = gsl_rng_uniform_int(rng, train->count);
    } while (down == up);
    train->items[up].value *= 3;
    train->items[down].value /= 3;
    gsl_rng_free(rng);
}

static void spoil_baseline(struct mw_points *train, unsigned long seed)
{
    gsl_rng *rng = generator(seed + 2);
    double freq = train->items[gsl_rng_uniform_int(rng, train->count)].freq_hz;
    for (size_t i = 0; i < train->count; i++)
        if (near(train->items[i].freq_hz, freq))
            train->items[i].value *= 2;
    gsl_rng_free(rng);
}

/* --- multicores: with[0] the largest core count ------------------------------------------------------------------ */

static bool a_quarter(const struct mw_point *p, const double *with)
{
    return p->cores <= with[0] / 4;
}
static bool a_half(const struct mw_point *p, const double *with)
{
    return p->cores <= with[0] / 2;
}
static bool last_quarter(const struct mw_point *p, const double *with)
{
    return p->cores >= 0.75 * with[0];
}
static bool log_spread(const struct mw_point *p, const double *with)
{
    for (int k = 0; k < 6; k++)
        if (p->cores == (unsigned)lround(pow(with[0], k / 5.0)))
            return true;
    return false;
}
static bool cut_by_cores(const struct bench_set *set, char *mark, double least,
                         bool (*train)(const struct mw_point *, const double *),
                         bool (*test)(const struct mw_point *, const double *))
{
    double cores, low, high;
    range(&set->points, &cores, &low, &high);
    return !set->mixed && cores >= least && mark_all(set, mark, train, test, &cores);
}
static bool cut_quarter(const struct bench_set *set, char *mark)
{
    return cut_by_cores(set, mark, 16, a_quarter, last_quarter);
}
static bool cut_half(const struct bench_set *set, char *mark)
{
    return cut_by_cores(set, mark, 16, a_half, last_quarter);
}
static bool cut_log(const struct bench_set *set, char *mark)
{
    return cut_by_cores(set, mark, 8, log_spread, NULL);
}

/* --- one kind of cores, and across a boundary -------------------------------------------------------------------- */

static bool has_threads_or_kinds(const struct bench_set *set)
{
    return set->boundary >= 4 && set->kind != MW_BOUNDARY_SOCKET;
}
static bool cut_across(const struct bench_set *set, char *mark, bool (*train)(const struct mw_point *, const double *))
{
    double cores, low, high;
    range(&set->points, &cores, &low, &high);
    return has_threads_or_kinds(set) && mark_all(set, mark, train, last_quarter, &cores);
}
static bool cut_quarter_across(const struct bench_set *set, char *mark)
{
    return cut_across(set, mark, a_quarter);
}
static bool cut_half_across(const struct bench_set *set, char *mark)
{
    return cut_across(set, mark, a_half);
}
static bool cut_quarter_one_kind(const struct bench_set *set, char *mark)
{
    return !set->boundary && cut_quarter(set, mark);
}
static bool cut_half_one_kind(const struct bench_set *set, char *mark)
{
    return !set->boundary && cut_half(set, mark);
}

/* All runs before the boundary and one behind it; the last quarter without that run is judged. */
static bool cut_behind(const struct bench_set *set, char *mark, double run)
{
    double cores, low, high;
    range(&set->points, &cores, &low, &high);
    if (!has_threads_or_kinds(set))
        return false;
    run = run > 0 ? set->boundary + run : cores;
    for (size_t i = 0; i < set->points.count; i++) {
        double p = set->points.items[i].cores;
        bool train = p <= set->boundary || fabs(p - run) < .5;
        mark[i] = train ? BENCH_TRAIN : p >= .75 * cores ? BENCH_TEST : BENCH_LEFT_OUT;
    }
    return true;
}
static bool cut_behind_first(const struct bench_set *set, char *mark)
{
    return cut_behind(set, mark, 1);
}
static bool cut_behind_second(const struct bench_set *set, char *mark)
{
    return cut_behind(set, mark, 2);
}
static bool cut_behind_all(const struct bench_set *set, char *mark)
{
    return cut_behind(set, mark, 0);
}

/* Runs before the boundary, the first behind it and all cores. */
static bool cut_behind_two(const struct bench_set *set, char *mark)
{
    double cores, low, high;
    range(&set->points, &cores, &low, &high);
    if (!cut_behind(set, mark, 0))
        return false;
    for (size_t i = 0; i < set->points.count; i++)
        if (set->points.items[i].cores == set->boundary + 1.)
            mark[i] = BENCH_TRAIN;
    return true;
}

static bool up_to_socket(const struct mw_point *p, const double *with)
{
    return p->cores <= 12 && (at_ends(p, with) || near(p->freq_hz, 1.8e9));
}
static bool in_second_socket(const struct mw_point *p, const double *with)
{
    return p->cores >= 18 && (at_ends(p, with) || near(p->freq_hz, 1.8e9));
}
static bool cut_socket(const struct bench_set *set, char *mark)
{
    return cut_by_freqs(set, mark, up_to_socket, in_second_socket);
}

const struct bench_split bench_splits[] = {
    {"parsec-power", "ten points", false, cut_ten, NULL, false},
    {"parsec-power", "p <= 8 to p >= 16", false, cut_cores, NULL, false},
    {"parsec-power", "F <= 1.5 to 2.4", false, cut_freq, NULL, false},
    {"parsec-power", "both", false, cut_both, NULL, false},
    {"parsec-speedup", "ten points", false, cut_design, NULL, false},
    {"parsec-speedup", "six points", false, cut_six, NULL, false},
    {"parsec-speedup", "p <= 8 to p >= 16", false, cut_cores, NULL, false},
    {"parsec-speedup", "three low F to top", false, cut_top, NULL, false},
    {"parsec-speedup", "long: ten points", true, cut_design, NULL, false},
    {"parsec-speedup", "long: six points", true, cut_six, NULL, false},
    {"parsec-speedup", "long: p <= 8 to 16", true, cut_cores, NULL, false},
    {"parsec-speedup", "long: F to top", true, cut_top, NULL, false},
    {"multicores", "quarter to last", false, cut_quarter, NULL, true},
    {"multicores", "half to last", false, cut_half, NULL, true},
    {"multicores", "six in ln p", false, cut_log, NULL, false},
    {"parsec-power", "p <= 12 to p >= 18", false, cut_socket, NULL, false},
    {"multicores", "one kind: 1/4", false, cut_quarter_one_kind, NULL, false},
    {"multicores", "one kind: 1/2", false, cut_half_one_kind, NULL, false},
    {"multicores", "across: 1/4", false, cut_quarter_across, NULL, false},
    {"multicores", "across: 1/2", false, cut_half_across, NULL, false},
    {"multicores", "a run at b + 1", false, cut_behind_first, NULL, false},
    {"multicores", "a run at b + 2", false, cut_behind_second, NULL, false},
    {"multicores", "a run on all", false, cut_behind_all, NULL, false},
    {"multicores", "b + 1 and all", false, cut_behind_two, NULL, false},
    {"parsec-speedup", "20 random, clean", false, cut_twenty, NULL, false},
    {"parsec-speedup", "20, two x3 and /3", false, cut_twenty, spoil_two, false},
    {"parsec-speedup", "20, a baseline x2", false, cut_twenty, spoil_baseline, false},
};
const size_t bench_split_count = sizeof bench_splits / sizeof *bench_splits;
