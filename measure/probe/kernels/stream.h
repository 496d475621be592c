// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_MEASURE_KERNELS_STREAM_H
#define MW_MEASURE_KERNELS_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/* Bandwidth kernels on three arrays of doubles; the first four are those of STREAM 5.10. */
enum mw_op {
    MW_OP_COPY,   /* c = a */
    MW_OP_SCALE,  /* b = s c */
    MW_OP_ADD,    /* c = a + b */
    MW_OP_TRIAD,  /* a = b + s c */
    MW_OP_READ,   /* sum of a */
    MW_OP_FILL,   /* c = s */
    MW_OP_DOT,    /* sum of a b */
    MW_OP_UPDATE, /* a = s a */
    MW_OP_COUNT
};

struct mw_op_info {
    const char *name, *formula;
    unsigned bytes; /* counted per element: each load and each store once, no write-allocate */
    unsigned flops;
    char target; /* array that is written; 0 for sums */
};
extern const struct mw_op_info mw_op_infos[MW_OP_COUNT];

/* Arrays aligned to 64 bytes, n a multiple of MW_STREAM_BLOCK. Returns the sum for read and dot, else 0. */
#define MW_STREAM_BLOCK 64
typedef double (*mw_stream_fn)(double *a, double *b, double *c, double s, size_t n);

/* One instruction set and order; nt: with non-temporal stores. NULL where there is no such kernel. */
struct mw_stream_isa {
    const char *name;
    bool (*supported)(void);
    mw_stream_fn plain[MW_OP_COUNT], nt[MW_OP_COUNT];
};
extern const struct mw_stream_isa *const mw_stream_isas[]; /* ends in NULL */

#endif
