# SPDX-License-Identifier: GPL-3.0-or-later
# Block 0: kernels (title, flop/byte, GFLOP/s); roofs by variables mw_bandwidth (GB/s) and mw_flops (GFLOP/s).
if (!exists("mw_common")) load system("dirname ".ARG0)."/common.gp"
set logscale xy
set xlabel 'arithmetic intensity (FLOP/byte)'
set ylabel 'GFLOP/s'
set key right bottom
set samples 400
roof(x, b, f) = b * x < f ? b * x : f
set xrange [0.01:100]
n = words(mw_roofs) / 3
# names are one word each: "fp64,_2_cores"
spaced(s) = (strstrt(s, '_') > 0) ? s[1:strstrt(s, '_') - 1].' '.spaced(s[strstrt(s, '_') + 1:*]) : s
plot for [i=1:n] roof(x, word(mw_roofs, 3 * i - 1) + 0, word(mw_roofs, 3 * i) + 0) with lines lw 2 lc rgb color[(i - 1) % 8 + 1] \
         title sprintf('%s: %s GB/s, %s GFLOP/s', spaced(word(mw_roofs, 3 * i - 2)), word(mw_roofs, 3 * i - 1), word(mw_roofs, 3 * i)), \
     datafile index 0 using 2:3:1 with labels point pt 7 ps 0.8 offset 0,0.8 notitle
