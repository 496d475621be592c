// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_PLOTS_GNUPLOT_H
#define MW_PLOTS_GNUPLOT_H

#include "data/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * One plot: a script of plots/ (they are part of the program, and also run on their own) with its data and variables.
 * The caller owns all strings.
 */
struct mw_plot {
    const char *script; /* name without ".gp": curves, heatmap, latency, lines, panels, roofline */
    char *data;         /* text for the script, its blocks as the script's first line says */
    char *variables;    /* gnuplot assignments, one a line; NULL for none */
};

/* Terminals that this gnuplot really has for a kind of file. */
enum mw_err mw_gnuplot_terminal(const char **terminal, const char *kind, struct mw_error *error) MW_CHECKED;

/*
 * Draws to `path` (format by its ending: svg, png, pdf), or as text to standard output where path is NULL. kind NULL takes
 * the format from the ending. The file is written beside and renamed; MW_IO where it exists and !force.
 * MW_UNSUPPORTED where gnuplot or the terminal is not installed, MW_RUN with gnuplot's own message.
 */
enum mw_err mw_gnuplot_draw(const struct mw_plot *plot, const char *kind, const char *path, bool force,
                            struct mw_error *error) MW_CHECKED;

/* The same into memory, as SVG; caller frees *svg. */
enum mw_err mw_gnuplot_svg(const struct mw_plot *plot, char **svg, struct mw_error *error) MW_CHECKED;

#endif
