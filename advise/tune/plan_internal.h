// SPDX-License-Identifier: GPL-3.0-or-later
// Inside advise/plan*.c only.
#ifndef MW_ADVISE_PLAN_INTERNAL_H
#define MW_ADVISE_PLAN_INTERNAL_H

#include "advise/tune/plan.h"
#include "fit/residual.h"

/* The next free point of the plan, zeroed with its candidate; room was made by mw_plan_make. */
struct mw_plan_point *mw_plan_add(struct mw_plan *plan, struct mw_config candidate);
/* "24 cores at 2.4 GHz" */
void mw_plan_name(struct mw_config candidate, char *text, size_t size);

void mw_plan_first_design(struct mw_plan *plan, const struct mw_plan_options *options);
enum mw_err mw_plan_surface(struct mw_plan *plan, const struct mw_points *points, const struct mw_plan_options *options,
                            size_t wanted, struct mw_error *error) MW_CHECKED;
enum mw_err mw_plan_diagnosis(struct mw_plan *plan, const struct mw_points *points,
                              const struct mw_plan_options *options, size_t wanted, struct mw_error *error) MW_CHECKED;

enum { MW_PLAN_DESIGN_MOST = 64 };

#endif
