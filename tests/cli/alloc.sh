#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that runs out: each command with its N-th allocation failing, for every N up to where the reading ends and a sample
# of the rest. It may fail with a message or come through, and must not crash. MEMWALL_ALLOC_POSITIONS: so many of each
# command (default 16; `make check-alloc`: all).
# Not compare and machine: libsvm and hwloc end the process when memory runs out.
. "$(dirname "$0")/../tap.sh"
if nm "$memwall" 2>/dev/null | grep -q __asan_init; then skip 'memory that runs out' 'the sanitizer has an allocator of its own'; exit 0; fi
${CC:-gcc} -O1 -shared -fPIC -o "$tmp/alloc.so" "$root/tests/machines/alloc_shim.c" 2>"$tmp/why" || { echo '# SKIP no compiler'; exit 77; }
positions=${MEMWALL_ALLOC_POSITIONS:-16}
export OMP_NUM_THREADS=1
cd "$tmp" || exit 1
{
    echo cores,freq_ghz,time_s,power_w
    for p in 1 2 4 8; do for f in 1.2 2.4; do awk -v p=$p -v f=$f 'BEGIN { print p "," f "," 1 + 8 / p / f "," 30 + p * f * f }'; done; done
} >t.csv
check 'a model' "$memwall" fit t.csv -o m.json
while IFS='|' read -r command; do
    # shellcheck disable=SC2086
    ALLOC_LOG=$tmp/count LD_PRELOAD=$tmp/alloc.so "$memwall" $command >/dev/null 2>&1
    all=$(cat count) bad= silent=
    step=$(awk -v a="$all" -v n="$positions" 'BEGIN { print (a > n ? a / n : 1) }')
    # half of the positions as they come, where files are read, the other half over all
    for n in $(awk -v a="$all" -v n="$positions" -v s="$step" 'BEGIN { for (i = 1; i <= a && i <= n / 2; i++) print int(i); for (i = n / 2 + 1; i <= a; i += 2 * s) print int(i) }'); do
        timeout 100 env ALLOC_FAIL_AT="$n" LD_PRELOAD="$tmp/alloc.so" "$memwall" $command >/dev/null 2>said </dev/null
        got=$?
        [ $got -lt 124 ] || [ $got = 130 ] || bad="$bad $n ($got: $(head -n 1 said))"
        [ $got = 0 ] || [ -s said ] || silent="$silent $n"
    done
    if [ -z "$bad" ]; then ok "$command: no crash"; else not_ok "$command: no crash" "of $all allocations:$bad"; fi
    if [ -z "$silent" ]; then ok "$command: a failure is said"; else not_ok "$command: a failure is said" "$silent"; fi
done <<'LIST'
fit t.csv --force -o /dev/null
predict m.json
recommend m.json --objective energy
diagnose m.json
plan m.json
tune --replay t.csv
import csv t.csv
scan --replay t.csv
LIST
