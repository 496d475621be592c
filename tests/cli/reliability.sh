#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each way in which memwall hung, crashed or lost a file once: a case of ../shared/data/cases-reliability without a test here, or a
# script that says "case NAME" beside its own, fails.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cc=${CC:-gcc}

# ends NAME PID: within some seconds of now, so that nothing waits for what never comes (300 s and for ever here)
ends() {
    for ((i = 0; i < 150; i++)); do kill -0 "$2" 2>/dev/null || break; sleep .1; done
    if kill -0 "$2" 2>/dev/null; then not_ok "$1" 'it still runs'; kill -9 "$2"; else ok "$1"; fi
    wait "$2" 2>/dev/null
}
# a model, once
model() {
    [ -e model.json ] && return
    for p in 1 2 4 8; do for f in 1.2 1.8 2.4; do for r in 1 2; do
        awk -v p=$p -v f=$f -v r=$r 'BEGIN { print p "," f "," 9.5 / f * (.1 + .9 / p) + .05 + .002 * r }'
    done; done; done | sed '1i cores,freq_ghz,time_s' >good.csv
    "$memwall" fit good.csv -o model.json >/dev/null 2>&1
}

case_energy_command_hangs() {
    for signal in TERM INT HUP; do
        env --default-signal=INT "$memwall" scan --cores 1 --runs 2 --timeout 2 --force -o z.csv --energy-command 'sleep 300' -- true 2>/dev/null &
        pid=$!
        sleep .7
        kill -$signal $pid
        ends "a meter that hangs: SIG$signal" $pid
    done
}
case_fifo_hangs() {
    mkfifo ff
    "$memwall" scan --cores 1 --runs 1 --force -o ff -- true 2>/dev/null &
    pid=$!
    sleep .5
    kill -TERM $pid 2>/dev/null
    ends 'a pipe that nobody reads: an order' $pid
    fails 1 'a pipe that nobody reads: a time limit' timeout 60 "$memwall" scan --cores 1 --runs 1 --timeout 1 --force -o ff -- true
    says 'is said' 'nobody reads the pipe'
}
case_leftover() {
    "$memwall" scan --cores 1 --runs 1 --idle 0 --timeout 1 --force -o l.csv -- sh -c 'setsid sleep 4047 & sleep 5' 2>err
    if pgrep -f 'sleep 404[7]' >/dev/null; then not_ok 'what a run leaves behind is ended' "$(pgrep -af 'sleep 404[7]')"; pkill -f 'sleep 404[7]'; else ok 'what a run leaves behind is ended'; fi
}
case_malloc_fail() {
    if ! $cc -O1 -shared -fPIC -o alloc.so "$root/tests/machines/alloc_shim.c" -ldl 2>/dev/null; then skip 'allocations that fail' 'no compiler'; return; fi
    model
    bad=
    for ((n = 100; n <= 245; n += 5)); do
        OMP_NUM_THREADS=1 ALLOC_FAIL_AT=$n LD_PRELOAD=$PWD/alloc.so ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 "$memwall" fit good.csv >/dev/null 2>&1
        [ $? -lt 128 ] || bad="$bad $n"
    done
    if [ -z "$bad" ]; then ok 'allocations that fail'; else not_ok 'allocations that fail' "crashes at:$bad"; fi
}
case_model_memory_freq_0() {
    model
    for value in 0 -1 1e-320 '"x"' null; do
        sed "s/\"memory_freq_ghz\": [^,]*,/\"memory_freq_ghz\": $value,/" model.json >broken.json
        for command in 'predict broken.json --cores 1-8' 'recommend broken.json' 'diagnose broken.json' 'plot broken.json -o p.svg' \
            'report broken.json -o r.html' 'plan broken.json' 'fit broken.json --update good.csv'; do
            # shellcheck disable=SC2086
            "$memwall" $command --force >/dev/null 2>said
            got=$?
            case $got in
            2 | 3 | 4) ;;
            *) not_ok "memory_freq_ghz $value: $command" "status $got" "$(cat said)"; continue ;;
            esac
        done
    done
    fails 3 'a memory of no frequency' "$memwall" predict broken.json --cores 1
    says 'is named' 'memory_freq_ghz'
}
case_wide() {
    { printf cores; yes ,time_s | head -20000 | tr -d '\n'; echo; for p in 1 2; do printf $p; yes ,$((3 - p)) | head -20000 | tr -d '\n'; echo; done; } >w.csv
    check 'twenty thousand repeat columns' timeout 60 "$memwall" fit w.csv -o w.json
}

for test in $(declare -F | sed -n 's/^declare -f \(case_[a-z_0-9]*\)$/\1/p'); do $test; done
if [ ! -d "$shared/cases-reliability" ]; then skip 'a test for each case' "no $shared/cases-reliability"; exit 0; fi
lacks=
for file in "$shared"/cases-reliability/*; do
    name=$(basename "${file%.*}")
    declare -F "case_${name//-/_}" >/dev/null || grep -q "case $name\b" "$root"/tests/cli/*.sh || lacks="$lacks $name"
done
if [ -z "$lacks" ]; then ok 'a test for each case'; else not_ok 'a test for each case' "without:$lacks"; fi
