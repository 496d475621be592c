# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks, one a curve: title line; x, y. Arrays with one element a panel: mw_ptitle, mw_pxlabel, mw_pylabel, mw_plogy,
# mw_pkey, mw_pfirst and mw_plast (blocks, from 0), mw_pmarks ("x name kind …": a line at x; kind found or reported).
if (!exists("mw_common")) load system("dirname ".ARG0)."/common.gp"
n = |mw_ptitle|
columns = (dumb || n < 3) ? 1 : 2
set multiplot layout (n + columns - 1) / columns, columns title mw_title noenhanced
set key font ',9'
dash(i) = i / 8 + 1
do for [p=1:n] {
    unset arrow
    unset label
    set title mw_ptitle[p] noenhanced
    if (mw_pkey[p] eq 'left top') { set key left top }
    if (mw_pkey[p] eq 'left bottom') { set key left bottom }
    if (mw_pkey[p] eq 'right top') { set key right top }
    if (mw_pkey[p] eq 'right bottom') { set key right bottom }
    set xlabel mw_pxlabel[p]
    set ylabel mw_pylabel[p]
    set logscale x 2
    set autoscale
    unset logscale y
    if (mw_plogy[p]) { set logscale y } else { set yrange [0:*] }
    set xtics ()
    do for [i=3:36:3] { set xtics add (i < 10 ? sprintf('%d B', 2**i) : i < 20 ? sprintf('%d KiB', 2**(i - 10)) : i < 30 ? sprintf('%d MiB', 2**(i - 20)) : sprintf('%d GiB', 2**(i - 30)) 2**i) }
    do for [m=1:words(mw_pmarks[p]) - 2:3] {
        mx = word(mw_pmarks[p], m) + 0
        reported = word(mw_pmarks[p], m + 2) eq 'reported'
        my = reported ? 0.30 : 0.06
        mdash = reported ? 3 : 1
        set arrow from first mx, graph 0 to first mx, graph 1 nohead lc rgb (reported ? '#909090' : '#d55e00') dt mdash lw 1.2
        set label word(mw_pmarks[p], m + 1).' '.word(mw_pmarks[p], m + 2) at first mx, graph my rotate by 90 left offset (reported ? 0.6 : -0.6),0 noenhanced font ',8' textcolor rgb (reported ? '#606060' : '#d55e00')
    }
    plot for [i=mw_pfirst[p]:mw_plast[p]] datafile index i using 1:2 with linespoints pt 7 ps 0.4 lw 1.3 dt dash(i - mw_pfirst[p]) lc rgb color[(i - mw_pfirst[p]) % 8 + 1] title columnheader(1)
}
unset multiplot
