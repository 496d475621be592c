#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall scan as a user calls it, over cores only.
. "$(dirname "$0")/../tap.sh"
file=$tmp/runs.csv
# holds CONDITION ROWS: on the columns of each row, by name; so many rows
holds() {
    grep -v '^#' "$file" | awk -F, -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n++; time_s = $at["time_s"]; cpu_s = $at["cpu_s"]; exit_status = $at["exit_status"]; if (!('"$1"')) exit bad = 1 }
        END { exit bad || n != want }'
}
rows() { grep -v '^#' "${1:-$file}" | tail -n +2; }

check 'a scan' "$memwall" scan --cores 1 --runs 3 -o "$file" -- sh -c 'echo hidden; sleep 0.02'
head=$(grep -v '^#' "$file" | head -n 1)
case $head in
workload,cores,repetition,time_s,cpu_s,exit_status,* | workload,cores,repetition,time_s,cpu_s,energy_j,exit_status,*) ok 'columns' ;;
*) not_ok 'columns' "$head" ;;
esac
check 'three rows, in time' holds 'time_s >= .02 && time_s < 5 && exit_status == 0' 3
for key in version command host cpu_model kernel compiler utc cpus scan_command scan_order; do
    grep -q "^# $key: ." "$file" || not_ok "recorded: $key" "$(grep '^#' "$file")"
done
ok 'what it was made with is recorded'
if [ -z "$out" ]; then ok 'the program prints nothing'; else not_ok 'the program prints nothing' "$out"; fi
check 'to standard output' "$memwall" scan --cores 1 --runs 1 -- true
prints 'rows' '^true,1,1,'
check 'show-output' "$memwall" scan --cores 1 --runs 1 --show-output -o "$tmp/x.csv" -- echo shown
says 'on standard error' '^shown'

# bound to as many CPUs as asked for, thread counts set, {cores} replaced
check 'the program sees' "$memwall" scan --cores 1 --runs 1 --show-output --env 'A=x{cores}y' --env OMP_PROC_BIND=close -o "$tmp/e.csv" -- \
    sh -c 'echo p={cores} omp=$OMP_NUM_THREADS go=$GOMAXPROCS julia=$JULIA_NUM_THREADS a=$A bind=$OMP_PROC_BIND dyn=$OMP_DYNAMIC; grep -h Cpus_allowed_list /proc/self/status'
says 'counts' 'p=1 omp=1 go=1 julia=1 a=x1y bind=close dyn=false'
says 'one CPU' 'Cpus_allowed_list:[[:space:]]+[0-9]+$'
check 'a launcher' "$memwall" scan --cores 1 --runs 1 --show-output --launcher "env 'B=b c' N={cores}" -o "$tmp/l.csv" -- sh -c 'echo "B=$B N=$N omp=$OMP_NUM_THREADS"'
says 'its words' 'B=b c N=1 omp=1'
cores=$(nproc)
if [ "$cores" -ge 2 ]; then
    check 'two cores' "$memwall" scan --cores 2 --runs 1 --show-output -o "$tmp/2.csv" -- sh -c 'nproc; echo $OMP_NUM_THREADS'
    says 'two CPUs' '^2$'
    check 'cores launched as processes' "$memwall" scan --cores 2 --runs 1 --show-output --launcher 'env N={cores}' -o "$tmp/3.csv" -- sh -c 'echo n=$N omp=$OMP_NUM_THREADS'
    says 'have one thread each' 'n=2 omp=1'
    check 'a run with children' "$memwall" scan --cores 2 --runs 1 -o "$tmp/c.csv" -- \
        sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done & i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; wait'
    cp "$tmp/c.csv" "$file"
    check 'CPU time counts the children' holds 'cpu_s > .01' 1
else
    skip 'two cores' 'one CPU here'
fi
fails 2 'more cores than there are' "$memwall" scan --cores 100000 -- true
says 'how many there are' '100000 cores asked for, [0-9]+ physical cores'

# failing, killed, too slow, wrong
fails 1 'every run fails' "$memwall" scan --cores 1 --runs 1 --force -o "$file" -- sh -c 'exit 3'
says 'is told' '1 core, run 1 failed: exit status 3'
check 'kept with its status' holds 'exit_status == 3' 1
fails 1 'a killed run' "$memwall" scan --cores 1 --runs 1 --force -o "$file" -- sh -c 'kill -9 $$'
check 'status 137' holds 'exit_status == 137' 1
fails 1 'a timeout' "$memwall" scan --cores 1 --runs 1 --timeout 0.2 --force -o "$file" -- sh -c 'sleep 30 & echo $! >'"$tmp/pid"'; sleep 30'
check 'status 124' holds 'exit_status == 124 && time_s < 25' 1
for _ in $(seq 100); do # killed, they go when they get the CPU once more
    state=$(awk '/^State/ { print $2 }' "/proc/$(cat "$tmp/pid")/status" 2>/dev/null) # a zombie that init has not collected is gone
    if [ -z "$state" ] || [ "$state" = Z ]; then break; fi
    sleep .1
done
if [ -z "$state" ] || [ "$state" = Z ]; then ok 'its children are gone'; else not_ok 'its children are gone'; fi
fails 1 'a check that fails' "$memwall" scan --cores 1 --runs 1 --check 'grep -q good' --force -o "$file" -- echo bad
check 'status 125' holds 'exit_status == 125' 1
check 'a check that holds' "$memwall" scan --cores 1 --runs 1 --check 'grep -q "good for {cores}"' --force -o "$file" -- echo 'good for 1'
check 'status 0' holds 'exit_status == 0' 1
fails 1 'no such command' "$memwall" scan --cores 1 -- no-such-command-here
says 'named' "cannot run 'no-such-command-here': no such command"
fails 1 'not a program' "$memwall" scan --cores 1 -- /etc/passwd
fails 2 'no command' "$memwall" scan --cores 1

# the time that the program prints
check 'a time' "$memwall" scan --cores 1 --runs 1 --time-regexp 'Time: *([0-9.ms]+)' --force -o "$file" -- printf 'Time: 9\nx Time:  1m2.5s\n'
check 'the last one' holds 'time_s == 62.5' 1
check 'a rate' "$memwall" scan --cores 1 --runs 1 --rate-regexp '([0-9.e+]+) it/s' --force -o "$file" -- echo 'done, 4.0e+1 it/s'
check 'its inverse' holds 'time_s == 0.025' 1
fails 1 'none printed' "$memwall" scan --cores 1 --runs 1 --time-regexp 'Time: ([0-9.]+)' --force -o "$file" -- echo no
says 'said' 'printed no time'
fails 2 'a bad expression' "$memwall" scan --cores 1 --time-regexp '(' -- true
fails 2 'an open quote' "$memwall" scan --cores 1 --launcher "env 'a" -- true
fails 2 'both expressions' "$memwall" scan --cores 1 --time-regexp a --rate-regexp b -- true
fails 2 'runs and precision' "$memwall" scan --cores 1 --runs 3 --precision 2% -- true
fails 2 'a bad order' "$memwall" scan --order sideways -- true

# replay of a table; what it tells of its runs goes through
cat >"$tmp/told.csv" <<'T'
workload,cores,repetition,time_s,cpu_s,exit_status,sys_s,main_wait_s,thread_wait_s,other_cpu_s,steal_s,throttled_s,switches,preempted,faults,threads,peak_memory_bytes,cycles,instructions,cache_misses,disturbed
told,1,1,10,9.5,0,0.25,0.125,0.5,0.75,0.0625,0.03125,7,9,3,2,1048576,30000000000,40000000000,5000,1
told,2,1,5,9.75,0,0.5,0.25,0.75,1,0.125,0.0625,8,10,4,3,2097152,35000000000,40000000000,6000,0
T
check 'replay of runs with all columns' "$memwall" scan --replay "$tmp/told.csv" --order listed --force -o "$file"
if diff <(grep -v '^#' "$file") "$tmp/told.csv" >"$tmp/diff"; then ok 'the same to the letter'; else not_ok 'the same to the letter' "$(cat "$tmp/diff")"; fi
table=$root/data/examples/canneal.csv
[ -e "$table" ] || table=$shared/parsec-power/canneal.csv
if [ -e "$table" ]; then
    check 'replay' "$memwall" scan --replay "$table" --cores 1,6,12,24 --freq 1.2,1.8,2.4 --force -o "$file"
    if [ "$(rows | wc -l)" = 12 ]; then ok 'twelve rows'; else not_ok 'twelve rows' "$(cat "$file")"; fi
    fails 3 'a point that it lacks' "$memwall" scan --replay "$table" --cores 25 --freq 2.4
    says 'the nearest is named' 'no run on 25 cores at 2.4 GHz, the nearest is 24 cores at 2.4 GHz'
    check 'all of it' "$memwall" scan --replay "$table" --order listed --force -o "$file"
    if [ "$(rows | wc -l)" -gt 100 ]; then ok 'every configuration'; else not_ok 'every configuration'; fi
else
    skip 'replay' 'no table here'
fi

# no frequency control here: the words
if [ ! -d /sys/devices/system/cpu/cpufreq/policy0 ]; then
    fails 77 'no frequency control' "$memwall" scan --freq 1.2 -- true
    says 'what follows from it' "frequency effects can't be identified"
fi

# an interrupted scan keeps what it has: one Ctrl-C lets the run end
rm -f "$file"
env --default-signal=INT "$memwall" scan --cores 1 --runs 100 --force -o "$file" -- sleep 0.3 2>"$tmp/said" &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(rows 2>/dev/null | wc -l)" -lt 1 ]; do sleep .05; done
kill -INT $pid; wait $pid
got=$?
if [ $got = 130 ]; then ok 'interrupted: status 130'; else not_ok 'interrupted: status 130' "$got"; fi
err=$(cat "$tmp/said")
says 'what is kept' 'interrupted: [1-9][0-9]* runs are kept in'
kept=$(grep -oE '[1-9][0-9]* runs are kept' "$tmp/said" | cut -d' ' -f1)
if [ "$(rows | wc -l)" = "$kept" ]; then ok 'so many rows'; else not_ok 'so many rows' "$(rows)"; fi

# one memwall of a user at a time, unless it is told otherwise
"$memwall" scan --cores 1 --runs 1 --idle 0 -o "$tmp/held.csv" -- sh -c 'touch "$1"; while [ -e "$1" ]; do sleep .05; done' sh "$tmp/go" 2>/dev/null &
holder=$!
until [ -e "$tmp/go" ]; do sleep .05; done
fails 1 'a second one is refused' "$memwall" scan --cores 1 --runs 1 -- true
says 'by whom, and the way out' "another memwall \(process $holder\)"
says 'the way out' 'hint: --wait waits'
fails 1 'so is measure' "$memwall" measure flops --max-time 1
check 'beside it' "$memwall" scan --cores 1 --runs 1 --idle 0 --no-lock -o "$tmp/beside.csv" -- true
check 'with a mark' grep -q '^# lock: none' "$tmp/beside.csv"
check 'a place of its own' env MEMWALL_RUN_DIR="$tmp/elsewhere" "$memwall" measure flops --max-time 1
prints 'marked too' '^# lock: of MEMWALL_RUN_DIR alone'
fails 2 'both' "$memwall" scan --cores 1 --wait --no-lock -- true
env --default-signal=INT "$memwall" scan --cores 1 --wait -- true 2>"$tmp/said" &
pid=$!
until grep -q 'waiting for it' "$tmp/said"; do sleep .05; done
kill -INT $pid; wait $pid
got=$?
if [ $got = 130 ]; then ok 'waiting ends by a signal'; else not_ok 'waiting ends by a signal' "$got $(cat "$tmp/said")"; fi
"$memwall" scan --cores 1 --runs 1 --idle 0 --wait -o "$tmp/waited.csv" -- true 2>"$tmp/said" &
pid=$!
until grep -q 'waiting for it' "$tmp/said"; do sleep .05; done
rm "$tmp/go"
wait $pid
got=$?
wait $holder
if [ $got = 0 ] && [ "$(rows "$tmp/waited.csv" | wc -l)" = 1 ]; then ok '--wait takes its turn'; else not_ok '--wait takes its turn' "$got $(cat "$tmp/said")"; fi
