// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/replay.h"

#include <float.h>
#include <math.h>

/* sqrt(2) - 1, the positive root of s^2 + 2 s = 1: one round of copy, scale, add, triad then gives a back, so that
   values neither overflow nor become denormal however often it is repeated */
#define FACTOR 0.41421356237309503

void mw_replay_start(struct mw_replay *replay)
{
    *replay = (struct mw_replay){0};
    for (int k = 0; k < MW_REPLAY_CLASSES; k++) {
        replay->a[k] = 1 + k / (double)MW_REPLAY_CLASSES;
        replay->b[k] = 2 - k / (double)(2 * MW_REPLAY_CLASSES);
        replay->c[k] = 3 + k / (double)(4 * MW_REPLAY_CLASSES);
    }
}

void mw_replay_fill(const struct mw_replay *replay, double *a, double *b, double *c, size_t n)
{
    for (size_t i = 0; i < n; i += MW_REPLAY_CLASSES)
        for (size_t k = 0; k < MW_REPLAY_CLASSES; k++) {
            a[i + k] = replay->a[k];
            b[i + k] = replay->b[k];
            c[i + k] = replay->c[k];
        }
}

double mw_replay_factor(const struct mw_replay *replay, enum mw_op op)
{
    return op == MW_OP_UPDATE ? (replay->halve ? 0.5 : 2) : FACTOR;
}

void mw_replay_apply(struct mw_replay *replay, enum mw_op op)
{
    double s = mw_replay_factor(replay, op);
    for (int k = 0; k < MW_REPLAY_CLASSES; k++) {
        double *a = &replay->a[k], *b = &replay->b[k], *c = &replay->c[k];
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
        replay->halve = !replay->halve;
}

bool mw_replay_check(const struct mw_replay *replay, char array, const double *values, size_t n)
{
    const double *want = array == 'a' ? replay->a : array == 'b' ? replay->b : replay->c;
    size_t equal = 0;
    for (size_t i = 0; i < n; i += MW_REPLAY_CLASSES)
        for (size_t k = 0; k < MW_REPLAY_CLASSES; k++)
            equal += values[i + k] == want[k];
    return equal == n;
}

bool mw_replay_check_sum(const struct mw_replay *replay, enum mw_op op, double sum, size_t n)
{
    double want = 0;
    for (int k = 0; k < MW_REPLAY_CLASSES; k++)
        want += op == MW_OP_DOT ? replay->a[k] * replay->b[k] : replay->a[k];
    want *= (double)n / MW_REPLAY_CLASSES;
    /* Higham, Accuracy and Stability of Numerical Algorithms, 4.2: relative error of a sum of positive numbers */
    double bound = ((double)n + 2) * DBL_EPSILON * want;
    return fabs(sum - want) <= bound;
}
