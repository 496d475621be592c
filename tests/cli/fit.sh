#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall fit: known optima, the same bytes again, bad input.
. "$(dirname "$0")/../tap.sh"

# field FILE PATH: a member of a JSON file
field() { python3 -c 'import json,sys
v=json.load(open(sys.argv[1]))
for k in sys.argv[2].split("."): v=v[int(k)] if k.isdigit() else v[k]
print(v)' "$1" "$2"; }
# near NAME VALUE WANT TOLERANCE
near() {
    if python3 -c 'import sys; v,w,t=map(float,sys.argv[1:]); sys.exit(not abs(v-w)<=t)' "$2" "$3" "$4"; then ok "$1"
    else not_ok "$1" "$2, not $3 within $4"; fi
}
# rows for the variable-latency law: f .97, k 1, m1 .02, m2 .3, A 12 s GHz, F_mem 2 GHz
vls_rows() { python3 - "$@" <<'P'
import sys
f,k,m1,m2,A,fm=.97,1.,.02,.3,12.,2.
for F in (1.2,1.6,2.0,2.4):
    for p in (1,2,4,6,8,12,16,24,32):
        mu=min(m1+m2/p,1); a=(1-f)+f/p
        h=max((1+k*F/fm*mu)*a,(1+k*F/fm)*mu)
        print("%d,%g,%.9g"%(p,F,A/F*h))
P
}
{ echo cores,freq_ghz,time_s; vls_rows; } >"$tmp/exact.csv"

check 'exact data' "$memwall" fit "$tmp/exact.csv" --law vls --memory-freq 2 -o "$tmp/exact.json"
prints 'exact data: all rows' '36 of 36 rows of .*exact.csv, 36 points'
near 'exact data: f' "$(field "$tmp/exact.json" parameters.f.value)" .97 1e-4
near 'exact data: k' "$(field "$tmp/exact.json" parameters.k.value)" 1 1e-3
near 'exact data: m1' "$(field "$tmp/exact.json" parameters.m1.value)" .02 1e-4
near 'exact data: m2' "$(field "$tmp/exact.json" parameters.m2.value)" .3 1e-3
near 'exact data: A' "$(field "$tmp/exact.json" time_scale_s_ghz)" 12 1e-2

if [ -d "$shared" ]; then
    set_x264=$shared/parsec-speedup/x264_3.csv
    check 'x264_3' "$memwall" fit "$set_x264" --where input=3 --loss speedup-mse --memory-freq 2.133 --law vls -o "$tmp/x264.json"
    near 'x264_3: global optimum' "$(field "$tmp/x264.json" fit.mse_speedup)" 5.00342 1e-5
    near 'x264_3: k' "$(field "$tmp/x264.json" parameters.k.value)" .9353 1e-4
    "$memwall" fit "$set_x264" --where input=3 --loss speedup-mse --memory-freq 2.133 --law vls --seed 7 -o "$tmp/seed.json" >/dev/null 2>&1
    near 'x264_3: another seed' "$(field "$tmp/seed.json" fit.mse_speedup)" 5.00342 1e-5
    "$memwall" fit "$shared/parsec-speedup/ferret_3.csv" --where input=3 --loss speedup-mse --memory-freq 2.133 --law vls -o "$tmp/ferret.json" >/dev/null 2>&1
    near 'ferret_3: global optimum' "$(field "$tmp/ferret.json" fit.mse_speedup)" .556413 1e-5
    fails 3 'several inputs' "$memwall" fit "$set_x264"
    says 'several inputs are named' 'input'
else
    skip 'published sets' 'no ../shared/data'
fi

# the same bytes but for `run`, whatever the number of threads
bytes() { OMP_NUM_THREADS=$1 "$memwall" fit "$tmp/exact.csv" 2>/dev/null |
    python3 -c 'import json,sys; d=json.load(sys.stdin); d.pop("run"); print(json.dumps(d))' | sha256sum; }
if [ "$(bytes 1)" = "$(bytes 2)" ]; then ok 'same bytes with 1 and 2 threads'; else not_ok 'same bytes with 1 and 2 threads'; fi

# bad input: a clear error and status 3
bad() { # NAME PATTERN, the file on standard input
    cat >"$tmp/bad.csv"
    fails 3 "$1" "$memwall" fit "$tmp/bad.csv"
    says "$1: says so" "$2"
}
bad 'an empty file' 'bad.csv' </dev/null
bad 'a header only' 'bad.csv' <<<'cores,freq_ghz,time_s'
bad 'text in a number cell' 'bad.csv:3' <<<$'cores,time_s\n1,4\n2,fast'
bad 'a negative time' 'bad.csv:3' <<<$'cores,time_s\n1,4\n2,-1'
bad 'nan alone' 'bad.csv:2: no usable row' <<<$'cores,time_s\n1,nan\n2,nan'
for word in nan inf timeout; do
    printf 'cores,time_s\n1,4\n2,%s\n4,1\n' "$word" >"$tmp/bad.csv"
    check "$word in one cell" "$memwall" fit "$tmp/bad.csv"
    says "$word in one cell is set aside" "line 3 set aside: no value in this row: '$word'"
done
head -c 3000 /dev/urandom >"$tmp/random"
bad 'a binary file' 'bad.csv' <"$tmp/random"
fails 3 'a directory' "$memwall" fit "$tmp"
fails 1 'no such file' "$memwall" fit "$tmp/none.csv"
fails 2 'an unknown law' "$memwall" fit "$tmp/exact.csv" --law ammdahl
says 'an unknown law: lists them' 'amdahl'

# an answer where one exists, and never a NaN in it
answer() { # NAME, the file on standard input
    cat >"$tmp/few.csv"
    check "$1" "$memwall" fit "$tmp/few.csv"
    if grep -qiE '\b(nan|inf)\b' <<<"$out"; then not_ok "$1: no NaN"; else ok "$1: no NaN"; fi
    printf '%s' "$out" >"$tmp/few.json"
}
answer 'two rows of one frequency' <<<$'cores,freq_ghz,time_s\n1,2,10\n4,2,3'
if [ "$(field "$tmp/few.json" parameters.k.status)" = 'not identifiable' ]; then ok 'two rows: k is not identifiable'
else not_ok 'two rows: k is not identifiable'; fi
answer 'one row' <<<$'cores,time_s\n4,10'
answer 'all rows equal' <<<$'cores,time_s\n4,10\n4,10\n4,10'
answer 'no baseline' <<<$'cores,time_s\n4,10\n8,6\n16,4\n32,3'
answer 'all times equal' <<<$'cores,time_s\n1,10\n2,10\n4,10\n8,10'
says 'all times equal: weak scaling is possible' 'weak'

# a refused core count is set aside, named, and kept on demand
{ cat "$tmp/exact.csv"; echo 7,2.4,.01; } >"$tmp/refused.csv"
check 'a refused core count' "$memwall" fit "$tmp/refused.csv" --memory-freq 2 --law vls -o "$tmp/refused.json"
says 'a refused core count is named' 'line 38 set aside.*refused'
near 'a refused core count does no harm' "$(field "$tmp/refused.json" parameters.f.value)" .97 1e-3
check 'a refused core count is kept on demand' "$memwall" fit "$tmp/refused.csv" --keep-all --law vls -o "$tmp/kept.json"
near 'kept: used' "$(field "$tmp/kept.json" data.used)" 37 0

# folding in new runs
head -20 "$tmp/exact.csv" >"$tmp/old.csv"
{ head -1 "$tmp/exact.csv"; tail -n +21 "$tmp/exact.csv"; } >"$tmp/new.csv"
"$memwall" fit "$tmp/old.csv" --memory-freq 2 --law vls -o "$tmp/old.json" >/dev/null 2>&1
check 'update' "$memwall" fit --update "$tmp/old.json" "$tmp/new.csv" -o "$tmp/updated.json"
near 'update: points of both' "$(field "$tmp/updated.json" data.used)" 36 0
near 'update: k of all data' "$(field "$tmp/updated.json" parameters.k.value)" "$(field "$tmp/exact.json" parameters.k.value)" 1e-6

# noisy runs, three of each configuration, numbered; the last row is a core count that the program refused
{ echo cores,freq_ghz,repetition,time_s; python3 - <<'P'
import random
random.seed(3)
for F in (1.2,1.8,2.4):
    for p in (1,2,3,4,6,8,12,16):
        mu=min(.02+.3/p,1); h=max((1+F/2*mu)*(.03+.97/p),(1+F/2)*mu)
        for r in (1,2,3):
            print("%d,%g,%d,%.9g"%(p,F,r,12/F*h*random.lognormvariate(0,.02)))
print("5,2.4,1,.01")
P
} >"$tmp/noisy.csv"
"$memwall" fit "$tmp/noisy.csv" --memory-freq 2 -o "$tmp/noisy.json" >/dev/null 2>&1

# the same again in two parts, by configurations and by repetitions: bit by bit the fit of all runs
equal_parts() { # NAME OLD NEW: what is fitted, and what it is fitted from
    cat "$2" >"$tmp/all.csv"
    tail -n +2 "$3" >>"$tmp/all.csv"
    "$memwall" fit "$tmp/all.csv" --memory-freq 2 -o "$tmp/all.json" --force >/dev/null 2>&1
    "$memwall" fit "$2" --memory-freq 2 -o "$tmp/half.json" --force >/dev/null 2>&1
    "$memwall" fit --update "$tmp/half.json" "$3" -o "$tmp/whole.json" --force >/dev/null 2>&1
    if python3 - "$tmp/all.json" "$tmp/whole.json" <<'P'
import json,sys
a,b=(json.load(open(f)) for f in sys.argv[1:])
for m in a,b:
    for part in "points","runs": del m[part]["row"]
sys.exit(any(a[k]!=b[k] for k in ("parameters","laws","combinations","points","runs","ensemble","power")) or
         any(a["data"][k]!=b["data"][k] for k in ("rows","used","detected")))
P
    then ok "$1"; else not_ok "$1"; fi
}
awk -F, 'NR == 1 || $1 < 6' "$tmp/noisy.csv" >"$tmp/old.csv"
awk -F, 'NR == 1 || $1 >= 6' "$tmp/noisy.csv" >"$tmp/new.csv"
equal_parts 'update: further core counts' "$tmp/old.csv" "$tmp/new.csv"
awk -F, 'NR == 1 || $3 < 3' "$tmp/noisy.csv" >"$tmp/old.csv"
awk -F, 'NR == 1 || $3 == 3' "$tmp/noisy.csv" >"$tmp/new.csv"
equal_parts 'update: further repetitions' "$tmp/old.csv" "$tmp/new.csv"
awk -F, 'NR == 1 || $1 > 1' "$tmp/noisy.csv" >"$tmp/old.csv"
awk -F, 'NR == 1 || $1 == 1' "$tmp/noisy.csv" >"$tmp/new.csv"
equal_parts 'update: a refused count that only new runs show' "$tmp/old.csv" "$tmp/new.csv"
near 'update: it is set aside' "$(field "$tmp/whole.json" data.detected)" 1 0

# what must not matter: order of rows, units, a common factor, the numbering of repetitions
answers() { "$memwall" predict "$1" --cores 1,5,16,24 --freq 1.2,1.5,2.4 --csv; }
same() { # NAME FILE [FACTOR]: the same parameters as noisy.csv, and the same predictions times the factor
    "$memwall" fit "$2" --memory-freq 2 -o "$tmp/same.json" --force >/dev/null 2>&1
    answers "$tmp/noisy.json" >"$tmp/a.csv" 2>/dev/null
    answers "$tmp/same.json" >"$tmp/b.csv" 2>/dev/null
    if python3 - "$tmp/noisy.json" "$tmp/same.json" "$tmp/a.csv" "$tmp/b.csv" "${3:-1}" >"$tmp/.differ" <<'P'
import csv,json,sys
a,b=(json.load(open(f))["parameters"] for f in sys.argv[1:3])
bad=[n for n in a if a[n]["status"]!=b[n]["status"] or
     any(abs(a[n][k]-b[n][k])>1e-4*max(abs(a[n][k]),1e-3) for k in ("value","low","high"))]
x,y=([r for r in csv.DictReader(l for l in open(f) if l[0]!="#")] for f in sys.argv[3:5])
for u,v in zip(x,y):
    for k in ("time_s","time_low_s","time_high_s","speedup","speedup_low","speedup_high"):
        scale=float(sys.argv[5]) if "time" in k else 1
        if not abs(float(v[k])/float(u[k])/scale-1)<1e-3: bad.append((u["cores"],u["freq_ghz"],k,u[k],v[k]))
print(bad[:5])
sys.exit(bool(bad) or len(x)!=12 or len(y)!=12)
P
    then ok "$1"; else not_ok "$1" "$(cat "$tmp/.differ")"; fi
}
{ head -1 "$tmp/noisy.csv"; tail -n +2 "$tmp/noisy.csv" | tac; } >"$tmp/order.csv"
same 'rows in another order' "$tmp/order.csv"
awk -F, 'NR == 1 { print "threads;freq_mhz;repetition;time_ms"; next } { printf "%s;%g;%s;%.9g\n", $1, $2 * 1000, $3, $4 * 1000 }' \
    "$tmp/noisy.csv" >"$tmp/units.csv"
same 'other units, names and separators' "$tmp/units.csv"
awk -F, 'NR == 1 { print; next } { printf "%s,%s,%s,%.9g\n", $1, $2, $3, $4 * 60 }' "$tmp/noisy.csv" >"$tmp/factor.csv"
same 'a common factor' "$tmp/factor.csv" 60
awk -F, 'NR == 1 { print; next } { print $1 "," $2 "," 100 - $3 "," $4 }' "$tmp/noisy.csv" >"$tmp/renumbered.csv"
same 'renumbered repetitions' "$tmp/renumbered.csv"

# a rate of a kernel becomes a time, one frequency where none is known
cat >"$tmp/stream.csv" <<'X'
# version: memwall 0.1.0
cores,freq_ghz,freq_effective_ghz,kernel,array_bytes,best_mb_s,avg_s,min_s,max_s,valid
1,,,copy,80000000,12000,0.0141,0.0133,0.0150,1
1,,,triad,80000000,11000,0.0230,0.0218,0.0240,1
2,,,copy,80000000,21000,0.0081,0.0076,0.0090,1
2,,,triad,80000000,20000,0.0125,0.0120,0.0130,1
4,,,copy,80000000,30000,0.0058,0.0053,0.0060,1
4,,,triad,80000000,29000,0.0090,0.0083,0.0100,1
X
stream() { "$memwall" fit - --where kernel=triad -o - <"$tmp/stream.csv"; }
stream >"$tmp/stream.json" 2>"$tmp/.err" && ok 'a stream table' || not_ok 'a stream table' "$(cat "$tmp/.err")"
near 'a stream table: one kernel' "$(field "$tmp/stream.json" data.used)" 3 0
[ "$(field "$tmp/stream.json" parameters.k.status)" = 'not identifiable' ] && ok 'a stream table: k cannot be told' || not_ok 'a stream table: k cannot be told'

# what is known of the machine: latency bounds k (0.75 ns x 2 GHz = 1.5; a real one is larger and seldom a bound), boundaries place steps
printf '{"memwall_machine": 1, "latency_ns": 0.75, "memory_freq_ghz": 2, "boundaries": [12], "cores": 24, "sockets": 2}' >"$tmp/machine.json"
{ echo cores,freq_ghz,time_s; awk 'BEGIN { for (f = 1.2; f < 2.5; f += .4) for (p = 1; p <= 24; p += p < 4 ? 1 : 4) {
    mu = .004 + .3 / p; printf "%d,%.1f,%.6g\n", p, f, 20 / f * (1 + f / 2 * mu) * (.03 + .97 / p) * (1 + .02 * sin(17 * p + 5 * f)) } }'; } >"$tmp/weak.csv"
"$memwall" fit "$tmp/weak.csv" --law vls --memory-freq 2 -o "$tmp/free.json" >/dev/null 2>&1
check 'a profile' "$memwall" fit "$tmp/weak.csv" --law vls --machine "$tmp/machine.json" -o "$tmp/known.json"
near 'a profile: k is bounded by latency x memory frequency' "$(field "$tmp/known.json" parameters.k.high)" .75 .7500001
narrow=$(python3 -c 'import json,sys
a,b=(json.load(open(f))["parameters"]["k"] for f in sys.argv[1:])
print(int(b["high"]-b["low"]<a["high"]-a["low"] and b["low"]<=1<=b["high"]))' "$tmp/free.json" "$tmp/known.json")
near 'a profile: k is narrower, and the truth inside' "$narrow" 1 0
near 'a profile: boundaries' "$(field "$tmp/known.json" boundaries.0)" 12 0
fails 3 'a bad profile' "$memwall" fit "$tmp/weak.csv" --machine "$tmp/weak.csv"

# one frequency and a step that the laws miss: every parameter of every law is named, though profiles find better fits
{ echo cores,freq_ghz,time_s; p=0
for t in 900.41 476.9 361.32 277.62 234.36 205.93 183.67 166.03 151.33 136.76 \
    179.46 174.74 167.77 161.74 154.36 145.9 142.93 135.72 130.39 123.63; do echo $((p += 1)),2.2,$t; done; } >"$tmp/step.csv"
for law in auto vls vls-contention vls-onecore amdahl usl amdahl-memory usl-memory contention-memory saturating granularity \
    power socket tiers; do
    "$memwall" fit "$tmp/step.csv" --law $law -o "$tmp/step.json" --force >/dev/null 2>&1
    python3 -c 'import json,sys; p=json.load(open(sys.argv[1]))["parameters"]; sys.exit(not p or "" in p)' "$tmp/step.json" ||
        unnamed+=" $law"
done
if [ -z "${unnamed-}" ]; then ok 'all parameters are named'; else not_ok 'all parameters are named' "not with law$unnamed"; fi

# runs that no law describes: it is said; runs that one does: the one is marked, and nothing is said
{ echo cores,time_s; p=0; for t in 10 4 12 2 9 1.5 14 2 6 1 9 3; do p=$((p + 1)); echo $p,$t; done; } >"$tmp/wild.csv"
check 'wild runs are fitted' "$memwall" fit "$tmp/wild.csv" -o "$tmp/wild.json"
says 'no law describes them' 'no law describes these runs'
{ echo cores,time_s; for p in 1 2 3 4 6 8 10 12; do awk "BEGIN { print \"$p,\" 100 * (.1 + .9 / $p) }"; done; } >"$tmp/tame.csv"
check 'tame runs are fitted' "$memwall" fit "$tmp/tame.csv" -o "$tmp/tame.json"
if grep -q 'no law' <<<"$err"; then not_ok 'a law describes these' "$err"; else ok 'a law describes these'; fi
near 'one law is marked' "$(grep -c ' least$' <<<"$out")" 1 0

# several sets, a model each
{ echo input,cores,time_s; for i in a b; do for p in 1 2 4 8; do awk "BEGIN { print \"$i,$p,\" 10 * (.1 + .9 / $p) }"; done; done; } >"$tmp/two.csv"
check 'a model for each input' "$memwall" fit "$tmp/two.csv" --by input -o "$tmp/each.json"
if [ -s "$tmp/each-input-a.json" ] && [ -s "$tmp/each-input-b.json" ]; then ok 'a model for each input: files'; else not_ok 'a model for each input: files' "$(ls "$tmp")"; fi
fails 2 '--by without -o' "$memwall" fit "$tmp/two.csv" --by input
check 'weak scaling' "$memwall" fit "$tmp/few.csv" --weak -o "$tmp/weak.json"
near 'weak scaling: g of a flat curve is about one, or nothing is parallel' "$(field "$tmp/weak.json" weak | grep -c True)" 1 0

fails 1 'no overwriting' "$memwall" fit "$tmp/exact.csv" -o "$tmp/exact.json"
