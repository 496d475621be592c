#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall compare: laws and learners on the same splits.
. "$(dirname "$0")/../tap.sh"

awk 'BEGIN { print "cores,freq_ghz,time_s"
    for (f = 1.2; f < 2.5; f += .4) for (p = 1; p <= 16; p++) {
        noise = 1 + .02 * sin(7 * p + 31 * f)
        printf "%d,%.1f,%.6g\n", p, f, 20 / f * (.04 + .96 / p) * (1 + .4 * f / 2) * noise } }' >"$tmp/runs.csv"

check 'a table' "$memwall" compare "$tmp/runs.csv" --train 8 --repeats 1
for name in mixture vls amdahl usl kernel-ridge gaussian-process svr tree forest; do prints "table: $name" "^$name +[0-9]"; done
check 'CSV' "$memwall" compare "$tmp/runs.csv" --train 8 --repeats 1 --csv
prints 'CSV: how it was made' '^# command: memwall compare .*--csv'
prints 'CSV: header' '^method,train_points,error_percent'
law=$(grep '^amdahl-memory,8,' <<<"$out" | cut -d, -f3) tree=$(grep '^tree,8,' <<<"$out" | cut -d, -f3)
if awk "BEGIN { exit !($law < 6 && $law < $tree) }"; then ok 'the true law beats the tree'
else not_ok 'the true law beats the tree' "amdahl-memory $law, tree $tree"; fi
first=$(grep -v '^#' <<<"$out")
OMP_NUM_THREADS=1 "$memwall" compare "$tmp/runs.csv" --train 8 --repeats 1 --csv >"$tmp/again.csv" 2>/dev/null
if [ "$first" = "$(grep -v '^#' "$tmp/again.csv")" ]; then ok 'the same with one thread'; else not_ok 'the same with one thread'; fi
for split in cores frequency; do check "split by $split" "$memwall" compare "$tmp/runs.csv" --train 8 --repeats 1 --split $split; done
check 'a planned design' "$memwall" compare "$tmp/runs.csv" --train 8,16 --design planned --csv
if awk -F, '/^[a-z]/ && !/^method/ && $4 != $5 { exit 1 }' <<<"$out"; then ok 'is one split'; else not_ok 'is one split' "$out"; fi
fails 4 'more than a split leaves to train on' "$memwall" compare "$tmp/runs.csv" --train 40 --split cores
fails 4 'too many points to train on' "$memwall" compare "$tmp/runs.csv" --train 64
fails 3 'not a table' "$memwall" compare /dev/null
fails 2 'a bad list' "$memwall" compare "$tmp/runs.csv" --train some

# Targets dealt out anew say nothing of the points left out: whoever predicts them better than one figure for all has seen them.
{ head -n 1 "$tmp/runs.csv"
  paste -d, <(tail -n +2 "$tmp/runs.csv" | cut -d, -f1,2) \
      <(tail -n +2 "$tmp/runs.csv" | cut -d, -f3 | awk '{ print (NR * 7919 + 13) % 64007 * 7 % 101, $1 }' | sort -n | cut -d' ' -f2); } >"$tmp/shuffled.csv"
check 'shuffled targets' "$memwall" compare "$tmp/shuffled.csv" --train 32 --repeats 5 --csv
none=$(tail -n +2 "$tmp/shuffled.csv" | cut -d, -f3 | sort -g | awk '{ x[NR] = $1 }
    END { best = 1e9; for (i = 1; i <= NR; i++) { s = 0; for (k = 1; k <= NR; k++) { e = x[i] / x[k] - 1; s += e < 0 ? -e : e } if (s < best) best = s } print 100 * best / NR }')
if awk -F, -v none="$none" '/^[a-z]/ && !/^method/ { n++; if ($3 < .85 * none) { bad = 1; print $1, $3 > "/dev/stderr" } } END { exit bad || n < 15 }' <<<"$out"
then ok 'give nobody any skill'; else not_ok 'give nobody any skill' "one figure for all: $none %" "$out"; fi
"$memwall" compare "$tmp/runs.csv" --train 8,16 --repeats 3 --csv >"$tmp/curves.csv" 2>/dev/null
check 'learning curves' "$memwall" plot "$tmp/curves.csv" -o "$tmp/curves.svg"
check 'have bands' grep -q 'least to largest split' "$tmp/curves.svg"
check 'of eight that can be told apart' test "$(grep -c "fill-opacity" "$tmp/curves.svg")" -ge 8
check 'and no others' sh -c "! grep -q '>saturating<' '$tmp/curves.svg'"
