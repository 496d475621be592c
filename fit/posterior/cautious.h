// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_CAUTIOUS_H
#define MW_FIT_CAUTIOUS_H

#include "fit/posterior/view.h"

/*
 * The one cautious reading of a program: what `fit` says of shares of its time, what `predict` says that binds it and
 * what `diagnose` judges all come from the draws here, so they can't differ. The laws are weighed by points as
 * fit/posterior/posterior.h has it. Wider than a prediction's interval would suggest: an exact posterior of the same laws
 * is wrong and confident on programs that no law describes.
 */
struct mw_cautious {
    struct mw_diagnose_options options;
    unsigned *boundaries; /* copy of the caller's */
    struct mw_boundary places[MW_VIEW_PLACES];
    struct mw_frame frame; /* of the bank */
    struct mw_posterior_bank *bank;
    struct mw_posterior posterior;
    struct mw_view view;
};

/* Copies the options. MW_NOMEM. A zeroed one may be released. */
enum mw_err mw_cautious_init(struct mw_cautious *cautious, const struct mw_diagnose_options *options,
                             struct mw_error *error) MW_CHECKED;
void mw_cautious_release(struct mw_cautious *cautious);

/*
 * Reads the points; the bank of prior draws is kept over readings on as many cores. Fails as mw_view_build and
 * mw_posterior_infer do; then the last reading stays. Deterministic for a seed. Not for several threads.
 */
enum mw_err mw_cautious_read(struct mw_cautious *cautious, const struct mw_points *points,
                             struct mw_error *error) MW_CHECKED;

struct mw_interval {
    double low, median, high; /* 5, 50, 95 % of the posterior */
};

struct mw_shares {         /* of the time at one configuration */
    double cores, freq_hz; /* freq_hz 0: unknown */
    struct mw_interval serial, parallel, latency, nonscaling, overhead, uneven, wait;
};

/* Shares on p cores at x = clock / highest clock. */
struct mw_shares mw_cautious_shares(const struct mw_cautious *cautious, double p, double x);

/*
 * The share of the time at (p, 1) that does not depend on the frequency, whatever it goes into (memory, waiting). With
 * T = C/F + m and r the lowest clock over the highest, m/T(1) = (1 - r T(r)/T(1))/(1 - r). Only with two clocks.
 * Test: test_examples.c (canneal).
 */
struct mw_interval mw_cautious_fixed(const struct mw_cautious *cautious, double p);

#endif
