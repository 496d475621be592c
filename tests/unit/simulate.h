// SPDX-License-Identifier: GPL-3.0-or-later
// Times of a law on a full grid, with normal noise on their logarithm: for tests and benches that recover its parameters.
#ifndef MW_TESTS_SIMULATE_H
#define MW_TESTS_SIMULATE_H

#include "data/dataset.h"
#include "model/time.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

struct simulated_grid {
    const unsigned *cores;
    size_t core_count, freq_count;
    double freq_step_hz, memory_freq_hz; /* frequencies from 1.2 GHz on */
};

/* items has room for core_count x freq_count points and is what the result points to; the time scale is 30 s GHz. */
static inline struct mw_points simulate_grid(const struct mw_law *law, const double *params,
                                             const struct simulated_grid *grid, double noise, unsigned long seed,
                                             struct mw_point *items)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, seed);
    size_t n = grid->freq_count * grid->core_count;
    for (size_t i = 0; i < n; i++) {
        unsigned cores = grid->cores[i % grid->core_count];
        double freq_hz = 1.2e9 + grid->freq_step_hz * (double)(i / grid->core_count);
        double time_s = mw_time_s(law, params, 30e9, cores, freq_hz, grid->memory_freq_hz);
        items[i] = (struct mw_point){.cores = cores,
                                     .freq_hz = freq_hz,
                                     .count = 1,
                                     .noise_factor = 1,
                                     .value = time_s * exp(gsl_ran_gaussian(rng, noise))};
    }
    gsl_rng_free(rng);
    return (struct mw_points){.items = items, .count = n, .quantity = MW_TIME};
}

#endif
