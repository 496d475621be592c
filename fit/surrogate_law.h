// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SURROGATE_LAW_H
#define MW_FIT_SURROGATE_LAW_H

#include "fit/residual.h"

enum { MW_SURROGATE_PARAMS = 5 };

/*
 * A law of the surrogate, scale left out: its prior is the image of u uniform in [0, 1]^dimension. The log-uniform
 * priors keep a memory wall or a contention term possible but rare, so that it takes data to bring it in.
 */
struct mw_surrogate_law {
    const char *name;
    size_t dimension;
    /* theta = natural parameters of u */
    void (*natural)(const double *u, double *theta);
    /* ln_value[i] at sites[i]; theta from natural() */
    void (*eval)(const double *theta, size_t n, const struct mw_site *sites, double *ln_value);
    double (*log_prior)(const double *theta); /* beyond the uniform u; NULL: 0 */
};

/* Five laws of time; variable latency, with contention, with a free one-core factor, USL with memory, additive. */
enum { MW_SURROGATE_TIME_LAWS = 5 };
extern const struct mw_surrogate_law mw_surrogate_time_laws[MW_SURROGATE_TIME_LAWS];
/* The power law over its first term; theta in the order s1, u3, c1, c3, each over s0. */
extern const struct mw_surrogate_law mw_surrogate_power_law;
/* Its log-uniform priors: low and high of each. */
extern const double mw_surrogate_power_bounds[4][2];

#endif
