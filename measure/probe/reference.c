// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/probe/reference.h"

#include <float.h>
#include <math.h>

/* sqrt(2) - 1, the positive root of s^2 + 2 s = 1: one round of copy, scale, add, triad then gives a back, so that
   values neither overflow nor become denormal however often it is repeated */
#define FACTOR 0.41421356237309503

void mw_reference_start(struct mw_reference *reference)
{
    *reference = (struct mw_reference){0};
    for (int k = 0; k < MW_REFERENCE_CLASSES; k++) {
        reference->a[k] = 1 + k / (double)MW_REFERENCE_CLASSES;
        reference->b[k] = 2 - k / (double)(2 * MW_REFERENCE_CLASSES);
        reference->c[k] = 3 + k / (double)(4 * MW_REFERENCE_CLASSES);
    }
}

void mw_reference_fill(const struct mw_reference *reference, double *a, double *b, double *c, size_t n)
{
    for (size_t i = 0; i < n; i += MW_REFERENCE_CLASSES)
        for (size_t k = 0; k < MW_REFERENCE_CLASSES; k++) {
            a[i + k] = reference->a[k];
            b[i + k] = reference->b[k];
            c[i + k] = reference->c[k];
        }
}

double mw_reference_factor(const struct mw_reference *reference, enum mw_op op)
{
    return op == MW_OP_UPDATE ? (reference->halve ? 0.5 : 2) : FACTOR;
}

void mw_reference_apply(struct mw_reference *reference, enum mw_op op)
{
    double s = mw_reference_factor(reference, op);
    for (int k = 0; k < MW_REFERENCE_CLASSES; k++) {
        double *a = &reference->a[k], *b = &reference->b[k], *c = &reference->c[k];
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
        reference->halve = !reference->halve;
}

bool mw_reference_check(const struct mw_reference *reference, char array, const double *values, size_t n)
{
    const double *want = array == 'a' ? reference->a : array == 'b' ? reference->b : reference->c;
    size_t equal = 0;
    for (size_t i = 0; i < n; i += MW_REFERENCE_CLASSES)
        for (size_t k = 0; k < MW_REFERENCE_CLASSES; k++)
            equal += values[i + k] == want[k];
    return equal == n;
}

bool mw_reference_check_sum(const struct mw_reference *reference, enum mw_op op, double sum, size_t n)
{
    double want = 0;
    for (int k = 0; k < MW_REFERENCE_CLASSES; k++)
        want += op == MW_OP_DOT ? reference->a[k] * reference->b[k] : reference->a[k];
    want *= (double)n / MW_REFERENCE_CLASSES;
    /* Higham, Accuracy and Stability of Numerical Algorithms, 4.2: relative error of a sum of positive numbers */
    double bound = ((double)n + 2) * DBL_EPSILON * want;
    return fabs(sum - want) <= bound;
}
