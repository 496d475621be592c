#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall measure stream: the table, the STREAM rules, limits and wrong usage. --llc keeps the arrays small.
. "$(dirname "$0")/../tap.sh"

check 'all kernels on one core' "$memwall" measure stream --cores 1 --llc 2MiB --runs 2
prints 'the contract'"'"'s columns' '^cores,freq_ghz,freq_effective_ghz,kernel,array_bytes,best_mb_s,avg_s,min_s,max_s,valid,page_bytes,isa'
for kernel in copy scale add triad read fill dot update copy-4k triad-4k read-4k update-4k; do
    prints "row of $kernel" "^1,[^,]*,[^,]*,$kernel,8388608,[0-9.]+,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,1,"
done
if [ "$(uname -m)" = x86_64 ]; then prints 'row of triad-nt' '^1,[^,]*,[^,]*,triad-nt,'; fi
for key in version command host cpu_model kernel compiler kernel_flags utc caches_reported working_set bytes_per_element \
    loop_bounds timing_rule threads validation saturation 'placement \(1 core, base pages\)'; do
    prints "evidence: $key" "^# $key: ."
done
awk -F, -v OFS=, '!/^#/ && !h {h=1; next} !/^#/ {b["copy"]=b["scale"]=b["update"]=b["dot"]=16; b["add"]=b["triad"]=24
    b["read"]=b["fill"]=8; split($4, k, "-"); r=$5/8*b[k[1]]/$8/1e6; if (r/$6 > 1.001 || r/$6 < .999 || $8>$7 || $7>$9) exit 1}' \
    <<<"$out" && ok 'best rate is bytes over the least time' || not_ok 'best rate is bytes over the least time' "$out"

check 'less time than one repetition takes' "$memwall" measure stream --cores 1 --llc 2MiB --kernel read --max-time 0.001s
says 'is said before it starts' "can't be held: .* what would fit: .*--max-time 1"
check 'a smaller array is enlarged' "$memwall" measure stream --cores 1 --llc 2MiB --array 4MiB --kernel read --runs 1000 --max-time 0.2s
says 'and it is said' 'enlarged to 8388608'
prints 'four times the caches' ',read,8388608,'
check 'a larger one is taken' "$memwall" measure stream --cores 1 --llc 1MiB --array 16MiB --kernel copy --runs 2
prints 'as asked' ',copy,16777216,'
check 'never below a million elements' "$memwall" measure stream --cores 1 --llc 1KiB --kernel fill --runs 2
prints 'a million' ',fill,8000000,'

fails 2 'unknown kernel' "$memwall" measure stream --kernel tria
says 'lists the kernels' 'copy, scale, add, triad'
fails 2 'more cores than there are' "$memwall" measure stream --cores 100000
says 'says how many' 'physical cores may be used'
fails 2 'an option of another probe' "$memwall" measure stream --chains 4
says 'names it' "'--chains' does not go with 'stream'"
fails 2 'unknown probe' "$memwall" measure steam
says 'suggests' 'measure stream'
fails 2 'one run is none' "$memwall" measure stream --runs 1
# AddressSanitizer itself needs terabytes of address space
case $memwall in *san-*) ulimit=true ;; *) ulimit='ulimit -v 400000' ;; esac
if [ "$ulimit" != true ]; then
fails 77 'address space limit' bash -c "$ulimit; exec '$memwall' measure stream --cores 1 --llc 32MiB"
says 'names the limit' 'ulimit -v'
says 'and a remedy' 'hint: .*--llc'
fi
: >"$tmp/there.csv"
fails 1 'no overwriting' "$memwall" measure stream --cores 1 --llc 1MiB -o "$tmp/there.csv"
says 'says so' 'exists'

if [ "$(nproc)" -ge 2 ] && "$memwall" help fit >/dev/null 2>&1; then
    "$memwall" measure stream --cores 1,2 --llc 2MiB --kernel triad,copy >"$tmp/two.csv" 2>/dev/null
    check 'fit takes it' bash -c "'$memwall' fit - --where kernel=triad <'$tmp/two.csv'"
fi

# Ctrl-C: no partial core count, nothing left behind, the documented status
"$memwall" measure stream --cores 1 --llc 16MiB --runs 10000 -o "$tmp/cut.csv" 2>"$tmp/cut.err" &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid
status=$?
if [ $status = 130 ]; then ok 'interrupted ends with 130'; else not_ok 'interrupted ends with 130' "$status" "$(cat "$tmp/cut.err")"; fi
if [ -z "$(ls "$tmp" | grep part)" ]; then ok 'nothing left behind'; else not_ok 'nothing left behind' "$(ls "$tmp")"; fi

check 'a plan' "$memwall" measure stream --cores 1 --llc 8MiB --dry-run
prints 'sizes and memory' '^1 core: [0-9]+ kernels on 3 arrays of 32 MiB, [0-9]+ MiB in all'
check 'a plan of latency' "$memwall" measure latency --size 4KiB,8MiB --dry-run
prints 'its sets' '^2 working sets of 4 to 8192 KiB'

# frequencies: set below --root, put back; the cores here don't follow, which is said and counts with --strict
tree=$tmp/tree
"$root/tests/machines/make_tree.sh" acpi-cpufreq "$tree" 2
state() { (cd "$tree" && grep -r . sys/devices/system/cpu/cpufreq | grep -v setspeed | sort); }
before=$(state)
check 'two frequencies' "$memwall" measure stream --root "$tree" --cores 1 --freq min,2 --llc 1KiB --kernel read --runs 2
prints 'the lower' '^1,0.8,[0-9.]+,read,'
prints 'the higher' '^1,2,[0-9.]+,read,'
says 'not confirmed' 'is not the frequency that was set'
if [ "$(state)" = "$before" ]; then ok 'put back'; else not_ok 'put back' "$(diff <(echo "$before") <(state))"; fi
fails 5 'strict' "$memwall" measure stream --root "$tree" --cores 1 --freq 0.8 --llc 1KiB --kernel read --runs 2 --strict
fails 2 'a frequency that is none' "$memwall" measure stream --root "$tree" --cores 1 --freq fast --kernel read
mkdir -p "$tmp/none/sys/devices/system/cpu"
fails 77 'no frequency control' "$memwall" measure stream --root "$tmp/none" --cores 1 --freq 1.2 --kernel read

if [ "$(nproc)" -ge 2 ]; then
    check 'two core counts' "$memwall" measure stream --cores 1,2 --llc 1MiB --kernel copy --runs 2
    prints 'what binds is told' '^# bound_by: from 1 to 2 cores: copy (the cores|the memory|both)$'
fi
