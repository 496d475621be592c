#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole way on this machine and on a published set, into one folder:
#   demo.sh [--short] MEMWALL CG FOLDER
# A step that this machine can't do (status 77), whose result is no answer (4) or no answer to trust (5) says so in a line, and
# the next one goes on; anything else that goes wrong fails the demo, at its end. What answers for the user's program comes first.
set -u
short=
[ "${1:-}" = --short ] && { short=1; shift; }
[ $# = 3 ] || { echo "usage: demo.sh [--short] MEMWALL CG FOLDER" >&2; exit 2; }
memwall=$1 cg=$2 to=$3
examples=$(cd "$(dirname "$0")/.." && pwd)/data/examples
said=$to/.said
failures=()
mkdir -p "$to" || exit 1
trap 'rm -f "$said"' EXIT
trap 'exit 130' INT TERM HUP

step() { printf '\n== %s\n' "$*"; }

# The command as a reader would type it.
shown() {
    local word text='$ memwall'
    for word; do
        case $word in
        *[!A-Za-z0-9_./=,:+-]*) word="'${word//\'/\'\\\'\'}'" ;;
        esac
        text+=" $word"
    done
    printf '%s\n' "$text"
}

# run ARGS…: memwall ARGS; fails where there is no result
run() {
    local status reason
    shown "$@"
    { "$memwall" "$@" 2>&1 >&3 | tee "$said" >&2; status=${PIPESTATUS[0]}; } 3>&1
    [ $status = 0 ] && return
    [ $status = 130 ] && exit 130
    reason=$(grep -v '^hint:' "$said" | grep -v ': warning: ' | tail -n 1)
    case $status in
    4 | 5 | 77) printf -- '-- not here: %s (status %d)\n' "${reason:-memwall $1 gives no reason}" $status ;;
    *)
        printf -- '-- FAILED: memwall %s: %s (status %d)\n' "$1" "${reason:-no reason given}" $status
        failures+=("memwall $1 (status $status)")
        ;;
    esac
    return $status
}

# needs FILE WHAT: true if an earlier step made it, else the line that says why WHAT is left out
needs() { [ -s "$1" ] || { printf -- '-- left out: %s, for there is no %s\n' "$2" "${1##*/}"; false; }; }

# Frequencies are scanned where one can really be set: permissions and read-only mounts count too.
frequencies() {
    if "$memwall" scan --wait --cores 1 --freq min --runs 1 --idle 0 --force -o "$to/.freq.csv" -- true >/dev/null 2>"$said"; then
        freq=(--freq min,max)
    else
        printf -- '-- frequencies are left as they are: %s\n' "$(grep -v '^hint:' "$said" | tail -n 1 | sed 's/^memwall scan: //')"
    fi
    rm -f "$to/.freq.csv"
}

# model NAME OBJECTIVE: fit, diagnosis, recommendation and predictions from a table of runs
model() {
    run fit "$data" --force -o "$to/$1.json"
    needs "$to/$1.json" "the model of $1" || return
    run diagnose "$to/$1.json"
    run recommend "$to/$1.json" --objective "$2"
    run predict "$to/$1.json" --force -o "$to/$1-predicted.csv"
}

rm -f "$to"/{machine,cg,canneal}.json "$to"/{cg,stream,latency}.csv
freq=()
grid=80 runs=5 scan_s=120 stream_s=15 latency_s=10
[ -z "$short" ] || grid=40 runs=2 scan_s=20 stream_s=3 latency_s=3

step "1. This machine"
run machine
run machine --json --force -o "$to/machine.json"

step "2. A real program over cores: conjugate gradients on a sparse matrix"
frequencies
run scan --wait --cores all ${freq+"${freq[@]}"} --runs $runs --max-time $scan_s --force -o "$to/cg.csv" -- "$cg" $grid

step "3. Fit, diagnose, recommend: cg on this machine"
data=$to/cg.csv
needs "$data" "its model" && model cg time

step "4. Fit, diagnose, recommend: canneal on 24 cores, as published"
data=$examples/canneal.csv
model canneal energy

step "5. Bandwidth and latency of this machine"
run measure stream --wait --cores 1,max --max-time $stream_s --kernel copy,scale,add,triad --force -o "$to/stream.csv"
run measure latency --wait --max-time $latency_s --force -o "$to/latency.csv"

step "6. Pictures"
picture() { needs "$1" "its picture" && run plot "$@"; } # FILE OPTIONS…
picture "$to/cg.json"
picture "$to/cg.json" --force -o "$to/cg-speedup.svg"
picture "$to/canneal.json" --force -o "$to/canneal-speedup.svg"
if [ -z "$short" ]; then
    picture "$to/canneal.json" --kind heatmap --force -o "$to/canneal-heatmap.png"
    picture "$to/stream.csv" --force -o "$to/stream.svg"
    picture "$to/latency.csv" --force -o "$to/latency.svg"
    for name in cg canneal; do
        needs "$to/$name.json" "the report of $name" && run report "$to/$name.json" --force -o "$to/$name-report.html"
    done
fi

# note FILE TEXT: a row of the list of what is there
note() { [ ! -e "$to/$1" ] || printf '| `%s` | %s |\n' "$1" "$2"; }
{
    printf '# What `make demo` found\n\n| file | what it is |\n|---|---|\n'
    note machine.json 'this machine; also a profile for `fit --machine` and `predict --target`'
    note cg.csv 'the runs of `examples/cg.c`'
    note cg.json "the model of this machine's runs"
    note canneal.json 'the model of the published `data/examples/canneal.csv`'
    note cg-predicted.csv 'predictions with 90 % intervals'
    note canneal-predicted.csv 'predictions with 90 % intervals'
    note stream.csv 'STREAM bandwidth over cores'
    note latency.csv 'latency over the working set'
    note stream.svg 'the bandwidth drawn'
    note latency.svg 'the latency drawn, the reported caches marked'
    note cg-speedup.svg 'the model drawn'
    note canneal-speedup.svg 'the model drawn'
    note canneal-heatmap.png 'time over cores and frequency'
    note cg-report.html 'one page: diagnosis, recommendation, pictures'
    note canneal-report.html 'one page: diagnosis, recommendation, pictures'
} >"$to/README.md"

if [ ${#failures[@]} -gt 0 ]; then
    printf -v list ', %s' "${failures[@]}"
    step "FAILED: ${list:2}; the rest is in $to/"
    exit 1
fi
step "All in $to/, see $to/README.md"
