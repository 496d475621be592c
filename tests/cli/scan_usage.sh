#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a run tells beside its time, quotas, and what a run leaves behind.
. "$(dirname "$0")/../tap.sh"
file=$tmp/runs.csv
scan() { "$memwall" scan --cores 1 --runs 1 --idle 0 --force -o "$file" "$@"; }
# cell COLUMN: of the first row; "none" where there is no such column
cell() { grep -v '^#' "$file" | awk -F, -v c="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i; next } NR == 2 { print at ? $at : "none" }'; }
# holds NAME CONDITION COLUMN…: an awk condition on the cells, as v[1], v[2], …
holds() {
    local name=$1 condition=$2 values=
    shift 2
    for c in "$@"; do values="$values $(cell "$c")"; done
    if awk '{ split($0, v, " "); exit !('"$condition"') }' <<<"$values"; then ok "$name"; else not_ok "$name" "$*:$values" "$(cat "$file")"; fi
}
# there PID: it runs (one that has ended and waits to be collected does not)
there() { local s; s=$(awk '{ print $3 }' "/proc/$1/stat" 2>/dev/null) && [ -n "$s" ] && [ "$s" != Z ]; }
gone() { for _ in $(seq 100); do there "$1" || return 0; sleep .05; done; return 1; }

spin='i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
check 'a run that computes' scan -- sh -c "$spin"
holds 'its CPU time is in the sum' 'v[1] > .02 && v[2] >= 0 && v[2] <= v[1]' cpu_s sys_s
holds 'time is what it ran and what it waited for a CPU' 'v[1] - v[2] - v[3] < .1 * v[1] + .05 && v[3] >= 0 && v[3] < v[1]' time_s cpu_s main_wait_s
holds 'counts' 'v[1] >= 0 && v[2] >= 0 && v[3] >= 0' switches preempted faults
holds 'no wall time beside it' 'v[1] == "none"' wall_s
check 'a run that sleeps' scan -- sh -c 'sleep .2; sleep .2; sleep .2'
holds 'switches, and hardly runs' 'v[1] >= 3 && v[2] < .3 && v[3] > .55' switches cpu_s time_s
check 'a time that is printed' scan --time-regexp 'T ([0-9.]+)' -- sh -c 'sleep .3; echo T 4.5'
holds 'has the wall time beside it' 'v[1] == 4.5 && v[2] > .25 && v[2] < 4' time_s wall_s
check 'three processes' scan -- sh -c 'sleep 1.5 & sleep 1.5 & sleep 1.5; wait'
holds 'are three threads; the shell in front is none' 'v[1] == 3' threads
check 'a large process' scan -- sh -c 'dd if=/dev/zero of=/dev/null bs=96M count=2 2>/dev/null'
holds 'its peak memory' 'v[1] > 96e6 && v[1] < 200e6' peak_memory_bytes
if grep -q '^# cpu_limit: [1-9]' "$file"; then ok 'the CPU limit is recorded'; else not_ok 'the CPU limit' "$(grep '^#' "$file")"; fi
check 'another program on the same CPU' scan -- sh -c 'sh -c "while :; do :; done" & sleep .8'
says 'a process left behind is said' 'it left 1 process running \(sh\), which were ended'
check 'counters' scan --counters -- sh -c "$spin"
if [ "$(cell cycles)" = none ]; then says 'none here: why' 'no counters: .'; else holds 'cycles are counted' 'v[1] > 1e6 && v[2] > 1e6 && v[3] > 0 && v[3] <= 1' cycles instructions counted_share; fi

# left behind: ended whatever its session, unless told otherwise
check 'a process of a new session' scan -- sh -c 'setsid sh -c "echo \$\$ >'"$tmp/pid"'; exec sleep 60" & sleep .4'
says 'is said' 'it left 1 process running \(sleep\)'
if gone "$(cat "$tmp/pid")"; then ok 'and ended'; else not_ok 'and ended'; fi
check 'kept' scan --keep-children -- sh -c 'setsid sh -c "echo \$\$ >'"$tmp/pid"'; exec sleep 60" & sleep .4'
if there "$(cat "$tmp/pid")"; then ok 'runs on'; else not_ok 'runs on'; fi
kill "$(cat "$tmp/pid")"
holds 'and the row is marked' 'v[1] == 1' disturbed
sleep 60 & bystander=$!
check 'a bystander of the same name' scan -- sh -c 'setsid sleep 60 & sleep .3'
if there $bystander; then ok 'is left alone'; else not_ok 'is left alone'; fi
kill $bystander
fails 1 'a timeout' scan --timeout .5 -- sh -c 'trap "echo cleaned >'"$tmp/cleaned"'; exit" TERM; setsid sleep 60 & echo $! >'"$tmp/pid"'; while :; do sleep .05; done'
if [ -e "$tmp/cleaned" ]; then ok 'lets the program clean up'; else not_ok 'lets the program clean up'; fi
if gone "$(cat "$tmp/pid")"; then ok 'and ends what is left'; else not_ok 'and ends what is left'; fi
fails 1 'one that does not hear' scan --timeout .3 -- sh -c 'trap "" TERM; echo $$ >'"$tmp/pid"'; while :; do :; done'
if gone "$(cat "$tmp/pid")"; then ok 'is killed'; else not_ok 'is killed'; fi
for signal in TERM KILL; do
    rm -f "$tmp/pid" "$tmp/pid2"
    "$memwall" scan --cores 1 --runs 1 --idle 0 --force -o "$file" -- sh -c 'echo $$ >'"$tmp/pid"'; setsid sh -c "echo \$\$ >'"$tmp/pid2"'; exec sleep 60" & wait' 2>/dev/null &
    pid=$!
    for _ in $(seq 100); do if [ -s "$tmp/pid2" ]; then break; fi; sleep .05; done
    kill -$signal $pid; wait $pid 2>/dev/null
    if gone "$(cat "$tmp/pid")" && gone "$(cat "$tmp/pid2")"; then ok "SIG$signal to memwall ends its program"; else not_ok "SIG$signal to memwall ends its program"; fi
done 2>/dev/null

# a quota of the control group: as the kernel keeps it, where one may be made here
group=
for v1 in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct; do
    [ -e $v1/cpu.cfs_quota_us ] && [ -w $v1/cgroup.procs ] && mkdir $v1/memwall-test-$$ 2>/dev/null && group=$v1/memwall-test-$$ && break
done
if [ -n "$group" ] && echo 10000 >"$group/cpu.cfs_quota_us" 2>/dev/null; then
    check 'a tenth of a CPU' sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" "$memwall" scan --runs 1 --idle 0 --force -o "$file" -- sh -c "$spin"
    says 'is said' "a quota gives 0.1 CPUs' worth of time"
    holds 'and what it held back' 'v[1] > .01' throttled_s
    if grep -q '^# cpu_limit: 0.1$' "$file"; then ok 'recorded'; else not_ok 'recorded' "$(cat "$file")"; fi
    check 'machine' sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" "$memwall" machine
    prints 'says it' "^quota +0.1 CPUs' worth"
else
    skip 'a quota as the kernel keeps it' 'no control group of version 1 may be made here'
fi
[ -z "$group" ] || rmdir "$group"
tree=$shared/cases/quota-v2/tree.sh
if [ -e "$tree" ]; then
    sh "$tree" "$tmp/tree"
    check 'a quota on the group above' "$memwall" machine --root "$tmp/tree"
    prints 'machine says it' "^quota +3 CPUs' worth of time, by the control group '/box'"
    check 'a plan' "$memwall" scan --root "$tmp/tree" --dry-run -o "$tmp/x.csv" -- true
    prints 'stops there' '^# scan_cores: 1,2,3$'
    prints 'and records it' '^# cpu_limit: 3$'
    check 'a plan beyond it' "$memwall" scan --root "$tmp/tree" --dry-run --cores all -o "$tmp/x.csv" -- true
    says 'is warned of' "a quota gives 3 CPUs' worth of time here: runs on more cores"
    # the control group of a container: the path is the host's, the files are at the top of what is mounted
    rm -rf "$tmp/tree/sys/fs/cgroup/box" && echo '150000 100000' >"$tmp/tree/sys/fs/cgroup/cpu.max" && echo '0::/docker/abc' >"$tmp/tree/proc/self/cgroup"
    check 'in a container' "$memwall" machine --root "$tmp/tree"
    prints 'the same' "^quota +1.5 CPUs' worth"
else
    skip 'captured quotas' 'no ../shared/data/cases'
fi
