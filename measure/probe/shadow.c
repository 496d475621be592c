// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/shadow.h"

#include <float.h>
#include <math.h>

/* sqrt(2) - 1, the positive root of s^2 + 2 s = 1: one round of copy, scale, add, triad then gives a back, so that
   values neither overflow nor become denormal however often it is repeated */
#define FACTOR 0.41421356237309503

void mw_shadow_start(struct mw_shadow *shadow)
{
    *shadow = (struct mw_shadow){0};
    for (int k = 0; k < MW_SHADOW_CLASSES; k++) {
        shadow->a[k] = 1 + k / (double)MW_SHADOW_CLASSES;
        shadow->b[k] = 2 - k / (double)(2 * MW_SHADOW_CLASSES);
        shadow->c[k] = 3 + k / (double)(4 * MW_SHADOW_CLASSES);
    }
}

void mw_shadow_fill(const struct mw_shadow *shadow, double *a, double *b, double *c, size_t n)
{
    for (size_t i = 0; i < n; i += MW_SHADOW_CLASSES)
        for (size_t k = 0; k < MW_SHADOW_CLASSES; k++) {
            a[i + k] = shadow->a[k];
            b[i + k] = shadow->b[k];
            c[i + k] = shadow->c[k];
        }
}

double mw_shadow_factor(const struct mw_shadow *shadow, enum mw_op op)
{
    return op == MW_OP_UPDATE ? (shadow->halve ? 0.5 : 2) : FACTOR;
}

void mw_shadow_apply(struct mw_shadow *shadow, enum mw_op op)
{
    double s = mw_shadow_factor(shadow, op);
    for (int k = 0; k < MW_SHADOW_CLASSES; k++) {
        double *a = &shadow->a[k], *b = &shadow->b[k], *c = &shadow->c[k];
        volatile double product; /* rounded before it is added, whatever this file is compiled with */
        switch (op) {
        case MW_OP_COPY:
            *c = *a;
            break;
        case MW_OP_SCALE:
            *b = s * *c;
            break;
        case MW_OP_ADD:
            *c = *a + *b;
            break;
        case MW_OP_TRIAD:
            product = s * *c;
            *a = *b + product;
            break;
        case MW_OP_FILL:
            *c = s;
            break;
        case MW_OP_UPDATE:
            *a = s * *a;
            break;
        case MW_OP_READ:
        case MW_OP_DOT:
        case MW_OP_COUNT:
            break;
        }
    }
    if (op == MW_OP_UPDATE)
        shadow->halve = !shadow->halve;
}

bool mw_shadow_check(const struct mw_shadow *shadow, char array, const double *values, size_t n)
{
    const double *want = array == 'a' ? shadow->a : array == 'b' ? shadow->b : shadow->c;
    size_t equal = 0;
    for (size_t i = 0; i < n; i += MW_SHADOW_CLASSES)
        for (size_t k = 0; k < MW_SHADOW_CLASSES; k++)
            equal += values[i + k] == want[k];
    return equal == n;
}

bool mw_shadow_check_sum(const struct mw_shadow *shadow, enum mw_op op, double sum, size_t n)
{
    double want = 0;
    for (int k = 0; k < MW_SHADOW_CLASSES; k++)
        want += op == MW_OP_DOT ? shadow->a[k] * shadow->b[k] : shadow->a[k];
    want *= (double)n / MW_SHADOW_CLASSES;
    /* Higham, Accuracy and Stability of Numerical Algorithms, 4.2: relative error of a sum of positive numbers */
    double bound = ((double)n + 2) * DBL_EPSILON * want;
    return fabs(sum - want) <= bound;
}
