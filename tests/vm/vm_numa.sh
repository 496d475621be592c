# SPDX-License-Identifier: GPL-3.0-or-later
# Nodes, hyper-threads, offline CPUs, CPU sets and memory limits under a real kernel: where memory really lies, and which
# CPUs are really used. Caches are pretended to be small (--llc), since an emulated processor is slow.
. "$(dirname "$0")/vm.sh"
vm_memory=640M

# placed NAME WHAT NODE: the placement line of WHAT (an expression) says that all of it lies on NODE
# even NAME WHAT NODES: … that it is spread over that many nodes, none with more than half as much again as its share
# order NAME LIST: the CPUs are used in that order
cat >"$tmp/lines.sh" <<'GUEST'
line() { echo "$out" | grep -E "placement \($1"; }
placed() {
    if line "$2" | grep -qE "; node $3: 100 %$"; then ok "$1"; else not_ok "$1" "$(line "$2")" "$err"; fi
}
even() {
    if line "$2" | awk -v nodes="$3" '{ n = split($0, part, "node "); for (i = 2; i <= n; i++) { split(part[i], w, " "); found++
            if (w[2] > 150 / nodes || w[2] < 50 / nodes) bad++ } } END { exit !(found == nodes && !bad) }'
    then ok "$1"; else not_ok "$1" "$(line "$2")" "$err"; fi
}
order() {
    local got
    got=$(echo "$out" | sed -n 's/^# cpus_in_order: //p')
    if [ "$got" = "$2" ]; then ok "$1: $got"; else not_ok "$1" "got '$got', not '$2'" "$err"; fi
}
GUEST
vm_file "$tmp/lines.sh" "$root/examples/demo.sh" "$root/data/examples/canneal.csv"
vm_program "$(command -v bash)" "$root/build/release/examples/cg"

four=()
for n in 0 1 2 3; do
    four+=(-object "memory-backend-ram,id=m$n,size=160M" -numa "node,nodeid=$n,memdev=m$n,cpus=$n")
done
vm_run 'four nodes' -cpu Nehalem -smp 4,sockets=4,cores=1,threads=1 "${four[@]}" <<'GUEST'
. /data/lines.sh
check 'stream over all pairs of nodes' memwall measure stream --numa --cores 1,4 --runs 2 --kernel copy,copy-4k --llc 64KiB
even 'each core touches its own part first' '4 cores, base' 4
even 'interleaved memory lies on all nodes' '4 cores-interleaved,' 4
placed 'one core has its memory on its node' '1 core, base' 0
for i in 0 1 2 3; do
    for j in 0 1 2 3; do
        placed "cores of node $i work on memory of node $j" "1 cores?-cpu$i-mem$j," $j
    done
done
prints 'pairs have rows' ',copy-cpu3-mem2,[0-9]+,[0-9.]+,.*,1,[0-9]+,'
check 'latency over pairs of nodes' memwall measure latency --numa --runs 2 --size 256KiB
prints 'remote latency has a row' ',1,3(,|$)|cpu1-mem3'
GUEST

vm_modules=
vm_run 'two sockets, hyper-threads, a node without CPUs' -M pc,hmat=on -cpu Nehalem -smp 8,sockets=2,cores=2,threads=2 \
    -object memory-backend-ram,id=m0,size=256M -object memory-backend-ram,id=m1,size=256M \
    -object memory-backend-ram,id=m2,size=128M \
    -numa node,nodeid=0,memdev=m0,cpus=0-3 -numa node,nodeid=1,memdev=m1,cpus=4-7 \
    -numa node,nodeid=2,memdev=m2,initiator=0 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-latency,latency=100 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,bandwidth=10G \
    -numa hmat-lb,initiator=0,target=2,hierarchy=memory,data-type=access-latency,latency=300 \
    -numa hmat-lb,initiator=0,target=2,hierarchy=memory,data-type=access-bandwidth,bandwidth=4G \
    -numa hmat-lb,initiator=1,target=1,hierarchy=memory,data-type=access-latency,latency=100 \
    -numa hmat-lb,initiator=1,target=1,hierarchy=memory,data-type=access-bandwidth,bandwidth=10G <<'GUEST'
. /data/lines.sh
stream='memwall measure stream --runs 2 --kernel copy-4k --llc 64KiB'
check 'machine' memwall machine
prints 'counts cores' '4 physical cores in 2 packages'
prints 'tells of hyper-threads' '[Hh]yper-threads'
prints 'shows the node without cores' 'node 2: .*(no|0) cores|node 2: .*memory only'
check 'stream with a node that has only memory' memwall measure stream --numa --cores 4 --runs 2 --kernel copy --llc 64KiB
order 'one hyper-thread of each core' 0,2,4,6
placed 'memory of the node without CPUs is used' '2 cores-cpu0-mem2,' 2
placed 'from the other socket too' '2 cores-cpu1-mem2,' 2
if echo "$out" | grep -q 'cpu2-mem'; then not_ok 'no core is taken from it' "$out"; else ok 'no core is taken from it'; fi
fails 2 'more cores than there are' $stream --cores 5
says 'hyper-threads are not cores' '4 physical cores'

echo never >/sys/kernel/mm/transparent_hugepage/enabled
check 'stream without huge pages' memwall measure stream --runs 2 --kernel copy --llc 64KiB --cores 1
prints 'says that they are base pages' 'page 4096 bytes'
prints 'in the row as well' '^1,[^,]*,[^,]*,copy,.*,4096,'
check 'latency without huge pages' memwall measure latency --runs 2 --size 64KiB
check 'cache without huge pages' memwall measure cache --llc 1MiB --max-time 10
prints 'says so too' 'cache_scan:.*pages of 4 KiB'
echo 64 >/proc/sys/vm/nr_hugepages
check 'stream on the pool of huge pages' memwall measure stream --runs 2 --kernel copy --llc 64KiB --cores 1
prints 'says so' '^# placement .*: 100 % in huge pages, page 2097152 bytes'
echo 0 >/proc/sys/vm/nr_hugepages
echo always >/sys/kernel/mm/transparent_hugepage/enabled

echo 0 >/sys/devices/system/cpu/cpu2/online
echo 0 >/sys/devices/system/cpu/cpu3/online
check 'stream with an offline core' $stream --cores 3
order 'it is passed over' 0,4,6
check 'machine with an offline core' memwall machine
prints 'tells of it' 'offline'
echo 1 >/sys/devices/system/cpu/cpu3/online
check 'stream with an offline hyper-thread' $stream --cores 4
order 'its sibling is used' 0,3-4,6
echo 1 >/sys/devices/system/cpu/cpu2/online

mount -t cgroup2 none /sys/fs/cgroup
echo '+cpuset +memory' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/holes
echo 1,5-6 >/sys/fs/cgroup/holes/cpuset.cpus
confined() { sh -c 'echo $$ >/sys/fs/cgroup/holes/cgroup.procs; exec "$@"' _ "$@"; }
check 'stream in a CPU set with holes' confined $stream --cores 1,3
order 'the CPUs of the set are used' 1,5-6
check 'machine in it' confined memwall machine
prints 'tells the set' '3 of 8 may be used: 1,5-6'
fails 2 'more cores than the set has' confined $stream --cores 4
check 'loaded in it' confined memwall measure loaded --llc 1MiB --runs 2
mkdir /data/examples && mv /data/canneal.csv /data/examples/
check 'the demo in it' confined /data/demo.sh --short memwall cg /tmp/demo
for made in cg.csv cg.json cg-predicted.csv canneal.json; do
    check "the demo made $made" test -s /tmp/demo/$made
done
rm -r /tmp/demo
echo 5 >/sys/fs/cgroup/holes/cpuset.cpus
fails 77 'loaded on one allowed CPU' confined memwall measure loaded
echo 0-7 >/sys/fs/cgroup/holes/cpuset.cpus
echo 40M >/sys/fs/cgroup/holes/memory.max
fails 77 'stream under a memory limit that is too small' confined $stream --cores 1
says 'names the limit' 'cgroup'
echo 0 >/sys/fs/cgroup/holes/memory.swap.max 2>/dev/null
check 'cache under that limit takes smaller sets' confined memwall measure cache --max-time 5
GUEST
