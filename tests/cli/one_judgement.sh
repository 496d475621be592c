#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One configuration of one model has one time, one energy and one interval, whichever command prints it; what binds and the verdict
# agree. Over tables and in the library: tests/unit/test_one_judgement.c.
. "$(dirname "$0")/../tap.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP python3 is not here"; exit 77; }
cd "$tmp" || exit 1

awk 'BEGIN { print "cores,freq_ghz,time_s,cpu_s,power_w"
    for (p = 1; p <= 16; p *= 2) for (f = 12; f <= 24; f += 6) { x = f / 24; w = 1 + .01 * sin(13 * p + f)
        printf "%d,%.1f,%.6f,%.6f,%.4f\n", p, f / 10, 100 * (.3 + .7 / p) / x * w, 100 / x * w, 20 + p * (2 * x + 3 * x ^ 3) } }' >t.csv
check 'fits' "$memwall" fit t.csv -o t.json
for what in time energy; do
    check "recommend for $what" "$memwall" recommend t.json --objective $what --json -o r$what.json
    check "its choice" python3 -c "import json; c = json.load(open('r$what.json'))['choice']; print(c['cores'], c['freq_ghz'])"
    read -r cores freq <<<"$out"
    check "predicted" "$memwall" predict t.json --cores "$cores" --freq "$freq" --json -o p$what.json
    echo "{\"cores\": 16, \"jobs\": [{\"name\": \"a\", \"model\": \"t.json\", \"cores\": \"$cores\", \"freq\": \"$freq\"}]}" >jobs.json
    check "scheduled" "$memwall" schedule jobs.json --json -o s$what.json
    check "one time and energy for $cores cores at $freq GHz" python3 - "$what" <<'PY'
import json, sys
what = sys.argv[1]
c = json.load(open(f'r{what}.json'))['choice']
p = json.load(open(f'p{what}.json'))['predictions'][0]
s = json.load(open(f's{what}.json'))['jobs'][0]
def same(a, b): assert abs(a / b - 1) < 1e-9, (a, b)
for key in 'time_s', 'energy_j':
    name = key[:-2]
    unit = key[-1]
    same(c[key]['value'], p[key])
    same(c[key]['low'], p[f'{name}_low_{unit}'])
    same(c[key]['high'], p[f'{name}_high_{unit}'])
    same(s[key], p[key])
assert s['time_most_s'] > s['time_s'] and s['power_most_w'] > s['power_w']
PY
    check "the report" "$memwall" report t.json -o t.html --force
    if grep -q "<td>$what</td><td class=n>$cores</td><td class=n>$(printf %.4g "$freq")</td><td class=n>$(
        python3 -c "import json; print('%.4g' % json.load(open('p$what.json'))['predictions'][0]['time_s'])")</td>" t.html; then
        ok "has the same time"
    else not_ok "has the same time" "$(grep "<td>$what" t.html)"; fi
done

check 'diagnosed' "$memwall" diagnose t.json --json
prints 'serial' '"verdict": "serial"'
check 'what binds' "$memwall" predict t.json --cores 1,16 --freq 2.4
prints 'serial there too' '^16,2\.4,.*,serial,no'
prints 'one core has nobody to wait for' '^1,2\.4,.*,compute,no'
