// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_REFERENCE_H
#define MW_MEASURE_REFERENCE_H

#include "measure/probe/kernels/stream.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The arrays of the bandwidth kernels in small: element i starts as that of its class i mod MW_REFERENCE_CLASSES, so the
 * same operations on the classes give what every element must be, to the bit (no kernel fuses a multiplication with
 * an addition). Different classes show what equal elements would hide: a vector written at a wrong offset.
 */
#define MW_REFERENCE_CLASSES 8

struct mw_reference {
    double a[MW_REFERENCE_CLASSES], b[MW_REFERENCE_CLASSES], c[MW_REFERENCE_CLASSES];
    bool halve; /* the next update multiplies by 1/2, the one after by 2 */
};

void mw_reference_start(struct mw_reference *reference);
/* Writes n elements (a multiple of the classes) of each array as the reference has them now. */
void mw_reference_fill(const struct mw_reference *reference, double *a, double *b, double *c, size_t n);
/* The factor that the next `op` is to be called with. */
double mw_reference_factor(const struct mw_reference *reference, enum mw_op op);
/* Does `op` on the classes. */
void mw_reference_apply(struct mw_reference *reference, enum mw_op op);
/* All n elements of array 'a', 'b' or 'c' equal to the reference's; a NaN equals nothing. */
bool mw_reference_check(const struct mw_reference *reference, char array, const double *values, size_t n);
/* sum: of read or dot over n elements; within the rounding of n additions of positive numbers. */
bool mw_reference_check_sum(const struct mw_reference *reference, enum mw_op op, double sum, size_t n);

#endif
