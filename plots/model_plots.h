// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_MODEL_PLOTS_H
#define MW_PLOTS_MODEL_PLOTS_H

#include "data/model_file/model_file.h"
#include "plots/gnuplot.h"

/*
 * Pictures of a fitted model. Kinds: "speedup" (over cores, a curve per frequency with its 90 % band and the measured
 * points), "time", "energy" (the same for those), "heatmap" (time over cores x frequency; speedup for a model of speedups).
 * MW_USAGE with the kinds there are; MW_NOFIT where the model lacks what the kind needs. Release with mw_plot_release.
 */
enum mw_err mw_plot_model(struct mw_plot *plot, const struct mw_model *model, const char *kind,
                          struct mw_error *error) MW_CHECKED;
void mw_plot_release(struct mw_plot *plot);

/* The workload's name, else the file's. */
const char *mw_model_title(const struct mw_model *model);

extern const char *const mw_plot_model_kinds[]; /* ends in NULL; the first is the default */

#endif
