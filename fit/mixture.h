// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_MIXTURE_H
#define MW_FIT_MIXTURE_H

#include "data/model_file.h"

/*
 * The set of fits that the data allow: several laws under weak priors, each with a Gaussian-process discrepancy over
 * (ln p, ln F) inside its likelihood, sampled by tempered sequential Monte Carlo. docs/prediction.md has the method.
 */
struct mw_mixture_options {
    const char *law; /* NULL or "auto": the default set of laws; else this one alone */
    double memory_freq_hz;
    unsigned long seed;
    bool weak;
    const unsigned *boundaries;
    size_t boundary_count;
    double k_max; /* bound on k from a measured memory latency; 0: none */
};

/*
 * Screens outliers (sets points->items[].noise_factor > 1), then samples. The ensemble is conditioned on points in the
 * order (freq_hz, cores). Deterministic for a seed whatever the number of threads. MW_NOFIT, MW_NOMEM.
 */
enum mw_err mw_mixture_fit(struct mw_ensemble *ensemble, struct mw_points *points,
                           const struct mw_mixture_options *options, struct mw_error *error) MW_CHECKED;

#endif
