# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by slurm.sh, with accounting: energies that a scan has from sacct. Both nodes draw fifty watts; root's jobs may read the
# meter themselves, others have Slurm's figure alone.
ok 'two nodes, slurmdbd and MariaDB are up'
mkdir user user/.run && chown nobody: user user/.run && cp "$memwall" user/memwall
as_user() { runuser -u nobody -- env MEMWALL_RUN_DIR="$tmp/user/.run" "$tmp/user/memwall" "$@"; }
# the values of energy_j in FILE that fifty watts times time_s explain, to a sixth
explained() {
    awk -F, '/^#/ { next } !t { for (i = 1; i <= NF; i++) { if ($i == "time_s") t = i; if ($i == "energy_j") e = i } next }
        e && $e / $t > 50 / 1.17 && $e / $t < 50 * 1.17 { n++ } END { print n + 0 }' "$1"
}
# the number of the array of a scan that has begun, once its first element runs
running() {
    local id
    for _ in $(seq 300); do
        id=$(sed -n '1s/ .*//p' "$1.jobs/jobs" 2>/dev/null)
        [ -n "$id" ] && [ "$(squeue -h -r -t R -j "${id}_0" -o %K 2>/dev/null)" = 0 ] && break
        sleep .1
    done
    echo "$id"
}
scontrol update NodeName=n2 State=DRAIN Reason=test # of one host: the memwall on one node would wait for that on the other
scan="scan --slurm --exclusive --cores 1,2 --runs 4"

check 'a scan whose nodes have no meter that may be read' as_user $scan -o user/e.csv -- sleep 5.2
holds 'has energies from sacct' [ "$(explained user/e.csv)" = 8 ]
holds 'and says so' grep -q "^# energy: Slurm's accounting" user/e.csv
check 'fit takes them' "$memwall" fit user/e.csv -o e.json
check 'one whose nodes have' "$memwall" $scan -o own.csv -- sleep 1
holds 'has those' [ "$(grep -c '^# energy: Cray' own.csv)" = 1 ]

check 'runs of which Slurm counts no more than a second' as_user $scan -o user/s.csv -- sleep .4
says 'are said to be too short' '2 points have no energy: .* nine tenths'
holds 'and have none' [ "$(explained user/s.csv)" = 0 ]

check 'a warm-up is no idle time' as_user ${scan/1,2/1} --warmup 2 -o user/w.csv -- sleep 4
holds 'and energies are there' [ "$(explained user/w.csv)" = 4 ]

as_user $scan -o user/q.csv -- sleep 5.2 >"$tmp/.out" 2>"$tmp/.err" &
pid=$!
id=$(running user/q.csv)
for _ in $(seq 100); do [ -e user/q.csv.jobs/0.0.0.csv ] && break; sleep .1; done # it measures
scontrol requeue "${id}_0" && scancel "${id}_1"
for _ in $(seq 100); do scontrol update "JobId=${id}_0" StartTime=now 2>/dev/null && break; sleep .2; done # two minutes otherwise
wait $pid; status=$? err=$(cat "$tmp/.err")
holds 'one job requeued, the other cancelled: status 1' [ $status = 1 ]
says 'the cancelled one is named' '2 cores: its job was cancelled'
holds 'the requeued one has its last start, with energies' [ "$(rows user/q.csv).$(explained user/q.csv)" = 4.4 ]
check 'resuming runs the other' as_user $scan --resume -o user/q.csv -- sleep 5.2
holds 'with energies for all' [ "$(explained user/q.csv)" = 8 ]

sacct --allusers --starttime now-1hours --endtime now --parsable2 --state COMPLETED --format JobID,State,ElapsedRaw,NCPUS,NNodes,ConsumedEnergyRaw >jobs.txt
check 'and import reads what sacct prints' "$memwall" import sacct jobs.txt -o i.csv
holds 'with its energies' [ "$(explained i.csv)" -ge 5 ]
