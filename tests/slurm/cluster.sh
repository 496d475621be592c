# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: a Slurm of two nodes on this host, real daemons with their own key, sockets and ports below $cluster, so that a
# Slurm that may run here is not touched. cluster_start, cluster_stop, cluster_node N start|kill; SLURM_CONF is exported.

cluster_missing() {
    local tool
    for tool in slurmctld slurmd munged sbatch runuser; do
        command -v "$tool" >/dev/null 2>&1 || PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { echo "$tool"; return; }
    done
}

cluster_node() {
    local pidfile=$cluster/slurmd.$1.pid
    case $2 in
    start) slurmd -N "$1" >>"$cluster/slurmd.$1.log" 2>&1 ;;
    kill) [ ! -s "$pidfile" ] || kill -9 "$(cat "$pidfile")" 2>/dev/null ;;
    esac
}

# cluster_start [LINE…]: further lines of slurm.conf
cluster_start() {
    local base=$((20000 + $$ % 20000)) n cpus
    export PATH=$PATH:/usr/sbin SLURM_CONF=$cluster/slurm.conf
    cpus=$(nproc)
    mkdir -p "$cluster/state" "$cluster/munge" "$cluster/spool.n1" "$cluster/spool.n2"
    chmod 755 "$cluster"
    dd if=/dev/urandom of="$cluster/munge/key" bs=1024 count=1 2>/dev/null
    chown -R munge: "$cluster/munge" && chmod 700 "$cluster/munge" && chmod 400 "$cluster/munge/key"
    mkdir -p "$cluster/socket" && chown munge: "$cluster/socket" && chmod 755 "$cluster/socket"
    runuser -u munge -- munged --key-file="$cluster/munge/key" --socket="$cluster/socket/munge" --pid-file="$cluster/munge/pid" \
        --log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed" || return 1
    {
        cat <<EOF
ClusterName=memwall
SlurmctldHost=$(hostname -s)(127.0.0.1)
AuthInfo=socket=$cluster/socket/munge
SlurmUser=root
SlurmctldPort=$base
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
ReturnToService=2
SlurmdTimeout=10
MaxArraySize=10001
MpiDefault=none
EOF
        for n in 1 2; do
            echo "NodeName=n$n NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((base + n)) CPUs=$cpus RealMemory=512 State=UNKNOWN"
        done
        echo "PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE"
        grep -q MinJobAge <<<"$*" || echo MinJobAge=300
        printf '%s\n' "$@"
    } >"$SLURM_CONF"
    slurmctld -c >"$cluster/slurmctld.out" 2>&1 || return 1
    cluster_node n1 start
    cluster_node n2 start
    for n in $(seq 60); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && return 0
        sleep 1
    done
    return 1
}

cluster_stop() {
    local f
    for f in slurmctld.pid slurmd.n1.pid slurmd.n2.pid munge/pid; do
        [ ! -s "$cluster/$f" ] || kill "$(cat "$cluster/$f")" 2>/dev/null
    done
    for f in slurmctld.pid slurmd.n1.pid slurmd.n2.pid; do # they end within a second or two
        for _ in $(seq 30); do [ -s "$cluster/$f" ] && kill -0 "$(cat "$cluster/$f")" 2>/dev/null || break; sleep .1; done
        [ ! -s "$cluster/$f" ] || kill -9 "$(cat "$cluster/$f")" 2>/dev/null
    done
    return 0
}
