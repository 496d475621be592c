// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_BEYOND_H
#define MW_FIT_BEYOND_H

#include "data/model_file/model_file.h"
#include "fit/predict/stack.h"

/*
 * How sure a prediction is beyond the measured cores. z is the mixture's median of ln value there, L = log2(p/p_max), D the
 * spread of a stack of laws, s_0 the noise of the set:
 *     sigma^2 = .015^2 + s_0^2 + (.02 L)^2 + (2 D)^2,  low = z - 3.4 sigma,  high = z + 2.1 sigma      (of a time)
 * What lies behind a boundary is a shift and an opening of its own, in quadrature. With one or two runs
 * behind it the laws are fitted to those before it, and their slope is moved through the runs:
 *     z(p) = z_before(p) + mean(y_i - z_before(p_i)),  z - .60 q ... z + .50 q,  q = .04 + |ln(p/p_i)|
 * docs/prediction.md has the measured errors, and what each constant was chosen and checked on. Test: test_beyond.c.
 */

/* The last core before a boundary with one or two configurations measured behind it and three core counts or more below: the laws are fitted
   to the runs up to it alone. Infinite: none, all runs are fitted. */
double mw_beyond_fitted(const struct mw_model *model);

struct mw_beyond {
    const struct mw_model *model;
    struct mw_stack stack;
    double fitted; /* mw_beyond_fitted */
};
/* sites: those that the laws were fitted to. MW_NOMEM, MW_NOFIT. */
enum mw_err mw_beyond_init(struct mw_beyond *beyond, const struct mw_model *model, const struct mw_sites *sites,
                           struct mw_error *error) MW_CHECKED;

/* A run behind the cut and ln of what it took over what the laws before the cut said. */
struct mw_behind {
    struct mw_site site;
    double psi;
};

/*
 * ln value at a site of more cores than the laws were fitted to: quantile[1], the mixture's median, is shifted, and
 * quantile[0] and [2] are set. behind: the runs behind the cut (none: count 0). inverse: values are speedups. freq_half: a
 * further half-width, in quadrature. Returns the standard deviation.
 */
double mw_beyond_open(const struct mw_beyond *beyond, const struct mw_site *site, const struct mw_behind *behind,
                      size_t behind_count, bool inverse, double freq_half, double quantile[3]);

/* Inside the measured cores, or below them: quantile[0] and [2] moved outwards; returns the variance that is added. */
double mw_interval_widen(double quantile[3], double doublings_p, double doublings_f);
/* Half-width for frequencies beyond the measured ones, ln. */
double mw_drift_freq(double doublings_f);

/* The first boundary that lies after from or more cores and before to; false where none is known. */
bool mw_boundary_between(const struct mw_model *model, double from, double to, double *after,
                         enum mw_boundary_kind *kind);
/* Whether anything is known of where boundaries lie. */
bool mw_boundaries_known(const struct mw_model *model);

#endif
