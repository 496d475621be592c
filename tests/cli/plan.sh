#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

json() { python3 -c "import json,sys; d=json.loads(sys.stdin.read()); print(repr(($1)))" <<<"$out"; }
is() { if [ "$(json "$2")" = True ]; then ok "$1"; else not_ok "$1" "$2" "$out"; fi; }

check 'a first design' "$memwall" plan --cores 1-24 --freq 1.2-2.4:0.1 --json
is 'for the best: three points' '[(p["cores"], p["freq_ghz"]) for p in d["points"]] == [(24, 2.4), (24, 1.2), (12, 2.4)]'
check 'for a diagnosis' "$memwall" plan --for diagnosis --cores 1-24 --freq 1.2-2.4:0.1 --boundaries 12 --json
is 'ten, both sides of the boundary among them' 'len(d["points"]) == 10 and {12, 13} <= {p["cores"] for p in d["points"]}'
check 'for the surface' "$memwall" plan --for surface --cores 1-24 --freq 1.2-2.4:0.1 --json
is 'six' 'len(d["points"]) == 6 and d["schema"] == "memwall-plan/1"'
check 'of a profile' bash -c "echo '{\"memwall_machine\": 1, \"cores\": 16, \"freqs_ghz\": [1.0, 2.0], \"boundaries\": [8]}' >m.json; '$memwall' plan --machine m.json --for diagnosis --json"
is 'its cores and boundaries' 'max(p["cores"] for p in d["points"]) == 16 and {8, 9} <= {p["cores"] for p in d["points"]}'
check 'of this machine' "$memwall" plan
prints 'with reasons' 'why: all cores at the highest frequency'

awk 'BEGIN { print "cores,freq_ghz,time_s,power_w"
    for (p = 1; p <= 8; p *= 2) for (f = 12; f <= 24; f += 12) { x = f / 24; g = f / 10
        printf "%d,%.1f,%.6f,%.4f\n", p, g, 100 * ((.05 + .95 / p) / g + .1 * (.4 + .6 / p)), 30 + p * (2 * x + 3 * x ^ 3) } }' >runs.csv
check 'from runs' "$memwall" plan runs.csv --objective energy --points 2
prints 'what is best so far' '^best of 8 measured:'
prints 'what a run costs' '^ 1\. .*, about [0-9.]+ s'
prints 'what it settles' 'settles: whether it beats'
check 'as JSON' "$memwall" plan runs.csv --objective energy --points 2 --json
is 'new points between the measured frequencies' 'len(d["points"]) == 2 and all(1.2 < p["freq_ghz"] < 2.4 for p in d["points"]) and d["total_time_s"] > 0'
"$memwall" fit runs.csv -o model.json >/dev/null 2>&1
check 'from a model' "$memwall" plan model.json --objective energy --points 2 --json
is 'the same kind of answer' 'len(d["points"]) == 2'
check 'from a pipe' bash -c "'$memwall' plan - --for surface --json <runs.csv"
is 'of a table' 'len(d["points"]) == 3'
check 'from a pipe again' bash -c "'$memwall' plan - --for diagnosis --json <model.json"
is 'of a model' '"verdict so far" in d["state"]'
check 'all measured' "$memwall" plan runs.csv --cores 1,2,4,8 --freq 1.2,2.4
prints 'nothing is left' 'nothing left is worth a run'

cut -d, -f1-3 runs.csv >times.csv
fails 3 'energy needs energies' "$memwall" plan times.csv --objective energy
fails 2 'no such purpose' "$memwall" plan --for fun
fails 3 'a table of words' bash -c "echo hello >w.csv; '$memwall' plan w.csv"
fails 1 'no file' "$memwall" plan none.csv
fails 2 'no such reference' "$memwall" plan runs.csv --reference 99@9
