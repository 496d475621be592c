# SPDX-License-Identifier: GPL-3.0-or-later
# Lines: label, value. Horizontal bars, the first at the top, against a line at 1.
if (!exists("mw_common")) load system("dirname ".ARG0)."/common.gp"
if (!exists("mw_xlabel")) mw_xlabel = ''
set xlabel mw_xlabel
stats datafile using 2 nooutput
n = STATS_records
unset key
set grid noytics
set ytics scale 0 noenhanced
set yrange [n - 0.4:-0.6]
set xrange [0:(STATS_max > 1 ? STATS_max : 1) * 1.15]
set boxwidth 0.7
set style fill solid 0.85 noborder
set arrow from 1, graph 0 to 1, graph 1 nohead lw 1.5 dt 2 lc rgb '#606060'
plot datafile using (0):0:(0):2:($0 - 0.35):($0 + 0.35):ytic(1) with boxxyerror lc rgb color[1], \
     datafile using 2:0:(sprintf('%.2f', $2)) with labels left offset 0.6,0 noenhanced
