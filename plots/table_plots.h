// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_TABLE_PLOTS_H
#define MW_PLOTS_TABLE_PLOTS_H

#include "data/table.h"
#include "plots/gnuplot.h"

/*
 * Pictures of the CSV files that memwall writes, known by their columns: stream, latency, loaded, cache curve, bandwidth,
 * flops, gpu, predictions, errors of compare, the rows of a scan, and the roofline from a flops and a stream table together: of
 * the most cores that both have, and of one. MW_DATA where the columns are none of these (the message says why, the hint
 * lists them), and for a roofline of two machines or without a common number of cores. Release with mw_plot_release.
 */
enum mw_err mw_plot_table(struct mw_plot *plot, const struct mw_table *table, struct mw_error *error) MW_CHECKED;
/* gpu: a table of measure gpu, whose roof stands beside; NULL for none. */
enum mw_err mw_plot_roofline(struct mw_plot *plot, const struct mw_table *flops, const struct mw_table *stream,
                             const struct mw_table *gpu, struct mw_error *error) MW_CHECKED;

/* "stream", "flops", … ; NULL where it is none of them. */
const char *mw_plot_table_kind(const struct mw_table *table);

#endif
