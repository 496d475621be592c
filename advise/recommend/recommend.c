// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/recommend/recommend.h"
#include "advise/recommend/recommend_internal.h"
#include "data/stats.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As near as repeated runs of a quiet machine agree: two of this much apart are not told apart by one run each. */
static const double tie = .02;

/* How sure it must be that a configuration is better than another, to take its place without a run. */
static const double certainty_of_better = .9;

static bool keeps(const struct mw_option *o, const struct mw_goal *goal)
{
    return o->gain_kept && (!mw_goal_has_limits(goal) || o->chance >= mw_goal_certainty(goal));
}

/* Option of the same cores at the base frequency: the highest below all rules. */
static const struct mw_option *gain_base(const struct mw_recommendation *r, size_t i, double lowest_rule_hz)
{
    const struct mw_option *base = NULL;
    for (size_t k = 0; k < r->count; k++) {
        const struct mw_option *o = &r->options[k];
        if (o->candidate.cores == r->options[i].candidate.cores && o->candidate.freq_hz < lowest_rule_hz * (1 - 1e-4) &&
            (!base || o->candidate.freq_hz > base->candidate.freq_hz))
            base = o;
    }
    return base;
}

/* The rule for a frequency is the highest one at or below it. */
static void apply_gains(struct mw_recommendation *r, const struct mw_recommend_options *options)
{
    for (size_t i = 0; options->gain_count && i < r->count; i++) {
        double needed = 0;
        for (size_t g = 0; g < options->gain_count; g++)
            if (r->options[i].candidate.freq_hz >= options->gains[g].freq_hz * (1 - 1e-4))
                needed = options->gains[g].gain;
        const struct mw_option *base = needed > 0 ? gain_base(r, i, options->gains[0].freq_hz) : NULL;
        if (base)
            r->options[i].gain_kept = base->outlook.ln_time - r->options[i].outlook.ln_time >= log1p(needed);
    }
}

/*
 * What misses the limits by the least; of those whose medians keep them, the likeliest to. Chances alone don't rank what
 * is far outside: all of them are 0.
 */
static size_t nearest(const struct mw_recommendation *r, const struct mw_goal *goal)
{
    size_t best = r->count;
    double least = INFINITY;
    for (size_t i = 0; i < r->count; i++) {
        const struct mw_option *o = &r->options[i];
        double excess = mw_goal_excess(goal, &o->outlook, r->reference.outlook.ln_time);
        if (!o->gain_kept)
            continue;
        if (best == r->count || excess < least || (!(excess > least) && o->chance > r->options[best].chance)) {
            best = i;
            least = excess;
        }
    }
    return best < r->count ? best : 0;
}

/* Chance that a's objective is at most `factor` times b's, as if their errors had nothing in common: they share the law, so
   that neighbours are told apart by less than is said here. */
static double chance_below(const struct mw_goal *goal, const struct mw_option *a, const struct mw_option *b,
                           double factor)
{
    double va, vb, difference = mw_goal_value(goal, &b->outlook, &vb) - mw_goal_value(goal, &a->outlook, &va);
    return mw_normal_cdf((difference + log(factor)) / sqrt(va + vb));
}

/* The least expected objective among those that keep the limits, measured or not; count where there is none. */
static size_t least(const struct mw_recommendation *r, const struct mw_goal *goal, bool measured)
{
    size_t best = r->count;
    for (size_t i = 0; i < r->count; i++)
        if (r->options[i].measured == measured && keeps(&r->options[i], goal) &&
            (best == r->count || r->options[i].expected < r->options[best].expected))
            best = i;
    return best;
}

/* An unmeasured one that is surely better, the one of the least expected objective. */
static size_t surely_better(struct mw_recommendation *r, const struct mw_goal *goal, size_t measured)
{
    size_t best = r->count;
    for (size_t i = 0; i < r->count; i++) {
        struct mw_option *o = &r->options[i];
        o->ahead = i == measured ? 0 : chance_below(goal, o, &r->options[measured], 1);
        if (!o->measured && keeps(o, goal) && o->ahead >= certainty_of_better &&
            (best == r->count || o->expected < r->options[best].expected))
            best = i;
    }
    return best;
}

/* Fewer cores at a price of `within` at most: expected where measured, else with the same certainty. */
static void take_fewest(struct mw_recommendation *r, const struct mw_goal *goal, double within)
{
    const struct mw_option best = r->options[r->choice];
    for (size_t i = 0; i < r->count; i++) {
        const struct mw_option *o = &r->options[i], *c = &r->options[r->choice];
        bool good = o->measured || !best.measured ? o->expected <= best.expected * (1 + within)
                                                  : chance_below(goal, o, &best, 1 + within) >= certainty_of_better;
        if (!keeps(o, goal) || !good)
            continue;
        if (o->candidate.cores < c->candidate.cores ||
            (o->candidate.cores == c->candidate.cores && o->expected < c->expected))
            r->choice = i;
    }
}

static void choose(struct mw_recommendation *r, const struct mw_goal *goal, const struct mw_recommend_options *options)
{
    size_t measured = least(r, goal, true);
    size_t other = measured < r->count ? surely_better(r, goal, measured) : least(r, goal, false);
    r->choice = other < r->count ? other : measured;
    r->feasible = r->choice < r->count;
    if (!r->feasible)
        r->choice = nearest(r, goal);
    else if (options->within > 0)
        take_fewest(r, goal, options->within);
}

static int compare(double x, double y)
{
    return x < y ? -1 : x > y;
}

static int by_expected(const void *a, const void *b, void *options)
{
    const struct mw_option *o = options;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int order = compare(o[i].expected, o[k].expected);
    return order ? order : compare((double)i, (double)k);
}

static int by_time(const void *a, const void *b, void *options)
{
    const struct mw_option *o = options;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int order = compare(o[i].time_s.value, o[k].time_s.value);
    return order ? order : compare(o[i].energy_j.value, o[k].energy_j.value);
}

static void find_ties(struct mw_recommendation *r, const struct mw_goal *goal)
{
    const struct mw_option *choice = &r->options[r->choice];
    r->cheapest = r->choice;
    for (size_t i = 0; i < r->count; i++) {
        const struct mw_option *o = &r->options[i];
        if (i == r->choice || !keeps(o, goal) || o->expected > choice->expected * (1 + tie))
            continue;
        r->ties[r->tie_count++] = i;
        if (o->candidate.cores < r->options[r->cheapest].candidate.cores ||
            (o->candidate.cores == r->options[r->cheapest].candidate.cores &&
             o->expected < r->options[r->cheapest].expected))
            r->cheapest = i;
    }
    qsort_r(r->ties, r->tie_count, sizeof *r->ties, by_expected, r->options);
}

/* The best ones not measured yet; the list borrows `order`, room for count. */
static void find_verify(struct mw_recommendation *r, const struct mw_goal *goal, size_t *order)
{
    size_t open = 0;
    for (size_t i = 0; i < r->count; i++)
        if (!r->options[i].measured && keeps(&r->options[i], goal))
            order[open++] = i;
    qsort_r(order, open, sizeof *order, by_expected, r->options);
    r->verify_count = open < MW_VERIFY ? open : MW_VERIFY;
    memcpy(r->verify, order, r->verify_count * sizeof *order);
}

/* Swept from the fastest: one that needs less energy than all faster ones is on the front. */
static void find_front(struct mw_recommendation *r, const struct mw_goal *goal, size_t *order)
{
    double least = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->options[i].has_energy && r->options[i].has_time && keeps(&r->options[i], goal))
            order[count++] = i;
    qsort_r(order, count, sizeof *order, by_time, r->options);
    for (size_t i = 0; i < count; i++) {
        if (r->options[order[i]].energy_j.value < least) {
            least = r->options[order[i]].energy_j.value;
            r->front[r->front_count++] = order[i];
        }
    }
}

/*
 * The best of several that may as well be each other is the luckiest, too. What is gained by choosing it is promised as the
 * least of so many: the upper end holds for all of them at once (Sidak, J. Am. Stat. Assoc. 62, 1967).
 */
static double upper_quantile(const struct mw_recommendation *r, const struct mw_goal *goal)
{
    const struct mw_option *choice = &r->options[r->choice];
    size_t rivals = 1;
    for (size_t i = 0; choice->measured && i < r->count; i++)
        rivals += i != r->choice && r->options[i].measured && keeps(&r->options[i], goal) &&
                  chance_below(goal, &r->options[i], choice, 1) > 1 - certainty_of_better;
    return mw_normal_quantile(pow(.95, 1 / (double)rivals));
}

static struct mw_spread change(double ln_ratio, double variance, double upper)
{
    double sd = sqrt(variance);
    return (struct mw_spread){expm1(ln_ratio), expm1(ln_ratio - mw_normal_quantile(.95) * sd),
                              expm1(ln_ratio + upper * sd)};
}

static void find_changes(struct mw_recommendation *r, const struct mw_goal *goal)
{
    const struct mw_option *choice = &r->options[r->choice];
    const struct mw_outlook *a = &choice->outlook, *b = &r->reference.outlook;
    bool same = choice->candidate.cores == r->reference.candidate.cores &&
                !(fabs(choice->candidate.freq_hz - r->reference.candidate.freq_hz) > 1e-4 * choice->candidate.freq_hz);
    double time_variance = same ? 0 : a->time_variance + b->time_variance;
    double upper = same ? 0 : upper_quantile(r, goal);
    r->time_change = change(a->ln_time - b->ln_time, time_variance, upper);
    r->energy_change = change(a->ln_time + a->ln_power - b->ln_time - b->ln_power,
                              same ? 0 : time_variance + a->power_variance + b->power_variance, upper);
}

/* Which limit stands in the way: the one that the fewest configurations keep. */
static void find_obstacle(struct mw_recommendation *r, const struct mw_goal *goal)
{
    struct limit {
        struct mw_goal alone;
        char text[120];
        double chance;
    } limits[4];
    size_t count = 0, worst = 0;
    const struct mw_goal none = {.objective = goal->objective, .certainty = goal->certainty};
    for (int k = 0; k < 4; k++) {
        struct limit l = {.alone = none, .chance = 0};
        if (k == 0 && goal->deadline_s > 0) {
            l.alone.deadline_s = goal->deadline_s;
            snprintf(l.text, sizeof l.text, "the deadline of %.4g s", goal->deadline_s);
        } else if (k == 1 && goal->power_cap_w > 0) {
            l.alone.power_cap_w = goal->power_cap_w;
            snprintf(l.text, sizeof l.text, "the power cap of %.4g W", goal->power_cap_w);
        } else if (k == 2 && goal->has_slowdown) {
            l.alone.has_slowdown = true;
            l.alone.max_slowdown = goal->max_slowdown;
            snprintf(l.text, sizeof l.text, "at most %.3g %% slower than the reference", 100 * goal->max_slowdown);
        } else if (k == 3 && goal->min_efficiency > 0) {
            l.alone.min_efficiency = goal->min_efficiency;
            snprintf(l.text, sizeof l.text, "the efficiency of %.3g %%", 100 * goal->min_efficiency);
        } else {
            continue;
        }
        for (size_t i = 0; i < r->count; i++)
            if (r->options[i].gain_kept)
                l.chance = fmax(l.chance, mw_goal_chance(&l.alone, &r->options[i].outlook, &r->reference.outlook));
        limits[count++] = l;
        worst = l.chance < limits[worst].chance ? count - 1 : worst;
    }
    if (count && limits[worst].chance < mw_goal_certainty(goal))
        snprintf(r->obstacle, sizeof r->obstacle, "%s: kept with %.0f %% at best, %.3g %% asked for",
                 limits[worst].text, 100 * limits[worst].chance, 100 * mw_goal_certainty(goal));
    else if (count)
        snprintf(r->obstacle, sizeof r->obstacle,
                 "each limit alone can be kept, all of them together with %.0f %% at best",
                 100 * r->options[r->choice].chance);
}

static enum mw_err recommend(struct mw_recommendation *recommendation, const struct mw_model *model,
                             const struct mw_goal *goal, const struct mw_recommend_options *options,
                             const struct mw_recommendation *looked, struct mw_error *error)
{
    struct mw_recommendation r = {0};
    size_t *order = NULL;
    enum mw_err err = mw_recommend_look(&r, model, goal, options, looked, error);
    if (!err) {
        r.ties = calloc(r.count, sizeof *r.ties);
        r.front = calloc(r.count, sizeof *r.front);
        order = calloc(r.count, sizeof *order);
        if (!r.ties || !r.front || !order)
            err = mw_fail(error, MW_NOMEM, "out of memory");
    }
    if (!err) {
        for (size_t i = 0; i < r.count; i++)
            r.options[i].chance = mw_goal_chance(goal, &r.options[i].outlook, &r.reference.outlook);
        r.reference.chance = mw_goal_chance(goal, &r.reference.outlook, &r.reference.outlook);
        apply_gains(&r, options);
        choose(&r, goal, options);
        if (r.feasible)
            find_ties(&r, goal);
        else
            find_obstacle(&r, goal);
        find_verify(&r, goal, order);
        find_front(&r, goal, order);
        find_changes(&r, goal);
    }
    free(order);
    if (err)
        mw_recommendation_release(&r);
    else
        *recommendation = r;
    return err;
}

enum mw_err mw_recommend(struct mw_recommendation *recommendation, const struct mw_model *model,
                         const struct mw_goal *goal, const struct mw_recommend_options *options, struct mw_error *error)
{
    return recommend(recommendation, model, goal, options, NULL, error);
}

enum mw_err mw_recommend_again(struct mw_recommendation *recommendation, const struct mw_recommendation *looked,
                               const struct mw_model *model, const struct mw_goal *goal, struct mw_error *error)
{
    static const struct mw_recommend_options usual;
    return recommend(recommendation, model, goal, &usual, looked, error);
}

void mw_recommendation_release(struct mw_recommendation *recommendation)
{
    free(recommendation->options);
    free(recommendation->ties);
    free(recommendation->front);
    memset(recommendation, 0, sizeof *recommendation);
}

enum mw_err mw_gains_parse(const char *text, struct mw_gain **gains, size_t *count, struct mw_error *error)
{
    size_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ',';
    struct mw_gain *list = calloc(n, sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        char item[64];
        size_t length = strcspn(text, ",");
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), text);
        char *colon = strchr(item, ':');
        double percent = 0;
        if (colon)
            *colon = '\0';
        if (!colon || mw_parse_freq(item, &list[i].freq_hz, NULL) || mw_parse_number(colon + 1, &percent, NULL) ||
            percent < 0 || (i && list[i].freq_hz <= list[i - 1].freq_hz)) {
            free(list);
            return mw_fail(error, MW_USAGE,
                           "'%s' is not a list of frequency:percent in ascending frequency, as in 2.4:2.5,2.5:5", text);
        }
        list[i].gain = percent / 100;
        text += length + (text[length] == ',');
    }
    *gains = list;
    *count = n;
    return MW_OK;
}
