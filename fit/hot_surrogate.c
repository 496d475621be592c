// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hot.h"
#include "fit/surrogate_law.h"

#include <math.h>

static double log_uniform(double u, double low, double high)
{
    return low * exp(u * log(high / low));
}

/* A share near one: the density of 1 - share falls as its square root, so that a small serial part is likely. */
static double near_one(double u)
{
    return 1 - (1 - u) * (1 - u);
}

/* f, k, m1, m2 of model/law.h, bounds of the paper */
static void vls_natural(const double *u, double *theta)
{
    theta[0] = near_one(u[0]);
    theta[1] = log_uniform(u[1], .01, 10);
    theta[2] = log_uniform(u[2], 1e-4, 1);
    theta[3] = log_uniform(u[3], 1e-4, 1);
}

static void vls_contention_natural(const double *u, double *theta)
{
    vls_natural(u, theta);
    theta[4] = log_uniform(u[4], 1e-6, .1);
}

static void vls_one_core_natural(const double *u, double *theta)
{
    vls_natural(u, theta);
    theta[4] = u[4] - .5;
}

/* ln of max{(1 + k phi mu)(1 - f + f/p + c (p - 1)), (1 + k phi) mu} / F */
static inline double vls(const double *theta, double contention, const struct mw_site *s)
{
    double mu = fmin(1, theta[2] + theta[3] / s->cores), latency = theta[1] * s->phi;
    double amdahl = 1 - theta[0] + theta[0] / s->cores + contention * (s->cores - 1);
    double latency_bound = (1 + latency * mu) * amdahl, bandwidth_bound = (1 + latency) * mu;
    return log((latency_bound > bandwidth_bound ? latency_bound : bandwidth_bound) / s->freq_ghz);
}

MW_HOT static void vls_eval(const double *theta, size_t n, const struct mw_site *sites, double *ln_value)
{
    for (size_t i = 0; i < n; i++)
        ln_value[i] = vls(theta, 0, &sites[i]);
}

MW_HOT static void vls_contention_eval(const double *theta, size_t n, const struct mw_site *sites, double *ln_value)
{
    for (size_t i = 0; i < n; i++)
        ln_value[i] = vls(theta, theta[4], &sites[i]);
}

MW_HOT static void vls_one_core_eval(const double *theta, size_t n, const struct mw_site *sites, double *ln_value)
{
    for (size_t i = 0; i < n; i++)
        ln_value[i] = vls(theta, 0, &sites[i]) + (sites[i].cores <= 1 ? theta[4] : 0);
}

/* N(0, .1) on ln of the one-core factor: a program's sequential path is seldom a fifth off its parallel one */
static double one_core_prior(const double *theta)
{
    double z = theta[4] / .1;
    return -.5 * z * z;
}

/* (1 + alpha (p - 1) + beta p (p - 1)) / p (1/F + m) */
static void usl_natural(const double *u, double *theta)
{
    theta[0] = log_uniform(u[0], 1e-4, 1);
    theta[1] = log_uniform(u[1], 1e-7, .05);
    theta[2] = log_uniform(u[2], 1e-3, 2);
}

MW_HOT static void usl_eval(const double *theta, size_t n, const struct mw_site *sites, double *ln_value)
{
    for (size_t i = 0; i < n; i++) {
        double p = sites[i].cores;
        double usl = (1 + theta[0] * (p - 1) + theta[1] * p * (p - 1)) / p;
        ln_value[i] = log(usl * (1 / sites[i].freq_ghz + theta[2]));
    }
}

/* (1 - f + f/p + c (p - 1)) / F + a (1 - g + g/p) */
static void additive_natural(const double *u, double *theta)
{
    theta[0] = near_one(u[0]);
    theta[1] = log_uniform(u[1], 1e-3, 3);
    theta[2] = near_one(u[2]);
    theta[3] = log_uniform(u[3], 1e-6, .1);
}

MW_HOT static void additive_eval(const double *theta, size_t n, const struct mw_site *sites, double *ln_value)
{
    for (size_t i = 0; i < n; i++) {
        double p = sites[i].cores;
        double compute = (1 - theta[0] + theta[0] / p + theta[3] * (p - 1)) / sites[i].freq_ghz;
        ln_value[i] = log(compute + theta[1] * (1 - theta[2] + theta[2] / p));
    }
}

/* model/power.h over s0 */
const double mw_surrogate_power_bounds[4][2] = {{1e-3, 5}, {1e-4, 2}, {1e-4, 2}, {1e-4, 2}};

static void power_natural(const double *u, double *theta)
{
    for (int t = 0; t < 4; t++)
        theta[t] = log_uniform(u[t], mw_surrogate_power_bounds[t][0], mw_surrogate_power_bounds[t][1]);
}

MW_HOT static void power_eval(const double *theta, size_t n, const struct mw_site *sites, double *ln_value)
{
    for (size_t i = 0; i < n; i++) {
        const struct mw_site *s = &sites[i];
        double cube = s->x * s->x * s->x;
        ln_value[i] = log(1 + theta[0] * (s->sockets - 1) + theta[1] * s->sockets * cube +
                          s->cores * (theta[2] * s->x + theta[3] * cube));
    }
}

const struct mw_surrogate_law mw_surrogate_time_laws[MW_SURROGATE_TIME_LAWS] = {
    {"variable latency", 4, vls_natural, vls_eval, NULL},
    {"variable latency, contention", 5, vls_contention_natural, vls_contention_eval, NULL},
    {"variable latency, one-core factor", 5, vls_one_core_natural, vls_one_core_eval, one_core_prior},
    {"universal scalability, memory", 3, usl_natural, usl_eval, NULL},
    {"additive", 4, additive_natural, additive_eval, NULL},
};
const struct mw_surrogate_law mw_surrogate_power_law = {"power", 4, power_natural, power_eval, NULL};
