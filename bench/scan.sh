#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a scan adds to a run of `sleep 0.05`, beside hyperfine without a shell: interleaved rounds, minima over rounds.
#   scan.sh MEMWALL [ROUNDS]
# Wall time of the whole tool at 2 and at 10 runs: the difference over 8 is a run, start and end of the tool cancel.
# Few runs and many rounds: on a busy machine a short stretch is sometimes left alone, a long one never.
# Also the times that both report for a run. Fails where a run costs 1 ms more than under hyperfine.
set -eu
memwall=$1 rounds=${2:-20}
command -v hyperfine >/dev/null || { echo 'bench-scan: hyperfine is not installed' >&2; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
now() { date +%s%N; }
wall() { local t0; t0=$(now); "$@" >/dev/null 2>&1; echo $(($(now) - t0)); }
ours() { wall "$memwall" scan --cores 1 --runs "$1" --force -o "$tmp/r.csv" -- sleep 0.05; }
# on the same CPU: a scan binds, and a bound run waits where others are busy
cpu=$(awk '/^Cpus_allowed_list/ { split($2, at, /[,-]/); print at[1] }' /proc/self/status)
theirs() { wall taskset -c "$cpu" hyperfine -N --runs "$1" --export-csv "$tmp/h.csv" 'sleep 0.05'; }
reported_ours() { grep -v '^#' "$tmp/r.csv" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_s") c = i; next } { print $c }' | sort -g | head -n 1; }
reported_theirs() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "min") c = i; next } { print $c }' "$tmp/h.csv"; }
for ((i = 0; i < rounds; i++)); do
    echo "ours2 $(ours 2)"; echo "theirs2 $(theirs 2)"
    echo "ours10 $(ours 10)"; echo "reported_ours $(reported_ours)"
    echo "theirs10 $(theirs 10)"; echo "reported_theirs $(reported_theirs)"
done | awk '
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    END {
        ours = (least["ours10"] - least["ours2"]) / 8e6; theirs = (least["theirs10"] - least["theirs2"]) / 8e6
        printf "%-34s %10s %10s\n", "", "memwall", "hyperfine"
        printf "%-34s %8.3f %10.3f\n", "one more run, ms of wall time", ours, theirs
        printf "%-34s %8.3f %10.3f\n", "least time reported, ms", 1e3 * least["reported_ours"], 1e3 * least["reported_theirs"]
        printf "%-34s %8.1f %10.1f\n", "10 runs with start and end, ms", least["ours10"] / 1e6, least["theirs10"] / 1e6
        printf "a run costs %.3f ms more than under hyperfine (limit: 1 ms)\n", ours - theirs
        exit ours - theirs >= 1
    }'
