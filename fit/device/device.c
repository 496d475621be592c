// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/device/device.h"

#include "data/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVELS_LEAST 3
#define LEVEL        0.95 /* two-sided 90 % */
#define MISFIT_F     0.01

struct run {
    double x, time_s;
};

/* Runs of one x: their number, their median, and what they differ by. */
struct level {
    double x, median_s, square; /* of relative differences from the mean */
    size_t count;
};

static int by_x(const void *a, const void *b)
{
    const struct run *r = a, *s = b;
    return (r->x > s->x) - (r->x < s->x);
}

static size_t make_levels(const struct run *runs, size_t n, double *times, struct level *levels)
{
    size_t count = 0;
    for (size_t first = 0, end; first < n; first = end) {
        double sum = 0;
        for (end = first; end < n && runs[end].x <= runs[first].x * (1 + 1e-6); end++) {
            times[end - first] = runs[end].time_s;
            sum += runs[end].time_s;
        }
        struct level l = {.x = runs[first].x, .count = end - first};
        double mean = sum / (double)l.count;
        for (size_t i = first; i < end; i++)
            l.square += pow(runs[i].time_s / mean - 1, 2);
        l.median_s = mw_median(times, l.count);
        levels[count++] = l;
    }
    return count;
}

/* Sums of the weighted normal equations of t = h + d u, u = x0 / x, weights count / median^2. */
struct normal {
    double w, u, uu, t, ut;
};

static void solve(const struct level *levels, size_t count, struct mw_device_split *s, struct normal *sums)
{
    struct normal n = {0};
    for (size_t i = 0; i < count; i++) {
        double u = s->x0 / levels[i].x, t = levels[i].median_s, w = (double)levels[i].count / (t * t);
        n.w += w;
        n.u += w * u;
        n.uu += w * u * u;
        n.t += w * t;
        n.ut += w * u * t;
    }
    double determinant = n.w * n.uu - n.u * n.u;
    s->host_s = (n.uu * n.t - n.u * n.ut) / determinant;
    s->device_s = (n.w * n.ut - n.u * n.t) / determinant;
    *sums = n;
}

/* 90 % interval of d / (h + d) to first order, and of the two terms; variance: of a relative error. */
static void intervals(struct mw_device_split *s, const struct normal *n, double variance, double freedom,
                      double half[2])
{
    double determinant = n->w * n->uu - n->u * n->u, t = gsl_cdf_tdist_Pinv(LEVEL, freedom);
    double hh = variance * n->uu / determinant, dd = variance * n->w / determinant, hd = -variance * n->u / determinant;
    double all = s->host_s + s->device_s, by_h = -s->device_s / (all * all), by_d = s->host_s / (all * all);
    double sd = sqrt(fmax(by_h * by_h * hh + by_d * by_d * dd + 2 * by_h * by_d * hd, 0));
    s->share = s->device_s / all;
    s->low = fmax(s->share - t * sd, 0);
    s->high = fmin(s->share + t * sd, 1);
    half[0] = t * sqrt(hh);
    half[1] = t * sqrt(dd);
    s->variances[0] = hh;
    s->variances[1] = hd;
    s->variances[2] = dd;
    s->noise = sqrt(variance);
    s->freedom = freedom;
}

static void judge(const struct level *levels, size_t count, struct mw_device_split *s)
{
    double pure = 0, lack = 0, worst = 0, half[2], worst_x = 0;
    struct normal sums;
    size_t pure_freedom = s->runs - count;
    solve(levels, count, s, &sums);
    for (size_t i = 0; i < count; i++) {
        double error = mw_device_time(s, levels[i].x) / levels[i].median_s - 1;
        lack += (double)levels[i].count * error * error;
        s->misfit += error * error / (double)count;
        pure += levels[i].square;
        worst_x = fabs(error) > fabs(worst) ? levels[i].x : worst_x;
        worst = fabs(error) > fabs(worst) ? error : worst;
    }
    s->misfit = sqrt(s->misfit);
    double lack_variance = lack / (double)(count - 2), pure_variance = pure / (double)pure_freedom;
    bool no_law = s->misfit > MW_DEVICE_MISFIT &&
                  lack_variance > pure_variance * gsl_cdf_fdist_Qinv(MISFIT_F, (double)count - 2, (double)pure_freedom);
    double variance = (lack + pure) / (double)(s->runs - 2);
    intervals(s, &sums, fmax(variance, pure_variance), (double)(s->runs - 2), half);
    if (no_law)
        snprintf(
            s->why, sizeof s->why,
            "two terms miss the time at %.4g by %+.0f %%: something else changes with the device (communication, a "
            "power limit, work that does not divide)",
            worst_x, 100 * worst);
    else if (s->host_s + half[0] < 0)
        snprintf(s->why, sizeof s->why, "the time falls faster than the device's rate rises");
    else if (s->device_s + half[1] < 0)
        snprintf(s->why, sizeof s->why, "the time rises with the device's rate");
    else if (s->high - s->low > MW_DEVICE_WIDTH)
        snprintf(
            s->why, sizeof s->why,
            "the device's share may be anything from %.2f to %.2f: more repetitions or a wider range would settle it",
            s->low, s->high);
    s->told = !*s->why;
    s->host_s = fmax(s->host_s, 0);
    s->device_s = fmax(s->device_s, 0);
    s->share = fmin(fmax(s->share, 0), 1);
}

enum mw_err mw_device_split(const double *x, const double *time_s, size_t n, struct mw_device_split *split,
                            struct mw_error *error)
{
    struct run *runs = calloc(n + 1, sizeof *runs);
    struct level *levels = calloc(n + 1, sizeof *levels);
    double *times = calloc(n + 1, sizeof *times);
    struct mw_device_split s = {.runs = n};
    enum mw_err err = runs && levels && times ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n && !err; i++) {
        runs[i] = (struct run){x[i], time_s[i]};
        if (!(x[i] > 0 && time_s[i] > 0 && isfinite(x[i]) && isfinite(time_s[i])))
            err = mw_fail(error, MW_DATA, "a number of devices, a clock or a time that is not positive");
    }
    if (!err && !n)
        err = mw_fail(error, MW_DATA, "no runs");
    if (!err) {
        qsort(runs, n, sizeof *runs, by_x);
        s.x0 = runs[0].x;
        s.x_most = runs[n - 1].x;
        s.levels = make_levels(runs, n, times, levels);
        if (s.levels < LEVELS_LEAST)
            snprintf(s.why, sizeof s.why, "%zu value%s: any times fit two terms; measure a third", s.levels,
                     s.levels == 1 ? "" : "s");
        else if (s.levels == n)
            snprintf(s.why, sizeof s.why, "no value has two runs: noise and misfit can't be told apart");
        else
            judge(levels, s.levels, &s);
        *split = s;
    }
    free(runs);
    free(levels);
    free(times);
    return err;
}

double mw_device_time(const struct mw_device_split *split, double x)
{
    return split->host_s + split->device_s * split->x0 / x;
}

void mw_device_interval(const struct mw_device_split *split, double x, double *low, double *high)
{
    double u = split->x0 / x, time_s = mw_device_time(split, x);
    double law = split->variances[0] + 2 * u * split->variances[1] + u * u * split->variances[2];
    double beyond = MW_DEVICE_MISFIT * time_s * fmax(log2(x / split->x_most), 0);
    double run = split->noise * time_s, sd = sqrt(fmax(law, 0) + run * run + beyond * beyond);
    double half = gsl_cdf_tdist_Pinv(LEVEL, split->freedom) * sd;
    *low = fmax(time_s - half, 0);
    *high = time_s + half;
}
