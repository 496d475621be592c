#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall machine: this machine, captured trees of others against what is known of them, synthetic ones, broken ones.
# thousands of small files: in memory where there is such a folder
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$(dirname "$0")/../tap.sh"

check 'this machine' "$memwall" machine
for line in machine cores CPUs memory frequency pages; do prints "tells $line" "^$line +."; done
check 'as JSON' "$memwall" machine --json
missing=
for key in schema memwall_machine name cores cores_per_node sockets smt boundaries clock_ghz freqs_ghz stream_gbs \
    stream_1_gbs mem_bytes llc_bytes latency_ns mem_mts memory_freq_ghz channels score isa topology frequency memory energy \
    unknown run; do [[ $out == *$'\n'" \"$key\": "* ]] || missing="$missing $key"; done
if [ -z "$missing" ]; then ok 'all keys'; else not_ok 'all keys' "missing:$missing"; fi
check 'memory speed given' "$memwall" machine --json --memory-freq 2.133
prints 'is taken' '"memory_freq_ghz": 2.133'
check 'only what taskset leaves' taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')" "$memwall" machine --json
prints 'one core' '^ "cores": 1,'
# bandwidth and latency from tables
printf '%s\n' 'cores,freq_ghz,freq_effective_ghz,kernel,array_bytes,best_mb_s,valid' 1,,,copy,8,99000,1 1,,,triad,8,11000,1 \
    4,,,triad,8,30000,1 4,,,triad,8,31000,1 8,,,triad,8,90000,0 >"$tmp/stream.csv"
printf '%s\n' 'cores,working_set_bytes,latency_ns,page_bytes,pattern,chains,valid' 1,2048,1.2,4096,grouped,1,1 \
    1,268435456,98.5,4096,grouped,1,1 1,268435456,30,4096,grouped,4,1 >"$tmp/latency.csv"
check 'with measurements' "$memwall" machine --json --stream "$tmp/stream.csv" --latency "$tmp/latency.csv"
for line in '"stream_gbs": 31.0' '"stream_1_gbs": 11.0' '"latency_ns": 98.5'; do prints "$line" "^ $line"; done
fails 3 'a table of something else' "$memwall" machine --json --stream "$tmp/latency.csv"
says 'names the column' "no column 'kernel'"
fails 1 'no such table' "$memwall" machine --latency "$tmp/none.csv"

# cores packages usable-CPUs offline-CPUs kinds nodes nodes-without-cores L3s, from the JSON in $out
counts() {
    awk '/^  "packages": / {p=$2+0} /^  "cpus_offline": / {o=$2+0} /^  "kinds": / {k=$2+0} /^    "package": / {c++}
         /^  "cpus_allowed": / {a=gsub(/,/, ",") } /^    "memory_bytes": / {n++} /^    "cores": 0$/ {e++}
         /^    "level": 3,/ {l++} END {print c+0, p, a, o, k, n+0, e+0, l+0}' <<<"$out"
}

# what is reported of caches is said to be that, and where the last level can't be so, why
check 'a core with 64 MiB to itself' env HWLOC_SYNTHETIC='pack:1 l3:2(size=67108864) l2:1(size=1048576) core:1 pu:1' "$memwall" machine
prints 'is not believed' 'sizes as reported; the last level is not believed \((no core has so much to itself|what a guest is told may be the host.s)\)'
check 'in JSON' env HWLOC_SYNTHETIC='pack:1 l3:2(size=67108864) l2:1(size=1048576) core:1 pu:1' "$memwall" machine --json
prints 'its source is doubtful' '"llc_bytes": "reported, doubtful"'

# synthetic machines of hwloc
while read -r cores cpus packages description; do
    check "synthetic $description" env HWLOC_SYNTHETIC="$description" "$memwall" machine --json
    got=$(counts)
    if [[ $got == "$cores $packages $cpus 0 1 "* ]]; then ok 'counts'; else not_ok 'counts' "$got"; fi
    check 'and as text' env HWLOC_SYNTHETIC="$description" "$memwall" machine
done <<'LIST'
1 1 1 pu:1
8 16 2 pack:2 core:4 pu:2
64 64 4 pack:4 numa:2 l3:1 core:8 pu:1
6 24 1 l2:3 core:2 pu:4
2048 2048 8 pack:8 core:256 pu:1
LIST

fails 1 'no machine there' "$memwall" machine --root "$tmp"
says 'says what is missing' 'sys/devices/system/cpu'
mkdir -p "$tmp/bare/sys/devices/system/cpu" "$tmp/bare/proc"
"$memwall" machine --root "$tmp/bare" >/dev/null 2>"$tmp/bare.err"
status=$?
if [ $status -le 1 ]; then ok 'an empty tree is no crash'; else not_ok 'an empty tree is no crash' "$status" "$(cat "$tmp/bare.err")"; fi

# a guest whose CPUs are a package each, in two nodes of which one has no memory
guest() { # KIND: of packages, one a CPU (each) or two CPUs (two)
    rm -rf "$tmp/guest"
    "$root/tests/machines/make_tree.sh" acpi-cpufreq "$tmp/guest" 4
    local c list t n=$tmp/guest/sys/devices/system/node
    for c in 0 1 2 3; do
        t=$tmp/guest/sys/devices/system/cpu/cpu$c/topology
        list=$c mask=$((1 << c))
        [ "$1" = each ] || { list=$((c / 2 * 2))-$((c / 2 * 2 + 1)); mask=$((3 << c / 2 * 2)); }
        [ "$1" = each ] && echo $c >"$t/physical_package_id" || echo $((c / 2)) >"$t/physical_package_id"
        for f in core_siblings package_cpus; do printf '%08x\n' $mask >"$t/$f"; echo $list >"$t/${f}_list"; done
    done
    mkdir -p "$n/node1"
    echo 0-1 >"$n/online"
    echo 00000003 >"$n/node0/cpumap"; echo 0000000c >"$n/node1/cpumap"; echo 0-1 >"$n/node0/cpulist"; echo 2-3 >"$n/node1/cpulist"
    echo 'Node 1 MemTotal: 0 kB' >"$n/node1/meminfo"; echo '10 20' >"$n/node0/distance"; echo '20 10' >"$n/node1/distance"
}
guest each
check 'a package for every CPU of a guest' "$memwall" machine --root "$tmp/guest"
prints 'is one' '4 physical cores in 1 package$'
prints 'and no boundary but that of the node' '^boundaries +after 2 \(node\)$'
prints 'also where the node has no memory' '^ +node 1: 0\.0 GiB, 2 cores$'
guest two
check 'packages of two' "$memwall" machine --root "$tmp/guest"
prints 'are two' '4 physical cores in 2 packages$'
prints 'with a boundary' '^boundaries +after 2 \(socket\)$'

# captured trees: archive cores packages usable-CPUs offline-CPUs kinds nodes nodes-without-cores L3s
[ -d "$shared/machines" ] || { skip 'captured machines' 'no ../shared/data/machines'; exit 0; }
while read -r archive want; do
    file=$shared/machines/$archive.tar.bz2
    [ -e "$file" ] || { skip "$archive" 'not there'; continue; }
    rm -rf "$tmp/tree"; mkdir "$tmp/tree"; tar -C "$tmp/tree" -xjf "$file"
    tree=$(echo "$tmp"/tree/*)
    check "$archive" "$memwall" machine --json --root "$tree"
    got=$(counts)
    if [ "$got" = "$want" ]; then ok "$archive: what is known of it"; else not_ok "$archive: what is known of it" "$got" "not $want"; fi
    check "$archive as text" "$memwall" machine --root "$tree"
    if command -v hwloc-calc >/dev/null; then
        theirs=$(HWLOC_FSROOT=$tree HWLOC_COMPONENTS=linux,stop hwloc-calc -N core all)
        if [ "${got%% *}" = "$theirs" ]; then ok "$archive: hwloc agrees"; else not_ok "$archive: hwloc agrees" "$got" "$theirs"; fi
    fi
done <<'LIST'
128arm-2pa2n8cluster4co 128 2 128 0 1 4 0 4
16amd64-8n2c-cpusets 10 6 10 1 1 4 1 0
16em64t-4s2c2t-offlines 7 4 12 4 1 1 0 4
16em64t-4s2ca2c-cpusetreorder 11 4 11 0 1 1 0 4
20em64t-hybrid-1p6c2t+2ca4co1t 14 1 20 0 2 1 0 1
256ppc-8n8s4t 64 64 256 0 1 8 0 64
2arm-2c 2 1 2 0 1 1 0 0
32amd64-4s2n4c-cgroup2 6 1 6 0 1 6 4 2
32intel64-2p8co2t+8ve 16 2 32 0 1 2 0 2
48amd64-4pa2n6c-sparse 48 4 48 0 1 8 0 8
8em64t-2s2ca2c-buggynuma 8 2 8 0 1 1 0 0
96em64t-4no4pa3ca2co 96 16 96 0 1 4 0 16
fakeheteromemtiers 6 1 6 0 1 7 4 1
fakememinitiators-1np2c+1npp+gi 8 2 8 0 1 6 2 0
memorysidecaches 40 2 80 0 1 4 0 2
nvidia-dgx-gb10 20 1 20 0 2 1 0 2
nvidiagpunumanodes 8 2 32 0 1 2 0 4
offline-cpu0-node0 17 2 17 7 1 1 0 2
LIST
