#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real programs with one way to lose time each, scanned on one and two cores: the family that diagnose names. Beside other
# programs, too: what the main thread waited for a core is taken off. LOAD=8 tests/run.sh tests/cli/mechanisms.sh makes the others.
. "$(dirname "$0")/../tap.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP python3 is not here"; exit 77; }
[ "$(nproc)" -ge 2 ] || { echo "1..0 # SKIP one processor: no second core to lose"; exit 77; }
${CC:-gcc} -O2 -std=gnu11 -D_GNU_SOURCE -fopenmp -pthread "$root/tests/programs/mechanisms.c" -o "$tmp/mechanisms" ||
    { not_ok "the programs compile"; exit 1; }

load=()
for ((i = 0; i < ${LOAD:-0}; i++)); do (while :; do :; done) & load+=($!); done
trap '[ ${#load[@]} = 0 ] || kill "${load[@]}"; finish' EXIT

right=0 wrong=0 all=0
# kind NAME FAMILY PROGRAM THREADS [ENVIRONMENT]: which family is right; what is undetermined is neither right nor wrong
kind() {
    local name=$1 want=$2 program=$3 threads=$4 environment=${5:-} got
    rm -f "$tmp/runs.csv"
    if ! "$memwall" scan --cores 1,2 --runs 3 ${environment:+--env "$environment"} -o "$tmp/runs.csv" -- \
        "$tmp/mechanisms" "$program" "$threads" >"$tmp/log" 2>&1; then
        skip "$name" "scan: $(tail -1 "$tmp/log")"
        return
    fi
    "$memwall" fit "$tmp/runs.csv" --force -o "$tmp/m.json" >"$tmp/log" 2>&1 &&
        "$memwall" diagnose --json "$tmp/m.json" >"$tmp/d.json" 2>>"$tmp/log" || { not_ok "$name is diagnosed" "$(cat "$tmp/log")"; return; }
    got=$(python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); print(d["family"] if d["verdict"] != "undetermined" else "open", d["verdict"], d["headline"][0])' "$tmp/d.json")
    if [[ $got = *"Runs were disturbed"* ]]; then echo "# $name: $got"; return; fi # others had the cores: rightly no verdict
    all=$((all + 1))
    if [[ ${got%% *} =~ ^($want)$ ]]; then right=$((right + 1)); echo "# $name: $got"
    elif [ "${got%% *}" = open ]; then echo "# $name, open: $got"
    else wrong=$((wrong + 1)); echo "# $name, WRONG, not $want: $got"; tail -7 "$tmp/runs.csv" | sed 's/^/# /'; fi
}
kind "computing" scales compute '{cores}'
kind "half serial" idle serial '{cores}'
kind "one thread has most of it" idle imbalance '{cores}'
kind "three pieces" 'idle|scales' grains '{cores}'
kind "one thread, told the cores" idle one '{cores}'
kind "one thread, not told" idle compute 1
kind "a lock that spins" busy spin-lock '{cores}'
kind "a barrier that spins" busy barrier-spin '{cores}'
kind "OpenMP, half serial, default wait" busy omp-regions '{cores}'
kind "OpenMP, half serial, active wait" busy omp-regions '{cores}' OMP_WAIT_POLICY=active
kind "OpenMP, half serial, passive wait" idle omp-regions '{cores}' OMP_WAIT_POLICY=passive
kind "a barrier that sleeps" idle barrier-sleep '{cores}'
kind "a start-up sleep" idle startup '{cores}'
kind "a mutex" idle mutex '{cores}'
kind "page faults" 'scales|busy' faults '{cores}'
# libgomp's second thread spins for a millisecond after each of the six regions: a third of the loss, and in the CPU time
kind "first touch by one thread" 'idle|both' stream '{cores}'
kind "extra work of each thread" busy extra '{cores}'
kind "a chase through memory" 'scales|busy' chase '{cores}'
kind "written and synced, then computed" 'idle|scales' write-sync '{cores}'

[ $wrong = 0 ] && ok "none of $all is wrong" || not_ok "none of $all is wrong" "$wrong are"
# How many are named is a matter of the neighbours; that none is named wrong is not. The bar of 16 of 19 is for a quiet machine.
if [ -z "${QUIET:-}" ]; then
    if [ $all -lt 8 ]; then skip "half of them right" "others had the cores of all but $all"
    elif [ $((2 * right)) -ge $all ]; then ok "$right of $all right, the rest open"; else not_ok 'half of them right' "$right of $all"; fi
    exit
fi
if [ $all -lt 12 ]; then
    skip "16 of 19 right" "others had the cores of all but $all"
    exit
fi
read -r waiting _ </proc/loadavg
if [ $((right * 19)) -ge $((all * 16)) ]; then ok "$right of $all right, the rest open"
elif [ "${waiting%.*}" -gt $((6 * $(nproc))) ]; then
    skip "16 of 19 right" "$right of $all; load $waiting on $(nproc) processors left the rest open"
else not_ok "16 of 19 right" "$right of $all"; fi
