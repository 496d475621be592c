#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall measure latency: the table, page and locality choices, chains, limits and wrong usage.
. "$(dirname "$0")/../tap.sh"

check 'three sizes' "$memwall" measure latency --size 16KiB,64MiB,256KiB --runs 2
prints 'the contract'"'"'s columns' '^cores,freq_ghz,freq_effective_ghz,working_set_bytes,latency_ns,page_bytes,pattern'
prints 'smallest first' '^1,[^,]*,[^,]*,16384,[0-9.]+,[0-9]+,grouped,1,'
prints 'largest' '^1,[^,]*,[^,]*,67108864,[0-9.]+,[0-9]+,grouped,1,'
awk -F, '!/^#/ && $4+0 {l[$4]=$5} END {exit !(l[16384] > 0.2 && l[16384] < l[67108864])}' <<<"$out" &&
    ok 'the caches are faster than the memory' || not_ok 'the caches are faster than the memory' "$out"
for key in pattern timing_rule seed validation 'placement \(1 core, huge pages\)'; do prints "evidence: $key" "^# $key: ."; done

check 'base pages and several chains' "$memwall" measure latency --size 16KiB --pages both --chains 1,4 --runs 2
prints 'base pages' ",16384,[0-9.]+,$(getconf PAGESIZE),grouped,1,"
awk -F, '!/^#/ && $4+0 {if ($8 == 1) one=$5; else if ($8 == 4) four=$5} END {exit !(four < one)}' <<<"$out" &&
    ok 'four chains take less a load than one' || not_ok 'four chains take less a load than one' "$out"
check 'wholly random' "$memwall" measure latency --size 1MiB --locality random --runs 2
prints 'the pattern is named' ',1048576,[0-9.]+,[0-9]+,random,1,'
check 'every node to every node' "$memwall" measure latency --numa --size 1MiB --runs 2
prints 'local memory' ',grouped-cpu[0-9]+-mem[0-9]+,1,'

fails 2 'no such unit' "$memwall" measure latency --size 16Kib
says 'lists the units' 'KiB'
fails 2 'too many chains' "$memwall" measure latency --chains 13
fails 2 'locality' "$memwall" measure latency --locality near
fails 2 'stride' "$memwall" measure latency --stride 100
fails 2 'a set of no lines' "$memwall" measure latency --size 1
fails 1 'more memory than there is' "$memwall" measure latency --size 900000GiB
says 'names the limit' 'half of'
says 'and a remedy' 'hint: '
