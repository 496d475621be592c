// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_GPU_PLOTS_H
#define MW_PLOTS_GPU_PLOTS_H

#include "data/table.h"
#include "plots/gnuplot.h"

#include <stdbool.h>
#include <stdio.h>

/* Pictures and the report's section of a table of measure gpu. Rows that are not valid are in none of them. */
bool mw_is_gpu_table(const struct mw_table *table);
/*
 * What disturbs a fill rate, as bars of the clean case's rate over each; without rates of fill, bandwidth over sizes.
 * MW_DATA where the table has neither.
 */
enum mw_err mw_plot_gpu(struct mw_plot *plot, const struct mw_table *table, struct mw_error *error) MW_CHECKED;

/* Roofs of a device: the best valid FP32 rate, and the best of copy and triad at the largest size. */
struct mw_gpu_roof {
    double gflop_s, gb_s;
};
enum mw_err mw_gpu_roof(struct mw_gpu_roof *roof, const struct mw_table *table, struct mw_error *error) MW_CHECKED;

/* HTML: the devices, each figure with its condition, and the bars. */
void mw_report_gpu(const struct mw_table *table, FILE *stream);

#endif
