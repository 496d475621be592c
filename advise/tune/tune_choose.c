// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/tune/tune_internal.h"
#include "fit/predict/reading.h"
#include "fit/thin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fit to more points takes a second and says no more: a posterior of five parameters and a local residual. */
enum { FITTED_POINTS = 64 };

/* Below this spread a reading is taken at its word; above, only the posterior mean of its point. */
static const double noisy = .02;

/*
 * Single readings off their posterior mean by this much on average (root mean square) may be noise. Chosen among .01 to .02
 * on three draws of 5 % noise and on none: below, runs without noise pay for it, above, noise goes unseen.
 */
static const double scattered = .015;

/*
 * The careful stop waits until the chances of all configurations left, taken as independent, add up to no more than this
 * many times the ordinary chance of one. By replay anything from 1.5 to 2.5 stops too early on none of the long sets and of
 * the curves of one frequency, at 7.4 to 8 points.
 */
static const double careful_any = 2;

double mw_tuner_noise(const struct mw_tuner *tuner)
{
    double sum = 0;
    size_t known = 0;
    for (size_t s = 0; s < tuner->step_count; s++) {
        double spread = tuner->steps[s].reading.spread;
        sum += spread * spread;
        known += spread > 0;
    }
    return known ? sqrt(sum / (double)known) : 0;
}

const char *mw_tuner_thorough_why(const struct mw_tuner *tuner)
{
    if (tuner->one_frequency)
        return "one frequency only";
    if (mw_tuner_noise(tuner) >= noisy)
        return "noisy readings";
    if (tuner->options.energy_only)
        return "energies without times";
    return tuner->options.thorough ? "asked for" : NULL;
}

/* Fits one surrogate to the readings and predicts the sites; ln_value is used up. */
static enum mw_err fit_one(struct mw_tuner *t, struct mw_surrogate *surrogate, double *ln_value, size_t sites,
                           const struct mw_site *query, double *mean, double *variance, struct mw_error *error)
{
    struct mw_site *measured = malloc(t->step_count * sizeof *measured);
    if (!measured)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t s = 0; s < t->step_count; s++)
        measured[s] = t->sites[t->steps[s].candidate];
    size_t kept[FITTED_POINTS], n = mw_thin(measured, t->step_count, FITTED_POINTS, kept);
    for (size_t s = 0; s < n; s++) { /* kept[s] >= s */
        measured[s] = measured[kept[s]];
        ln_value[s] = ln_value[kept[s]];
    }
    enum mw_err err = mw_surrogate_fit(surrogate, n, measured, ln_value, NULL, error);
    if (!err)
        err = mw_surrogate_predict(surrogate, sites, query, mean, variance, error);
    free(measured);
    return err;
}

/* ln of what the readings say of time, power or (without times) energy. */
static void readings(const struct mw_tuner *t, const struct mw_surrogate *of, double *ln_value)
{
    for (size_t s = 0; s < t->step_count; s++) {
        const struct mw_reading *r = &t->steps[s].reading;
        ln_value[s] = log(of == t->time ? r->time_s : of == t->power ? r->energy_j / r->time_s : r->energy_j);
    }
}

/* Efficiency from the time of one core at each candidate's frequency. */
static enum mw_err outlook_of_efficiency(struct mw_tuner *t, double *mean, double *variance, struct mw_error *error)
{
    enum mw_err err = mw_surrogate_predict(t->time, t->count, t->one_core_sites, mean, variance, error);
    for (size_t i = 0; !err && i < t->count; i++) {
        size_t one = mw_config_find(t->candidates, t->count, (struct mw_config){1, t->candidates[i].freq_hz});
        bool known = one < t->count && t->measured[one];
        struct mw_outlook *o = &t->outlook[i];
        bool self = t->candidates[i].cores == 1;
        o->ln_efficiency =
            self ? 0 : (known ? t->outlook[one].ln_time : mean[i]) - o->ln_time - log(t->candidates[i].cores);
        o->efficiency_variance = self ? 0 : o->time_variance + (known ? t->outlook[one].time_variance : variance[i]);
    }
    return err;
}

/* mean and variance of one quantity over the candidates into the outlook, readings by value where they are good. */
static enum mw_err outlook_of(struct mw_tuner *t, struct mw_surrogate *surrogate, double *scratch,
                              struct mw_error *error)
{
    double *mean = scratch, *variance = scratch + t->count, *ln_value = scratch + 2 * t->count;
    readings(t, surrogate, ln_value);
    enum mw_err err = fit_one(t, surrogate, ln_value, t->count, t->sites, mean, variance, error);
    if (err)
        return err;
    for (size_t s = 0; s < t->step_count; s++) {
        size_t i = t->steps[s].candidate;
        *(surrogate == t->time ? &t->smooth[i].ln_time : &t->smooth[i].ln_power) = mean[i];
    }
    if (mw_tuner_noise(t) < noisy) {
        readings(t, surrogate, ln_value);
        for (size_t s = 0; s < t->step_count; s++) {
            mean[t->steps[s].candidate] = ln_value[s];
            variance[t->steps[s].candidate] = 0;
        }
    }
    for (size_t i = 0; i < t->count; i++) {
        struct mw_outlook *o = &t->outlook[i];
        /* energy alone stands in for power at a time of one second: only their product is asked for */
        *(surrogate == t->time ? &o->ln_time : &o->ln_power) = mean[i];
        *(surrogate == t->time ? &o->time_variance : &o->power_variance) = variance[i];
    }
    return surrogate == t->time && t->goal.min_efficiency > 0 ? outlook_of_efficiency(t, mean, variance, error) : MW_OK;
}

double mw_tuner_chance_better(const struct mw_tuner *t, size_t i)
{
    if (!t->has_best)
        return t->chance[i];
    double goal = t->to_beat + log1p(-t->options.tolerance);
    return t->chance[i] * mw_normal_cdf((goal - t->value[i]) / sqrt(t->variance[i]));
}

double mw_tuner_expected_improvement(const struct mw_tuner *t, size_t i)
{
    double sd = sqrt(t->variance[i]), z = (t->to_beat - t->value[i]) / sd;
    return sd * (z * mw_normal_cdf(z) + mw_normal_pdf(z)) * t->chance[i];
}

/*
 * Root mean square of ln time as read over its posterior mean: noise, as far as single readings show it. Steps in the curve
 * look the same.
 */
static double scatter(const struct mw_tuner *t)
{
    double sum = 0;
    for (size_t s = 0; t->time && s < t->step_count; s++) {
        double off = log(t->steps[s].reading.time_s) - t->smooth[t->steps[s].candidate].ln_time;
        sum += off * off;
    }
    return sqrt(sum / (double)t->step_count);
}

/*
 * Among the measured that keep the limits. Without repetitions readings that scatter little are ranked by their posterior
 * mean only within that scatter of the best one; where they scatter more, all are.
 */
static void find_recommended(struct mw_tuner *t, double off)
{
    double best = INFINITY, reach = t->best_value + (off < scattered ? off : (double)INFINITY);
    for (size_t s = 0; s < t->step_count; s++) {
        size_t i = t->steps[s].candidate;
        double variance, value = mw_goal_value(&t->goal, &t->smooth[i], &variance);
        if (t->chance[i] > .5 && t->value[i] <= reach && value < best) {
            best = value;
            t->recommended = i;
        }
    }
}

/*
 * The best of single readings is the luckiest too, and what is truly better then seems to have no chance. Where they scatter,
 * what is to be beaten is its posterior mean, worse than was read by no more than the scatter: steps pull that mean as well.
 * The careful stop waits anyway.
 */
static void weigh_best(struct mw_tuner *t)
{
    t->recommended = t->best;
    t->to_beat = t->best_value;
    if (!t->has_best || mw_tuner_noise(t) > 0 || t->options.energy_only)
        return;
    double off = scatter(t), variance, mean = mw_goal_value(&t->goal, &t->smooth[t->best], &variance);
    find_recommended(t, off);
    if (off >= scattered && !mw_tuner_thorough_why(t))
        t->to_beat = fmax(t->best_value, fmin(mean, t->best_value + off));
}

/* Of ln time of each measured configuration, by what its runs and the others' scatter by, with Student's care. */
static enum mw_err find_reading_variance(struct mw_tuner *t, struct mw_error *error)
{
    size_t n = t->step_count;
    struct mw_points points = {.items = calloc(n + 1, sizeof *points.items), .count = n, .quantity = MW_TIME};
    double *variance = calloc(n + 1, sizeof *variance);
    enum mw_err err = points.items && variance ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t s = 0; !err && s < n; s++) {
        const struct mw_reading *r = &t->steps[s].reading;
        size_t runs = r->spread > 0 && r->runs > 1 ? r->runs : 1;
        points.items[s] =
            (struct mw_point){.count = runs, .spread = r->spread / sqrt(fmin(1, M_PI / 2 / (double)runs))};
    }
    if (!err)
        err = mw_reading_variance(&points, variance, error);
    /* single runs show no spread of their own: their distance from the law has to do */
    double off = mw_tuner_noise(t) > 0 || !t->options.repeats ? 0 : scatter(t);
    for (size_t s = 0; !err && s < n; s++) {
        const struct mw_reading *r = &t->steps[s].reading;
        double seen = r->runs ? variance[s] : r->spread * r->spread;
        t->reading_variance[t->steps[s].candidate] = off >= scattered ? off * off : seen;
    }
    free(points.items);
    free(variance);
    return err;
}

/*
 * How likely one of the others that were measured is the better one by the tolerance: readings differ by what they scatter.
 * Where that is not known, nothing is said of it.
 */
static void find_rival(struct mw_tuner *t)
{
    double power = mw_objective_time_power(t->goal.objective), least = log1p(-t->options.tolerance), unsure = 0;
    size_t best = t->recommended;
    t->chance_measured = 0;
    if (!t->has_best || t->options.energy_only)
        return;
    for (size_t i = 0; i < t->count; i++) {
        double variance = power * power * (t->reading_variance[i] + t->reading_variance[best]);
        if (i == best || !t->measured[i] || t->excluded[i] || !(variance > 0))
            continue;
        double chance = t->chance[i] * mw_normal_cdf((t->value[best] + least - t->value[i]) / sqrt(variance));
        if (chance > t->chance_measured) {
            t->chance_measured = chance;
            t->rival = i;
            unsure = t->reading_variance[i];
        }
    }
    if (t->chance_measured > 0 && t->reading_variance[best] >= unsure)
        t->rival = best; /* the one of the two that is known less is to be measured again */
}

static void judge(struct mw_tuner *t)
{
    t->has_best = false;
    for (size_t i = 0; i < t->count; i++) {
        t->value[i] = mw_goal_value(&t->goal, &t->outlook[i], &t->variance[i]);
        t->chance[i] = mw_goal_chance(&t->goal, &t->outlook[i], &t->outlook[t->reference]);
        if (t->measured[i] && t->chance[i] > .5 && (!t->has_best || t->value[i] < t->best_value)) {
            t->has_best = true;
            t->best = i;
            t->best_value = t->value[i];
        }
    }
    weigh_best(t);
    double none = 1;
    t->chance_left = 0;
    for (size_t i = 0; i < t->count; i++)
        if (!t->measured[i] && !t->excluded[i]) {
            double chance = mw_tuner_chance_better(t, i);
            t->chance_left = fmax(t->chance_left, chance);
            none *= 1 - chance;
        }
    t->chance_any = 1 - none;
    find_rival(t);
}

enum mw_err mw_tuner_refit(struct mw_tuner *tuner, struct mw_error *error)
{
    struct mw_surrogate *surrogates[] = {tuner->time, tuner->power, tuner->energy};
    double *scratch = malloc((2 * tuner->count + tuner->step_count) * sizeof *scratch);
    enum mw_err err = scratch ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t k = 0; !err && k < 3; k++)
        if (surrogates[k])
            err = outlook_of(tuner, surrogates[k], scratch, error);
    free(scratch);
    if (!err)
        err = find_reading_variance(tuner, error);
    if (!err)
        judge(tuner);
    return err;
}

/* Nothing else has a chance: what is left is to tell the measured ones apart. Single runs are not repeated: their posterior
   means, which are what is recommended then, gain nothing by it (1.1 % over the true best instead of .8 at 5 % noise). */
static enum mw_tune_stop finish(const struct mw_tuner *t, bool open, double threshold, size_t *candidate, char *reason,
                                size_t reason_size)
{
    if (t->chance_measured < threshold)
        return !open ? MW_TUNE_EXHAUSTED : t->has_best ? MW_TUNE_CERTAIN : MW_TUNE_INFEASIBLE;
    if (!t->options.repeats || !(mw_tuner_noise(t) > 0))
        return open ? MW_TUNE_UNDECIDED : MW_TUNE_EXHAUSTED;
    if (t->taken >= t->options.max_points)
        return MW_TUNE_BUDGET;
    *candidate = t->rival;
    snprintf(reason, reason_size, "again: %.0f %% chance that another measured one is better by %.3g %%",
             100 * t->chance_measured, 100 * t->options.tolerance);
    return MW_TUNE_GOES_ON;
}

enum mw_tune_stop mw_tuner_next(const struct mw_tuner *t, size_t *candidate, char *reason, size_t reason_size)
{
    for (size_t d = 0; d < t->design_count; d++) {
        size_t i = t->design[d];
        if (t->measured[i] || t->excluded[i])
            continue;
        if (t->taken >= t->options.max_points)
            return MW_TUNE_BUDGET;
        *candidate = i;
        snprintf(reason, reason_size, "%s", t->design_reason[d]);
        return MW_TUNE_GOES_ON;
    }
    size_t open = 0, next = 0;
    double best = -INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        if (t->measured[i] || t->excluded[i])
            continue;
        open++;
        /* nothing keeps the limits yet: the likeliest to, the better ones first */
        double score = t->has_best ? mw_tuner_expected_improvement(t, i) : t->chance[i] * exp(-t->value[i]);
        if (score > best) {
            best = score;
            next = i;
        }
    }
    double threshold = 1 - mw_goal_certainty(&t->goal);
    bool careful = !mw_tuner_thorough_why(t) || t->chance_any < careful_any * threshold;
    bool searched = t->chance_left < threshold && careful && t->step_count >= MW_TUNE_LEAST;
    if (!open || searched)
        return finish(t, open > 0, threshold, candidate, reason, reason_size);
    if (t->taken >= t->options.max_points)
        return MW_TUNE_BUDGET;
    *candidate = next;
    if (t->has_best)
        snprintf(reason, reason_size, "largest expected improvement (%.2g %%), %.0f %% chance to be better by %.3g %%",
                 100 * best, 100 * mw_tuner_chance_better(t, next), 100 * t->options.tolerance);
    else
        snprintf(reason, reason_size, "nothing keeps the limits yet; %.0f %% chance here", 100 * t->chance[next]);
    return MW_TUNE_GOES_ON;
}
