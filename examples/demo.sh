#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole way on this machine and on a published set, into one folder:  demo.sh MEMWALL CG FOLDER
set -eu
memwall=$1 cg=$2 to=$3
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$to"

step() { printf '\n== %s\n' "$*"; }
# run ARGS…: shows the command as a reader would type it, then does it
run() { printf '$ memwall %s\n' "$*"; "$memwall" "$@"; }

step "1. This machine"
run machine
run machine --json --force -o "$to/machine.json"

# frequencies only where they can be set
freq=()
"$memwall" machine --json | grep -q '"freqs_ghz": \[$' && freq=(--freq all)

step "2. Bandwidth and latency"
run measure stream --cores all --max-time 15 ${freq+"${freq[@]}"} --kernel copy,scale,add,triad --force -o "$to/stream.csv"
run measure latency --max-time 10 --force -o "$to/latency.csv"

step "3. A real program over cores: conjugate gradients on a sparse matrix"
run scan --cores all ${freq+"${freq[@]}"} --runs 5 --force -o "$to/cg.csv" -- "$cg" 80

for name in cg canneal; do
    data=$to/cg.csv
    [ $name = cg ] || data=$here/data/examples/canneal.csv
    step "4. Fit, diagnose, recommend: $name"
    run fit "$data" --force -o "$to/$name.json"
    run diagnose "$to/$name.json"
    objective=time
    [ $name = cg ] || objective=energy
    run recommend "$to/$name.json" --objective $objective
    run predict "$to/$name.json" --force -o "$to/$name-predicted.csv"
done

step "5. Pictures"
run plot "$to/stream.csv" --force -o "$to/stream.svg"
run plot "$to/latency.csv" --force -o "$to/latency.svg"
run plot "$to/cg.json" --force -o "$to/cg-speedup.svg"
run plot "$to/canneal.json" --force -o "$to/canneal-speedup.svg"
run plot "$to/canneal.json" --kind heatmap --force -o "$to/canneal-heatmap.png"
run plot "$to/cg.json"
for name in cg canneal; do
    run report "$to/$name.json" --force -o "$to/$name-report.html"
done

cat >"$to/README.md" <<EOF
# What \`make demo\` found

| file | what it is |
|---|---|
| \`machine.json\` | this machine; also a profile for \`fit --machine\` and \`predict --target\` |
| \`stream.csv\`, \`stream.svg\` | STREAM bandwidth over cores |
| \`latency.csv\`, \`latency.svg\` | latency over the working set, the reported caches marked |
| \`cg.csv\` | the runs of \`examples/cg.c\` |
| \`cg.json\`, \`canneal.json\` | fitted models: this machine's program, and the published \`data/examples/canneal.csv\` |
| \`cg-predicted.csv\`, \`canneal-predicted.csv\` | predictions with 90 % intervals |
| \`cg-speedup.svg\`, \`canneal-speedup.svg\`, \`canneal-heatmap.png\` | the models drawn |
| \`cg-report.html\`, \`canneal-report.html\` | one page each: diagnosis, recommendation, pictures |
EOF
step "All in $to/, see $to/README.md"
