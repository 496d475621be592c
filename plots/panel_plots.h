// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_PANEL_PLOTS_H
#define MW_PLOTS_PANEL_PLOTS_H

#include "data/table.h"
#include "plots/gnuplot.h"

/*
 * Pictures of several panels: the curves behind `measure cache`, one panel a scan, with the sizes that `found` (its table,
 * or NULL) found and that the system reports marked; and `measure bandwidth` over sizes, strides and offsets. MW_DATA where
 * there is nothing to draw, MW_NOMEM. Release with mw_plot_release.
 */
enum mw_err mw_plot_cache(struct mw_plot *plot, const struct mw_table *curves, const struct mw_table *found,
                          struct mw_error *error) MW_CHECKED;
enum mw_err mw_plot_bandwidth(struct mw_plot *plot, const struct mw_table *table, struct mw_error *error) MW_CHECKED;

#endif
