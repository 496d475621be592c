# SPDX-License-Identifier: GPL-3.0-or-later
# Terminal and style of all plots. A script run on its own takes datafile and outfile by -e:
#   gnuplot -e "datafile='speedup.tsv'; outfile='speedup.svg'" plots/speedup.gp
# memwall sets mw_terminal, mw_title and the like before. The terminal comes before anything else.
mw_common = 1
if (!exists("outfile")) outfile = ''
if (!exists("mw_terminal")) mw_terminal = (outfile[strlen(outfile)-3:*] eq '.svg') ? 'svg' : (outfile[strlen(outfile)-3:*] eq '.png') ? 'pngcairo' : (outfile[strlen(outfile)-3:*] eq '.pdf') ? 'pdfcairo' : 'dumb'
if (!exists("mw_title")) mw_title = ''
if (!exists("mw_wide")) mw_wide = 0
if (!exists("mw_hover")) mw_hover = 0
if (!exists("mw_panels")) mw_panels = 1
mw_width = 840 + 400 * (mw_wide || mw_panels > 2)
mw_height = mw_panels == 1 ? 520 : mw_panels < 3 ? 360 * mw_panels : 340 * ((mw_panels + 1) / 2)
dumb = mw_terminal eq 'dumb'
if (mw_terminal eq 'svg')      set terminal svg size mw_width,mw_height font 'DejaVu Sans,13' background '#ffffff' dynamic
if (mw_terminal eq 'pngcairo') set terminal pngcairo size mw_width,mw_height font 'DejaVu Sans,11' background '#ffffff'
if (mw_terminal eq 'png')      set terminal png size mw_width,mw_height background '#ffffff'
if (mw_terminal eq 'pdfcairo') set terminal pdfcairo size mw_width * 0.025 cm,mw_height * 0.025 cm font 'DejaVu Sans,11'
if (mw_terminal eq 'pdf')      set terminal pdf size mw_width * 0.025 cm,mw_height * 0.025 cm
if (dumb) set terminal dumb 79 24 * mw_panels noenhanced
if (outfile ne '') set output outfile
set encoding utf8
set datafile separator "\t"
set datafile missing '?'
set title mw_title noenhanced
if (!exists("mw_key")) mw_key = 'left'
if (mw_key eq 'left') set key left top
if (mw_key eq 'right') set key right top
set key reverse Left noenhanced samplen 2
set border 3 lc rgb '#606060'
set tics nomirror textcolor rgb '#404040'
set format y '%g'
set grid lc rgb '#e0e0e0' lt 1
if (dumb) unset grid
# Okabe & Ito (2008): told apart by colour-blind readers too
array color[8] = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#f0e442']
