// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/outlier.h"

#include "data/stats.h"
#include "fit/numeric/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Robust standard deviations of the rest without the block, and of all with it: a gross error makes its neighbours look
   wrong, too, and hides in their spread. Below, true socket steps are called errors. */
static const double limit_sd = 4.5, limit_sd_with = 3;
/* ln: nobody calls a run a tenth too slow broken. */
static const double limit_ln = 0.25;
static const double gross_ln = 0.7, gross_ln_freq = 0.45, gross_sd = 2.5, gross_sd_with = 1.5;
/* One point in this many may be an outlier, and one frequency in that many have a bad run on one core. */
enum { POINTS_PER_OUTLIER = 8, FREQS_PER_OUTLIER = 4 };
/* A common discrepancy, in units of the noise variance. */
static const struct mw_kernel screen_kernel = {4, 1, 1};

/* Points of one frequency, or one point. Points are sorted by frequency, so both are ranges. */
struct block {
    size_t first, count;
    bool frequency;
    double delta, root_precision, z;
};

struct screen {
    size_t n;
    double *q, *saved; /* (K + noise)^-1, n x n; as it was before a trial */
    double *qr;        /* q residual */
    double *scratch;   /* n */
    struct block *blocks;
    size_t block_count;
    size_t point_budget, freq_budget;
};

/* Every point, and for speedups every frequency with several points, if there are enough frequencies to compare. */
static void list_blocks(struct screen *s, enum mw_quantity quantity, const struct mw_site *sites)
{
    size_t freqs = 0, n = s->n;
    for (size_t i = 0; i < n; i++)
        s->blocks[i] = (struct block){.first = i, .count = 1};
    s->block_count = n;
    for (size_t i = 0; i < n; freqs++) {
        size_t first = i;
        while (i < n && sites[i].freq_hz == sites[first].freq_hz)
            i++;
        if (quantity == MW_SPEEDUP && i - first > 1)
            s->blocks[s->block_count++] = (struct block){.first = first, .count = i - first, .frequency = true};
    }
    s->point_budget = n / POINTS_PER_OUTLIER;
    s->freq_budget = freqs / FREQS_PER_OUTLIER;
}

/* Every block's shift; returns the robust standard deviation of the single points'. */
static double spread(struct screen *s, const double *residual)
{
    size_t n = s->n;
    for (size_t i = 0; i < n; i++)
        s->qr[i] = mw_dot(s->q + i * n, residual, n);
    for (size_t k = 0; k < s->block_count; k++) {
        struct block *block = &s->blocks[k];
        double pull = 0, precision = 0;
        for (size_t i = block->first; i < block->first + block->count; i++) {
            pull += s->qr[i];
            for (size_t j = block->first; j < block->first + block->count; j++)
                precision += s->q[i * n + j];
        }
        block->root_precision = sqrt(precision);
        block->delta = pull / precision;
        block->z = fabs(block->delta) * block->root_precision;
    }
    for (size_t i = 0; i < n; i++)
        s->scratch[i] = s->blocks[i].delta * s->blocks[i].root_precision;
    return mw_mad(s->scratch, n);
}

/* The worst point and the worst frequency that the budgets still allow, by z in robust standard deviations, the worse
   of them first; returns how many there are. */
static size_t worst(struct screen *s, const double *residual, struct block found[2])
{
    double sd = spread(s, residual);
    const struct block *best[2] = {NULL, NULL};
    for (size_t k = 0; k < s->block_count && sd > 0; k++) {
        struct block *block = &s->blocks[k];
        block->z /= sd;
        const struct block **of_kind = &best[block->frequency];
        if ((block->frequency ? s->freq_budget : s->point_budget) > 0 && (!*of_kind || block->z > (*of_kind)->z))
            *of_kind = block;
    }
    bool frequency_first = best[1] && (!best[0] || best[1]->z > best[0]->z);
    size_t count = 0;
    for (int k = 0; k < 2; k++)
        if (best[k ^ frequency_first])
            found[count++] = *best[k ^ frequency_first];
    return count;
}

/* Nobody's noise or step: a run twice too slow or too fast, or a baseline half as much again. Several of these, or one that
   all points of a frequency share, hide in the spread that they make, so it need not stand out of that as far. */
static bool gross(const struct block *block)
{
    return fabs(block->delta) > (block->frequency ? gross_ln_freq : gross_ln);
}

/* The inverse after `more` is added to the noise of point i (Sherman and Morrison). */
static void add_noise(struct screen *s, size_t i, double more)
{
    size_t n = s->n;
    double *column = s->scratch;
    memcpy(column, s->q + i * n, n * sizeof *column);
    mw_rank_one(s->q, n, -more / (1 + more * column[i]), column);
}

/* Raises the noise of a block's points until even their mean says as little as one bad point, if it is that far off in deviations of the rest without it. */
static bool set_aside(struct screen *s, const struct block *block, const struct mw_site *sites, const double *residual,
                      double *factor)
{
    size_t n = s->n;
    double off = fabs(block->delta) * block->root_precision, times = block->z * block->z * (double)block->count;
    memcpy(s->saved, s->q, n * n * sizeof *s->q);
    for (size_t i = block->first; i < block->first + block->count; i++)
        add_noise(s, i, sites[i].noise * factor[i] * (times - 1));
    double sd = spread(s, residual);
    if (!(sd > 0 && off > (gross(block) ? gross_sd : limit_sd) * sd)) {
        memcpy(s->q, s->saved, n * n * sizeof *s->q);
        return false;
    }
    for (size_t i = block->first; i < block->first + block->count; i++)
        factor[i] *= times;
    return true;
}

static void run(struct screen *s, const struct mw_site *sites, const double *residual, double *factor)
{
    for (size_t i = 0; i < s->n; i++)
        factor[i] = 1;
    for (bool more = true; more;) {
        struct block found[2];
        size_t count = worst(s, residual, found);
        more = false;
        for (size_t k = 0; k < count && !more; k++) {
            const struct block *block = &found[k];
            double limit = gross(block) ? gross_sd_with : limit_sd_with;
            more = block->z > limit && fabs(block->delta) > limit_ln && set_aside(s, block, sites, residual, factor);
            *(block->frequency ? &s->freq_budget : &s->point_budget) -= more;
        }
    }
}

enum mw_err mw_outlier_screen(enum mw_quantity quantity, const struct mw_site *sites, const double *residual, size_t n,
                              double *factor, struct mw_error *error)
{
    enum mw_err err = MW_OK;
    double log_det, *work = malloc((6 * n * n + 2 * n) * sizeof *work);
    struct block *blocks = malloc(2 * n * sizeof *blocks);
    if (!work || !blocks) {
        err = mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
        goto out;
    }
    double *w = work + 4 * n * n;
    struct screen s = {n, work + 5 * n * n, work, work + 6 * n * n, work + 6 * n * n + n, blocks, 0, 0, 0};
    list_blocks(&s, quantity, sites);
    mw_kernel_parts(quantity, sites, n, sites, n, work);
    if (mw_kernel_whiten(&screen_kernel, work, sites, n, work + 3 * n * n, w, &log_det)) {
        mw_lower_square(w, n, s.q);
        run(&s, sites, residual, factor);
    } else {
        err = mw_fail(error, MW_NOFIT, "the noise of the points spans too many orders of magnitude");
    }
out:
    free(work);
    free(blocks);
    return err;
}
