// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_DISCREPANCY_H
#define MW_FIT_DISCREPANCY_H

#include "data/dataset.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What a law cannot say of a program: steps and grains that all frequencies share, an error that all core counts of one
 * frequency share, and their interaction. A Gaussian process on the logarithm of the value, in units of the noise
 * variance sigma^2:
 *     k(x, x') = cores Kp + freq KF + both Kp e^(-|d ln F|/l)
 *     Kp = (e^(-|d ln p|/.3) + e^(-|d ln p|/2))/2,  KF = e^(-|d ln F|/l) for times, [F = F'] for speedups
 * (l = .3; a speedup's error of one frequency is that of its one-core run, which no other frequency shares).
 * The amplitudes are an index into mw_kernels, sampled with the other parameters.
 */
struct mw_kernel {
    double cores, freq, both;
};
enum {
    MW_KERNEL_JOINT_COUNT = 16,                  /* 0 … 15: the sampled grid */
    MW_KERNEL_FREQ_ONLY = MW_KERNEL_JOINT_COUNT, /* independent fits: none (index 0), or an effect of frequency */
    MW_KERNEL_COUNT
};
extern const struct mw_kernel mw_kernels[MW_KERNEL_COUNT];
/* Lengths in ln p (a step between neighbours; a bend over the range) and ln F; two frequencies closer than this are one. */
extern const double mw_kernel_cores_short, mw_kernel_cores_long, mw_kernel_freq_length, mw_kernel_same_freq;
/* The table indices that a fit may draw from; the count is returned. */
size_t mw_kernel_choices(bool independent, const int **indices);

/*
 * Where a value was, or will be, measured; ln_value and noise only of data. Laws go by the clock that the cores run at, in phi (over the
 * memory's) and ln_clock; what they miss belongs to the frequency asked for, freq_hz, which is the clock where none was seen.
 */
struct mw_site {
    double p, freq_hz, phi;
    double ln_p, ln_freq, ln_clock;
    double ln_value;
    double noise; /* variance over sigma^2 */
};

/*
 * The three shapes between rows[i] (m) and columns[j] (n), before amplitudes: parts[0 … m n) is Kp, the next m n KF, the
 * last m n their product; entry i n + j of each.
 */
void mw_kernel_parts(enum mw_quantity quantity, const struct mw_site *rows, size_t m, const struct mw_site *columns,
                     size_t n, double *parts);
/* out[j] = k(row, column j), j < n, for row i of the parts. */
void mw_kernel_row(const struct mw_kernel *kernel, const double *parts, size_t m, size_t n, size_t i, double *out);
/* k(x, x), the prior variance over sigma^2. */
double mw_kernel_variance(const struct mw_kernel *kernel);

/*
 * w (n x n, row-major, upper triangle 0) = L^-1 with L L^T = K + diag(noise), K from the parts of the sites with
 * themselves; *log_det of that matrix; scratch: n x n. false where it is not positive definite in double precision.
 */
bool mw_kernel_whiten(const struct mw_kernel *kernel, const double *parts, const struct mw_site *sites, size_t n,
                      double *scratch, double *w, double *log_det);

#endif
