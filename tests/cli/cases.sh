#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Inputs of shapes that people post and that were read wrong once, one folder each with its RIGHT.md: a folder without a
# test here fails.
. "$(dirname "$0")/../tap.sh"
cases=$shared/cases
if [ ! -d "$cases" ]; then skip 'cases' "no $cases"; exit 0; fi
PATH=$(dirname "$memwall"):$PATH

# rows EXPECTED: of the last output, without remarks and header, joined by spaces
rows() {
    local got
    got=$(grep -v '^#' <<<"$out" | tail -n +2 | tr '\n' ' ' | sed 's/ $//')
    if [ "$got" = "$1" ]; then ok "$name: rows"; else not_ok "$name: rows" "expected: $1" "got:      $got"; fi
}
# fits FILE…: fit to $tmp/m.json
fits() { check "$name: fit" "$memwall" fit "$@" -o "$tmp/m.json" --force; }
# points KEY EXPECTED: the column KEY of the points of the model
points() {
    local got
    got=$(python3 -c 'import json,sys; print(*("%g" % v for v in json.load(open(sys.argv[1]))["points"][sys.argv[2]]))' "$tmp/m.json" "$1")
    if [ "$got" = "$2" ]; then ok "$name: $1"; else not_ok "$name: $1" "expected: $2" "got:      $got"; fi
}

case_babelstream_mib() {
    check "$name" "$memwall" import babelstream --cores 8 b.log
    rows 'copy,8,1,0.0125,85899.34592 triad,8,1,0.0175,92034.9835264'
    if grep -q Validates <<<"$err"; then not_ok "$name: no word of validation" "$err"; else ok "$name: no word of validation"; fi
}
case_bash_time_comma() {
    check "$name" "$memwall" import time --cores 4 t.txt
    rows '4,1,9.412,37.11'
}
case_energy_command_units() {
    cp try.sh "$tmp" && cd "$tmp" || return
    check "$name" sh try.sh
    if awk -F, '/^sleep/ && $6 != "" && $6 != 12500 && $6 != 55.1 { exit 1 }' <<<"$out"; then
        ok "$name: nothing misread"
    else
        not_ok "$name: nothing misread" "$out"
    fi
    says "$name: a decimal comma is refused" "'12,5' is no number"
    if awk -F, '$6 == 55.1 { found = 1 } END { exit !found }' <<<"$out"; then
        ok "$name: the number behind a name"
    else
        not_ok "$name: the number behind a name" "$out"
    fi
}
case_energy_names() {
    fits runs.csv
    says "$name: the sum is said" "energy is 'package_energy_j' \+ 'dram_energy_j'"
    points energy_j '3360 1311 1039 2240 874 693 1680 655 519'
    check "$name: recommend" "$memwall" recommend "$tmp/m.json" --objective energy
}
case_energy_wrapped() {
    fits runs.csv
    says "$name: the row is named" 'line 4: 7.01 W on 16 cores beside 144 W on 12: the energy of this run is set aside'
    check "$name: recommend" "$memwall" recommend "$tmp/m.json" --objective energy
    if grep -q 'least energy: 16 cores' <<<"$out"; then not_ok "$name: not 16 cores" "$out"; else ok "$name: not 16 cores"; fi
}
case_fixed_duration() {
    fits runs.csv
    says "$name: the rate" "'wall_s' is the same on all cores and 'ops_per_s' is not"
    check "$name: recommend" "$memwall" recommend "$tmp/m.json" --objective time
    prints "$name: 16 cores" '^least time: 16 cores'
}
case_nan_cell() {
    fits runs.csv
    says "$name: set aside" "line 4 set aside: no value in this row: 'NaN'"
    points cores '1 2 8 16'
}
case_perf_interval() {
    check "$name" "$memwall" import perf-stat --cores 8 i.csv
    rows '8,1,2.25033,696.6'
}
case_perf_plain_comma() {
    check "$name: 1" "$memwall" import perf-stat --cores 1 p1.txt
    rows '1,1,6.11645021,201.4'
    check "$name: 2" "$memwall" import perf-stat --cores 2 p2.txt
    rows '2,1,3.125,148.02'
}
case_pooled_governor() {
    fails 3 "$name" "$memwall" fit runs.csv
    says "$name: names it" "column 'governor' \(powersave, schedutil, performance\) tells them apart"
    check "$name: --where" "$memwall" fit --law amdahl runs.csv --where governor=performance
}
case_pooled_size() {
    fails 3 "$name" "$memwall" fit runs.csv --map cores=workers
    says "$name: names it" "column 'mesh' \(200, 800\)"
    says "$name: the ways out" '--where mesh=200 takes one of them, --by mesh each on its own'
    for mesh in '200 8' '800 16'; do
        fits runs.csv --map cores=workers --where "mesh=${mesh% *}"
        check "$name: recommend" "$memwall" recommend "$tmp/m.json" --objective time
        prints "$name: mesh ${mesh% *}" "^least time: ${mesh#* } cores"
    done
}
case_quota_shape() {
    fits runs.csv
    check "$name: diagnose" "$memwall" diagnose "$tmp/m.json" --json
    prints "$name: slower" '"verdict": "slows-down"'
}
case_quota_v2() {
    cp tree.sh "$tmp" && cd "$tmp" || return
    check "$name: tree" sh tree.sh t
    check "$name: machine" "$memwall" machine --root t
    prints "$name: machine says it" '[^0-9.]3 CPU|[^0-9.]3 of 8|quota.*[^0-9.]3'
    check "$name: scan" "$memwall" scan --root t --dry-run --cores all -o x.csv -- true
    if grep -qiE 'quota' <<<"$out$err"; then ok "$name: scan says it"; else not_ok "$name: scan says it" "$out" "$err"; fi
}
case_ranks_times_threads() {
    fits runs.csv
    says "$name: the product is said" "cores are 'tasks' x 'threadsPerTask'"
    points cores '1 2 4 8'
    fits runs.csv --map 'cores=tasks*threadsPerTask'
    points cores '1 2 4 8'
}
case_requested_actual() {
    fails 3 "$name" "$memwall" fit runs.csv
    says "$name: both are named" "'requested_freq' and 'actual_freq'"
    fits runs.csv --map freq=actual_freq
    points freq_ghz '1.2 1.2 1.2 1.8 1.8 1.8 2.1 2.1 2.1'
}
case_sacct_batch_of_many_nodes() {
    check "$name" "$memwall" import sacct s.txt
    rows '96,1,2400,0,4 192,1,1390,0,8'
}
case_sacct_pending() {
    check "$name" "$memwall" import sacct s.txt
    rows '4,1,910,0 8,1,477,0'
    says "$name: said" '1 row\(s\) left out: pending'
}
case_unmeasured_63() {
    fits runs.csv
    check "$name: recommend" "$memwall" recommend "$tmp/m.json" --objective time
    prints "$name: the best one that was measured" 'least time: 64 cores, measured'
}
case_slower_than_one() {
    fits runs.csv
    check "$name: diagnose" "$memwall" diagnose "$tmp/m.json"
    prints "$name: what the readings settle" '^slows-down'
}
case_efficiency_no_baseline() {
    fits runs.csv
    check "$name: recommend" "$memwall" recommend "$tmp/m.json" --objective time
    prints "$name: against what was measured" 'efficiency .*against 2 cores, measured'
    prints "$name: and what was not" 'one core, estimated: it was not measured'
}

here=$PWD
for folder in "$cases"/*/; do
    name=$(basename "$folder")
    test=case_${name//-/_}
    if declare -F "$test" >/dev/null; then
        cd "$folder" && "$test"
        cd "$here" || exit 1
    else
        not_ok "$name" 'this case has no test'
    fi
done
