// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/run/noise.h"

#include "data/stats.h"

#include <math.h>
#include <stdlib.h>

enum { CONFIG_RUNS_LEAST = 3, DRIFT_RUNS_LEAST = 10, DRIFT_RUNS_MOST = 600 }; /* the last: a third of a million pairs */
static const double drift_z = 2.576;                                          /* two-sided, p = .01 */
static const double drift_least = 0.01;

struct residuals {
    double *r;   /* ln(time / median of its configuration) */
    size_t *run; /* index of the run */
    size_t count;
};

static void add_config(struct residuals *res, const struct mw_noise_run *runs, size_t count, size_t config,
                       double *work)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (runs[i].config == config && runs[i].good)
            work[n++] = runs[i].time_s;
    if (n < CONFIG_RUNS_LEAST)
        return;
    double median = mw_median(work, n);
    for (size_t i = 0; i < count; i++)
        if (runs[i].config == config && runs[i].good)
            res->r[i] = log(runs[i].time_s / median);
}

static void find_outliers(const struct residuals *res, struct mw_noise *noise)
{
    double center = mw_median(res->r, res->count), limit = MW_NOISE_Z * mw_mad(res->r, res->count), farthest = 0;
    limit = fmax(limit, log1p(MW_NOISE_LEAST));
    for (size_t i = 0; i < res->count; i++) {
        double off = res->r[i] - center;
        if (fabs(off) <= limit)
            continue;
        if (res->run[i] == 0 && off > 0) {
            noise->first_slow = true;
            noise->first_ratio = exp(res->r[i]);
            continue;
        }
        noise->outliers++;
        if (fabs(off) > farthest) {
            farthest = fabs(off);
            noise->farthest = res->run[i];
            noise->farthest_ratio = exp(res->r[i]);
        }
    }
}

/* Kendall's S and the median of the pairwise slopes over an even sample of the runs. */
static enum mw_err find_drift(const struct residuals *res, struct mw_noise *noise, struct mw_error *error)
{
    size_t first = noise->first_slow, n = res->count - first;
    if (n < DRIFT_RUNS_LEAST)
        return MW_OK;
    size_t used = n < DRIFT_RUNS_MOST ? n : DRIFT_RUNS_MOST, pairs = 0;
    double *slopes = malloc(used * (used - 1) / 2 * sizeof *slopes), s = 0, m = (double)used;
    if (!slopes)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t a = 0; a < used; a++) {
        for (size_t b = a + 1; b < used; b++) {
            size_t i = first + a * n / used, j = first + b * n / used;
            double rise = res->r[j] - res->r[i];
            s += (rise > 0) - (rise < 0);
            slopes[pairs++] = rise / (double)(j - i);
        }
    }
    double z = (fabs(s) - 1) / sqrt(m * (m - 1) * (2 * m + 5) / 18), total = mw_median(slopes, pairs) * (double)(n - 1);
    free(slopes);
    noise->drift_share = expm1(total);
    noise->drift = z > drift_z && fabs(noise->drift_share) > drift_least;
    return MW_OK;
}

enum mw_err mw_noise_find(const struct mw_noise_run *runs, size_t count, size_t config_count, struct mw_noise *noise,
                          struct mw_error *error)
{
    struct mw_noise found = {0};
    struct residuals res = {.r = calloc(count + 1, sizeof *res.r), .run = calloc(count + 1, sizeof *res.run)};
    double *work = calloc(count + 1, sizeof *work);
    enum mw_err err = res.r && res.run && work ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; !err && i < count; i++)
        res.r[i] = INFINITY; /* not part of a configuration with enough runs */
    for (size_t c = 0; !err && c < config_count; c++)
        add_config(&res, runs, count, c, work);
    for (size_t i = 0; !err && i < count; i++) {
        found.disturbed += runs[i].foreign_share > MW_NOISE_FOREIGN;
        found.foreign_most = fmax(found.foreign_most, runs[i].foreign_share);
        if (isinf(res.r[i]))
            continue;
        res.run[res.count] = i;
        res.r[res.count++] = res.r[i];
    }
    if (!err && res.count) {
        find_outliers(&res, &found);
        err = find_drift(&res, &found, error);
    }
    free(res.r);
    free(res.run);
    free(work);
    if (!err)
        *noise = found;
    return err;
}
