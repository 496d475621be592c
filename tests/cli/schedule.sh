#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

json() { python3 -c "import json,sys; d=json.loads(sys.stdin.read()); print(repr(($1)))" <<<"$out"; }
is() { if [ "$(json "$2")" = True ]; then ok "$1"; else not_ok "$1" "$2" "$out"; fi; }

cat >jobs.json <<'E2'
{"cores": 6, "jobs": [
 {"name": "a", "options": [{"cores": 2, "freq_ghz": 2.0, "time_s": 10, "power_w": 20}, {"cores": 4, "freq_ghz": 2.0, "time_s": 6, "power_w": 40}]},
 {"name": "b", "deadline_s": 8, "options": [{"cores": 2, "time_s": 12, "energy_j": 200}, {"cores": 4, "time_s": 7, "energy_j": 300}]}]}
E2
check 'options written by hand' "$memwall" schedule jobs.json
prints 'a table' '^b +4 '
prints 'and its sums' '^all: 6 of 6 cores, longest at most 10 s'
check 'as JSON' "$memwall" schedule jobs.json --json
is 'the least energy that keeps the deadline' 'd["schema"] == "memwall-schedule/1" and d["feasible"] and [j["cores"] for j in d["jobs"]] == [2, 4] and abs(d["total"]["energy_j"] - 500) < 1e-6'
check 'more cores, the shortest' "$memwall" schedule jobs.json --cores 8 --objective makespan --json
is 'longest job 7 s' 'd["total"]["makespan_s"] == 7 and [j["cores"] for j in d["jobs"]] == [4, 4]'
fails 1 'too few cores' "$memwall" schedule jobs.json --cores 5 --json
is 'named' 'not d["feasible"] and "need at least 6" in d["obstacle"] and d["jobs"] == []'
fails 1 'too little power' "$memwall" schedule jobs.json --power-cap 50
says 'named too' 'no schedule: the power cap of 50 W'
check 'from standard input to a file' bash -c "'$memwall' schedule - --json -o s.json <jobs.json"
check 'that is there' test -s s.json
fails 1 'and not overwritten' "$memwall" schedule jobs.json --json -o s.json

for w in 1 2 3; do
    awk -v w=$w 'BEGIN { print "cores,freq_ghz,time_s,power_w"
        for (p = 1; p <= 8; p *= 2) for (f = 12; f <= 24; f += 6) { x = f / 24; g = f / 10
            printf "%d,%.1f,%.6f,%.4f\n", p, g, w * 50 * ((.05 * w + .9 / p) / g + .1 * (.4 + .6 / p)), 20 + p * (2 * x + 3 * x ^ 3) } }' >w$w.csv
    "$memwall" fit w$w.csv -o w$w.json >/dev/null 2>&1
done
cat >models.json <<'E2'
{"cores": 16, "objective": "energy", "power_cap_w": 150, "jobs": [
 {"name": "one", "model": "w1.json"}, {"name": "two", "model": "w2.json", "cores": "2-8", "freq": "1.8,2.4"},
 {"name": "three", "model": "w3.json", "deadline_s": 60}]}
E2
check 'fitted workloads' "$memwall" schedule models.json --json
is 'within cores, power and deadline' 'd["total"]["cores"] <= 16 and d["total"]["power_w"] <= 150 and d["jobs"][2]["time_most_s"] <= 60'
is 'from the lists' 'd["jobs"][1]["cores"] >= 2 and d["jobs"][1]["freq_ghz"] in (1.8, 2.4)'
is 'with ready lines' 'all(any("srun" in c["line"] for c in j["commands"]) for j in d["jobs"])'
mkdir elsewhere && check 'models lie beside the jobs file' bash -c "cd elsewhere && '$memwall' schedule ../models.json"

fails 2 'how many cores' bash -c "echo '{\"jobs\": [{\"options\": [{\"cores\": 1, \"time_s\": 1}]}]}' | '$memwall' schedule -"
says 'is asked for' '--cores N'
fails 4 'energy without power' bash -c "echo '{\"jobs\": [{\"options\": [{\"cores\": 1, \"time_s\": 1}]}]}' | '$memwall' schedule - --cores 1"
check 'times alone are enough for the makespan' bash -c "echo '{\"jobs\": [{\"options\": [{\"cores\": 1, \"time_s\": 1}]}]}' | '$memwall' schedule - --cores 1 --objective makespan"
n=0
for bad in '' '{}' '[]' '{"jobs": []}' '{"jobs": [1]}' '{"jobs": [{}]}' '{"jobs": [{"model": 3}]}' '{"jobs": [{"options": []}]}' \
    '{"jobs": [{"options": [{"cores": 1.5, "time_s": 1}]}]}' '{"jobs": [{"options": [{"cores": 1, "time_s": -1}]}]}' \
    '{"jobs": [{"options": [{"cores": 1}]}]}' '{"jobs": [{"options": [{"cores": 1, "time_s": 1}], "model": "x"}]}' \
    '{"objective": "speed", "jobs": [{"options": [{"cores": 1, "time_s": 1}]}]}' '{"jobs": [{"model": "w1.json", "cores": "x"}]}' \
    '{"jobs": [{"options": [{"cores": 1, "time_s": 1, "freq": 2}]}]}' '{"core": 4, "jobs": [{"options": [{"cores": 1, "time_s": 1}]}]}' \
    '{"jobs": [{"options": [{"cores": 1, "time_s": 1}], "freq": "all"}]}'; do
    n=$((n + 1))
    printf '%s' "$bad" >bad.json
    fails 3 "bad file $n" "$memwall" schedule bad.json --cores 4
done
fails 1 'a model that is not there' bash -c "echo '{\"jobs\": [{\"model\": \"no.json\"}]}' | '$memwall' schedule - --cores 4"
echo '{"jobs": [{"name": "x", "model": "w1.json", "dedline_s": 3}]}' >typo.json
fails 3 'a key that nothing reads is refused' "$memwall" schedule typo.json --cores 4
says 'with its file, job and name' "typo.json: job 1: unknown key 'dedline_s'"
says 'and those that are known' 'deadline_s, cores, freq'
