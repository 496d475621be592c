// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_BINDING_H
#define MW_FIT_BINDING_H

#include "fit/predict.h"

/*
 * What most of the time at (p, phi) goes into, by the variable-latency law of the model: bandwidth where the wall
 * binds; else the largest of latency k phi mu/(1 + k phi mu) and, of the rest, serial (1 - f)/((1 - f) + f/p) and
 * compute. Models without that law's parameters count as compute.
 */
enum mw_binding mw_binding_at(const struct mw_model *model, double p, double phi);

#endif
