// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/timing.h"

#include "data/stats.h"
#include "measure/gpu/isolate.h"
#include "measure/machine/sysfile.h"
#include "measure/probe/clock.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>

/* A window of n must be long against the start of a kernel and the wake of the thread that waits, some 50 us. */
#define UNIT_S       (MW_GPU_WINDOW_S / 4)
#define LEAST_ROUNDS 2
/* growth is read from the first rounds; after them the windows of 4 n are enough */
#define GROWTH_ROUNDS 5
/* a window of n may have been the disturbed one: that work is dropped is believed after this many rounds */
#define CONVICTION_ROUNDS 12
/* times that windows are made longer after all; work that is dropped never gets there */
#define LONGER_MOST 4
/* no event or query is this much longer than the wall clock from before its start to after its end */
#define QUERY_ABOVE 1.05
#define QUERY_BELOW 0.5

bool mw_gpu_proportional(const struct mw_gpu_timing *timing)
{
    return timing->growth_16 >= MW_GPU_GROWTH_LEAST;
}

bool mw_gpu_deferred(const struct mw_gpu_timing *timing)
{
    return timing->growth_told && !mw_gpu_proportional(timing);
}

bool mw_gpu_query_plausible(double query_s, double wall_s)
{
    return query_s >= QUERY_BELOW * wall_s && query_s <= QUERY_ABOVE * wall_s;
}

/* threads that waited this share of a window for a processor were kept from work; a driver's own wake-ups are shorter */
#define WAITED_SHARE 0.02

/* Seconds that the threads of this process, a driver's too, were ready to run and did not; < 0 where unknown. */
static double waited_now_s(void)
{
    double sum_ns = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        char path[300], text[128] = "";
        double ran, waited;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        if (*task->d_name == '.' || mw_sysfile_text("", text, sizeof text, "%s", path))
            continue;
        if (sscanf(text, "%lf %lf", &ran, &waited) == 2)
            sum_ns += waited;
    }
    if (!tasks)
        return -1;
    closedir(tasks);
    return 1e-9 * sum_ns;
}

static enum mw_err window(const struct mw_gpu_work *w, unsigned long count, struct mw_gpu_window *out,
                          struct mw_error *error)
{
    if (mw_isolated_stop())
        return mw_fail(error, MW_INTERRUPTED, "interrupted");
    double before_s = waited_now_s();
    enum mw_err err = w->run(w->work, count, out, error);
    out->disturbed = !err && waited_now_s() - before_s > WAITED_SHARE * out->wall_s;
    return err;
}

/* Least of three: one window that other work made long would leave the windows after it too short. */
static enum mw_err least_of(const struct mw_gpu_work *w, unsigned long n, double *wall_s, struct mw_error *error)
{
    struct mw_gpu_window got;
    enum mw_err err = MW_OK;
    *wall_s = INFINITY;
    for (int i = 0; i < 3 && !err && *wall_s >= UNIT_S / 2; i++) {
        err = window(w, n, &got, error);
        *wall_s = err ? *wall_s : fmin(*wall_s, got.wall_s);
    }
    return err;
}

/* n, so that a window of 16 n can be had */
static unsigned long largest(const struct mw_gpu_work *w)
{
    unsigned long most = w->count_max ? w->count_max / 16 : ~0ul / 64;
    return most ? most : 1;
}

/* Units that take UNIT_S, at least 1. */
static enum mw_err calibrate(const struct mw_gpu_work *w, unsigned long *count, struct mw_error *error)
{
    unsigned long n = 1, most = largest(w);
    struct mw_gpu_window first;
    double wall_s;
    enum mw_err err = window(w, 1, &first, error); /* compiles */
    for (int turn = 0; turn < 40 && !err; turn++) {
        err = least_of(w, n, &wall_s, error);
        if (err || wall_s >= UNIT_S || n >= most)
            break;
        double factor = wall_s > 0 ? 1.2 * UNIT_S / wall_s : 16;
        n = (unsigned long)fmin(ceil((double)n * fmin(factor, 16)), (double)most);
    }
    *count = n;
    return err;
}

struct samples {
    double wall_s[MW_GPU_RUNS_MAX], query_s[MW_GPU_RUNS_MAX];
    bool disturbed[MW_GPU_RUNS_MAX];
    unsigned long count;
    bool undisturbed; /* a window of n was */
    double least_1_s, least_4_s, least_16_s;
};

static void summarize(const struct samples *s, unsigned long n, struct mw_gpu_timing *t)
{
    double kept[MW_GPU_RUNS_MAX];
    size_t count = 0;
    *t = (struct mw_gpu_timing){.count = 4 * n, .best_s = INFINITY, .query_s = -1, .runs = s->count};
    for (unsigned long i = 0; i < s->count; i++)
        t->rejected += s->disturbed[i];
    t->disturbed = t->rejected == s->count;
    for (unsigned long i = 0; i < s->count; i++) {
        if (s->disturbed[i] && !t->disturbed)
            continue;
        kept[count++] = s->wall_s[i];
        if (s->wall_s[i] < t->best_s) {
            t->best_s = s->wall_s[i];
            t->query_s = s->query_s[i];
        }
    }
    t->median_s = mw_median(kept, count);
    t->growth_told = s->undisturbed;
    t->growth_4 = s->least_4_s / s->least_1_s;
    t->growth_16 = s->least_16_s / s->least_1_s;
}

/* A round: windows of n and 16 n too where growth is still to be told. */
static enum mw_err measure_round(const struct mw_gpu_work *work, unsigned long n, struct samples *s,
                                 struct mw_error *error)
{
    struct mw_gpu_window got;
    enum mw_err err = MW_OK;
    bool growth = s->count < GROWTH_ROUNDS || s->least_16_s < MW_GPU_GROWTH_LEAST * s->least_1_s;
    if (growth) {
        err = window(work, n, &got, error);
        s->least_1_s = err ? s->least_1_s : fmin(s->least_1_s, got.wall_s);
        s->undisturbed |= !err && !got.disturbed;
        if (!err)
            err = window(work, 16 * n, &got, error);
        s->least_16_s = err ? s->least_16_s : fmin(s->least_16_s, got.wall_s);
    }
    if (!err)
        err = window(work, 4 * n, &got, error);
    if (err)
        return err;
    s->least_4_s = fmin(s->least_4_s, got.wall_s);
    s->wall_s[s->count] = got.wall_s;
    s->query_s[s->count] = got.query_s;
    s->disturbed[s->count++] = got.disturbed;
    return MW_OK;
}

enum mw_err mw_gpu_time(const struct mw_gpu_work *work, struct mw_gpu_timing *timing, struct mw_error *error)
{
    struct samples s = {.least_1_s = INFINITY, .least_4_s = INFINITY, .least_16_s = INFINITY};
    unsigned long n = 1, most = work->runs ? work->runs : MW_GPU_RUNS_MAX;
    most = most < MW_GPU_RUNS_MAX ? most : MW_GPU_RUNS_MAX;
    most = most < LEAST_ROUNDS ? LEAST_ROUNDS : most;
    double start_s = mw_now_s();
    enum mw_err err = calibrate(work, &n, error);
    for (unsigned longer = 0; !err && s.count < MW_GPU_RUNS_MAX;) {
        /* on a busy machine a thread may wake so late, again and again, that a short window seems long enough */
        if (s.count >= LEAST_ROUNDS && s.least_4_s < UNIT_S && longer++ < LONGER_MOST && n < largest(work)) {
            n = (unsigned long)fmin((double)n * fmin(4 * UNIT_S / s.least_4_s, 64), (double)largest(work));
            s = (struct samples){.least_1_s = INFINITY, .least_4_s = INFINITY, .least_16_s = INFINITY};
        }
        bool dropped = s.count && s.least_16_s < MW_GPU_GROWTH_LEAST * s.least_1_s;
        bool enough =
            s.count >= most || (s.count >= LEAST_ROUNDS && !work->runs && mw_now_s() - start_s > work->time_s);
        if (enough && !(dropped && s.count < CONVICTION_ROUNDS))
            break;
        err = measure_round(work, n, &s, error);
    }
    if (!err)
        summarize(&s, n, timing);
    return err;
}
