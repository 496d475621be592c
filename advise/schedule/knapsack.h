// SPDX-License-Identifier: GPL-3.0-or-later
// Inside advise/schedule/schedule.c only.
#ifndef MW_ADVISE_KNAPSACK_H
#define MW_ADVISE_KNAPSACK_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/* One choice of a class; classes are numbered from 0 and each must be taken from exactly once. */
struct mw_choice {
    size_t class, origin; /* origin: the caller's index */
    double cost, weight[2];
};

/*
 * min sum cost, one choice a class, sum weight[k] <= capacity[k] (INFINITY: none). Choices are sorted by class. picked[c]
 * gets the index into choices of each class. *feasible is false, and picked unchanged, where nothing fits.
 * Choices that another of their class beats in everything are left out, as are those whose reduced cost in the linear
 * relaxation exceeds the gap to a feasible solution; GLPK's branch and cut does the rest.
 */
enum mw_err mw_knapsack_solve(const struct mw_choice *choices, size_t count, size_t classes, const double capacity[2],
                              size_t *picked, bool *feasible, struct mw_error *error) MW_CHECKED;

#endif
