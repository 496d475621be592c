// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/hot_mechanism.h"
#include "model/hot.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 64 }; /* draws at a time: the residuals of 64 points stay in the first-level cache */

/*
 * ln of a normal positive number, absolute error under 3e-7: exponent and atanh series of the mantissa in
 * [1/sqrt 2, sqrt 2). The library's logf does not vectorise without -ffast-math.
 */
static inline float ln_positive(float v)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    int32_t exponent = (bits - 0x3f3504f3) >> 23;
    bits -= (int32_t)((uint32_t)exponent << 23);
    float m;
    memcpy(&m, &bits, sizeof m);
    float t = (m - 1) / (m + 1), t2 = t * t;
    return (float)exponent * 0.693147181f + 2 * t * (1 + t2 * (1.f / 3 + t2 * (.2f + t2 * (1.f / 7 + t2 * (1.f / 9)))));
}

/* The part that all laws but `weak` share; w is the parallel part's own share of the work. */
#define BASE(w_parallel) ((s[i] + f[i] * (w_parallel)) * inverse + n[i] + l[i] * w)

MW_HOT void mw_mechanism_surface(enum mw_mechanism law, const float *const column[MW_COLUMN_COUNT], size_t count,
                                 float p, float x, float cores, float *restrict out)
{
    const float *restrict s = column[MW_COLUMN_SERIAL], *restrict f = column[MW_COLUMN_PARALLEL];
    const float *restrict l = column[MW_COLUMN_LATENCY], *restrict n = column[MW_COLUMN_NONSCALING];
    const float *restrict a = column[MW_COLUMN_EXTRA], *restrict b = column[MW_COLUMN_EXTRA2];
    const float *restrict c = column[MW_COLUMN_EXTRA3];
    float w = 1 / p, inverse = 1 / x, ln_p = logf(p), more = p - 1;
    switch (law) {
    case MW_MECHANISM_ADDITIVE:
        for (size_t i = 0; i < count; i++)
            out[i] = ln_positive(BASE(w));
        break;
    case MW_MECHANISM_ROOF:
        for (size_t i = 0; i < count; i++) {
            float t = BASE(w);
            out[i] = ln_positive(t > a[i] ? t : a[i]);
        }
        break;
    case MW_MECHANISM_OVERHEAD:
        for (size_t i = 0; i < count; i++)
            out[i] = ln_positive(BASE(w) + more * (a[i] * inverse + b[i]));
        break;
    case MW_MECHANISM_GRANULARITY:
        for (size_t i = 0; i < count; i++) {
            float pieces = a[i] * w - 1e-5f, whole = (float)(int32_t)pieces;
            float busiest = (whole < pieces ? whole + 1 : whole) / a[i];
            float t = (s[i] + f[i] * busiest) * inverse + l[i] * busiest;
            out[i] = ln_positive(t);
        }
        break;
    case MW_MECHANISM_STEP:
        for (size_t i = 0; i < count; i++) {
            float left = (cores - p) / (cores - b[i] - 1 + 1e-6f);
            float height = c[i] > 0 ? 1 : left;
            out[i] = ln_positive(BASE(w) * (1 + (p > b[i] ? a[i] * height : 0)));
        }
        break;
    case MW_MECHANISM_CACHE:
        for (size_t i = 0; i < count; i++)
            out[i] = ln_positive(BASE(w) - a[i] * w * (1 - w));
        break;
    case MW_MECHANISM_WEAK:
        for (size_t i = 0; i < count; i++)
            out[i] = ln_positive((inverse + l[i]) * (1 + a[i] * ln_p));
        break;
    case MW_MECHANISM_COUNT:
        break;
    }
}

/* r[i][k]: residual of point i less that of point 0, which keeps single precision exact enough. */
static void residuals(enum mw_mechanism law, const float *const column[MW_COLUMN_COUNT], size_t count,
                      const struct mw_mechanism_plan *plan, float r[][BLOCK])
{
    float reference[BLOCK];
    for (size_t i = 0; i < plan->count; i++) {
        mw_mechanism_surface(law, column, count, plan->p[i], plan->x[i], plan->cores, r[i]);
        if (plan->ratio) {
            mw_mechanism_surface(law, column, count, 1, plan->x[i], plan->cores, reference);
            for (size_t k = 0; k < count; k++)
                r[i][k] -= reference[k];
        }
        for (size_t k = 0; k < count; k++)
            r[i][k] = plan->y[i] - r[i][k];
    }
    for (size_t i = plan->count; i-- > 0;)
        for (size_t k = 0; k < count; k++)
            r[i][k] -= r[0][k];
}

static MW_HOT void block_squares(size_t count, const struct mw_mechanism_plan *plan, float r[][BLOCK], float *ss)
{
    float square[BLOCK] = {0}, level[BLOCK] = {0};
    for (size_t i = 0; i < plan->count; i++) {
        float z[BLOCK] = {0};
        for (size_t j = plan->first[i]; j <= i; j++) {
            float w = plan->w[i][j];
            for (size_t k = 0; k < BLOCK; k++)
                z[k] += w * r[j][k];
        }
        for (size_t k = 0; k < BLOCK; k++) {
            square[k] += z[k] * z[k];
            level[k] += z[k] * plan->one[i];
        }
    }
    for (size_t k = 0; k < count; k++) {
        float q = square[k] - level[k] * level[k] / plan->one_square;
        ss[k] = q > 0 ? q : 0;
    }
}

void mw_mechanism_squares(enum mw_mechanism law, const float *const column[MW_COLUMN_COUNT], size_t count,
                          const struct mw_mechanism_plan *plan, float *ss)
{
    float r[MW_MECHANISM_MAX_POINTS][BLOCK];
    memset(r, 0, plan->count * sizeof *r);
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t n = count - at < BLOCK ? count - at : BLOCK;
        const float *block[MW_COLUMN_COUNT];
        for (int c = 0; c < MW_COLUMN_COUNT; c++)
            block[c] = column[c] + at;
        residuals(law, block, n, plan, r);
        block_squares(n, plan, r, ss + at);
    }
}
