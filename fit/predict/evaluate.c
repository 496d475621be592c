// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/evaluate.h"

#include "fit/numeric/hot_residual.h"

#include <string.h>

void mw_evaluation_init(struct mw_evaluation *block, enum mw_quantity quantity, const struct mw_site *sites,
                        size_t used)
{
    enum { LANES = 8 };
    block->quantity = quantity;
    block->used = used;
    block->n = (used + LANES - 1) / LANES * LANES;
    for (size_t i = 0; i < block->n; i++) {
        const struct mw_site *site = &sites[i < used ? i : used - 1];
        block->p[i] = site->p;
        block->phi[i] = site->phi;
        block->ones[i] = 1;
        block->minus_ln_freq[i] = quantity == MW_SPEEDUP ? 0 : -site->ln_clock;
    }
}

void mw_evaluation_run(const struct mw_evaluation *block, const struct mw_law *law, const double *params, double scale,
                       double *out)
{
    double h[MW_EVALUATION], h1[MW_EVALUATION], offset[MW_EVALUATION];
    law->eval(params, block->n, block->p, block->phi, h);
    if (block->quantity == MW_SPEEDUP) {
        law->eval(params, block->n, block->ones, block->phi, h1);
        for (size_t i = 0; i < block->n; i++)
            h[i] = h1[i] / h[i];
    }
    for (size_t i = 0; i < block->n; i++)
        offset[i] = scale + block->minus_ln_freq[i];
    mw_hot_residuals(offset, 1, h, block->n, out);
}

void mw_evaluate(const struct mw_law *law, const double *params, double scale, enum mw_quantity quantity,
                 const struct mw_site *sites, size_t count, double *out)
{
    struct mw_evaluation block;
    double values[MW_EVALUATION];
    for (size_t at = 0; at < count; at += MW_EVALUATION) {
        size_t used = count - at < MW_EVALUATION ? count - at : MW_EVALUATION;
        mw_evaluation_init(&block, quantity, sites + at, used);
        mw_evaluation_run(&block, law, params, scale, values);
        memcpy(out + at, values, used * sizeof *out);
    }
}
