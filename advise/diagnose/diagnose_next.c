// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/diagnose_internal.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Noise of one run of ln T against which a difference between classes counts. */
static const double RUN_NOISE = .03;
enum { INFORMATION_DRAWS = 400 }; /* of the posterior: the ranking of candidates doesn't change with more */

static bool measured(const struct mw_points *points, const struct mw_config *query)
{
    for (size_t i = 0; i < points->count; i++)
        if (fabs(points->items[i].cores - query->cores) < .5 && mw_freq_same(points->items[i].freq_hz, query->freq_hz))
            return true;
    return false;
}

/* The candidate nearest to (cores, frequency) in logarithms; unknown frequencies are one. */
static size_t nearest(const struct mw_config *candidates, size_t count, double cores, double freq_hz)
{
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        double f = candidates[i].freq_hz > 0 && freq_hz > 0 ? fabs(log(candidates[i].freq_hz / freq_hz)) : 0;
        double distance =
            fabs(log(candidates[i].cores / cores)) + 10 * f; /* the frequency first: 10 is past any ln p here */
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static void range(const struct mw_config *candidates, size_t count, struct mw_config *high, struct mw_config *low)
{
    *high = *low = candidates[0];
    for (size_t i = 1; i < count; i++) {
        high->cores = fmax(high->cores, candidates[i].cores);
        low->cores = fmin(low->cores, candidates[i].cores);
        high->freq_hz = fmax(high->freq_hz, candidates[i].freq_hz);
        low->freq_hz = fmin(low->freq_hz, candidates[i].freq_hz);
    }
}

/* The three points that every diagnosis starts from. */
static bool design(struct mw_diagnose_step *step, const struct mw_points *points, const struct mw_config *candidates,
                   size_t count)
{
    struct mw_config high, low;
    range(candidates, count, &high, &low);
    const struct {
        double cores, freq_hz;
        const char *reason;
    } start[] = {
        {high.cores, high.freq_hz, "the point that the verdict is about"},
        {high.cores, low.freq_hz, "what the lowest frequency does to all cores: memory time does not move with it"},
        {fmax(high.cores / 4, low.cores), high.freq_hz, "a quarter of the cores: how far the program scales"},
    };
    for (size_t k = 0; k < sizeof start / sizeof *start; k++) {
        size_t i = nearest(candidates, count, start[k].cores, start[k].freq_hz);
        if (measured(points, &candidates[i]))
            continue;
        *step = (struct mw_diagnose_step){.candidate = i};
        snprintf(step->reason, sizeof step->reason, "%s", start[k].reason);
        return true;
    }
    return false;
}

/* Verdicts that no step and no uneven pieces change: what was seen settles them. */
static bool settled(enum mw_verdict verdict)
{
    return verdict == MW_VERDICT_FLAT || verdict == MW_VERDICT_SLOWS_DOWN || verdict == MW_VERDICT_WEAK_SCALING ||
           verdict == MW_VERDICT_ONE_THREAD || verdict == MW_VERDICT_STEP;
}

/* An unmeasured side of a known boundary, for verdicts that a step there could change. */
static bool boundary_side(struct mw_diagnose_step *step, const struct mw_diagnoser *diagnoser,
                          const struct mw_diagnosis *d, const struct mw_points *points,
                          const struct mw_config *candidates, size_t count)
{
    if (settled(d->verdict))
        return false;
    struct mw_config high, low;
    range(candidates, count, &high, &low);
    for (size_t b = 0; b < diagnoser->reading.options.boundary_count; b++)
        for (unsigned side = 0; side < 2; side++) {
            unsigned cores = diagnoser->reading.boundaries[b] + side;
            size_t i = nearest(candidates, count, cores, high.freq_hz);
            if (cores >= d->cores || fabs(candidates[i].cores - cores) > .5 || measured(points, &candidates[i]))
                continue;
            *step = (struct mw_diagnose_step){.candidate = i,
                                              .between = {mw_cause_names[d->likeliest], mw_cause_names[MW_CAUSE_STEP]}};
            snprintf(step->reason, sizeof step->reason, "%s side of the boundary at %u cores: is there a step?",
                     side ? "the far" : "the near", diagnoser->reading.boundaries[b]);
            return true;
        }
    return false;
}

/*
 * A core count between half and all of them, for verdicts that uneven pieces of work could be mistaken for: with P, its
 * half and quarter alone they look like serial work or cost nothing.
 */
static bool between_divisors(struct mw_diagnose_step *step, const struct mw_diagnosis *d,
                             const struct mw_points *points, const struct mw_config *candidates, size_t count)
{
    static const double LEAST = .65, WANTED = .8, MOST = .95; /* of P */
    struct mw_config high, low;
    if (d->verdict != MW_VERDICT_SCALES_WELL && d->verdict != MW_VERDICT_SERIAL &&
        d->verdict != MW_VERDICT_MEMORY_BANDWIDTH)
        return false;
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].cores > LEAST * d->cores && points->items[i].cores < MOST * d->cores)
            return false;
    range(candidates, count, &high, &low);
    size_t i = nearest(candidates, count, round(WANTED * d->cores), high.freq_hz);
    if (candidates[i].cores <= LEAST * d->cores || candidates[i].cores >= MOST * d->cores ||
        measured(points, &candidates[i]))
        return false;
    *step = (struct mw_diagnose_step){.candidate = i,
                                      .between = {mw_cause_names[d->likeliest], mw_cause_names[MW_CAUSE_GRANULARITY]}};
    snprintf(step->reason, sizeof step->reason,
             "a count that does not divide all cores: does the work come in pieces that don't divide evenly?");
    return true;
}

/* Variance of ln T at a candidate over the draws and within their causes. */
static double information(const struct mw_diagnoser *diagnoser, const struct mw_diagnosis *d, size_t stride,
                          const struct mw_config *query)
{
    double n[MW_CAUSE_COUNT] = {0}, sum[MW_CAUSE_COUNT] = {0}, square[MW_CAUSE_COUNT] = {0};
    double x = mw_view_clock(&diagnoser->reading.view, query->cores, query->freq_hz);
    for (size_t i = 0; i < diagnoser->reading.posterior.count; i += stride) {
        const struct mw_posterior_draw *draw = &diagnoser->reading.posterior.draws[i];
        double t, one, ignored;
        mw_mechanism_at(draw->law, draw->q, &diagnoser->reading.frame, query->cores, x, &t, &ignored, NULL);
        mw_mechanism_at(draw->law, draw->q, &diagnoser->reading.frame, 1, x, &one, &ignored, NULL);
        double v = draw->ln_level + log(t) - (d->speedups ? log(one) : 0);
        n[draw->outcome.cause]++;
        sum[draw->outcome.cause] += v;
        square[draw->outcome.cause] += v * v;
    }
    double all = 0, total = 0, total_square = 0, within = 0;
    for (int c = 0; c < MW_CAUSE_COUNT; c++) {
        all += n[c];
        total += sum[c];
        total_square += square[c];
        within += n[c] > 0 ? square[c] - sum[c] * sum[c] / n[c] : 0;
    }
    double variance = total_square / all - total / all * (total / all), noise = RUN_NOISE * RUN_NOISE;
    return log((fmax(variance, 0) + noise) / (fmax(within / all, 0) + noise));
}

static void most_telling(struct mw_diagnose_step *step, const struct mw_diagnoser *diagnoser,
                         const struct mw_diagnosis *d, const struct mw_points *points,
                         const struct mw_config *candidates, size_t count)
{
    size_t stride = (diagnoser->reading.posterior.count + INFORMATION_DRAWS - 1) / INFORMATION_DRAWS;
    const char *likeliest = mw_cause_names[d->likeliest], *second = mw_cause_names[d->second];
    *step = (struct mw_diagnose_step){.done = true, .information = -1, .between = {likeliest, second}};
    for (size_t i = 0; i < count; i++) {
        if (measured(points, &candidates[i]))
            continue;
        double here = information(diagnoser, d, stride, &candidates[i]);
        if (here > step->information) {
            step->information = here;
            step->candidate = i;
            step->done = false;
        }
    }
    if (step->done)
        snprintf(step->reason, sizeof step->reason, "every candidate is measured");
    else
        snprintf(step->reason, sizeof step->reason, "tells %s from %s", likeliest, second);
}

/* A sequential diagnosis looks after each point and has several chances to be wrong: it stops at this only. */
static const double STOP = .93, STOP_MEMORY = .88; /* the two kinds of memory share most of what could be wrong */

static bool stands(const struct mw_diagnosis *d)
{
    double enough = d->verdict == MW_VERDICT_MEMORY ? STOP_MEMORY : STOP;
    return d->verdict <= MW_VERDICT_FLAT && d->confidence >= enough; /* a pair or a family is no cause yet */
}

enum mw_err mw_diagnoser_next(struct mw_diagnoser *diagnoser, struct mw_diagnose_step *step,
                              struct mw_diagnosis *diagnosis, const struct mw_points *points,
                              const struct mw_config *candidates, size_t count, struct mw_error *error)
{
    if (count == 0)
        return mw_fail(error, MW_USAGE, "no candidates for the next point");
    struct mw_diagnosis d;
    bool known = points->count >= 2;
    if (known) {
        enum mw_err err = mw_diagnoser_run(diagnoser, &d, points, error);
        if (err != MW_OK)
            return err;
        if (diagnosis)
            *diagnosis = d;
    }
    if (design(step, points, candidates, count))
        return MW_OK;
    if (!known) {
        *step = (struct mw_diagnose_step){.done = true};
        snprintf(step->reason, sizeof step->reason, "every candidate is measured");
    } else if (!stands(&d)) {
        most_telling(step, diagnoser, &d, points, candidates, count);
    } else if (!boundary_side(step, diagnoser, &d, points, candidates, count) &&
               !between_divisors(step, &d, points, candidates, count)) {
        *step = (struct mw_diagnose_step){.done = true};
        snprintf(step->reason, sizeof step->reason, "the verdict stands");
    }
    return MW_OK;
}
