# SPDX-License-Identifier: GPL-3.0-or-later
# Two blocks: cores, GHz, value on a full grid (rows of equal GHz apart by a blank line would be scans); then the measured cores, GHz.
if (!exists("mw_common")) load system("dirname ".ARG0)."/common.gp"
if (!exists("mw_zlabel")) mw_zlabel = 'time (s)'
if (!exists("mw_best")) mw_best = 'least predicted'
set xlabel 'cores'
set ylabel 'frequency (GHz)'
set cblabel mw_zlabel
stats datafile index 0 using 3 name 'Z' nooutput
set logscale cb
if (Z_max > Z_min) {
    set cbtics ()
    do for [i=0:4] { z = Z_min * (Z_max / Z_min)**(i / 4.0); set cbtics add (sprintf('%.3g', z) z) }
}
set rmargin 14
set palette defined (0 '#fcfdbf', 0.25 '#fc8961', 0.5 '#b73779', 0.75 '#51127c', 1 '#000004')
set autoscale xfix
set autoscale yfix
unset grid
set key outside top center horizontal
if (dumb) {
    set key off
    plot datafile index 0 using 1:2:(sprintf('%.3g', $3)) with labels
} else {
    plot datafile index 0 using 1:2:3 with image notitle, \
         datafile index 1 using 1:2 with points pt 6 ps 0.6 lc rgb '#404040' title 'measured', \
         datafile index 2 using 1:2 with points pt 3 ps 1.6 lw 2 lc rgb '#009e73' title mw_best
}
