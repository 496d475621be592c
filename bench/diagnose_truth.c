// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/diagnose_truth.h"
#include "advise/diagnose/diagnose_internal.h"

#include <gsl/gsl_randist.h>
#include <math.h>

static double log_uniform(gsl_rng *rng, double low, double high)
{
    return low * exp(log(high / low) * gsl_rng_uniform(rng));
}

/* A candidate for the class; clear() decides whether it is one. */
static struct mw_mechanism_draw propose(gsl_rng *rng, enum mw_verdict label, unsigned cores)
{
    struct mw_mechanism_draw d = {
        .law = MW_MECHANISM_ADDITIVE, .serial = log_uniform(rng, 1e-4, .02), .latency = log_uniform(rng, .012, .2)};
    switch (label) {
    case MW_VERDICT_SERIAL:
        d.serial = log_uniform(rng, .005, .5);
        break;
    case MW_VERDICT_MEMORY_LATENCY:
        d.latency = log_uniform(rng, .3, 5);
        break;
    case MW_VERDICT_MEMORY_BANDWIDTH:
        d.latency = log_uniform(rng, .1, 3);
        if (gsl_rng_uniform(rng) < .5) {
            d.law = MW_MECHANISM_ROOF;
            d.roof = (1 + d.latency) / log_uniform(rng, 1.8, cores);
        } else {
            d.nonscaling = d.latency * log_uniform(rng, .01, 1);
            d.latency -= d.nonscaling;
        }
        break;
    case MW_VERDICT_CACHE:
        d.law = MW_MECHANISM_CACHE;
        d.latency = log_uniform(rng, .3, 4);
        d.cache = d.latency * (.3 + .7 * gsl_rng_uniform(rng));
        break;
    case MW_VERDICT_GRANULARITY:
        d.law = MW_MECHANISM_GRANULARITY;
        d.grains = floor(log_uniform(rng, cores, 4 * cores));
        break;
    case MW_VERDICT_STEP:
        d.law = MW_MECHANISM_STEP;
        d.step = log_uniform(rng, .15, .8);
        d.step_after = cores / 2; /* NOLINT: whole cores */
        d.step_persists = gsl_rng_uniform(rng) < .5;
        break;
    case MW_VERDICT_FLAT:
        d.law = MW_MECHANISM_WEAK;
        d.growth = -.03 + .13 * gsl_rng_uniform(rng);
        d.latency = log_uniform(rng, .05, 2);
        break;
    case MW_VERDICT_SLOWS_DOWN:
        d.law = MW_MECHANISM_OVERHEAD;
        *(gsl_rng_uniform(rng) < .5 ? &d.overhead_fixed : &d.overhead_compute) = log_uniform(rng, 1e-4, .1);
        break;
    default:
        break;
    }
    d.parallel = 1 - d.serial;
    return d;
}

static double fastest(const struct mw_mechanism_draw *d, unsigned cores)
{
    double least = HUGE_VAL;
    for (unsigned p = 1; p <= cores; p++)
        least = fmin(least, mw_mechanism_time(d, p, 1, cores, NULL));
    return least;
}

static double worst_grain(const struct mw_mechanism_draw *d, unsigned cores)
{
    double worst = 0;
    for (unsigned p = cores / 2; p <= cores; p++)
        worst = fmax(worst, ceil(d->grains / p - 1e-9) * p / d->grains - 1);
    return worst;
}

/* How far the roof is above the time on all cores that it cuts short; a roof that hardly binds shows at no core count. */
static double above_roofless(const struct mw_mechanism_draw *d, unsigned cores)
{
    struct mw_mechanism_draw without = *d;
    if (d->law != MW_MECHANISM_ROOF)
        return HUGE_VAL;
    without.law = MW_MECHANISM_ADDITIVE;
    return mw_mechanism_time(d, cores, 1, cores, NULL) / mw_mechanism_time(&without, cores, 1, cores, NULL);
}

/* The class with a margin: all thresholds passed by half or so, such as shares over .36 or under .15 about .25. */
static bool clear(const struct mw_mechanism_draw *d, enum mw_verdict label, unsigned cores)
{
    struct mw_mechanism_shares s;
    double all = mw_mechanism_time(d, cores, 1, cores, &s), one = mw_mechanism_time(d, 1, 1, cores, NULL);
    double memory = s.latency + s.nonscaling, serial = s.serial + s.overhead;
    if (mw_diagnose_class(d, cores, 1.05) != label)
        return false;
    if (label == MW_VERDICT_FLAT)
        return true;
    if (label == MW_VERDICT_SLOWS_DOWN)
        return all > 1.15 * fastest(d, cores);
    if (one / all < 1.5)
        return false;
    switch (label) {
    case MW_VERDICT_SCALES_WELL:
        return memory < .15 && serial + s.nonscaling < .15;
    case MW_VERDICT_SERIAL:
        return serial > .36 && memory < .15;
    case MW_VERDICT_MEMORY_LATENCY:
        return s.latency > .36 && serial < .15 && s.nonscaling < .1;
    case MW_VERDICT_MEMORY_BANDWIDTH:
        return s.nonscaling > .36 && s.latency < .7 * s.nonscaling && serial < .15 && above_roofless(d, cores) > 1.15;
    case MW_VERDICT_CACHE:
        return mw_diagnose_class(d, cores, 1.12) == label;
    case MW_VERDICT_GRANULARITY:
        return worst_grain(d, cores) > .25;
    case MW_VERDICT_STEP:
        return memory < .15 && serial < .15;
    default:
        return true;
    }
}

void truth_draw(struct truth *truth, gsl_rng *rng, enum mw_verdict label, unsigned cores, double misfit_sd)
{
    do
        truth->draw = propose(rng, label, cores);
    while (!clear(&truth->draw, label, cores));
    truth->label = label;
    truth->cores = cores;
    truth->noise = .02 + .03 * gsl_rng_uniform(rng);
    for (unsigned p = 0; p <= cores && p < sizeof truth->misfit / sizeof *truth->misfit; p++)
        truth->misfit[p] = misfit_sd > 0 ? gsl_ran_gaussian(rng, misfit_sd) : 0;
}

struct mw_point truth_measure(const struct truth *truth, gsl_rng *rng, unsigned cores, double freq_hz)
{
    double t = 100 * mw_mechanism_time(&truth->draw, cores, freq_hz / 2.4e9, truth->cores, NULL);
    t *= exp(truth->misfit[cores] + gsl_ran_gaussian(rng, truth->noise));
    return (struct mw_point){.cores = cores, .freq_hz = freq_hz, .value = t, .count = 1, .noise_factor = 1};
}
