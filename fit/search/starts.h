// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_STARTS_H
#define MW_FIT_STARTS_H

#include "fit/search/problem.h"

/*
 * Starting points of a search in blocks: the search keeps the best point of each block, so that every pattern of active
 * branches gets its chance, however bad its first guess.
 *
 * Laws of the variable-latency family: low-discrepancy points, of which those of one pattern form a block. The wall's
 * excess over the parallel term is a concave quadratic in 1/p, so it binds on one range of core counts; the pattern is
 * the first and the last measured count of that range, whether mu is clipped at one, and a class of k.
 * Parameters of which only the whole part counts: a block for each value, or several where the values are few. Laws with corners on p: a block for each way in
 * which they fall between the measured counts. Other laws: low-discrepancy points.
 */
struct mw_starts {
    double *params; /* count x MW_LAW_MAX_PARAMS */
    size_t *block;  /* count; in 0..block_count - 1, some may be empty */
    size_t count, block_count;
};
enum mw_err mw_starts_init(struct mw_starts *starts, const struct mw_problem *problem,
                           struct mw_error *error) MW_CHECKED;
void mw_starts_release(struct mw_starts *starts);

/* A parameter's value at u in [0, 1]: low + (high - low) sin^2(pi u/2), dense at both ends where optima crowd. */
double mw_start_value(double low, double high, double u);
double mw_start_unit(double low, double high, double value); /* its inverse */

#endif
