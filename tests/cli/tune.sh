#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

# json FILTER: python reads $out as d
json() { python3 -c "import json,sys; d=json.loads(sys.stdin.read()); print(repr(($1)))" <<<"$out"; }

# A made table: 8 cores, 4 frequencies, one socket.
awk 'BEGIN { print "cores,freq_ghz,time_s,power_w"
    for (p = 1; p <= 8; p++) for (f = 12; f <= 24; f += 4) { x = f / 24; g = f / 10
        printf "%d,%.1f,%.6f,%.4f\n", p, g, 100 * ((.05 + .95 / p) / g + .1 * (.4 + .6 / p)), 30 + p * (2 * x + 3 * x ^ 3) } }' >table.csv

check 'a replay ends by itself' "$memwall" tune --objective energy --replay table.csv
prints 'it names what it recommends' '^recommended: [0-9]+ cores? at'
prints 'and how certain that is' '^certainty [0-9]+ %'
says 'each step says why' 'why: all cores at the highest frequency'
prints 'ready lines' 'taskset -c 0'
prints 'ready lines for Slurm' 'srun .*--cpu-freq='

check 'as JSON' "$memwall" tune --objective energy --replay table.csv --json
if [ "$(json 'd["schema"], d["stopped"], len(d["measured"]) <= 12, d["measured"][0]["cores"], d["measured"][0]["freq_ghz"]')" = \
    "('memwall-tune/1', 'certain', True, 8, 2.4)" ]; then ok 'schema, stop and first point'; else not_ok 'schema, stop and first point' "$out"; fi
best=$(awk -F, 'NR > 1 { e = $3 * $4; if (!m || e < m) m = e } END { printf "%.9g", m }' table.csv)
if [ "$(json "d['recommended']['energy_j'] <= 1.02 * $best")" = True ]; then ok 'the recommendation is within 2 % of the best'; else not_ok 'within 2 %' "$out"; fi
first=$out
check 'again' "$memwall" tune --objective energy --replay table.csv --json
if [ "$(json 'd.pop("run") and d')" = "$(out=$first json 'd.pop("run") and d')" ]; then ok 'the same but for run'; else not_ok 'the same but for run' "$out"; fi

check 'a limit is kept' "$memwall" tune --objective time --power-cap 50 --replay table.csv --json
if [ "$(json 'd["recommended"]["energy_j"] / d["recommended"]["time_s"] <= 50')" = True ]; then ok 'the power cap holds'; else not_ok 'the power cap holds' "$out"; fi
check 'a limit that nothing keeps is an answer' "$memwall" tune --objective time --power-cap 5 --replay table.csv --json
if [ "$(json 'd["stopped"], d["recommended"]')" = "('infeasible', None)" ]; then ok 'infeasible'; else not_ok 'infeasible' "$out"; fi

awk -F, 'BEGIN { print "cores,freq_ghz,energy_j" } NR > 1 { printf "%s,%s,%.6f\n", $1, $2, $3 * $4 }' table.csv >energies.csv
check 'energies alone are enough for energy' "$memwall" tune --objective energy --replay energies.csv
prints 'and make the stop careful' 'careful stop: energies without times'
fails 3 'but not for time' "$memwall" tune --objective time --replay energies.csv
cut -d, -f1-3 table.csv >times.csv
fails 3 'energy needs energies' "$memwall" tune --objective energy --replay times.csv
says 'and says so' 'no energy was measured'
awk -F, 'NR == 1 || $2 == 2.4' table.csv >one.csv
check 'one frequency' "$memwall" tune --objective edp --replay one.csv
prints 'the stop is careful' 'careful stop: one frequency only'
check 'a budget' "$memwall" tune --objective energy --replay table.csv --max-points 2
prints 'is said' 'budget'
check 'candidates can be narrowed' "$memwall" tune --objective energy --replay table.csv --cores 1-4 --freq 2.4 --json
if [ "$(json 'max(m["cores"] for m in d["measured"]), {m["freq_ghz"] for m in d["measured"]}')" = "(4, {2.4})" ]; then ok 'to them'; else not_ok 'to them' "$out"; fi

fails 2 'nothing to run' "$memwall" tune --objective time
fails 2 'an objective that does not exist' "$memwall" tune --objective speed --replay table.csv
fails 2 'a reference that is not one' "$memwall" tune --reference 24x2.4 --replay table.csv
fails 2 'a reference that is not there' "$memwall" tune --reference 16@2.4 --replay table.csv
fails 1 'a table that is not there' "$memwall" tune --replay nowhere.csv
fails 2 'a cap of nothing' "$memwall" tune --power-cap 0 --replay table.csv

# For real: a program whose time falls with its cores, on the cores there are.
cat >work.sh <<'W'
#!/bin/sh
awk "BEGIN { print 1 / $1 }" | xargs -I{} echo "time {}"
echo run >>runs.txt
W
chmod +x work.sh
check 'in words' "$memwall" tune --runs 2 --log words.csv --time-regexp 'time ([0-9.e+-]+)' -- ./work.sh '{cores}'
if [ "$(nproc)" -gt 1 ]; then prints 'against the fewest cores' '^Run it on [0-9]+ cores: .*, [0-9.]+x'; fi
check 'a program is run and tuned' "$memwall" tune --runs 2 --time-regexp 'time ([0-9.e+-]+)' --json -- ./work.sh '{cores}'
all=$(json 'd["candidates"]')
runs=$(wc -l <runs.txt)
if [ "$(json 'd["recommended"]["cores"] >= 1')" = True ]; then ok 'with a recommendation'; else not_ok 'with a recommendation' "$out"; fi
check 'its log is a table of runs' grep -qE '^"?work.sh"?,[0-9]+,' memwall-tune.csv
check 'with what a run tells beside its time' grep -qE '^workload,cores,freq_ghz,repetition,time_s,cpu_s,.*exit_status.*,sys_s,wall_s.*,faults' memwall-tune.csv
check 'that fit reads, and diagnose after it' sh -c '"$1" fit memwall-tune.csv -o tuned.json && "$1" diagnose tuned.json' _ "$memwall"
fails 1 'the log is not overwritten' "$memwall" tune --runs 2 --time-regexp 'time ([0-9.e+-]+)' -- ./work.sh '{cores}'
says 'the ways out are named' '--resume'
whole=$out
check 'resuming a complete one runs nothing' "$memwall" tune --runs 2 --resume --time-regexp 'time ([0-9.e+-]+)' --json -- ./work.sh '{cores}'
if [ "$(wc -l <runs.txt)" = "$runs" ]; then ok 'not one run more'; else not_ok 'not one run more' "$(wc -l <runs.txt) $runs"; fi
sed -i '$d' memwall-tune.csv
printf '"work.sh",1' >>memwall-tune.csv
check 'resuming a torn one' "$memwall" tune --runs 2 --resume --time-regexp 'time ([0-9.e+-]+)' --json -- ./work.sh '{cores}'
if [ "$(wc -l <runs.txt)" = $((runs + 1)) ]; then ok 'does the one that is missing'; else not_ok 'does the one that is missing' "$(wc -l <runs.txt) $runs $all"; fi
# A log that was begun with fewer columns keeps them.
sed -n '/^#/p' memwall-tune.csv >old.csv
printf 'workload,cores,freq_ghz,repetition,time_s,cpu_s,energy_j,exit_status\n"work.sh",1,,1,1,.5,,0\n' >>old.csv
check 'a log with the columns of an older version' "$memwall" tune --runs 2 --resume --log old.csv --time-regexp 'time ([0-9.e+-]+)' --json -- ./work.sh '{cores}'
check 'goes on with them' awk -F, '!/^#/ && NF != 8 { bad = 1 } !/^#/ { n++ } END { exit bad || n < 4 }' old.csv
fails 2 'resuming another command is refused' "$memwall" tune --runs 2 --resume -- ./work.sh other
fails 1 'a program that always fails' "$memwall" tune --runs 1 --log failed.csv -- false
says 'is named' 'the first run failed \(exit status 1\)'
check 'a plan' "$memwall" tune --dry-run -- ./work.sh '{cores}'
prints 'of the first points' 'all cores at the highest frequency'

printf 'cores,time_s\n1,10\n1,14\n1,19\n2,9\n2,13.5\n2,20\n' >scatter.csv
check 'readings that scatter' "$memwall" tune --objective time --replay scatter.csv --json
if python3 -c 'import json,sys; d=json.load(sys.stdin); sys.exit(not (.4 < d["certainty"] < .7))' <<<"$out"; then
    ok 'are no certainty'; else not_ok 'are no certainty' "$out"; fi

if [ -d "$shared/parsec-power" ]; then
    check 'canneal' "$memwall" tune --objective energy --boundaries 12 --replay "$shared/parsec-power/canneal.csv" --json
    if [ "$(json 'len(d["measured"]) <= 20, d["recommended"]["cores"], d["recommended"]["freq_ghz"] < 2.1')" = "(True, 24, True)" ]; then
        ok 'canneal saves energy below the highest frequency'; else not_ok 'canneal saves energy below the highest frequency' "$out"; fi
    check 'energies of a table of speedups' "$memwall" tune --objective energy --boundaries 16 --where input=3 --replay "$shared/parsec-speedup/ferret_3.csv" --json
    if [ "$(json 'len(d["measured"]) <= 20')" = True ]; then ok 'are tuned'; else not_ok 'are tuned' "$out"; fi
else
    skip 'measured tables' 'no ../shared/data'
fi
