#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Reading large tables: a million rows, and columns without end, in turns with awk, which splits and adds the same cells. CPU seconds,
# the least of ROUNDS; what grows in proportion has the same figure a cell in each line.
set -u
memwall=${MEMWALL:-build/release/memwall} rounds=${ROUNDS:-3}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
awk 'BEGIN { srand(1); print "cores,freq_ghz,repetition,time_s"
    for (i = 0; i < 1000000; i++) { p = 2 ^ (i % 6); f = 1.2 + .6 * (int(i / 6) % 3)
        printf "%d,%g,%d,%.6f\n", p, f, int(i / 18) + 1, 100 / f * (.05 + .95 / p) * (1 + .02 * (rand() - .5)) } }' >"$tmp/rows.csv"
for n in 25000 50000 100000; do
    awk -v n=$n 'BEGIN { for (p = 0; p < 5; p++) { printf "%s", p ? 2 ^ (p - 1) : "cores"
        for (i = 0; i < n; i++) printf p ? ",%g" : ",time_s", 10 / 2 ^ (p - 1); print "" } }' >"$tmp/$n.csv"
done
cpu() { # of the command, into $least where it is less
    local times
    times=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 )
    least=$(awk -v l="$least" -v t="$times" 'BEGIN { split(t, a, " "); s = a[1] + a[2]; print (l == "" || s < l) ? s : l }')
}
printf '%-28s %10s %10s %8s %14s\n' table 'memwall s' 'awk s' ratio 'ns a cell'
for table in rows 25000 50000 100000; do
    ours= theirs=
    for ((round = 0; round < rounds; round++)); do
        least=$ours; cpu "$memwall" import csv "$tmp/$table.csv"; ours=$least
        least=$theirs; cpu awk -F, '{ for (i = 2; i <= NF; i++) s += $i } END { print s }' "$tmp/$table.csv"; theirs=$least
    done
    if [ $table = rows ]; then name='1,000,000 rows' cells=4000000; else name="4 rows, $table columns" cells=$((4 * table)); fi
    awk -v n="$name" -v o="$ours" -v t="$theirs" -v c=$cells 'BEGIN { printf "%-28s %10.2f %10.2f %8.1f %14.0f\n", n, o, t, (t ? o / t : 0), 1e9 * o / c }'
done
