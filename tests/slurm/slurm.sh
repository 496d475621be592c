#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall scan --slurm against real daemons: two nodes on this host. SLURM_LONG=1 (make check-slurm) installs
# it where it is missing, and adds what takes minutes.
. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster.sh"
[ "$(id -u)" = 0 ] || { echo '# SKIP only root can start Slurm'; exit 77; }
missing=$(cluster_missing)
if [ -n "$missing$(cluster_unaccounted)" ] && [ "${SLURM_LONG:-}" = 1 ]; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=120 --no-install-recommends slurmctld slurmd slurm-client munge slurmdbd mariadb-server; } \
        >"$tmp/apt.log" 2>&1 </dev/null
    missing=$(cluster_missing)
fi
[ -z "$missing" ] || { echo "# SKIP $missing is missing"; exit 77; }

cluster=$tmp/cluster
chmod 755 "$tmp"
trap 'cluster_stop; finish' EXIT
if ! cluster_start; then
    [ "${SLURM_LONG:-}" = 1 ] || { echo '# SKIP Slurm does not start here'; exit 77; }
    not_ok 'two nodes of Slurm are up' "$(tail -n 3 "$cluster"/*.log)"
    exit 1
fi
ok 'two nodes of Slurm are up'
cd "$tmp" || exit 1
rows() { grep -vc '^#\|^workload' "$1"; }
queue() { squeue -h | wc -l; }
holds() { # NAME CONDITION…
    local name=$1
    shift
    if "$@"; then ok "$name"; else not_ok "$name" "$out" "$err"; fi
}

scan="$memwall scan --slurm --exclusive --cores 1,2 --runs 3"
check 'a dry run submits nothing' $scan --dry-run -o a.csv -- sleep .01
holds 'and leaves nothing' [ ! -e a.csv ] && [ ! -e a.csv.jobs ]
check 'a scan by jobs' $scan -o a.csv -- sleep .05
holds 'has all its rows' [ "$(rows a.csv)" = 6 ]
holds 'and no folder is left' [ ! -e a.csv.jobs ]
check 'fit reads it' "$memwall" fit a.csv --law amdahl -o a.json
before=$(sha256sum <a.csv)
check 'resuming a complete one does nothing' $scan --resume -o a.csv -- sleep .05
holds 'to the byte' [ "$before" = "$(sha256sum <a.csv)" ]
fails 2 'other options are refused' $scan --resume -o a.csv -- sleep .06
fails 1 'and so is a file that is there' $scan -o a.csv -- sleep .05
fails 1 'a program that fails everywhere ends with 1' $scan -o f.csv -- false
says 'and says so' 'no run succeeded'
holds 'the row of the first run of each is kept' [ "$(rows f.csv)" = 2 ]
fails 1 'a partition that is none ends with its name' $scan --partition nowhere -o p.csv -- true
says 'in the words of Slurm' '[Ii]nvalid partition'

check 'a clock that nodes do not honour' $scan --freq 1.2 -o c.csv -- sleep .05
says 'is said' 'did not run at the clock'
holds 'and recorded as asked' grep -q '^sleep,1,1.2,1,' c.csv
fails 5 'with --strict it is an error' $scan --freq 1.2 --strict -o s.csv -- sleep .05

check 'programs over two nodes' "$memwall" scan --slurm --exclusive --nodes 1,2 --cores 1,2 --runs 2 -o n.csv -- sh -c 'echo $SLURM_PROCID >>"$0"' "$tmp/ranks"
holds 'have nodes and cores in their rows' [ "$(grep -c '^sh,4,.*,2$' n.csv)" = 2 ]
holds 'and of what starts them nothing' [ "$(awk -F, '/^workload/ { for (i = 1; i <= NF; i++) name[i] = $i } /^sh,4,/ { for (i = 1; i <= NF; i++) if ($i != "") printf "%s ", name[i] }' n.csv)" = "$(printf 'workload cores repetition time_s exit_status nodes %.0s' 1 2)" ]
holds 'and four processes a run' [ "$(grep -c '^3$' ranks)" = 2 ]
check 'shared nodes' "$memwall" scan --slurm --cores 1,2 --runs 1 -o h.csv -- sh -c 'taskset -p $$'

check 'tune on a node' "$memwall" tune --slurm --time 5 --cores 1,2 --runs 1 --max-points 2 --log tune.csv -- sh -c 'sleep 0.{cores}'
prints 'answers first' '^Run it on 1 core: 0\.1[0-9]* s'
holds 'has its log here' grep -q '^# tune_command' tune.csv
fails 1 'tune in a partition that is none' "$memwall" tune --slurm --partition nowhere --log t2.csv -- true
says 'names it' 'partition nowhere'
fails 2 'a partition without --slurm' "$memwall" tune --partition main -- true

$scan -o x.csv -- sleep 20 >"$tmp/.out" 2>"$tmp/.err" &
pid=$!
for _ in $(seq 100); do [ "$(squeue -h -t R | wc -l)" -ge 1 ] && break; sleep .1; done
kill -INT $pid; wait $pid; status=$? err=$(cat "$tmp/.err")
holds 'Ctrl-C ends with 130' [ $status = 130 ]
for _ in $(seq 100); do [ "$(queue)" = 0 ] && break; sleep .1; done
holds 'and takes the jobs back' [ "$(queue)" = 0 ]
rm -rf x.csv.jobs

$scan -o k.csv -- sh -c "[ -e '$tmp/go' ] || sleep 30" >"$tmp/.out" 2>"$tmp/.err" &
pid=$!
for _ in $(seq 100); do [ "$(squeue -h -t R | wc -l)" -ge 1 ] && break; sleep .1; done
scancel --state=RUNNING --user=root; touch "$tmp/go"
wait $pid; status=$? err=$(cat "$tmp/.err")
holds 'a job that somebody cancels is named, status 1' [ $status = 1 ]
says 'as cancelled' 'cancelled|CANCELLED'
check 'resuming runs it' $scan --resume -o k.csv -- sh -c "[ -e '$tmp/go' ] || sleep 30"
holds 'to the last row' [ "$(rows k.csv)" = 6 ]

# a memwall that is killed leaves its jobs; the next one finds their results
$scan -o z.csv -- sleep .2 >"$tmp/.out" 2>"$tmp/.err" &
pid=$!
for _ in $(seq 100); do [ -s z.csv.jobs/jobs ] && break; sleep .05; done
kill -9 $pid; wait $pid 2>/dev/null
check 'a scan whose memwall was killed is resumed' $scan --resume -o z.csv -- sleep .2
holds 'with all rows, once' [ "$(rows z.csv)" = 6 ]
holds 'by the jobs that it had' [ ! -e z.csv.jobs ]

# what a start left whose job Slurm has started anew is no end: the job runs
$scan -o r.csv -- sleep 1.5 >"$tmp/.out" 2>"$tmp/.err" &
pid=$!
for _ in $(seq 100); do [ -e r.csv.jobs/0.0.0.log ] && break; sleep .05; done
echo 130 >r.csv.jobs/0.0.0.done
wait $pid; status=$? err=$(cat "$tmp/.err")
holds 'a start that ended while its job goes on is no failure' [ $status = 0 ]
holds 'and the point is measured' [ "$(rows r.csv)" = 6 ]

if [ "${SLURM_LONG:-}" = 1 ]; then
    $scan -o d.csv -- sh -c "[ -e '$tmp/gone' ] || { echo \$SLURMD_NODENAME >>'$tmp/asleep'; exec sleep 60; }" >"$tmp/.out" 2>"$tmp/.err" &
    pid=$!
    for _ in $(seq 300); do [ -s asleep ] && [ "$(squeue -h -t R | wc -l)" -ge 2 ] && break; sleep .1; done
    holds 'two jobs run, one of them measures' [ -s asleep ]
    read -r node <asleep
    cluster_node "$node" kill
    touch "$tmp/gone"
    sleep 15
    cluster_node "$node" start
    wait $pid; status=$? err=$(cat "$tmp/.err")
    holds 'a node that dies in the middle loses nothing' [ $status = 0 ]
    holds 'every run once' [ "$(rows d.csv)" = 6 ]
    check '500 points' "$memwall" scan --slurm --unbound --cores "$(seq -s, 1 500)" --exclusive --runs 1 -o m.csv -- true
    holds 'each once' [ "$(grep -o '^true,[0-9]*' m.csv | sort -u | wc -l)" = 500 ]
    unaccounted=$(cluster_unaccounted)
    cluster_stop; rm -rf "$cluster"
    if [ -n "$unaccounted" ]; then
        skip 'energies by sacct' "$unaccounted is missing"
    elif cluster_account && cluster_start; then
        . "$here/energy.sh"
    else
        not_ok 'two nodes, slurmdbd and MariaDB are up' "$(tail -n 3 "$cluster"/*.log)"
    fi
    cluster_stop; rm -rf "$cluster"
    cluster_start MaxJobCount=4 MinJobAge=10
    check 'a queue of four places' "$memwall" scan --slurm --unbound --cores "$(seq -s, 1 12)" --exclusive --runs 1 -o q.csv -- true
    holds 'takes twelve points' [ "$(rows q.csv)" = 12 ]
fi
