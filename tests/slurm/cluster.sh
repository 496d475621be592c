# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: a Slurm of two nodes on this host, real daemons with their own key, sockets and ports below $cluster, so that a
# Slurm that may run here is not touched. cluster_start, cluster_stop, cluster_node N start|kill; SLURM_CONF is exported.
# cluster_account before cluster_start: slurmdbd with MariaDB, and on each node Slurm's own meter, which reads $cluster/meter/energy.

cluster_missing() {
    local tool
    for tool in slurmctld slurmd munged sbatch runuser; do
        command -v "$tool" >/dev/null 2>&1 || PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { echo "$tool"; return; }
    done
}

unaccounted=(JobCompType=jobcomp/none AccountingStorageType=accounting_storage/none)
accounting=("${unaccounted[@]}")
port=$((20000 + $$ % 20000))

cluster_unaccounted() {
    local tool
    for tool in slurmdbd mariadbd mariadb-install-db mariadb-admin; do
        PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { echo "$tool"; return; }
    done
    unshare -m true 2>/dev/null || echo 'a mount namespace'
}

# The nodes draw fifty watts, which a counter as a Cray's shows ten times a second.
cluster_meter() {
    local joules
    while [ -d "$cluster/meter" ]; do
        joules=$(($(date +%s%N) / 20000000))
        echo "$joules J $(date +%s%6N) us" >"$cluster/meter/new" && mv "$cluster/meter/new" "$cluster/meter/energy"
        sleep .1
    done 2>/dev/null
}

cluster_account() {
    local db=$cluster/db n
    mkdir -p "$db" "$cluster/meter"
    chmod 755 "$cluster" && chmod 700 "$cluster/meter" && chown mysql: "$db"
    mariadb-install-db --no-defaults --user=mysql --datadir="$db/data" --skip-test-db >"$db.log" 2>&1 || return 1
    mariadbd --no-defaults --user=mysql --datadir="$db/data" --socket="$db/socket" --pid-file="$db/pid" --port=$((port + 8)) \
        --bind-address=127.0.0.1 --skip-grant-tables --innodb-buffer-pool-size=64M >>"$db.log" 2>&1 &
    for n in $(seq 60); do
        mariadb-admin --no-defaults --socket="$db/socket" ping >/dev/null 2>&1 && break
        sleep .5
    done
    cluster_meter >/dev/null 2>&1 &
    accounting=(AccountingStorageType=accounting_storage/slurmdbd AccountingStorageHost=127.0.0.1 "AccountingStoragePort=$((port + 9))"
        "AccountingStoragePass=$cluster/socket/munge" JobAcctGatherType=jobacct_gather/linux AcctGatherEnergyType=acct_gather_energy/pm_counters AcctGatherNodeFreq=1)
}

# slurmdbd wants munge, which is there by then
cluster_book() {
    [ -d "$cluster/db" ] || return 0
    printf '%s\n' AuthType=auth/munge "AuthInfo=socket=$cluster/socket/munge" DbdHost=localhost "DbdPort=$((port + 9))" SlurmUser=root \
        StorageType=accounting_storage/mysql StorageHost=127.0.0.1 "StoragePort=$((port + 8))" StorageUser=root \
        "LogFile=$cluster/slurmdbd.log" "PidFile=$cluster/slurmdbd.pid" >"$cluster/slurmdbd.conf"
    chmod 600 "$cluster/slurmdbd.conf"
    slurmdbd >"$cluster/slurmdbd.out" 2>&1 || return 1
    for _ in $(seq 60); do
        sacctmgr -i add cluster memwall >/dev/null 2>&1 && return 0
        sleep .5
    done
    return 1
}

# What runs on a node: processes of its jobs by their environment, and the slurmstepd above each; a node that dies takes all of it along.
cluster_of_node() {
    local folder parent
    for folder in /proc/[0-9]*; do
        { tr '\0' '\n' <"$folder/environ" | grep -qx "SLURM_CONF=$SLURM_CONF"; } 2>/dev/null || continue
        tr '\0' '\n' <"$folder/environ" 2>/dev/null | grep -qx "SLURMD_NODENAME=$1" || continue
        echo "${folder#/proc/}"
        parent=$(awk '/^PPid:/ { print $2 }' "$folder/status" 2>/dev/null)
        [ "$(cat "/proc/${parent:-none}/comm" 2>/dev/null)" != slurmstepd ] || echo "$parent"
    done
}

# A node with accounting sees the meter where Slurm looks for it; its jobs, which are not root's, cannot read it.
cluster_node() {
    local pidfile=$cluster/slurmd.$1.pid
    case $2 in
    start)
        if [ -d "$cluster/meter" ]; then
            unshare -m sh -c 'mount -t tmpfs none /mnt && mkdir -p /mnt/sys/cray/pm_counters && for d in /sys/*; do
                    mkdir "/mnt$d" && mount --rbind "$d" "/mnt$d" || exit
                done; mount --bind "$1" /mnt/sys/cray/pm_counters && mount --rbind /mnt/sys /sys && exec slurmd -N "$2"' sh "$cluster/meter" "$1"
        else
            slurmd -N "$1"
        fi >>"$cluster/slurmd.$1.log" 2>&1
        ;;
    kill) kill -9 $(cat "$pidfile" 2>/dev/null) $(cluster_of_node "$1") 2>/dev/null ;;
    esac
}

# cluster_start [LINE…]: further lines of slurm.conf
cluster_start() {
    local n cpus
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
SlurmctldPort=$port
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
$(printf '%s\n' "${accounting[@]}")
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
ReturnToService=2
SlurmdTimeout=10
MaxArraySize=10001
MpiDefault=none
EOF
        for n in 1 2; do
            echo "NodeName=n$n NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + n)) CPUs=$cpus RealMemory=512 State=UNKNOWN"
        done
        echo "PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE"
        grep -q MinJobAge <<<"$*" || echo MinJobAge=300
        printf '%s\n' "$@"
    } >"$SLURM_CONF"
    cluster_book || return 1
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
    for f in slurmctld.pid slurmd.n1.pid slurmd.n2.pid slurmdbd.pid munge/pid db/pid; do
        [ ! -s "$cluster/$f" ] || kill "$(cat "$cluster/$f")" 2>/dev/null
    done
    rm -rf "$cluster/meter"
    accounting=("${unaccounted[@]}")
    for f in slurmctld.pid slurmd.n1.pid slurmd.n2.pid slurmdbd.pid db/pid; do # they end within a second or two
        for _ in $(seq 30); do [ -s "$cluster/$f" ] && kill -0 "$(cat "$cluster/$f" 2>/dev/null)" 2>/dev/null || break; sleep .1; done
        [ ! -s "$cluster/$f" ] || kill -9 "$(cat "$cluster/$f" 2>/dev/null)" 2>/dev/null
    done
    return 0
}
