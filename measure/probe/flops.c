// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/flops.h"

#include "data/stats.h"
#include "measure/probe/clock.h"
#include "measure/probe/switches.h"
#include "measure/probe/team.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for the widest kernel (chains x lanes of doubles), and for one that is wider. */
#define VALUES_MAX      512
#define START_VALUE     (-0.5)
#define FIRST_ROUNDS    256
#define LEAST_WINDOWS   2
#define LEAST_WARM_UP_S 10e-3 /* to find the rounds of a window */

struct shared {
    const struct mw_flops_kernel *kernel;
    size_t count, wanted;
    size_t windows, clean;   /* done */
    uint64_t rounds;         /* of a window, set by thread 0 */
    double *start_s, *end_s; /* windows x threads */
    bool *lost;              /* windows x threads: the thread lost its CPU */
    double deadline_s, warm_up_s;
    bool go_on;
};

union lanes {
    _Alignas(64) double fp64[VALUES_MAX];
    float fp32[VALUES_MAX];
};

double mw_flops_per_round(const struct mw_flops_kernel *kernel)
{
    return 4.0 * (double)(kernel->chains * kernel->lanes * kernel->unroll);
}

static bool is_single(const struct mw_flops_kernel *kernel)
{
    return !strcmp(kernel->precision, "fp32");
}

static double lane(const struct mw_flops_kernel *kernel, const union lanes *v, size_t i)
{
    return is_single(kernel) ? (double)v->fp32[i] : v->fp64[i];
}

/* Each lane of each chain from the same number: then all must end as the same number. */
static void fill(const struct mw_flops_kernel *kernel, union lanes *v)
{
    for (size_t i = 0; i < kernel->chains * kernel->lanes; i++) {
        if (is_single(kernel))
            v->fp32[i] = (float)START_VALUE;
        else
            v->fp64[i] = START_VALUE;
    }
}

static bool plausible(const struct mw_flops_kernel *kernel, const union lanes *v)
{
    double first = lane(kernel, v, 0);
    bool good = fabs(first) < 1;
    for (size_t i = 1; i < kernel->chains * kernel->lanes; i++)
        good = good && fabs(lane(kernel, v, i) - first) <= 0;
    return good;
}

static bool is_clean(const struct shared *s, size_t window)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->lost[window * s->count + i])
            return false;
    return true;
}

/* Rounds that take about a window's time, on a core that has warmed up. */
static uint64_t warm_up(const struct shared *s, union lanes *a, union lanes *b)
{
    uint64_t rounds = FIRST_ROUNDS;
    for (double begin = mw_now_s(); mw_now_s() - begin < s->warm_up_s;) {
        double start = mw_now_s();
        s->kernel->run(a, b, rounds);
        double time_s = mw_now_s() - start;
        if (time_s < MW_FLOPS_WINDOW_S / 2)
            rounds *= 2;
        else if (time_s > 2 * MW_FLOPS_WINDOW_S && rounds > FIRST_ROUNDS)
            rounds /= 2;
    }
    return rounds;
}

static enum mw_err member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct shared *s = opaque;
    union lanes a, b;
    fill(s->kernel, &a);
    fill(s->kernel, &b);
    uint64_t rounds = warm_up(s, &a, &b);
    if (!index)
        s->rounds = rounds;
    do {
        mw_team_wait(team);
        size_t at = s->windows * s->count + index;
        struct mw_switches before = mw_switches_now();
        s->start_s[at] = mw_now_s();
        s->kernel->run(&a, &b, s->rounds);
        s->end_s[at] = mw_now_s();
        s->lost[at] = mw_switched_since(&before);
        mw_team_wait(team);
        if (!index) {
            s->clean += is_clean(s, s->windows++);
            s->go_on = s->windows < LEAST_WINDOWS ||
                       (s->clean < s->wanted && s->windows < MW_FLOPS_MOST * s->wanted && mw_now_s() < s->deadline_s);
        }
        mw_team_wait(team);
    } while (s->go_on);
    if (!plausible(s->kernel, &a) || !plausible(s->kernel, &b))
        return mw_fail(error, MW_UNTRUSTED, "%s %s: a value left (-1, 1), or lanes differ", s->kernel->precision,
                       s->kernel->variant);
    return MW_OK;
}

/* Rates of the windows that count. */
static size_t window_rates(const struct shared *s, double *rates)
{
    size_t kept = 0, n = s->count;
    for (size_t w = 0; w < s->windows; w++) {
        double time_s = mw_maximum(s->end_s + w * n, n) - mw_minimum(s->start_s + w * n, n);
        if (!s->clean || is_clean(s, w))
            rates[kept++] = (double)(s->rounds * n) * mw_flops_per_round(s->kernel) / time_s;
    }
    return kept;
}

enum mw_err mw_flops_measure(const struct mw_flops_kernel *kernel, const unsigned *cpus, size_t count, size_t windows,
                             double max_time_s, struct mw_flops *flops, struct mw_error *error)
{
    size_t most = MW_FLOPS_MOST * windows + LEAST_WINDOWS;
    struct shared s = {.kernel = kernel,
                       .count = count,
                       .wanted = windows,
                       .deadline_s = mw_now_s() + max_time_s,
                       .warm_up_s = fmax(LEAST_WARM_UP_S, fmin(MW_FLOPS_WARM_UP_S, max_time_s / 2))};
    double *rates = calloc(most, sizeof *rates);
    s.start_s = calloc(most * count, sizeof *s.start_s);
    s.end_s = calloc(most * count, sizeof *s.end_s);
    s.lost = calloc(most * count, sizeof *s.lost);
    enum mw_err err = rates && s.start_s && s.end_s && s.lost ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_team_run(cpus, count, member, &s, error);
    size_t kept = err ? 0 : window_rates(&s, rates);
    if (!err)
        *flops = (struct mw_flops){
            .best_per_s = mw_maximum(rates, kept), .median_per_s = mw_median(rates, kept), .disturbed = !s.clean};
    free(rates);
    free(s.start_s);
    free(s.end_s);
    free(s.lost);
    return err;
}
