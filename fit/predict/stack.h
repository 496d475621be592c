// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_STACK_H
#define MW_FIT_STACK_H

#include "fit/predict/sites.h"

/*
 * Six laws of the cores by penalised least squares on ln time (or -ln speedup), for how far apart they lie beyond the data:
 * what they agree on inside, they weigh by how well each, fitted to the smaller core counts, says the largest.
 *     minimise  sum (p/p_max)^1.4 (y - law)^2/(s_0^2 sqrt(n_F)) + sum ((theta - m)/sd)^2
 *     ln w = -1/2 sum_c h_c^2/(tau^2 + (max(s_0, .02)/rms ln(p/c))^2) min(C, 2)/C,  h_c = rms error beyond c/rms ln(p/c)
 * with cuts c at the largest counts up to 3/4, 1/2 and 1/4 of p_max that leave three below. docs/prediction.md has where
 * the constants are from and what was checked. Test: test_stack.c.
 */
enum { MW_STACK_LAWS = 6, MW_STACK_PARAMS = 3, MW_STACK_FREQS = 32 };

struct mw_stack_fit {
    double theta[MW_STACK_PARAMS]; /* of the law, then the share that the frequency does not touch */
    double offset[MW_STACK_FREQS]; /* times: the first; speedups: one for each frequency */
    double rms;                    /* of what is left, ln */
};

struct mw_stack {
    enum mw_quantity quantity;
    double p_max, clock_max_hz;
    bool many_freqs;
    double freqs_hz[MW_STACK_FREQS];
    size_t freq_count;
    double noise; /* s_0, ln */
    struct mw_stack_fit fits[MW_STACK_LAWS];
    double weight[MW_STACK_LAWS]; /* sum 1 */
    struct mw_stack_fit power;    /* p^-e alone */
    double exponent;              /* of that line */
    bool no_floor;                /* .3 <= e <= .8, and it leaves at most 1.6 times what the best law does */
};

/* From sites that are no outliers; deterministic. MW_NOMEM, MW_NOFIT where there are none. */
enum mw_err mw_stack_fit(struct mw_stack *stack, const struct mw_sites *sites, enum mw_quantity quantity,
                         struct mw_error *error) MW_CHECKED;

/* Standard deviation of ln value at a site over the weighted laws, about their median. */
double mw_stack_spread(const struct mw_stack *stack, const struct mw_site *site);
/* ln value by the power of the cores alone. */
double mw_stack_power(const struct mw_stack *stack, const struct mw_site *site);

#endif
