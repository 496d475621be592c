# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks, one a curve: title line; working set in bytes, ns. mw_caches: "L1 32768 L2 1048576 …" as reported.
if (!exists("mw_common")) load system("dirname ".ARG0)."/common.gp"
if (!exists("mw_caches")) mw_caches = ''
set logscale x 2
set xtics ()
set logscale y
set xlabel 'working set'
set ylabel 'latency (ns)'
do for [i=10:34:2] { set xtics add (i < 20 ? sprintf('%d KiB', 2**(i - 10)) : i < 30 ? sprintf('%d MiB', 2**(i - 20)) : sprintf('%d GiB', 2**(i - 30)) 2**i) }
set yrange [0.5:*]
do for [i=1:words(mw_caches) - 1:2] {
    set arrow from first word(mw_caches, i + 1) + 0, graph 0 to first word(mw_caches, i + 1) + 0, graph 1 nohead lc rgb '#909090' dt 3
    set label word(mw_caches, i) at first word(mw_caches, i + 1) + 0, graph 0.03 right offset -0.5,0 textcolor rgb '#606060'
}
stats datafile using 0 nooutput
blocks = STATS_blocks
plot for [i=1:blocks] datafile index i - 1 using 1:2 with linespoints pt 7 ps 0.5 lw 1.5 lc rgb color[(i - 1) % 8 + 1] title columnheader(1)
