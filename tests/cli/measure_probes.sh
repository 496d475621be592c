# SPDX-License-Identifier: GPL-3.0-or-later
# flops, cache, bandwidth and loaded as a user calls them: their columns, their numbers, their refusals. Small caches are
# pretended (--llc), so that this takes seconds; nothing here looks at how fast the machine is.
. "$(dirname "$0")/../tap.sh"

# numbers NAME COLUMN…: all rows of the last output have a positive finite number in these columns
numbers() {
    local name=$1 bad
    shift
    bad=$(grep -v '^#' <<<"$out" | awk -F, -v want="$*" '
        NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i
                  for (i = 1; i <= n; i++) if (!(w[i] in at)) print "no column " w[i]; next }
        { for (i = 1; i <= n; i++) if ($at[w[i]] !~ /^[0-9.e+-]+$/ || !($at[w[i]] > 0)) print "line " NR ": " $0 }
        END { if (NR < 2) print "no rows" }')
    if [ -z "$bad" ]; then ok "$name"; else not_ok "$name" "$bad"; fi
}

check 'flops' "$memwall" measure flops --cores 1 --runs 2
prints 'flops has its columns' '^cores,freq_ghz,freq_effective_ghz,precision,variant,gflop_s'
numbers 'flops: rates' cores gflop_s gflop_s_median
prints 'flops has single precision' '^1,[^,]*,[^,]*,fp32,'
prints 'flops has double precision' '^1,[^,]*,[^,]*,fp64,'
fails 2 'an option that flops does not take' "$memwall" measure flops --curve x

check 'cache' "$memwall" measure cache --llc 8MiB --curve "$tmp/curve.csv"
prints 'cache has its columns' '^cores,freq_ghz,freq_effective_ghz,level,property,value,reported,verdict,disturbed$'
prints 'cache tells the capacity of level 1' ',1,capacity_bytes,[0-9]+,'
prints 'cache has a verdict in each row' '"?(agrees|differs|can.t be told|measured)'
prints 'cache tells of TLBs' ',tlb1,entries,'
prints 'cache tells of prefetchers' ',prefetch,random_ns,'
lonely=$(grep -v '^#' <<<"$out" | tail -n +2 | grep -vcE ',(agrees|measured|"measured: .+"|"(differs|can.t be told), because .+"),[01]$')
if [ "$lonely" = 0 ]; then ok 'what does not agree says why'; else not_ok 'what does not agree says why' "$out"; fi
told=$(grep -v '^#' <<<"$out" | grep -E ',1$' | grep -vc "can't be told, because other work disturbed")
if [ "$told" = 0 ]; then ok 'nothing is told by disturbed windows'; else not_ok 'nothing is told by disturbed windows' "$out"; fi
fails 1 'nothing that was measured cannot be told for want of a report' grep -q 'reports none' <<<"$out"
out=$(cat "$tmp/curve.csv")
prints 'the curves have their columns' '^scan,size_bytes,latency_ns,lines,disturbed$'
prints 'the curve over sizes starts at 2 KiB' '^size,2048,'
fails 1 'a curve is not overwritten' "$memwall" measure cache --llc 1MiB --curve "$tmp/curve.csv"
says 'and says how' '--force'
fails 2 'cache of two cores' "$memwall" measure cache --cores 2

# whether the rate depends on the size is said in every case, and warned of where it does
says_size() {
    prints "$1 says whether its rate depends on the size" "^# size_check \\($2 cores?\\): $3 on half the size( was disturbed|: [0-9.]+ of the rate, which (doesn.t depend|depends) on the size)"
    if grep -q '^# size_check.*which depends' <<<"$out"; then says "$1 warns of it" 'caches still help'; fi
}

check 'bandwidth' "$memwall" measure bandwidth --llc 2MiB --cores 1
prints 'bandwidth has its columns' '^cores,freq_ghz,freq_effective_ghz,test,size_bytes,offset_bytes,stride_bytes,mb_s'
numbers 'bandwidth: rates' cores size_bytes mb_s
for name in memset read memcpy fill copy strided-read random-read copy-offset; do
    prints "bandwidth has $name" ",$name,[0-9]+,[0-9]*,[0-9]*,[0-9.e+]+,"
done
if grep -q ',score,' <<<"$out"; then
    says 'the score is printed with its formula' '\(memset x read x memcpy x strided\)\^\(1/4\).*MB/s'
    product=$(grep -v '^#' <<<"$out" | awk -F, '
        $4 ~ /^(memset|read|memcpy)$/ && $6 == 0 { if ($5 >= size[$4]) { size[$4] = $5; rate[$4] = $8 } }
        $4 == "strided-read" && $7 > 128 { sum += log($8); n++ }
        $4 == "score" { score = $8 }
        END { p = (rate["memset"] * rate["read"] * rate["memcpy"] * exp(sum / n)) ^ (1 / 4)
              r = score ? p / score : 0; print (r > 0.999 && r < 1.001) }')
    if [ "$product" = 1 ]; then ok 'the score is what its formula says'; else not_ok 'the score is what its formula says' "$out"; fi
else # on a busy machine
    says 'the score is withheld, and why' 'score on 1 core: withheld, since'
fi
says_size bandwidth 1 read
prints 'its formula is in the record' '^# score_formula: \(memset x read x memcpy x strided\)\^\(1/4\)'
prints 'the theoretical rate is in the record, or why not' '^# memory_peak: '
prints 'the clocks of memory and processor are in the record' '^# memory_clock: '
strides=$(grep -c ',strided-read,' <<<"$out")
bytes=$(grep ',strided-read,' <<<"$out" | cut -d, -f5 | sort -u | wc -l)
if [ "$strides" = 9 ] && [ "$bytes" = 1 ]; then ok 'nine strides over the same bytes'; else not_ok 'nine strides over the same bytes' "$strides, $bytes"; fi
passed=$(grep -v '^#' <<<"$out" | awk -F, '$4 == "read" && $5 >= size { size = $5; read = $8 }
    $4 ~ /^(strided|random)-read$/ && $8 > 1.06 * read && $14 != 1' | wc -l)
if [ "$passed" = 0 ]; then ok 'nothing is faster than reading in order without a mark'; else not_ok 'nothing is faster than reading in order without a mark' "$out"; fi
check 'a share of the peak' "$memwall" measure flops --cores 1 --runs 2 --memory-peak 51.2
prints 'as given' '^# memory_peak: 51.2 GB/s \(--memory-peak\)'
check 'a peak of a profile' "$memwall" measure flops --cores 1 --runs 2 --memory-peak "$root/data/profiles/opteron-6100-4s.json"
prints 'by channels and transfers' '^# memory_peak: 170.6[0-9]* GB/s \(16 channels x 8 bytes x 1333 MT/s'
check 'a rate above the peak is marked' "$memwall" measure stream --cores 1 --llc 1MiB --kernel copy --runs 2 --memory-peak 0.001
prints 'as cached' ',copy,.*,1$'
says 'and told' 'faster than memory can be'
fails 5 'and not trusted with --strict' "$memwall" measure stream --cores 1 --llc 1MiB --kernel copy --runs 2 --memory-peak 0.001 --strict
fails 2 'a peak of nothing' "$memwall" measure stream --memory-peak 0

if [ "$(nproc)" -ge 2 ]; then
    check 'loaded' "$memwall" measure loaded --llc 2MiB --runs 3
    says_size loaded "[0-9]+" 'the heaviest reading traffic'
    prints 'loaded has its columns' '^cores,freq_ghz,freq_effective_ghz,latency_ns,bandwidth_mb_s,reads_percent,delay,windows,disturbed,'
    numbers 'loaded: latencies' cores latency_ns
    prints 'loaded has an idle point' ',0,100,,'
    prints 'loaded has a mix with writes' ',0,50,,'
    fails 2 'loaded on one core of several' "$memwall" measure loaded --cores 1
    first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    fails 77 'loaded where one core is allowed' taskset -c "$first" "$memwall" measure loaded
    says 'says why it cannot' 'second core'
else
    skip 'loaded' 'one core here'
fi
