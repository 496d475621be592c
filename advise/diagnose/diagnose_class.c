// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/diagnose/diagnose_internal.h"

#include <math.h>

/* docs/diagnosis.md derives each. */
static const double SHARE = .25; /* a non-scaling quarter at P: doubling the cores gains under 1.6 */
static const double MEMORY_TO_SERIAL =
    .5;                            /* a program with two causes is named after memory from half of the serial share */
static const double FLAT = 1.25;   /* speedup at P under which cores do nothing */
static const double SLOWER = 1.05; /* two standard errors of a mean of repeats with 2 to 3 % noise */
static const double GRAIN_LOSS = .15;  /* work of the busiest core over the mean, less one */
static const double STEP = .08;        /* the smallest step four standard errors above 2 % noise */
static const double SUPERLINEAR = .05; /* S/p - 1, or twice the residual: it rests on the run on one core */

enum { CURVE_POINTS = 128 };

double mw_diagnose_superlinear(double residual)
{
    return 1 + fmax(SUPERLINEAR, 2 * residual);
}

bool mw_diagnose_has_step(const struct mw_mechanism_draw *draw)
{
    return draw->law == MW_MECHANISM_STEP && draw->step >= STEP;
}

bool mw_diagnose_memory_costs(const struct mw_mechanism_shares *shares)
{
    return shares->latency + shares->nonscaling >= SHARE;
}

static double grain_loss(const struct mw_mechanism_draw *draw, double cores)
{
    double worst = 0, stride = fmax(1, cores / 2 / CURVE_POINTS);
    for (double p = floor(cores / 2); p <= cores; p += stride) {
        double whole = floor(p), loss = ceil(draw->grains / whole - 1e-5) * whole / draw->grains - 1;
        if (whole >= 1 && loss > worst)
            worst = loss;
    }
    return worst;
}

/* Fastest time and best efficiency over 1 ... cores. */
static void curve(const struct mw_mechanism_draw *draw, double cores, double one, double *fastest, double *efficiency)
{
    double stride = fmax(1, cores / CURVE_POINTS);
    *fastest = mw_mechanism_time(draw, cores, 1, cores, NULL);
    *efficiency = one / (*fastest * cores);
    for (double p = 1; p < cores; p += stride) {
        double whole = floor(p), t = mw_mechanism_time(draw, whole, 1, cores, NULL);
        *fastest = fmin(*fastest, t);
        *efficiency = fmax(*efficiency, one / (t * whole));
    }
}

static enum mw_verdict class_of_shares(const struct mw_mechanism_shares *shares, bool step)
{
    double memory = shares->latency + shares->nonscaling, serial = shares->serial + shares->overhead;
    if (memory >= SHARE && memory >= MEMORY_TO_SERIAL * serial)
        return shares->nonscaling > shares->latency ? MW_VERDICT_MEMORY_BANDWIDTH : MW_VERDICT_MEMORY_LATENCY;
    if (serial >= SHARE)
        return MW_VERDICT_SERIAL;
    if (serial + shares->nonscaling >= SHARE)
        return memory > serial ? MW_VERDICT_MEMORY_BANDWIDTH : MW_VERDICT_SERIAL;
    return step ? MW_VERDICT_STEP : MW_VERDICT_SCALES_WELL;
}

enum mw_verdict mw_diagnose_class(const struct mw_mechanism_draw *draw, double cores, double superlinear)
{
    struct mw_mechanism_shares shares;
    double all = mw_mechanism_time(draw, cores, 1, cores, &shares), one = mw_mechanism_time(draw, 1, 1, cores, NULL);
    bool step = mw_diagnose_has_step(draw);
    if (draw->law == MW_MECHANISM_WEAK)
        return MW_VERDICT_FLAT;
    if (one / all < FLAT && draw->law != MW_MECHANISM_OVERHEAD && !step)
        return MW_VERDICT_FLAT;
    double fastest, efficiency;
    curve(draw, cores, one, &fastest, &efficiency);
    if (draw->law != MW_MECHANISM_STEP && all > SLOWER * fastest)
        return MW_VERDICT_SLOWS_DOWN;
    if (draw->law == MW_MECHANISM_GRANULARITY && grain_loss(draw, cores) >= GRAIN_LOSS)
        return MW_VERDICT_GRANULARITY;
    if (efficiency > superlinear && !step)
        return MW_VERDICT_CACHE;
    return class_of_shares(&shares, step);
}
