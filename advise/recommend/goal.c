// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/recommend/goal.h"
#include "data/units.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *unit;
    double time_power, power_power;
} objectives[] = {
    [MW_OBJECTIVE_TIME] = {"time", "s", 1, 0},
    [MW_OBJECTIVE_ENERGY] = {"energy", "J", 1, 1},
    [MW_OBJECTIVE_EDP] = {"edp", "J s", 2, 1},
    [MW_OBJECTIVE_ED2P] = {"ed2p", "J s^2", 3, 1},
};

const char *mw_objective_name(enum mw_objective objective)
{
    return objectives[objective].name;
}

const char *mw_objective_unit(enum mw_objective objective)
{
    return objectives[objective].unit;
}

bool mw_objective_find(const char *name, enum mw_objective *objective)
{
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
        if (!strcmp(objectives[i].name, name)) {
            *objective = (enum mw_objective)i;
            return true;
        }
    }
    return false;
}

double mw_objective_time_power(enum mw_objective objective)
{
    return objectives[objective].time_power;
}

double mw_objective_power_power(enum mw_objective objective)
{
    return objectives[objective].power_power;
}

double mw_goal_certainty(const struct mw_goal *goal)
{
    static const double usual = .9; /* the level of all intervals of memwall */
    return goal->certainty > 0 ? goal->certainty : usual;
}

bool mw_goal_needs_power(const struct mw_goal *goal)
{
    return objectives[goal->objective].power_power > 0 || goal->power_cap_w > 0;
}

bool mw_goal_needs_time(const struct mw_goal *goal)
{
    return goal->objective != MW_OBJECTIVE_ENERGY || mw_goal_has_limits(goal);
}

bool mw_goal_has_limits(const struct mw_goal *goal)
{
    return goal->deadline_s > 0 || goal->power_cap_w > 0 || goal->has_slowdown || goal->min_efficiency > 0;
}

double mw_goal_value(const struct mw_goal *goal, const struct mw_outlook *outlook, double *variance)
{
    double a = objectives[goal->objective].time_power, b = objectives[goal->objective].power_power;
    *variance = a * a * outlook->time_variance + b * b * outlook->power_variance;
    return a * outlook->ln_time + b * outlook->ln_power;
}

double mw_normal_cdf(double z)
{
    return .5 * erfc(-z / sqrt(2));
}

double mw_normal_pdf(double z)
{
    return exp(-.5 * z * z) / sqrt(2 * M_PI);
}

double mw_normal_quantile(double p)
{
    double low = -40, high = 40; /* the distribution function is 0 and 1 there, to the last bit */
    while (high - low > 1e-12) {
        double middle = (low + high) / 2;
        *(mw_normal_cdf(middle) < p ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* A measured value equal to its limit but for rounding holds it. */
static const double rounding = 1e-9;

static double chance_below(double limit, double mean, double variance)
{
    if (variance <= 0)
        return mean <= limit + rounding ? 1 : 0;
    return mw_normal_cdf((limit - mean) / sqrt(variance));
}

static double chance_of_slowdown(const struct mw_goal *goal, const struct mw_outlook *o,
                                 const struct mw_outlook *reference)
{
    double slower = o->ln_time - reference->ln_time, variance = o->time_variance + reference->time_variance;
    if (fabs(slower) <= rounding && fabs(o->time_variance - reference->time_variance) <= rounding)
        return 1;
    return chance_below(log1p(goal->max_slowdown), slower, variance);
}

double mw_goal_chance(const struct mw_goal *goal, const struct mw_outlook *o, const struct mw_outlook *reference)
{
    double chance = 1;
    if (goal->deadline_s > 0)
        chance *= chance_below(log(goal->deadline_s), o->ln_time + o->ln_work, o->time_variance);
    if (goal->has_slowdown)
        chance *= chance_of_slowdown(goal, o, reference);
    if (goal->power_cap_w > 0)
        chance *= chance_below(log(goal->power_cap_w), o->ln_power, o->power_variance);
    if (goal->min_efficiency > 0)
        chance *= chance_below(-log(goal->min_efficiency), -o->ln_efficiency, o->efficiency_variance);
    return chance;
}

static double excess(double limit, double mean)
{
    return fmax(mean - limit, 0);
}

double mw_goal_excess(const struct mw_goal *goal, const struct mw_outlook *o, double ln_reference_time)
{
    double sum = 0;
    if (goal->deadline_s > 0)
        sum += excess(log(goal->deadline_s), o->ln_time + o->ln_work);
    if (goal->has_slowdown)
        sum += excess(ln_reference_time + log1p(goal->max_slowdown), o->ln_time);
    if (goal->power_cap_w > 0)
        sum += excess(log(goal->power_cap_w), o->ln_power);
    if (goal->min_efficiency > 0)
        sum += excess(-log(goal->min_efficiency), -o->ln_efficiency);
    return sum;
}

size_t mw_config_nearest(const struct mw_config *candidates, size_t count, double cores, double freq_hz)
{
    size_t best = 0;
    double best_freq = INFINITY, best_cores = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double df = fabs(candidates[i].freq_hz - freq_hz), dp = fabs(log(candidates[i].cores / cores));
        if (df < best_freq || (df == best_freq && dp < best_cores)) {
            best = i;
            best_freq = df;
            best_cores = dp;
        }
    }
    return best;
}

size_t mw_config_find(const struct mw_config *candidates, size_t count, struct mw_config wanted)
{
    for (size_t i = 0; i < count; i++)
        if (candidates[i].cores == wanted.cores && mw_freq_same(candidates[i].freq_hz, wanted.freq_hz))
            return i;
    return count;
}
