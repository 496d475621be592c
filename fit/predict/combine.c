// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/combine.h"

#include "model/laws.h"
#include "model/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mw_domain_of(struct mw_domain *domain, const struct mw_points *points)
{
    const struct mw_point *items = points->items;
    *domain = (struct mw_domain){.cores_low = items[0].cores,
                                 .cores_high = items[0].cores,
                                 .freq_low_hz = items[0].freq_hz,
                                 .freq_high_hz = items[points->count - 1].freq_hz};
    for (size_t i = 0; i < points->count; i++) {
        domain->freq_count += i == 0 || items[i].freq_hz > items[i - 1].freq_hz;
        domain->cores_low = items[i].cores < domain->cores_low ? items[i].cores : domain->cores_low;
        domain->cores_high = items[i].cores > domain->cores_high ? items[i].cores : domain->cores_high;
    }
}

/* Where a quantity is asked for. */
struct query {
    double phi, cap;
};

/* Cores from which the wall binds; the cap where it does not before. */
static double wall_of(const void *context, const double *params)
{
    const struct query *at = context;
    double cores = mw_vls_wall_cores(params, at->phi, at->cap);
    return cores > 0 ? cores : at->cap;
}

static double limit_of(const void *context, const double *params)
{
    const struct query *at = context;
    double limit = mw_vls_speedup_limit(params, at->phi);
    return limit > 0 ? fmin(limit, at->cap) : at->cap;
}

/* "3.2", "14", "120": three figures, none behind the point from 100 on */
static void number(char *text, size_t size, double value)
{
    snprintf(text, size, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

static void at_frequency(char *text, size_t size, double freq_hz)
{
    if (freq_hz > 0)
        snprintf(text, size, " at %g GHz", freq_hz / 1e9);
    else
        text[0] = '\0';
}

void mw_share_describe(struct mw_combination *c, unsigned cores, double freq_hz)
{
    char freq[32];
    at_frequency(freq, sizeof freq, freq_hz);
    snprintf(c->name, sizeof c->name, "frequency_independent_share_%u_cores", cores);
    c->identified = c->high - c->low <= .2; /* a fifth of the time decides between serial and memory-bound */
    snprintf(c->text, sizeof c->text,
             "of the time on %u core%s%s, %.2f (%.2f to %.2f) does not depend on the processor's frequency%s", cores,
             cores == 1 ? "" : "s", freq, c->value, c->low, c->high, c->identified ? "" : ": not well determined");
}

/*
 * What the wall is. The second term of the law scales as (1 + k phi)/F: with k phi near 0 it moves with the frequency as
 * computing does, and is no memory; with one frequency nobody can tell.
 */
static const char *wall_words(const double *params, double phi, const struct mw_domain *domain)
{
    const double memory_share = .1; /* of the time at the wall; less is not told from noise in a fit */
    double k_phi = params[MW_VLS_K] * phi;
    if (domain->freq_count < 2)
        return "a floor (memory or grains of work: one frequency can't tell)";
    return k_phi / (1 + k_phi) >= memory_share ? "the memory wall"
                                               : "a floor that moves with the frequency, so not memory,";
}

static void describe_wall(struct mw_combination *c, const struct query *at, const double *params,
                          const struct mw_domain *domain)
{
    char freq[32], low[16];
    const char *wall = wall_words(params, at->phi, domain);
    /* its time goes as m1 + m2/p: no plateau where the second is the larger at all measured cores */
    bool sinks = params[MW_VLS_M2] > params[MW_VLS_M1] * domain->cores_high;
    at_frequency(freq, sizeof freq, domain->freq_high_hz);
    number(low, sizeof low, c->low);
    snprintf(c->name, sizeof c->name, "wall_cores");
    c->identified = c->high < at->cap && c->high <= 2 * c->low;
    if (c->low >= at->cap)
        snprintf(c->text, sizeof c->text, "the memory wall does not bind up to %.0f cores%s", at->cap, freq);
    else if (c->high >= at->cap)
        snprintf(c->text, sizeof c->text,
                 "%s takes over at %s cores%s or later, or never: not decided by runs on up to %u cores", wall, low,
                 freq, domain->cores_high);
    else
        snprintf(c->text, sizeof c->text, "%s takes over at %.0f cores%s (%s to %.0f)%s", wall, ceil(c->value), freq,
                 low, ceil(c->high), sinks ? ", and still sinks with further cores" : "");
}

static void describe_limit(struct mw_combination *c, const struct query *at, double freq_hz)
{
    char freq[32], value[16], low[16], high[16];
    at_frequency(freq, sizeof freq, freq_hz);
    number(value, sizeof value, c->value);
    number(low, sizeof low, c->low);
    number(high, sizeof high, c->high);
    snprintf(c->name, sizeof c->name, "speedup_limit");
    c->identified = c->high < at->cap && c->high <= 1.5 * c->low;
    if (c->high >= at->cap)
        snprintf(c->text, sizeof c->text, "no limit of speedup%s is established; it is at least %s", freq, low);
    else
        snprintf(c->text, sizeof c->text,
                 "by the variable-latency law no number of cores gives a speedup over %s (%s to %s)%s", value, low,
                 high, freq);
}

/* Far beyond the measured cores nothing is said any more. */
static const double wall_cap_factor = 4, limit_cap_factor = 16;

enum mw_err mw_combinations(struct mw_combination **out, size_t *count, const struct mw_region *region,
                            const struct mw_optimum *optimum, const struct mw_problem *problem,
                            const struct mw_domain *domain, const struct mw_knowledge *knowledge, unsigned long seed,
                            struct mw_error *error)
{
    enum { WALL, LIMIT, KINDS };
    double phi = mw_phi(domain->freq_high_hz, knowledge->memory_freq_hz);
    const struct query queries[KINDS] = {
        {phi, wall_cap_factor * domain->cores_high},
        {phi, limit_cap_factor * domain->cores_high},
    };
    double (*const of[KINDS])(const void *, const double *) = {wall_of, limit_of};
    struct mw_combination *list = calloc(KINDS, sizeof *list);
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    size_t n = 0;
    enum mw_err err = MW_OK;
    /* without a degree of freedom left every value is possible, and none is worth a sentence */
    for (size_t kind = 0; kind < KINDS && !err && region->informative && problem->law == &mw_law_vls; kind++) {
        struct mw_combination *c = &list[n++];
        struct mw_functional functional = {of[kind], &queries[kind]};
        c->value = functional.of(functional.context, optimum->params);
        err = mw_interval_of(&c->low, &c->high, &functional, region, optimum, problem, seed, error);
        if (kind == WALL)
            describe_wall(c, &queries[kind], optimum->params, domain);
        else
            describe_limit(c, &queries[kind], domain->freq_high_hz);
    }
    if (err) {
        free(list);
        return err;
    }
    *out = list;
    *count = n;
    return MW_OK;
}

/* Which measurement would tell this parameter. */
static void settle(struct mw_model_param *param, const struct mw_region *region, const struct mw_domain *domain,
                   bool of_memory)
{
    if (!region->informative)
        snprintf(param->settle, sizeof param->settle,
                 "more points than parameters: further core counts and frequencies");
    else if (of_memory && domain->freq_count < 2)
        snprintf(param->settle, sizeof param->settle,
                 "the same core counts at a second frequency, as far away as it can be set");
    else if (of_memory)
        snprintf(
            param->settle, sizeof param->settle,
            "more than %u cores, if the machine has them, at the lowest and the highest frequency: where the memory "
            "wall binds; else more frequencies and repetitions",
            domain->cores_high);
    else
        snprintf(param->settle, sizeof param->settle,
                 "repetitions of the runs on %u cores, and runs on more if the machine has them", domain->cores_high);
}

/* Parameters of the memory: they enter together with the frequency. */
static bool is_of_memory(const char *name)
{
    static const char *const names[] = {"k", "m1", "m2", "a", "q", "r", "u"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static bool needs_wall(const char *name, const struct mw_law *law)
{
    return law->branch && (!strcmp(name, "k") || !strcmp(name, "m1") || !strcmp(name, "m2"));
}

/*
 * k, m1 and m2 apart need the wall. It is beyond doubt where the best fit without one is four times the limit's distance
 * out: a deviance of 43 at many points, which noise alone, free to place a wall anywhere, does not reach.
 */
static const double wall_is_sure = 4;

/*
 * Identified: the best value is inside the bounds and the interval is short: a quarter of the range at most, and a factor
 * of ten at most. At bound: the best value is a bound, and the interval is short by the same measure. Not
 * identifiable: nothing inside the bounds is excluded on either side, or one frequency can't tell. Weak: the rest.
 */
void mw_params_judge(struct mw_model_param *params, const struct mw_region *region, const struct mw_problem *problem,
                     const struct mw_domain *domain)
{
    const double wide = .25, factor = 10, touch = 1e-6;
    for (size_t j = 0; j < problem->law->param_count; j++) {
        struct mw_model_param *param = &params[j];
        double low = problem->low[j], high = problem->high[j], range = high - low;
        bool at_low = param->low <= low + touch * range, at_high = param->high >= high - touch * range;
        bool of_memory = is_of_memory(param->name);
        /* with one frequency k and a are absorbed by the time scale; what is left of k is the shape of a curve */
        bool hidden = domain->freq_count < 2 && (!strcmp(param->name, "k") || !strcmp(param->name, "a"));
        bool is_short = param->high - param->low <= wide * range && (at_low || param->high <= factor * param->low);
        param->settle[0] = '\0';
        if (range <= 0) { /* given from outside */
            param->status = MW_PARAM_IDENTIFIED;
            continue;
        }
        if (hidden) {
            param->low = low;
            param->high = high;
        }
        if (hidden || !region->informative || (at_low && at_high))
            param->status = MW_PARAM_NOT_IDENTIFIABLE;
        else if (needs_wall(param->name, problem->law) && (region->no_wall < wall_is_sure || domain->freq_count < 2))
            param->status = MW_PARAM_WEAK;
        else if (is_short && param->value > low + touch * range && param->value < high - touch * range)
            param->status = MW_PARAM_IDENTIFIED;
        else if (is_short)
            param->status = MW_PARAM_AT_BOUND;
        else
            param->status = MW_PARAM_WEAK;
        if (param->status == MW_PARAM_WEAK || param->status == MW_PARAM_NOT_IDENTIFIABLE)
            settle(param, region, domain, of_memory);
    }
}
