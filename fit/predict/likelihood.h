// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_LIKELIHOOD_H
#define MW_FIT_LIKELIHOOD_H

#include "fit/predict/discrepancy.h"
#include "fit/predict/prior.h"

/*
 * The likelihood of one law with its discrepancy, as a function on the unit cube. Coordinates: the law's parameters
 * (fit/predict/prior.h), the scale, the noise, and the index of the kernel.
 *     ln value = scale + ln h - ln F (times),  scale + ln h(1) - ln h(p) (speedups)
 *     z = L^-1 (ln value - law)/sigma,  each z_i Student-t with 4 degrees of freedom
 */
struct mw_whitener { /* shared by all laws of a fit; not changed by them */
    enum mw_quantity quantity;
    size_t n;
    const struct mw_site *sites;
    double ln_sigma_low, ln_sigma_high;
    double *p, *phi, *lifted; /* n: lifted is ln value + ln F for times, ln value for speedups */
    size_t run_count;         /* runs of sites of one phi (speedups need h(1, phi)): where each starts, and the end */
    double *ones, *run_phi;
    size_t *run_start;
    size_t kernel_count;
    const int *kernels;
    double **w; /* L^-1 per kernel (fit/numeric/panel.h), NULL where the kernel is none */
    double *log_det;
    double *inverse_root_noise;
};

/* MW_NOMEM leaves it empty. Sites must outlive it. */
enum mw_err mw_whitener_init(struct mw_whitener *whitener, const struct mw_site *sites, size_t n,
                             enum mw_quantity quantity, bool independent, struct mw_error *error) MW_CHECKED;
void mw_whitener_release(struct mw_whitener *whitener);

struct mw_likelihood { /* one per thread */
    const struct mw_whitener *whitener;
    struct mw_prior_map prior;
    double *scratch; /* four vectors of n, padded as fit/numeric/panel.h asks */
};
enum mw_err mw_likelihood_init(struct mw_likelihood *likelihood, const struct mw_whitener *whitener,
                               struct mw_error *error) MW_CHECKED;
void mw_likelihood_release(struct mw_likelihood *likelihood);

/* The dimension of the cube for a law. */
size_t mw_likelihood_dims(const struct mw_law *law);
/* ln of the density of the data; context is a struct mw_likelihood. Finite. */
double mw_likelihood_log(const double *u, void *context);

/* A particle in natural units. */
struct mw_particle {
    double params[MW_LAW_MAX_PARAMS];
    double scale, sigma;
    int kernel; /* index into mw_kernels */
};
void mw_likelihood_particle(struct mw_likelihood *likelihood, const double *u, struct mw_particle *particle);

#endif
