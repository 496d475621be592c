// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_FIGURE_H
#define MW_PLOTS_FIGURE_H

#include "plots/gnuplot.h"

#include <stdio.h>

/* Text as a page has it: &, <, >, " and control characters replaced. */
void mw_html_escape(FILE *f, const char *text);

/*
 * Draws a plot into a page, as one figure with a caption: SVG whose names no other figure of the page has, with `alt` for those
 * who do not see it, and the values of gnuplot's hypertexts as titles, which browsers show on hover. Fails as mw_gnuplot_svg;
 * nothing is written then. Not for several threads.
 */
enum mw_err mw_figure_print(FILE *f, const struct mw_plot *plot, const char *caption, const char *alt,
                            struct mw_error *error) MW_CHECKED;

#endif
