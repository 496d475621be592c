#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Frequency control on generated trees: each driver write by write, every write failing once, kills, messages.
. "$(dirname "$0")/../tap.sh"
make_tree=$root/tests/machines/make_tree.sh
cc=${CC:-gcc}
$cc -O1 -shared -fPIC -o "$tmp/shim.so" "$root/tests/machines/kernel_shim.c" -ldl -pthread || { echo "# SKIP no compiler"; exit 77; }
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
tree=$tmp/tree log=$tmp/writes

# new DRIVER ARGS…: a fresh tree, and what it says
new() { local driver=$1; shift; rm -rf "$tree" "$log"; "$make_tree" "$driver" "$tree" "$@"; said=$(state); : >"$log"; }
state() { (cd "$tree/sys" && grep -r . devices/system/cpu --include='scaling_[gms]*' --include=boost --include=no_turbo | sort); }
# scan ARGS…: memwall scan on the tree under the kernel's rules
scan() { env SHIM_ROOT="$tree" SHIM_LOG="$log" LD_PRELOAD="$tmp/shim.so" "$memwall" scan --root "$tree" --force -o "$tmp/r.csv" "$@"; }
# The same in the background, where shells set SIGINT aside.
scan_behind() { exec env --default-signal=INT SHIM_ROOT="$tree" SHIM_LOG="$log" LD_PRELOAD="$tmp/shim.so" "$memwall" scan --root "$tree" --force -o "$tmp/r.csv" "$@"; }
restored() {
    local now
    now=$(state)
    if [ "$now" = "$said" ]; then ok "$1"; else not_ok "$1" "$(diff <(echo "$said") <(echo "$now"))"; fi
}
# writes NAME WANTED: the writes since the last `new`, one a line
writes() { if [ "$(cat "$log")" = "$2" ]; then ok "$1"; else not_ok "$1" "$(diff <(echo "$2") "$log")"; fi; }

up_down=(--cores 1 --freq 1.2,1.8 --order listed --runs 1)
userspace='policy0/scaling_governor userspace
policy0/scaling_setspeed 1200000
policy0/scaling_setspeed 1800000'
for driver in acpi-cpufreq intel_cpufreq amd-pstate cppc_cpufreq cpufreq-dt; do
    new $driver
    check "$driver: two frequencies" scan "${up_down[@]}" -- true
    writes "$driver: by userspace" "$userspace
policy0/scaling_governor schedutil"
    restored "$driver: as before"
    check "$driver: effective as asked for" awk -F, '!/^#/ && NR > 1 && $2 == 1 { n++; if ($3 != $8) exit 1 } END { exit n != 2 }' "$tmp/r.csv"
done
for driver in intel_pstate amd-pstate-epp amd-pstate-guided; do
    new $driver
    check "$driver: two frequencies" scan "${up_down[@]}" -- true
    writes "$driver: max before min upwards, min before max downwards" 'policy0/scaling_min_freq 1200000
policy0/scaling_max_freq 1200000
policy0/scaling_max_freq 1800000
policy0/scaling_min_freq 1800000
policy0/scaling_min_freq 800000
policy0/scaling_max_freq 2400000'
    restored "$driver: as before"
done


# a kernel shows new limits when its work queue comes to it: neither "a daemon changed them" nor a machine left pinned
new intel_pstate
SHIM_LAG=40 check 'limits that are shown late' scan "${up_down[@]}" -- true
late=$err
sleep .3
restored 'limits that are shown late: as before'
if [[ $late == *daemon* || $late == *'kernel keeps'* ]]; then not_ok 'nobody is blamed for it' "$late"; else ok 'nobody is blamed for it'; fi

# policies of all CPUs in use and of their siblings, in the order of their numbers
new acpi-cpufreq 24 2 2
check 'siblings: twelve cores of two threads' scan --cores 12 --freq 1.8 --runs 1 -- true
got=$(grep setspeed "$log" | grep -oE 'policy[0-9]+' | tr '\n' ' ')
want=$(for ((c = 0; c < 24; c += 2)); do printf 'policy%d ' $c; done)
if [ "$got" = "$want" ]; then ok 'policies in numerical order'; else not_ok 'policies in numerical order' "$got"; fi
new intel_pstate 4 1 2
check 'siblings: one core, two policies' scan --cores 1 --freq 1.8 --runs 1 -- true
if grep -q policy1/scaling_max_freq "$log"; then ok 'the sibling is pinned too'; else not_ok 'the sibling is pinned too' "$(cat "$log")"; fi

# every write fails once: the tree is always as before, the scan says why
for driver in acpi-cpufreq intel_pstate amd-pstate; do
    new $driver 4 2
    scan --cores 1,4 --freq 1.2,2.4 --boost keep --runs 1 -- true 2>/dev/null
    total=$(wc -l <"$log") bad=
    for ((k = 1; k <= total + 1; k++)); do
        new $driver 4 2
        SHIM_FAIL_AT=$k scan --cores 1,4 --freq 1.2,2.4 --runs 1 -- true 2>"$tmp/said"
        [ "$(state)" = "$said" ] || bad="$bad $k"
        [ ! -e "$tree/run/memwall/state" ] || bad="$bad $k(state file)"
    done
    if [ -z "$bad" ]; then ok "$driver: restored whichever of $total writes fails"; else not_ok "$driver: restored whichever write fails" "$bad"; fi
done
new acpi-cpufreq
SHIM_FAIL_FROM=3 fails 1 'all writes fail from the third on' scan --cores 1 --freq 1.2,1.8 --runs 1 -- true
says 'what could not be put back' "cannot put back '/sys/.*scaling_governor'"
check 'restore when the kernel is well again' env SHIM_ROOT="$tree" LD_PRELOAD="$tmp/shim.so" "$memwall" restore --root "$tree"
prints 'says what it put back' 'policy0: governor schedutil, 0.8 to 2.4 GHz'
restored 'restore: as before'

# boost off and back
new acpi-cpufreq
check 'boost off' scan --cores 1 --freq 1.2 --boost off --runs 1 -- true
writes 'boost goes off first and comes back first' 'cpufreq/boost 0
policy0/scaling_governor userspace
policy0/scaling_setspeed 1200000
cpufreq/boost 1
policy0/scaling_governor schedutil'
new intel_pstate
check 'turbo off' scan --cores 1 --freq 1.2 --boost off --runs 1 -- true
if grep -q 'intel_pstate/no_turbo 1' "$log"; then ok 'no_turbo is the other way round'; else not_ok 'no_turbo is the other way round' "$(cat "$log")"; fi
restored 'turbo: as before'
new cpufreq-dt
fails 77 'no switch for boost' scan --cores 1 --freq 1.2 --boost off --runs 1 -- true

# the kernel's refusals, each with its own remedy (1 EPERM, 13 EACCES, 16 EBUSY, 22 EINVAL, 30 EROFS)
for case in '13 root' '1 forbids' '30 read-only' '16 another owner' '22 does not take'; do
    new acpi-cpufreq
    SHIM_ERRNO=${case%% *} SHIM_FAIL_AT=2 fails 1 "errno ${case%% *}" scan --cores 1 --freq 1.2 --runs 1 -- true
    says "errno ${case%% *}: remedy" "hint: .*${case#* }"
    restored "errno ${case%% *}: as before"
done
new acpi-cpufreq
SHIM_LIMIT=1800000 check 'clamped' scan --cores 1 --freq 1.2,2.4 --runs 1 -- true
new intel_pstate
echo 60 >"$tree/sys/devices/system/cpu/intel_pstate/max_perf_pct"
SHIM_LIMIT=1440000 check 'clamped by a percentage' scan --cores 1 --freq 2.4 --runs 1 -- true
says 'the cap is named' 'asked for 2.4 GHz, the kernel keeps .*max_perf_pct is 60 %: write 100'
says 'the row is counted' '1 rows? .*marked'
SHIM_LIMIT=1440000 fails 5 'strict' scan --cores 1 --freq 2.4 --runs 1 --strict -- true
new amd-pstate
SHIM_IGNORE=1 check 'userspace taken and ignored' scan --cores 1 --freq 1.2 --runs 1 -- true
writes 'falls back to the limits' 'policy0/scaling_governor userspace
policy0/scaling_min_freq 1200000
policy0/scaling_max_freq 1200000
policy0/scaling_min_freq 800000
policy0/scaling_max_freq 2400000'
new acpi-cpufreq
echo 1800000 >"$tree/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
said=$(state)
SHIM_RESET=1 check 'a governor resets the limits' scan --cores 1 --freq 2.4 --runs 1 -- true
restored 'limits reset by a governor: as before'
new acpi-cpufreq
echo 1800000 >"$tree/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
said=$(state)
check 'a limit below the pin' scan --cores 1 --freq 2.4 --runs 1 -- true
writes 'it is widened before the pin' 'policy0/scaling_governor userspace
policy0/scaling_max_freq 2400000
policy0/scaling_setspeed 2400000
policy0/scaling_governor schedutil
policy0/scaling_max_freq 1800000'
restored 'a limit below the pin: as before'

# a frequency that does not reach the other cores, and a daemon
new acpi-cpufreq
SHIM_STUCK=1800000 check 'other cores stay' scan --cores 1,4 --freq 1.2,1.8 --runs 2 -- true
says 'they are named' '4 cores at 1.8 GHz: CPU 1-3 ran at [0-9.]+ GHz, not at 1.8 GHz'
check 'their rows are marked' awk -F, '/^#/ { next } $2 == 4 && $3 == 1.8 { n += $8 != 1.8 } $2 == 1 { n += 100 * ($3 != $8) } END { exit n != 2 }' "$tmp/r.csv"
new acpi-cpufreq
check 'a daemon' scan --cores 1 --freq 1.2 --runs 1 -- sh -c "echo 800000 >$tree/sys/devices/system/cpu/cpufreq/policy0/scaling_setspeed; echo 800000 >$tree/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq"
says 'it is seen after the run' 'policy0: scaling_setspeed went from 1200000 to 800000 during the run; a daemon'
check 'the row shows it' awk -F, '!/^#/ && $2 == 1 { exit $8 != 0.8 }' "$tmp/r.csv"

# signals and kills
for signal in INT TERM HUP; do
    new acpi-cpufreq
    scan_behind --cores 1 --freq 1.2,1.8 --runs 20 -- sleep .3 2>"$tmp/said" &
    until [ -s "$log" ]; do sleep .05; done
    kill -$signal $!; wait $!
    got=$?
    if [ $got = 130 ]; then ok "SIG$signal: status 130"; else not_ok "SIG$signal: status 130" "$got" "$(cat "$tmp/said")"; fi
    restored "SIG$signal: as before"
done
bad=
for k in 2 3 5 7; do
    new acpi-cpufreq 4 2
    SHIM_KILL_AT=$k scan --cores 1,4 --freq 1.2,1.8 --runs 1 -- true 2>/dev/null
    [ -e "$tree/run/memwall/state" ] || bad="$bad $k(no state)"
    env SHIM_ROOT="$tree" LD_PRELOAD="$tmp/shim.so" "$memwall" restore --root "$tree" >/dev/null || bad="$bad $k(restore)"
    [ "$(state)" = "$said" ] || bad="$bad $k"
done 2>/dev/null
if [ -z "$bad" ]; then ok 'restore after SIGKILL at any write'; else not_ok 'restore after SIGKILL at any write' "$bad"; fi
new acpi-cpufreq
SHIM_KILL_AT=3 scan --cores 1 --freq 1.2,1.8 --runs 1 -- true 2>/dev/null
check 'the next scan restores first' scan --cores 1 --freq 1.2 --runs 1 -- true
says 'and says so' 'put back what a killed memwall had left'
restored 'after both: as before'
check 'nothing to put back' "$memwall" restore --root "$tree"
prints 'nothing: said' 'nothing to put back'

# one at a time
new acpi-cpufreq
scan_behind --cores 1 --freq 1.2 --runs 1 -- sleep 1 2>/dev/null &
until [ -s "$log" ]; do sleep .05; done
fails 1 'a second scan is refused' "$memwall" scan --root "$tree" --cores 1 -- true
says 'by whom' 'another memwall \(process [0-9]+\)'
fails 1 'so is restore' "$memwall" restore --root "$tree"
wait

# --dry-run prints every write and does none
new acpi-cpufreq
check 'dry run' scan --cores 1 --freq 1.2,1.8 --dry-run --order listed -- true
prints 'dry run: a write' 'write userspace to /sys/devices/system/cpu/cpufreq/policy0/scaling_governor'
prints 'dry run: putting back' 'write schedutil to'
writes 'dry run: nothing written' ''
restored 'dry run: as before'
fails 2 'a frequency that is not offered' scan --cores 1 --freq 1.3 --runs 1 -- true
says 'the nearest is named' 'nearest is 1.2 GHz'

# plain files, without a kernel behind them: unconfirmed, marked, and wholly as before
for driver in acpi-cpufreq intel_pstate amd-pstate cpufreq-dt; do
    new $driver
    check "$driver, plain files" "$memwall" scan --root "$tree" --cores 1,4 --freq min,max --runs 1 --force -o "$tmp/r.csv" -- true
    restored "$driver, plain files: as before"
done
