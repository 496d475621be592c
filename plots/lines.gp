# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks, one a curve: title line; x, y. Labels and scales by variables.
if (!exists("mw_common")) load system("dirname ".ARG0)."/common.gp"
if (!exists("mw_xlabel")) mw_xlabel = ''
if (!exists("mw_ylabel")) mw_ylabel = ''
if (!exists("mw_style")) mw_style = 'linespoints'
if (!exists("mw_logx")) mw_logx = 0
if (!exists("mw_logy")) mw_logy = 0
if (!exists("mw_bytes")) mw_bytes = 0
set xlabel mw_xlabel
if (exists("mw_xstep")) set xtics mw_xstep
set ylabel mw_ylabel
if (mw_logx) set logscale x 2
if (mw_logy) set logscale y
if (mw_bytes) set xtics ()
if (mw_bytes) do for [i=10:34:2] { set xtics add (i < 20 ? sprintf('%d KiB', 2**(i - 10)) : i < 30 ? sprintf('%d MiB', 2**(i - 20)) : sprintf('%d GiB', 2**(i - 30)) 2**i) }
if (!mw_logy) set yrange [0:*]
if (mw_style eq 'points') set offsets graph 0.03, graph 0.03, graph 0.03, 0 # none lies on the frame
stats datafile using 0 nooutput
blocks = STATS_blocks
if (blocks > 6) set key outside right top
dash(i) = (i - 1) / 8 + 1
if (mw_style eq 'points') {
    plot for [i=1:blocks] datafile index i - 1 using 1:2 with points pt 7 ps 0.6 lc rgb color[(i - 1) % 8 + 1] title columnheader(1)
} else {
    plot for [i=1:blocks] datafile index i - 1 using 1:2 with linespoints pt 7 ps 0.6 lw 1.5 dt dash(i) lc rgb color[(i - 1) % 8 + 1] title columnheader(1)
}
