#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

json() { python3 -c "import json,sys; d=json.loads(sys.stdin.read()); print(repr(($1)))" <<<"$out"; }
# is NAME EXPRESSION: true of the JSON in $out
is() { if [ "$(json "$2")" = True ]; then ok "$1"; else not_ok "$1" "$2" "$out"; fi; }

# A made table: 8 cores, 3 frequencies, every second core count measured.
awk 'BEGIN { print "cores,freq_ghz,time_s,power_w"
    for (p = 1; p <= 8; p += p < 2 ? 1 : 2) for (f = 12; f <= 24; f += 6) { x = f / 24; g = f / 10
        printf "%d,%.1f,%.6f,%.4f\n", p, g, 100 * ((.05 + .95 / p) / g + .1 * (.4 + .6 / p)), 30 + p * (2 * x + 3 * x ^ 3) } }' >table.csv
"$memwall" fit table.csv -o model.json >/dev/null 2>&1 || not_ok 'a model to ask'

check 'the least energy' "$memwall" recommend model.json --objective energy
prints 'is compared with a reference' '^against 8 cores at 2.4 GHz \(all cores at the highest frequency\)'
prints 'by time' '^  time .* %'
prints 'by energy' '^  energy .* %'
prints 'with ready lines' 'srun .*--cpu-freq='
check 'as JSON' "$memwall" recommend model.json --objective energy --json
is 'the schema' 'd["schema"] == "memwall-recommendation/1"'
is 'the parts of the contract' '{"choice", "reference", "expected", "ties", "commands"} <= set(d)'
is 'frequencies between the measured ones are steps of .1 GHz' 'len(d["verify"]) == 3 and all(abs(10 * v["freq_ghz"] - round(10 * v["freq_ghz"])) < 1e-6 for v in d["verify"])'
is 'changes have intervals' 'd["expected"]["energy_change_percent"]["low"] <= d["expected"]["energy_change_percent"]["value"] <= d["expected"]["energy_change_percent"]["high"]'
first=$out
check 'again' "$memwall" recommend model.json --objective energy --json
if [ "$(json 'd.pop("run") and d')" = "$(out=$first json 'd.pop("run") and d')" ]; then ok 'the same but for run'; else not_ok 'the same but for run' "$out"; fi

check 'a measured point' "$memwall" recommend model.json --json
is 'is near its reading, with an interval' 'd["choice"]["measured"] and abs(d["choice"]["time_s"]["value"] / 11.7813 - 1) < .02 and d["choice"]["time_s"]["low"] < 11.7813 < d["choice"]["time_s"]["high"]'
predicted=$("$memwall" predict model.json --csv --cores 8 --freq 2.4 2>/dev/null | tail -1 | cut -d, -f3-5)
is 'as predict has it' "all(abs(a / b - 1) < 1e-6 for a, b in zip((d['choice']['time_s'][k] for k in ('value', 'low', 'high')), ($predicted)))"
check 'a power cap' "$memwall" recommend model.json --power-cap 50 --json
is 'is kept' 'd["choice"]["power_w"]["high"] <= 51 and d["choice"]["chance_limits"] >= .9'
check 'a slowdown against a reference' "$memwall" recommend model.json --objective energy --max-slowdown 10 --reference 8@1.8 --json
is 'is kept, and the reference is what was asked for' 'd["reference"]["freq_ghz"] == 1.8 and d["choice"]["time_s"]["value"] <= 1.1 * d["reference"]["time_s"]["value"]'
check 'an efficiency' "$memwall" recommend model.json --min-efficiency 80% --json
is 'is kept' 'd["choice"]["efficiency"]["value"] >= .8 and d["choice"]["cores"] < 8'
fails 1 'a limit that nothing keeps' "$memwall" recommend model.json --deadline 1s --power-cap 100 --json
is 'the nearest one is the fastest' 'd["nearest"]["cores"] == 8 and d["nearest"]["freq_ghz"] == 2.4'
fails 1 'a cap far below all' "$memwall" recommend model.json --power-cap 3 --json
is 'has the least power nearest' 'd["nearest"]["cores"] == 1 and d["nearest"]["freq_ghz"] == 1.2'
fails 1 'a limit that nothing keeps' "$memwall" recommend model.json --deadline 1s --power-cap 100 --json
is 'names what stands in the way' 'd["choice"] is None and "deadline" in d["obstacle"]'
check 'the fewest cores within 30 %' "$memwall" recommend model.json --within 30 --json
is 'are fewer' 'd["choice"]["cores"] < 8'
check 'steps up only for a gain' "$memwall" recommend model.json --gain 2.4:50 --json
is 'stays below' 'd["choice"]["freq_ghz"] < 2.4'
check 'the front of time and energy' "$memwall" recommend model.json --objective energy --pareto --json
is 'falls in energy as time grows' 'all(a["time_s"]["value"] < b["time_s"]["value"] and a["energy_j"]["value"] > b["energy_j"]["value"] for a, b in zip(d["pareto"], d["pareto"][1:]))'
check 'a choice among few' "$memwall" recommend model.json --cores 2,4 --freq min --json
is 'is one of them' 'd["choice"]["cores"] == 4 and d["choice"]["freq_ghz"] == 1.2'
check 'through a pipe' bash -c "'$memwall' fit table.csv 2>/dev/null | '$memwall' recommend - --json"
is 'the same answer' 'd["choice"]["cores"] == 8'

cut -d, -f1-3 table.csv >times.csv
"$memwall" fit times.csv -o times.json >/dev/null 2>&1
fails 4 'no power, no energy' "$memwall" recommend times.json --objective energy
says 'and what to do' '--power-model'
check 'a power law from elsewhere' "$memwall" recommend times.json --objective energy --power-model model.json --json
is 'gives energies' 'd["choice"]["energy_j"]["value"] > 0'
echo '{"s0_w": 30, "c1_w": 2, "c3_w": 3, "freq_ref_ghz": 2.4}' >power.json
check 'one written by hand' "$memwall" recommend times.json --objective energy --power-model power.json --json
is 'gives the same to a tenth' 'abs(d["reference"]["energy_j"]["value"] / d["reference"]["time_s"]["value"] / 70 - 1) < .1'
echo '{"c1_w": 2}' >bad.json
fails 3 'one without its frequency' "$memwall" recommend times.json --objective energy --power-model bad.json
echo '{}' >bad.json
fails 3 'one without a law' "$memwall" recommend times.json --objective energy --power-model bad.json

awk -F, 'NR == 1 { print "cores,freq_ghz,speedup"; next } { if ($1 == 1) one[$2] = $3; print $1 "," $2 "," one[$2] / $3 }' table.csv >speedups.csv
"$memwall" fit speedups.csv -o speedups.json >/dev/null 2>&1
check 'speedups alone' "$memwall" recommend speedups.json
says 'compare core counts only' 'speedups over one core'
fails 4 'and know no deadline' "$memwall" recommend speedups.json --deadline 10

printf 'cores,time_s\n1,10\n' >one.csv
"$memwall" fit one.csv -o one.json >/dev/null 2>&1
fails 4 'a single run' "$memwall" recommend one.json --cores 1-8
says 'says nothing about 8 cores' 'undetermined: runs on one core count say nothing about 8 cores'
says 'and what to measure' 'measure 1, 2 and 8 cores'
fails 4 'nor is it a choice' "$memwall" recommend one.json
printf 'cores,time_s\n1,10\n4,3\n' >two.csv
"$memwall" fit two.csv -o two.json >/dev/null 2>&1
check 'two core counts decide between them' "$memwall" recommend two.json
fails 4 'and not beyond' "$memwall" recommend two.json --cores 1-16
printf 'cores,time_s\n1,10\n4,3\n16,1.5\n' >three.csv
"$memwall" fit three.csv -o three.json >/dev/null 2>&1
check 'three do, with intervals' "$memwall" recommend three.json --cores 1-20

if [ -d "$shared/cases/unmeasured-63" ]; then
    "$memwall" fit "$shared/cases/unmeasured-63/runs.csv" -o case.json >/dev/null 2>&1
    check 'an unmeasured neighbour within the noise' "$memwall" recommend case.json --objective time --json
    is 'does not take the place of the best that was run' 'd["choice"]["cores"] == 64 and d["choice"]["measured"]'
    "$memwall" fit "$shared/cases/efficiency-no-baseline/runs.csv" -o bare.json >/dev/null 2>&1
    check 'efficiency without one core' "$memwall" recommend bare.json --objective time
    prints 'says against what it is' 'efficiency +67 % against 2 cores, measured; .* against one core, estimated'
    check 'and as JSON' "$memwall" recommend bare.json --objective time --json
    is 'too' 'd["choice"]["efficiency_baseline_measured"] is False and d["choice"]["efficiency"]["high"] > d["choice"]["efficiency"]["low"]'
else
    skip 'cases' 'no ../shared/data'
fi

fails 3 'a table is not a model' "$memwall" recommend table.csv
says 'but can be fitted' 'memwall fit'
fails 1 'a model that is not there' "$memwall" recommend nothing.json
fails 2 'a bad list of gains' "$memwall" recommend model.json --gain 2.4
fails 2 'no model' "$memwall" recommend
fails 2 'a certainty out of range' "$memwall" recommend model.json --certainty 100
fails 2 'an unknown option' "$memwall" recommend model.json --objectiv energy
says 'with the nearest one' "did you mean '--objective'"

if [ -d "$shared/parsec-power" ]; then
    "$memwall" fit "$shared/parsec-power/canneal.csv" -o canneal.json >/dev/null 2>&1
    check 'canneal' "$memwall" recommend canneal.json --objective energy --json
    is 'saves energy on all cores below the highest frequency' 'd["choice"]["cores"] == 24 and d["choice"]["freq_ghz"] <= 2 and d["expected"]["energy_change_percent"]["value"] < -3'
else
    skip 'canneal' 'no ../shared/data'
fi
