// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_EVALUATE_H
#define MW_FIT_EVALUATE_H

#include "fit/predict/discrepancy.h"
#include "model/law.h"

/*
 * ln of a law with its scale at sites. Blocks are filled up to whole vectors, because the logarithm of a vector and that of a
 * single number differ in the last bit, and a site's place must not change its answer.
 */
enum { MW_EVALUATION = 64 };
struct mw_evaluation { /* a block of sites, laid out for all laws that are asked */
    enum mw_quantity quantity;
    size_t used, n; /* sites; filled up */
    double p[MW_EVALUATION], phi[MW_EVALUATION], ones[MW_EVALUATION], minus_ln_freq[MW_EVALUATION];
};
/* used <= MW_EVALUATION sites */
void mw_evaluation_init(struct mw_evaluation *block, enum mw_quantity quantity, const struct mw_site *sites,
                        size_t used);
/* out[MW_EVALUATION], of which the first `used` mean something */
void mw_evaluation_run(const struct mw_evaluation *block, const struct mw_law *law, const double *params, double scale,
                       double *out);

/* out[i] at sites[i], i < count, however many. */
void mw_evaluate(const struct mw_law *law, const double *params, double scale, enum mw_quantity quantity,
                 const struct mw_site *sites, size_t count, double *out);

#endif
