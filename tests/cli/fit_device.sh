#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fit --device: host and device of a program by its runs over devices or clocks, and tables that are refused.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

# runs COLUMN HOST DEVICE X…: two runs at each, half a percent apart
runs() {
    echo "workload,cores,$1,repetition,time_s,exit_status"
    for x in "${@:4}"; do
        awk -v x="$x" -v x0="$4" -v h="$2" -v d="$3" 'BEGIN { t = h + d * x0 / x; printf "a,1,%s,1,%.9g,0\na,1,%s,2,%.9g,0\n", x, t, x, 1.005 * t }'
    done
}
runs gpus 3 7 1 2 4 >gpus.csv
check 'over devices' "$memwall" fit --device gpus.csv -o gpus.json
says 'the shares are told' 'at 1 GPU the host has 3(\.0[0-9]*)? s, the device 7(\.0[0-9]*)? s: 70 % of the time'
check 'and stand in the file' grep -q '"told": true' gpus.json
check 'a prediction beyond the data is marked' grep -q '"extrapolated": true' gpus.json
check 'predict reads it' "$memwall" predict gpus.json --gpus 1-8 -o predicted.csv
says 'and says what is not in the data' 'beyond 4 what only shows with more'
check 'at eight' grep -q '^a,1,8,3.8[0-9]*,3\.[0-9]*,[34]\.[0-9]*,2\.[0-9]*,yes' predicted.csv
"$memwall" predict gpus.json --gpus 2 --json 2>/dev/null | grep -q '"gpus": 2.0' && ok 'in JSON' || not_ok 'in JSON'
fails 2 'over another axis' "$memwall" predict gpus.json --gpu-freq 1.2
says 'says which' 'ask with --gpus'
fails 2 'with two axes' "$memwall" predict gpus.json --gpus 2 --cores 2
fails 3 'a device file is no model' "$memwall" predict gpus.json
says 'and is said to be what' 'predict --gpus'
fails 3 'a model is no device file' "$memwall" predict "$root/data/examples/canneal.csv" --gpus 2
sed 's/"noise": [^,]*/"noise": -1/' gpus.json >broken.json
fails 3 'a member out of its range' "$memwall" predict broken.json --gpus 2
says 'is named' 'noise is -1'
runs gpu_freq_ghz 6 4 0.3 0.6 1.2 >clock.csv
check 'over clocks' "$memwall" fit --device clock.csv
says 'in GHz' 'at 0.3 GHz the host has 6'
"$memwall" fit --device - <clock.csv >piped.json 2>/dev/null && ok 'from a pipe' || not_ok 'from a pipe'

runs gpus 3 7 1 2 >two.csv
fails 4 'two values' "$memwall" fit --device two.csv
says 'say why' "can't be told apart: 2 values: any times fit two terms; measure a third"
sed 's/^a,1,4,\([12]\),[^,]*/a,1,4,\1,8/' gpus.csv >odd.csv
fails 4 'a time that no two terms give' "$memwall" fit --device odd.csv
says 'is told' 'something else changes with the device'
fails 3 'without --device they are not one curve' "$memwall" fit gpus.csv
says 'the column is named' "column 'gpus'"
fails 3 'a table without devices' "$memwall" fit --device "$root/data/examples/canneal.csv"
says 'says what writes one' 'scan --gpus'
sed 's/^a,1,2,1,[^,]*/a,1,2,1,x/' gpus.csv >bad.csv
fails 3 'a time that is none' "$memwall" fit --device bad.csv
says 'with its line' "bad.csv:4: 'x' in column time_s"
sed '4s/,0$/,1/' gpus.csv >failed.csv
fails 0 'a failed run is left out' "$memwall" fit --device failed.csv
fails 2 'no laws with it' "$memwall" fit --device --weak gpus.csv
