// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_CLI_COMPARE_H
#define MW_CLI_COMPARE_H

#include "fit/compare/compare.h"

/*
 * Which points a plan for the whole surface would measure, in its order: the first design, then what it names knowing what was
 * measured. Among the points that the split trains on; `count` wanted, *found may be fewer. order: room for count.
 */
enum mw_err compare_planned_order(const struct mw_points *points, enum mw_compare_split split, double memory_freq_hz,
                                  unsigned long seed, size_t count, size_t *order, size_t *found,
                                  struct mw_error *error) MW_CHECKED;

#endif
