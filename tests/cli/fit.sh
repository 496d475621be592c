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
bad 'nan' 'bad.csv:3' <<<$'cores,time_s\n1,4\n2,nan'
bad 'inf' 'bad.csv:3' <<<$'cores,time_s\n1,4\n2,inf'
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

fails 1 'no overwriting' "$memwall" fit "$tmp/exact.csv" -o "$tmp/exact.json"
