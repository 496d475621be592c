// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/tune/plan_internal.h"

#include <math.h>
#include <stdio.h>

struct range {
    unsigned cores;
    double low_hz, high_hz;
};

static struct range range_of(const struct mw_plan_options *o)
{
    struct range r = {.cores = 1, .low_hz = INFINITY};
    for (size_t i = 0; i < o->candidate_count; i++) {
        r.cores = o->candidates[i].cores > r.cores ? (unsigned)o->candidates[i].cores : r.cores;
        r.low_hz = fmin(r.low_hz, o->candidates[i].freq_hz);
        r.high_hz = fmax(r.high_hz, o->candidates[i].freq_hz);
    }
    return r;
}

/* Adds the nearest candidate, once. */
static void add(struct mw_plan *plan, const struct mw_plan_options *o, double cores, double freq_hz, const char *reason,
                const char *settles)
{
    size_t i = mw_config_nearest(o->candidates, o->candidate_count, fmax(1, cores), freq_hz);
    for (size_t k = 0; k < plan->count; k++)
        if (plan->points[k].candidate.cores == o->candidates[i].cores &&
            !(plan->points[k].candidate.freq_hz < o->candidates[i].freq_hz) &&
            !(plan->points[k].candidate.freq_hz > o->candidates[i].freq_hz))
            return;
    if (plan->count >= MW_PLAN_DESIGN_MOST)
        return;
    struct mw_plan_point *p = mw_plan_add(plan, o->candidates[i]);
    snprintf(p->reason, sizeof p->reason, "%s", reason);
    snprintf(p->settles, sizeof p->settles, "%s", settles);
}

static void design_best(struct mw_plan *plan, const struct mw_plan_options *o, const struct range *r)
{
    bool one = !(r->low_hz < r->high_hz);
    add(plan, o, r->cores, r->high_hz, "all cores at the highest frequency", "what everything is compared with");
    if (!one)
        add(plan, o, r->cores, r->low_hz, "all cores at the lowest frequency",
            "what the frequency does to time and power");
    add(plan, o, r->cores / 2., r->high_hz, "half of the cores", "whether the second half of the cores pays");
    if (one)
        add(plan, o, r->cores / 4., r->high_hz, "a quarter of the cores", "how the curve bends");
}

/* Eighths: six points that are as good as ten random ones. */
static void design_surface(struct mw_plan *plan, const struct mw_plan_options *o, const struct range *r)
{
    static const double parts[] = {1, 3 / 8., 1 / 8.};
    for (size_t i = 0; i < 3; i++)
        for (int f = 0; f < 2; f++)
            add(plan, o, round(parts[i] * r->cores), f ? r->low_hz : r->high_hz,
                f ? "the same cores at the lowest frequency" : "the range of cores, evenly in ratio",
                f ? "how much of the time follows the clock" : "the shape of the curve over cores");
}

/* The next number that does not divide P: with a divisor of P, grains of work show nothing. */
static double off_divisor(double part, unsigned cores)
{
    unsigned p = (unsigned)lround(part * cores);
    while (p > 1 && p < cores && cores % p == 0)
        p++;
    return p;
}

/*
 * Ten points: mostly over p at the highest frequency, with both sides of each boundary and numbers that do not divide P in
 * its upper half, where uneven grains cost most; two at the lowest. docs/diagnosis.md has how often that is right; {1, 3, 6,
 * 12, 24} at two frequencies is right in 55 %.
 */
static void design_diagnosis(struct mw_plan *plan, const struct mw_plan_options *o, const struct range *r)
{
    enum { DESIGN = 10, EDGES = 2 };
    static const char divisor[] = "a number of cores that does not divide all of them";
    static const double parts[] = {.625, .75, .875, .4, .2, .3, .8};
    double few = fmax(2, round(r->cores / 6.));
    bool one = !(r->low_hz < r->high_hz);
    add(plan, o, r->cores, r->high_hz, "all cores at the highest frequency", "where the verdict is given");
    if (!one) {
        add(plan, o, r->cores, r->low_hz, "all cores at the lowest frequency",
            "memory or serial work: one run settles most of it");
        add(plan, o, few, r->low_hz, "a few cores at the lowest frequency", "whether memory binds from the start");
    }
    add(plan, o, 1, r->high_hz, "one core", "what speedup is counted from");
    add(plan, o, few, r->high_hz, "a few cores", "serial work against a cost that grows with the cores");
    for (size_t b = 0; b < o->boundary_count && b < EDGES; b++) {
        if (o->boundaries[b] >= r->cores)
            continue;
        add(plan, o, o->boundaries[b], r->high_hz, "the last core before a boundary",
            "whether crossing it costs a step");
        add(plan, o, o->boundaries[b] + 1., r->high_hz, "the first core behind a boundary",
            "whether crossing it costs a step");
    }
    if (!o->boundary_count && r->cores >= 4) {
        add(plan, o, r->cores / 2, r->high_hz, "half of the cores, where a boundary often lies",
            "whether there is a step");
        add(plan, o, r->cores / 2 + 1., r->high_hz, "one more than half of the cores", "whether there is a step");
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts && plan->count < DESIGN; i++)
        add(plan, o, off_divisor(parts[i], r->cores), r->high_hz, divisor, "grains of work, and where the curve bends");
}

void mw_plan_first_design(struct mw_plan *plan, const struct mw_plan_options *options)
{
    struct range r = range_of(options);
    switch (options->purpose) {
    case MW_PLAN_BEST:
        design_best(plan, options, &r);
        break;
    case MW_PLAN_SURFACE:
        design_surface(plan, options, &r);
        break;
    case MW_PLAN_DIAGNOSIS:
        design_diagnosis(plan, options, &r);
        break;
    }
    if (options->count && options->count < plan->count)
        plan->count = options->count;
    snprintf(plan->state, sizeof plan->state, "nothing is measured yet: a first design for %u cores%s", r.cores,
             r.low_hz < r.high_hz ? "" : " at one frequency");
}
