# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks, one a curve: title line; x, predicted, low, high, measured ("?" where there is none).
if (!exists("mw_common")) load system("dirname ".ARG0)."/common.gp"
if (!exists("mw_xlabel")) mw_xlabel = 'cores'
if (!exists("mw_ylabel")) mw_ylabel = 'speedup over one core'
if (!exists("mw_ideal")) mw_ideal = 0
if (!exists("mw_bands")) mw_bands = '90 % interval'
if (!exists("mw_dots")) mw_dots = 'measured'
set xlabel mw_xlabel
if (exists("mw_xstep")) set xtics mw_xstep
set ylabel mw_ylabel
set yrange [0:*]
if (exists("mw_ymax")) set yrange [0:mw_ymax] # by the data: the ideal line is cut there
if (!exists("mw_log")) mw_log = 0 # both axes; without readings, and with the bands of all
if (mw_log) {
    set autoscale y
    set logscale x 2
    set logscale y
    set xtics 5,2
    set key outside right top
}
stats datafile using 0 nooutput
blocks = STATS_blocks
set style fill transparent solid 0.15 noborder
if (exists("mw_note")) set key title mw_note noenhanced left
band_step = !mw_log && blocks > 2 ? blocks - 1 : 1 # bands of more than two curves cover each other: those of the first and the last
col(i) = color[(i - 1) % 8 + 1]
if (dumb) {
    plot for [i=1:blocks] datafile index i - 1 using 1:2 with lines title columnheader(1), \
         for [i=1:blocks] datafile index i - 1 using 1:5 with points notitle
} else {
    say(x, y) = sprintf('%g %s: %.4g %s', x, x == 1 ? 'core' : 'cores', y, exists("mw_yunit") ? mw_yunit : '')
    plot for [i=1:blocks:band_step] datafile index i - 1 using 1:3:4 with filledcurves lc rgb col(i) notitle, \
         mw_ideal > 0 ? x : NaN with lines lc rgb '#b0b0b0' dt 2 title (mw_ideal > 0 ? 'ideal' : ''), \
         for [i=1:blocks] datafile index i - 1 using 1:2 with lines lw 2 lc rgb col(i) title columnheader(1), \
         for [i=1:blocks] datafile index i - 1 using 1:5 with points pt 7 ps 0.7 lc rgb col(i) notitle, \
         for [i=1:blocks * mw_hover] datafile index i - 1 using 1:5:(say($1, $5)) with labels hypertext point pt 7 ps 0.7 lc rgb col(i) notitle, \
         NaN with filledcurves lc rgb '#808080' title mw_bands, \
         NaN with points pt 7 ps 0.7 lc rgb '#808080' title mw_dots
}
