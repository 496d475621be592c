// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_PANEL_H
#define MW_FIT_PANEL_H

#include <stddef.h>

/*
 * A lower-triangular n x n matrix laid out for fast products: bands of MW_PANEL rows, each band column by column, rows
 * beyond n zero. Vectors that meet it have room for mw_panel_pad(n) numbers, zero beyond n. The samplers spend most of
 * their time in these products; test_discrepancy.c compares them with GSL.
 */
enum { MW_PANEL = 16 };

size_t mw_panel_pad(size_t n);  /* n rounded up to whole bands */
size_t mw_panel_size(size_t n); /* numbers that the layout takes */
/* From row-major w (its upper triangle is not read). Allocate with mw_panel_alloc: bands are aligned. */
void mw_panel_pack(const double *w, size_t n, double *panel);
double *mw_panel_alloc(size_t count); /* count doubles, 64-byte aligned, zeroed; NULL where out of memory; free() */

/* z = W r, both padded; z beyond n comes out zero. */
void mw_panel_multiply(const double *panel, size_t n, const double *r, double *z);
/* out[i] += row i of `rows` (m x padded n, row-major) times z. A row's result does not depend on the other rows. */
void mw_panel_add_products(const double *rows, size_t m, size_t n, const double *z, double *out);

#endif
