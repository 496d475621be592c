#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall measure beside other programs on this machine, in turns, the best of all rounds of each. Paths of programs that
# are there are given by variables; what is not given is left out:
#   STREAM=path        stock stream.c, built with memwall's kernel_flags and -fopenmp, arrays past the caches
#   MULTICHASE=path    multichase
#   LIKWID_BENCH=path  likwid-bench (default: the one in the PATH)
#   ROUNDS=3           turns
#   WITH=command       put before each program, as in 'chrt -f 10' on a busy machine
set -u
memwall=${MEMWALL:-build/release/memwall}
rounds=${ROUNDS:-3}
read -ra with <<<"${WITH:-}"
likwid=${LIKWID_BENCH:-$(command -v likwid-bench || true)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
all=$("$memwall" machine --json | sed -n 's/^ "cores": \([0-9]*\),/\1/p')

run() { "${with[@]}" "$@" 2>/dev/null; }
# keep WHO WHAT VALUE: a line to take the best of
keep() { echo "$1 $2 $3" >>"$tmp/values"; }
# best WHO WHAT max|min
best() { awk -v who="$1" -v what="$2" -v least="$3" '$1 == who && $2 == what && (!n++ || (least == "min" ? $3 < b : $3 > b)) {b = $3}
    END {print n ? b : "-"}' "$tmp/values"; }
# row WHAT PEER OURS TARGET higher|lower
row() {
    awk -v what="$1" -v peer="$2" -v ours="$3" -v target="$4" -v sense="$5" 'BEGIN {
        if (peer == "-" || ours == "-" || peer <= 0) exit
        r = ours / peer
        good = sense == "higher" ? r >= target : sense == "near" ? r <= 1 + target && r >= 1 - target : r <= target
        printf "%-34s %12.5g %12.5g %8.3f   %s %s  %s\n", what, peer, ours, r, sense == "near" ? "1 ±" : ">=", target, good ? "reached" : "not reached" }'
}
ours_stream() { # CORES ARRAY-BYTES KERNELS: keeps MB/s of each kernel under its name
    run "$memwall" measure stream --cores "$1" --array "$2" --llc $(($2 / 4)) --kernel "$3" --runs "${RUNS:-10}" |
        awk -F, -v cores="$1" '!/^#/ && $5 + 0 {print "ours", $4 "@" cores, $6}' >>"$tmp/values"
}

beside_stream() {
    local elements kernels=copy,scale,add,triad cores round
    elements=$(run "$STREAM" | sed -n 's/^Array size = \([0-9]*\) .*/\1/p')
    [ -n "$elements" ] || { echo "STREAM: '$STREAM' does not print its array size" >&2; return; }
    [ $((elements % 64)) = 0 ] || echo "note: memwall's arrays are rounded up to 64 elements, STREAM has $elements"
    for ((round = 0; round < rounds; round++)); do
        for cores in 1 $([ "$all" = 1 ] || echo "$all"); do
            OMP_NUM_THREADS=$cores OMP_PROC_BIND=close OMP_PLACES=cores run "$STREAM" |
                awk -v cores="$cores" '/^(Copy|Scale|Add|Triad):/ {print "stream", tolower(substr($1, 1, length($1) - 1)) "@" cores, $2}' >>"$tmp/values"
            # one set of kernels at a time: what the caches hold of the arrays is then the same as for STREAM
            ours_stream "$cores" $((elements * 8)) $kernels
            ours_stream "$cores" $((elements * 8)) copy-4k,scale-4k,add-4k,triad-4k
            ours_stream "$cores" $((elements * 8)) copy-nt,scale-nt,add-nt,triad-nt
        done
    done
    echo "STREAM $elements elements, MB/s; its pages: $(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || echo base) (always: huge, else base)"
    local kernel most=0
    for cores in 1 $([ "$all" = 1 ] || echo "$all"); do
        for kernel in copy scale add triad; do
            row "$kernel, $cores core(s), as shipped" "$(best stream $kernel@$cores max)" "$(best ours $kernel@$cores max)" 1.00 higher
            row "$kernel-4k, $cores core(s)" "$(best stream $kernel@$cores max)" "$(best ours $kernel-4k@$cores max)" .97 higher
            if [ "$cores" = 1 ]; then
                most=$(awk -v m="$most" -v a="$(best ours $kernel-nt@1 max)" -v b="$(best stream $kernel@1 max)" 'BEGIN {r = b > 0 ? a / b : 0; print (r > m ? r : m)}')
            fi
        done
    done
    row 'best variant of a kernel, 1 core' 1 "$most" 1.8 higher
}

beside_likwid() {
    local kernels op ours kernel round size=${LIKWID_SIZE:-1GB} bytes
    bytes=$(numfmt --from=iec "${size%B}")
    kernels=$("$likwid" -a 2>/dev/null | awk '{print $1}' | grep -E '^(copy|stream|load|update|peakflops)(_mem)?(_sse|_avx|_avx512)?(_fma)?$')
    for ((round = 0; round < rounds; round++)); do
        for kernel in $kernels; do
            local set="N:$size:1"
            [[ $kernel == peakflops* ]] && set=N:16kB:1
            (run "$likwid" -t "$kernel" -w $set) 2>/dev/null |
                awk -v k="$kernel" '/^MByte\/s:/ {m = $2} /^MFlops\/s:/ {f = $2} END {op = k; sub(/_.*/, "", op); v = op == "peakflops" ? f : m; if (v > 0) print "likwid", op, v}' >>"$tmp/values"
        done
        # the same bytes in all: copy and stream have two and three arrays there
        ours_stream 1 $((bytes / 3)) copy,copy-nt,triad,triad-nt,read,update
        run "$memwall" measure flops --cores 1 --runs 10 | awk -F, '!/^#/ && $4 == "fp64" {print "ours", "fp64", 1000 * $6}' >>"$tmp/values"
    done
    echo "likwid-bench, -w N:$size:1, MB/s and MFLOP/s, best kernel of each"
    for op in copy:copy triad:stream read:load update:update; do
        ours=$(printf '%s\n' "$(best ours ${op%:*}@1 max)" "$(best ours ${op%:*}-nt@1 max)" | grep -v '^-$' | sort -g | tail -n 1)
        row "${op%:*} beside ${op#*:}" "$(best likwid ${op#*:} max)" "${ours:--}" 1.00 higher
    done
    row 'fp64 beside peakflops' "$(best likwid peakflops max)" "$(best ours fp64 max)" .98 higher
}

# The same lines in the same order of groups on the same pages: all lines of 64 bytes, groups of 256 KiB.
beside_multichase() {
    local round pages flag size
    for ((round = 0; round < rounds; round++)); do
        for pages in 4k huge; do
            flag=$([ $pages = huge ] && echo -H)
            for size in 16:KiB:k 256:KiB:k 256:MiB:m; do
                IFS=: read -r number unit letter <<<"$size"
                local group=262144
                [ "$number$letter" = 16k ] && group=16384
                keep multichase "$number$unit-$pages" "$(run "$MULTICHASE" -s 64 -T $group -m "$number$letter" -n 4 $flag)"
                keep ours "$number$unit-$pages" "$(run "$memwall" measure latency --size "$number$unit" --stride 64 --pages $pages --runs 2 | awk -F, '!/^#/ && $4 + 0 {print $5}')"
            done
        done
    done
    echo 'multichase, ns a load, groups of 256 KiB, every line'
    for pages in 4k huge; do
        row "16 KiB, $pages pages" "$(best multichase 16KiB-$pages min)" "$(best ours 16KiB-$pages min)" .03 near
        row "256 KiB, $pages pages" "$(best multichase 256KiB-$pages min)" "$(best ours 256KiB-$pages min)" .03 near
        row "256 MiB, $pages pages" "$(best multichase 256MiB-$pages min)" "$(best ours 256MiB-$pages min)" .08 near
    done
}

: >"$tmp/values"
printf '%-34s %12s %12s %8s   %s\n' what peer memwall ratio target
[ -z "${STREAM:-}" ] || beside_stream
[ -z "$likwid" ] || beside_likwid
[ -z "${MULTICHASE:-}" ] || beside_multichase
