// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/flops.h"

#include "data/stats.h"
#include "measure/probe/clock.h"
#include "measure/probe/team.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for the widest kernel (chains x lanes of doubles), and for one that is wider. */
#define VALUES_MAX   512
#define START_VALUE  (-0.5)
#define FIRST_ROUNDS 256

struct shared {
    const struct mw_flops_kernel *kernel;
    size_t count, windows;
    uint64_t rounds;         /* of a window, set by thread 0 */
    double *start_s, *end_s; /* windows x threads */
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

static enum mw_err member(void *opaque, struct mw_team *team, size_t index, struct mw_error *error)
{
    struct shared *s = opaque;
    union lanes a, b;
    uint64_t rounds = FIRST_ROUNDS;
    fill(s->kernel, &a);
    fill(s->kernel, &b);
    for (double begin = mw_now_s(); mw_now_s() - begin < MW_FLOPS_WARM_UP_S;) {
        double start = mw_now_s();
        s->kernel->run(&a, &b, rounds);
        double time_s = mw_now_s() - start;
        if (time_s < MW_FLOPS_WINDOW_S / 2)
            rounds *= 2;
        else if (time_s > 2 * MW_FLOPS_WINDOW_S && rounds > FIRST_ROUNDS)
            rounds /= 2;
    }
    if (!index)
        s->rounds = rounds;
    for (size_t w = 0; w < s->windows; w++) {
        mw_team_wait(team);
        s->start_s[w * s->count + index] = mw_now_s();
        s->kernel->run(&a, &b, s->rounds);
        s->end_s[w * s->count + index] = mw_now_s();
        mw_team_wait(team);
    }
    if (!plausible(s->kernel, &a) || !plausible(s->kernel, &b))
        return mw_fail(error, MW_UNTRUSTED, "%s %s: a value left (-1, 1), or lanes differ", s->kernel->precision,
                       s->kernel->variant);
    return MW_OK;
}

enum mw_err mw_flops_measure(const struct mw_flops_kernel *kernel, const unsigned *cpus, size_t count, size_t windows,
                             struct mw_flops *flops, struct mw_error *error)
{
    struct shared s = {.kernel = kernel, .count = count, .windows = windows};
    double *rates = calloc(windows, sizeof *rates);
    s.start_s = calloc(windows * count, sizeof *s.start_s);
    s.end_s = calloc(windows * count, sizeof *s.end_s);
    enum mw_err err = rates && s.start_s && s.end_s ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err)
        err = mw_team_run(cpus, count, member, &s, error);
    for (size_t w = 0; !err && w < windows; w++) {
        double time_s = mw_maximum(s.end_s + w * count, count) - mw_minimum(s.start_s + w * count, count);
        rates[w] = (double)(s.rounds * count) * mw_flops_per_round(kernel) / time_s;
    }
    if (!err)
        *flops = (struct mw_flops){.best_per_s = mw_maximum(rates, windows), .median_per_s = mw_median(rates, windows)};
    free(rates);
    free(s.start_s);
    free(s.end_s);
    return err;
}
