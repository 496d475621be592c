// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_LINALG_H
#define MW_FIT_LINALG_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Dense lower-triangular algebra of the samplers, row-major n x n. GSL's own BLAS is not blocked and takes the larger
 * part of a fit's time at n = 187; these loops (built with reassociation, see the Makefile) are checked against it.
 */

/* a (lower triangle given) -> its Cholesky factor in the lower triangle; false where a is not positive definite. */
bool mw_cholesky(double *a, size_t n);
/* 2 sum ln L_ii */
double mw_cholesky_log_det(const double *l, size_t n);
/* w = L^-1 (lower triangle; upper set to 0) */
void mw_lower_inverse(const double *l, size_t n, double *w);
/* z = W r for lower-triangular W; z may not alias r */
void mw_lower_multiply(const double *w, size_t n, const double *r, double *z);
/* z = W^T r */
void mw_lower_multiply_transposed(const double *w, size_t n, const double *r, double *z);
/* q = W^T W, all of it, for lower-triangular W: with W = L^-1 the inverse of L L^T */
void mw_lower_square(const double *w, size_t n, double *q);
/* a += factor x x^T, all of it */
void mw_rank_one(double *a, size_t n, double factor, const double *x);
double mw_dot(const double *a, const double *b, size_t n);

#endif
