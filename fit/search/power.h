// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_POWER_H
#define MW_FIT_POWER_H

#include "data/model_file/model_file.h"

/*
 * The power law of model/power.h fitted to points with power (or energy and time), with a local residual.
 * power->present is false, and MW_OK, where fewer than three points have power. cores_per_socket 0: unknown
 * (one socket assumed, said in power->source). x is the clock that the cores ran at, where points tell (data/clock.h).
 */
enum mw_err mw_power_fit(struct mw_model_power *power, const struct mw_points *points, unsigned cores_per_socket,
                         unsigned long seed, struct mw_error *error) MW_CHECKED;

/* The law and what it leaves at the points, prepared; power and points are borrowed. MW_NOFIT where power is not present. */
struct mw_power_view;
enum mw_err mw_power_view_alloc(struct mw_power_view **view, const struct mw_model_power *power,
                                const struct mw_points *points, struct mw_error *error) MW_CHECKED;
void mw_power_view_free(struct mw_power_view *view);

/* power_w[i] and ln_sd[i] (of the predictive distribution of ln P) at query[i]; the residual of the points is carried. */
enum mw_err mw_power_view_predict(const struct mw_power_view *view, const struct mw_config *query, size_t n,
                                  double *power_w, double *ln_sd, struct mw_error *error) MW_CHECKED;
/* All of it once. */
enum mw_err mw_power_predict(const struct mw_model_power *power, const struct mw_points *points,
                             const struct mw_config *query, size_t n, double *power_w, double *ln_sd,
                             struct mw_error *error) MW_CHECKED;

#endif
