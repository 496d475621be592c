// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/changepoint.h"

#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plateau {
    size_t first, last;
    double level;
};

#define PLATEAU_MAX (2 * MW_STEP_MAX)

void mw_isotonic(double *y, double *weight, size_t n)
{
    size_t blocks = 0;
    for (size_t i = 0; i < n; i++) {
        double value = y[i], w = 1;
        while (blocks && y[blocks - 1] > value) {
            blocks--;
            value = (value * w + y[blocks] * weight[blocks]) / (w + weight[blocks]);
            w += weight[blocks];
        }
        y[blocks] = value;
        weight[blocks++] = w;
    }
    for (size_t i = n; blocks--;) /* from the end: a block lies never before its place */
        for (double value = y[blocks], w = weight[blocks]; w > 0.5; w--)
            y[--i] = value;
}

/* The longest run within [low, high] over which the smoothed curve s (in log) stays below the growth; false if none. */
static bool longest_run(const double *x, const double *s, size_t low, size_t high, struct plateau *run)
{
    const double growth = log(MW_PLATEAU_GROWTH);
    double best = exp2(MW_PLATEAU_OCTAVES) * (1 - 1e-9);
    bool found = false;
    for (size_t i = low, j = low; i <= high; i++) {
        while (j < high && s[j + 1] - s[i] < growth)
            j++;
        if (x[j] / x[i] > best) {
            best = x[j] / x[i];
            run->first = i;
            run->last = j;
            found = true;
        }
    }
    return found;
}

/* Plateaus of [low, high] in order, longest first split; *count never above PLATEAU_MAX. */
static void find_plateaus(const double *x, const double *s, size_t low, size_t high, struct plateau *list,
                          size_t *count)
{
    struct plateau run;
    if (*count >= PLATEAU_MAX || !longest_run(x, s, low, high, &run))
        return;
    if (run.first > low)
        find_plateaus(x, s, low, run.first - 1, list, count);
    if (*count < PLATEAU_MAX)
        list[(*count)++] = run;
    if (run.last < high)
        find_plateaus(x, s, run.last + 1, high, list, count);
}

/* Joins neighbours that are one level; the level is the lower one's, next to the step that leads up to it. */
static size_t join_plateaus(struct plateau *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && list[i].level < MW_STEP_RATIO * list[kept - 1].level)
            list[kept - 1].last = list[i].last;
        else
            list[kept++] = list[i];
    }
    return kept;
}

static struct mw_step step_between(const double *x, const double *s, const struct plateau *a, const struct plateau *b)
{
    double threshold = log(a->level) + fmin(log(2), log(b->level / a->level) / 2);
    size_t last = a->first;
    while (last + 1 < b->last && s[last + 1] <= threshold)
        last++;
    return (struct mw_step){.x = x[last],
                            .x_next = x[last + 1],
                            .onset = x[a->last],
                            .end = x[b->first],
                            .before = a->level,
                            .after = b->level};
}

enum mw_err mw_steps_find(const double *x, const double *y, size_t n, struct mw_step *steps, size_t *count,
                          struct mw_error *error)
{
    if (n < 2)
        return mw_fail(error, MW_DATA, "a curve of %zu points has no steps", n);
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0 && y[i] > 0 && isfinite(y[i])) || (i && !(x[i] > x[i - 1])))
            return mw_fail(error, MW_DATA, "point %zu of the curve is not usable", i + 1);
    double *s = malloc(2 * n * sizeof *s);
    if (!s)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        s[i] = log(y[i]);
    mw_isotonic(s, s + n, n);

    struct plateau list[PLATEAU_MAX];
    size_t plateaus = 0;
    find_plateaus(x, s, 0, n - 1, list, &plateaus);
    for (size_t i = 0; i < plateaus; i++)
        list[i].level = mw_median(y + list[i].first, list[i].last - list[i].first + 1);
    plateaus = join_plateaus(list, plateaus);
    *count = 0;
    for (size_t i = 0; i + 1 < plateaus && *count < MW_STEP_MAX; i++)
        steps[(*count)++] = step_between(x, s, &list[i], &list[i + 1]);
    free(s);
    return MW_OK;
}

/* The last x with a smoothed value up to the threshold, from the first one on. */
static size_t last_below(const double *s, size_t n, double threshold)
{
    size_t last = 0;
    while (last + 1 < n && s[last + 1] <= threshold)
        last++;
    return last;
}

double mw_step_onset(double before, double after)
{
    return fmax(before + MW_ONSET * (after - before), MW_ONSET_LEAST * before);
}

double mw_step_refine(struct mw_step *step, const double *x, const double *y, size_t n, double *scratch)
{
    size_t first = 0, count = 0;
    while (first + 1 < n && x[first] < step->onset)
        first++;
    while (first + count < n && x[first + count] <= step->end) {
        scratch[count] = log(y[first + count]);
        count++;
    }
    if (count < 2)
        return HUGE_VAL;
    mw_isotonic(scratch, scratch + n, count);
    double rise = step->after - step->before;
    size_t last = last_below(scratch, count - 1, log(mw_step_onset(step->before, step->after)));
    size_t half = last_below(scratch, count - 1, log(step->before + rise / 2));
    step->x = x[first + last];
    step->x_next = x[first + last + 1];
    return x[first + half] / step->x;
}

/* Relative squared error of t(s) = a + b min(1, s / line) at its best a and b; HUGE_VAL where b <= 0. */
static double line_error(const size_t *stride_bytes, const double *time_s, size_t n, size_t line_bytes)
{
    double sw = 0, su = 0, suu = 0, st = 0, sut = 0;
    for (size_t i = 0; i < n; i++) {
        double u = fmin(1, (double)stride_bytes[i] / (double)line_bytes), w = 1 / (time_s[i] * time_s[i]);
        sw += w;
        su += w * u;
        suu += w * u * u;
        st += w * time_s[i];
        sut += w * u * time_s[i];
    }
    double determinant = sw * suu - su * su;
    if (!(determinant > 0))
        return HUGE_VAL;
    double b = (sw * sut - su * st) / determinant, a = (st - b * su) / sw, sum = 0;
    if (!(b > 0))
        return HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        double r = (a + b * fmin(1, (double)stride_bytes[i] / (double)line_bytes)) / time_s[i] - 1;
        sum += r * r;
    }
    return sum;
}

size_t mw_line_find(const size_t *stride_bytes, const double *time_s, size_t n, bool *sure)
{
    double best = HUGE_VAL, second = HUGE_VAL;
    size_t line = 0;
    for (size_t i = 1; i + 1 < n; i++) { /* the first and last stride can't show both sides */
        double e = line_error(stride_bytes, time_s, n, stride_bytes[i]);
        if (e < best) {
            second = best;
            best = e;
            line = stride_bytes[i];
        } else if (e < second) {
            second = e;
        }
    }
    *sure = line && second >= MW_LINE_MARGIN * best;
    return line;
}

unsigned mw_conflict_limit(const double *time_s, unsigned most, double limit_s)
{
    unsigned n = 0;
    while (n < most && time_s[n] <= limit_s)
        n++;
    if (!n || n + MW_CONFLICT_RUN > most)
        return 0;
    for (unsigned i = 0; i < MW_CONFLICT_RUN; i++)
        if (!(time_s[n + i] > limit_s && isfinite(time_s[n + i])))
            return 0;
    return n;
}

unsigned mw_ways_find(const unsigned *limit, size_t n, size_t *first)
{
    for (size_t i = 0; i + 2 < n; i++) {
        if (!limit[i] || limit[i] != limit[i + 1] || limit[i] != limit[i + 2])
            continue;
        *first = i;
        return limit[i];
    }
    return 0;
}
