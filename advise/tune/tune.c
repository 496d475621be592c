// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/tune/tune_internal.h"
#include "data/stats.h"
#include "fit/numeric/guard.h"
#include "model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What counts as better, and how many points are measured at most, where the caller leaves it open (docs/advice.md). */
static const double usual_tolerance = .02;
enum { USUAL_POINTS = 20 };

static struct mw_site make_site(const struct mw_tuner *t, double cores, double freq_hz, double freq_max_hz)
{
    double memory = t->options.memory_freq_hz > 0 ? t->options.memory_freq_hz : MW_MEMORY_FREQ_ASSUMED_HZ;
    double freq = freq_hz > 0 ? freq_hz : memory, sockets = 1;
    for (size_t b = 0; b < t->options.boundary_count; b++)
        sockets += cores > t->options.boundaries[b];
    return (struct mw_site){.cores = cores,
                            .freq_ghz = freq / 1e9,
                            .phi = freq / memory,
                            .x = freq_hz > 0 ? freq_hz / freq_max_hz : 1,
                            .sockets = sockets};
}

static void add_design(struct mw_tuner *t, size_t candidate, const char *reason)
{
    for (size_t d = 0; d < t->design_count; d++)
        if (t->design[d] == candidate)
            return;
    t->design[t->design_count] = candidate;
    t->design_reason[t->design_count++] = reason;
}

/*
 * Three points: trials with one, two, four, six and ten on measured tables found the best no sooner, and without a change
 * of frequency among them stopped too early in 6 to 12 % of the cases (docs/advice.md).
 */
static void make_design(struct mw_tuner *t, double low_hz, double high_hz, double cores)
{
    const struct mw_config *c = t->candidates;
    add_design(t, t->reference, t->goal.has_reference ? "the reference" : "all cores at the highest frequency");
    add_design(t, mw_config_nearest(c, t->count, cores, high_hz), "all cores at the highest frequency");
    if (!t->one_frequency)
        add_design(t, mw_config_nearest(c, t->count, cores, low_hz), "what the frequency does");
    add_design(t, mw_config_nearest(c, t->count, fmax(1, cores / 2), high_hz), "what half of the cores do");
    if (t->one_frequency)
        add_design(t, mw_config_nearest(c, t->count, fmax(1, cores / 4), high_hz), "what a quarter of the cores does");
    size_t one = mw_config_find(c, t->count, (struct mw_config){1, high_hz});
    if (t->goal.min_efficiency > 0 && one < t->count)
        add_design(t, one, "one core, which efficiency is counted from");
}

static enum mw_err lay_out(struct mw_tuner *t, struct mw_error *error)
{
    double low = INFINITY, high = 0, cores = 0;
    for (size_t i = 0; i < t->count; i++) {
        low = fmin(low, t->candidates[i].freq_hz);
        high = fmax(high, t->candidates[i].freq_hz);
        cores = fmax(cores, t->candidates[i].cores);
    }
    t->one_frequency = low >= high;
    for (size_t i = 0; i < t->count; i++) {
        t->sites[i] = make_site(t, t->candidates[i].cores, t->candidates[i].freq_hz, high);
        t->one_core_sites[i] = make_site(t, 1, t->candidates[i].freq_hz, high);
    }
    t->reference = mw_config_nearest(t->candidates, t->count, cores, high);
    if (t->goal.has_reference) {
        t->reference = mw_config_find(t->candidates, t->count, t->goal.reference);
        if (t->reference == t->count)
            return mw_fail(error, MW_USAGE, "the reference of %.0f cores at %g GHz is not among the configurations",
                           t->goal.reference.cores, t->goal.reference.freq_hz / 1e9);
    }
    make_design(t, low, high, cores);
    return MW_OK;
}

/*
 * How far readings lie from any law where nothing repeats a core count: at one frequency each number of cores has its own
 * grains of work, and energies at the plug scatter. Five points that happen to lie on a law say nothing to the contrary: with
 * the surrogate's own .02 the tuner stops too early in 2 % of both.
 */
static const double rough = .04;

static enum mw_err make_surrogates(struct mw_tuner *t, struct mw_error *error)
{
    unsigned long seed = t->options.seed;
    if (t->options.energy_only)
        return mw_surrogate_alloc(&t->energy, MW_SURROGATE_ENERGY, rough, seed, error);
    enum mw_err err = mw_surrogate_alloc(&t->time, MW_SURROGATE_TIME, t->one_frequency ? rough : 0, seed, error);
    if (!err && mw_goal_needs_power(&t->goal))
        err = mw_surrogate_alloc(&t->power, MW_SURROGATE_POWER, 0, seed, error);
    return err;
}

enum mw_err mw_tuner_alloc(struct mw_tuner **tuner, const struct mw_goal *goal, const struct mw_tune_options *options,
                           const struct mw_config *candidates, size_t count, struct mw_error *error)
{
    static const struct mw_tune_options usual;
    options = options ? options : &usual;
    if (!count)
        return mw_fail(error, MW_USAGE, "no configurations to choose from");
    if (options->energy_only && mw_goal_needs_time(goal))
        return mw_fail(error, MW_USAGE,
                       "a table of energies without times serves the objective energy without limits only");
    struct mw_tuner *t = calloc(1, sizeof *t);
    if (!t)
        return mw_fail(error, MW_NOMEM, "out of memory");
    *t = (struct mw_tuner){.goal = *goal, .options = *options, .count = count, .chance_left = 1};
    t->options.tolerance = options->tolerance > 0 ? options->tolerance : usual_tolerance;
    t->options.max_points = options->max_points ? options->max_points : USUAL_POINTS;
    t->options.boundaries = t->boundaries = calloc(options->boundary_count + 1, sizeof *t->boundaries);
    t->candidates = calloc(count, sizeof *t->candidates);
    t->sites = calloc(count, sizeof *t->sites);
    t->one_core_sites = calloc(count, sizeof *t->one_core_sites);
    t->measured = calloc(count, sizeof *t->measured);
    t->excluded = calloc(count, sizeof *t->excluded);
    t->steps = calloc(count, sizeof *t->steps);
    t->outlook = calloc(2 * count, sizeof *t->outlook);
    t->value = calloc(4 * count, sizeof *t->value);
    enum mw_err err = MW_OK;
    if (!t->boundaries || !t->candidates || !t->sites || !t->one_core_sites || !t->measured || !t->excluded ||
        !t->steps || !t->outlook || !t->value)
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu configurations", count);
    if (!err) {
        t->smooth = t->outlook + count;
        t->variance = t->value + count;
        t->chance = t->variance + count;
        t->reading_variance = t->chance + count;
        memcpy(t->candidates, candidates, count * sizeof *candidates);
        if (options->boundary_count)
            memcpy(t->boundaries, options->boundaries, options->boundary_count * sizeof *t->boundaries);
        err = lay_out(t, error);
    }
    if (!err)
        err = make_surrogates(t, error);
    if (err)
        mw_tuner_free(t);
    else
        *tuner = t;
    return err;
}

void mw_tuner_free(struct mw_tuner *t)
{
    if (!t)
        return;
    free(t->boundaries);
    free(t->candidates);
    free(t->sites);
    free(t->one_core_sites);
    free(t->measured);
    free(t->excluded);
    free(t->steps);
    free(t->outlook);
    free(t->value);
    mw_surrogate_free(t->time);
    mw_surrogate_free(t->power);
    mw_surrogate_free(t->energy);
    free(t);
}

static enum mw_err check_reading(const struct mw_tuner *t, size_t candidate, const struct mw_reading *r,
                                 struct mw_error *error)
{
    const struct mw_config *c = &t->candidates[candidate];
    if (!t->options.energy_only && !(r->time_s > 0))
        return mw_fail(error, MW_DATA, "no time was measured on %.0f cores at %g GHz", c->cores, c->freq_hz / 1e9);
    if ((t->power || t->energy) && !(r->energy_j > 0)) {
        mw_fail(error, MW_DATA, "no energy was measured on %.0f cores at %g GHz, and the %s needs it", c->cores,
                c->freq_hz / 1e9, t->goal.power_cap_w > 0 ? "power cap" : "objective");
        return mw_hint(error, "memwall machine lists the meters; --energy-command takes any that prints joules");
    }
    return MW_OK;
}

/* T^a P^b = T^(a - b) E^b, b being 0 or 1 */
static double objective_of(const struct mw_tuner *t, const struct mw_reading *r)
{
    double a = mw_objective_time_power(t->goal.objective), b = mw_objective_power_power(t->goal.objective);
    return t->options.energy_only ? r->energy_j : pow(r->time_s, a - b) * (b > 0 ? r->energy_j : 1);
}

/* In words: against the best so far, and against what was expected. */
static void say(const struct mw_tuner *t, struct mw_tune_step *step, bool had_best, double old_best)
{
    double ln_objective = t->value[step->candidate];
    char surprise[80] = "";
    if (step->expected && step->objective < step->low)
        snprintf(surprise, sizeof surprise, ", better than expected");
    else if (step->expected && step->objective > step->high)
        snprintf(surprise, sizeof surprise, ", worse than expected");
    if (!step->feasible)
        snprintf(step->taught, sizeof step->taught, "breaks a limit%s", surprise);
    else if (!had_best)
        snprintf(step->taught, sizeof step->taught, "%s%s",
                 mw_goal_has_limits(&t->goal) ? "first to keep the limits" : "the first, to compare with", surprise);
    else if (ln_objective < old_best)
        snprintf(step->taught, sizeof step->taught, "best so far, by %.1f %%%s", -100 * expm1(ln_objective - old_best),
                 surprise);
    else
        snprintf(step->taught, sizeof step->taught, "%.1f %% over the best%s", 100 * expm1(ln_objective - old_best),
                 surprise);
}

/* Two measurements of one configuration: the mean of ln by the runs behind them, as unsure as they are, and as they differ. */
static void join(struct mw_reading *r, const struct mw_reading *more)
{
    double a = (double)(r->runs ? r->runs : 1), b = (double)(more->runs ? more->runs : 1), all = a + b;
    double within = hypot(a * r->spread, b * more->spread) / all, apart = 0;
    if (r->time_s > 0 && more->time_s > 0) {
        apart = fabs(log(r->time_s / more->time_s)) * sqrt(a * b) / all / sqrt(all - 1);
        r->time_s = exp((a * log(r->time_s) + b * log(more->time_s)) / all);
    }
    if (r->energy_j > 0 && more->energy_j > 0)
        r->energy_j = exp((a * log(r->energy_j) + b * log(more->energy_j)) / all);
    bool known = r->spread > 0 && !r->runs; /* told, not seen */
    r->runs = known ? 0 : (size_t)all;
    r->spread = known ? r->spread * more->spread / hypot(r->spread, more->spread) : fmax(within, apart);
}

enum mw_err mw_tuner_observe(struct mw_tuner *t, size_t candidate, const struct mw_reading *reading,
                             const struct mw_tune_step **step, struct mw_error *error)
{
    if (candidate >= t->count || (t->measured[candidate] && !t->options.repeats))
        return mw_fail(error, MW_USAGE, "candidate %zu of %zu cannot be observed%s", candidate, t->count,
                       candidate < t->count ? " twice" : "");
    enum mw_err err = check_reading(t, candidate, reading, error);
    if (err)
        return err;
    size_t at = 0;
    while (at < t->step_count && t->steps[at].candidate != candidate)
        at++;
    bool again = at < t->step_count;
    struct mw_tune_step *s = &t->steps[at], before = *s;
    if (again)
        join(&s->reading, reading);
    else
        *s = (struct mw_tune_step){.candidate = candidate, .reading = *reading};
    s->times++;
    if (mw_tuner_next(t, &(size_t){0}, s->reason, sizeof s->reason) != MW_TUNE_GOES_ON)
        s->reason[0] = '\0';
    s->expected = !again && t->step_count >= t->design_count;
    if (s->expected) {
        double half = 1.645 * sqrt(t->variance[candidate]);
        s->low = exp(t->value[candidate] - half);
        s->high = exp(t->value[candidate] + half);
    }
    s->objective = objective_of(t, &s->reading);
    bool had_best = t->has_best && !again;
    double old_best = t->best_value;
    t->measured[candidate] = true;
    t->step_count += !again;
    t->taken++;
    err = mw_tuner_refit(t, error);
    if (err) {
        t->measured[candidate] = again;
        t->step_count -= !again;
        t->taken--;
        *s = before;
        return err;
    }
    s->feasible = t->chance[candidate] > .5;
    s->chance_left = t->chance_left;
    say(t, s, had_best, old_best);
    if (step)
        *step = s;
    return MW_OK;
}

enum mw_err mw_tuner_preload(struct mw_tuner *t, const size_t *candidates, const struct mw_reading *readings,
                             size_t count, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = check_reading(t, candidates[i], &readings[i], error);
    if (err || !count)
        return err;
    for (size_t i = 0; i < count; i++) {
        t->steps[t->step_count++] = (struct mw_tune_step){
            .candidate = candidates[i], .reading = readings[i], .times = 1, .objective = objective_of(t, &readings[i])};
        t->taken++;
        t->measured[candidates[i]] = true;
    }
    err = mw_tuner_refit(t, error);
    for (size_t i = 0; !err && i < t->step_count; i++)
        t->steps[i].feasible = t->chance[t->steps[i].candidate] > .5;
    return err;
}

double mw_tuner_chance(const struct mw_tuner *t, size_t candidate)
{
    return t->measured[candidate] ? 0 : mw_tuner_chance_better(t, candidate);
}

bool mw_tuner_best(const struct mw_tuner *t, size_t *candidate)
{
    if (t->has_best)
        *candidate = t->best;
    return t->has_best;
}

void mw_tuner_exclude(struct mw_tuner *t, size_t candidate)
{
    t->excluded[candidate] = true;
    if (t->measured[candidate]) /* it ran before: asking again would go on for ever */
        t->options.repeats = false;
}

const struct mw_outlook *mw_tuner_outlook(const struct mw_tuner *t)
{
    return t->outlook;
}

double mw_tuner_certainty(const struct mw_tuner *t)
{
    return 1 - fmax(t->chance_left, t->chance_measured);
}

struct mw_tune_result mw_tuner_result(const struct mw_tuner *t)
{
    struct mw_tune_result r = {.steps = t->steps,
                               .count = t->step_count,
                               .certainty = 1 - fmax(t->chance_left, t->chance_measured),
                               .taken = t->taken,
                               .noise_sd = mw_tuner_noise(t),
                               .thorough_why = mw_tuner_thorough_why(t)};
    r.thorough = r.thorough_why != NULL;
    r.feasible = t->has_best;
    double best = INFINITY;
    for (size_t s = 0; s < t->step_count; s++) {
        if (t->has_best && t->steps[s].candidate == t->recommended)
            r.recommended = s;
        if (t->steps[s].feasible && t->steps[s].objective < best) {
            best = t->steps[s].objective;
            r.best = s;
        }
    }
    if (t->has_best)
        r.chance_recommended = t->chance[t->recommended];
    return r;
}

enum mw_err mw_tune(struct mw_tuner *tuner, mw_tune_measure measure, mw_tune_report report, void *context,
                    enum mw_tune_stop *stopped, struct mw_error *error)
{
    for (;;) {
        size_t candidate;
        char reason[160];
        *stopped = mw_tuner_next(tuner, &candidate, reason, sizeof reason);
        if (*stopped != MW_TUNE_GOES_ON)
            return MW_OK;
        struct mw_reading reading = {0};
        enum mw_err err = measure(context, candidate, reason, &reading, error);
        const struct mw_tune_step *step = NULL;
        if (!err && reading.failed) {
            mw_tuner_exclude(tuner, candidate);
            continue;
        }
        if (!err)
            err = mw_tuner_observe(tuner, candidate, &reading, &step, error);
        if (err)
            return err;
        if (report)
            report(context, step);
    }
}
