#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The methods of measure gpu against the processor's own probes, on a device that is the processor: PoCL on one core,
# turn by turn with measure flops, bandwidth and latency. Prints the best of each and their ratio.
#   [WITH="chrt -f 10"] bench/gpu.sh [ROUNDS]     WITH goes before each program, on a busy machine
set -u
memwall=${MEMWALL:-build/release/memwall}
rounds=${1:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export MEMWALL_RUN_DIR=$tmp OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors/pocl.icd} POCL_MAX_PTHREAD_COUNT=1
"$memwall" machine | grep -q 'cpu by opencl' || { echo "bench-gpu: no PoCL here: apt install pocl-opencl-icd" >&2; exit 77; }
read -ra with <<<"${WITH:-}"

# pick FILE COLUMN=VALUE… WANTED: the column of the rows that have these values
pick() {
    grep -v '^#' "$1" | awk -F, -v want="${*:2}" '
        NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (i = 1; i < n; i++) { split(w[i], kv, "="); if ($at[kv[1]] != kv[2]) next } print $at[w[n]] }'
}
best() { sort -g | { [ "$1" = most ] && tail -n 1 || head -n 1; }; }
gpu() { "${with[@]}" "$memwall" measure gpu --api opencl "$@" --force -o "$tmp/gpu.csv" 2>/dev/null; }
host() { "${with[@]}" "$memwall" measure "$@" --cores 1 --force -o "$tmp/host.csv" 2>/dev/null; }

for ((r = 0; r < rounds; r++)); do
    host flops; pick "$tmp/host.csv" precision=fp32 gflop_s >>"$tmp/flops.host"
    gpu --kernel fp32 --max-time 6; pick "$tmp/gpu.csv" kernel=fp32 condition=best value >>"$tmp/flops.gpu"
    host bandwidth --llc 1MiB --max-time 6; pick "$tmp/host.csv" test=copy size_bytes=524288 mb_s | awk '{ print $1 / 1000 }' >>"$tmp/copy.host"
    gpu --kernel copy --size 512KiB --max-time 3; pick "$tmp/gpu.csv" kernel=copy value >>"$tmp/copy.gpu"
    host latency --pages 4k --size 256KiB --max-time 3; pick "$tmp/host.csv" working_set_bytes=262144 latency_ns >>"$tmp/ring.host"
    gpu --kernel ring --size 256KiB --max-time 3; pick "$tmp/gpu.csv" kernel=ring value >>"$tmp/ring.gpu"
done
printf '%-28s %10s %10s %8s  %s\n' 'best of both, turn by turn' processor device ratio bar
for row in 'flops|most|FP32 multiply-adds, GFLOP/s|0.9 to 1.1' 'copy|most|copy of 512 KiB, GB/s|0.8 to 1.2' 'ring|least|ring of 256 KiB, ns|0.8 to 1.2'; do
    IFS='|' read -r name which title bar <<<"$row"
    awk -v a="$(best $which <"$tmp/$name.host")" -v b="$(best $which <"$tmp/$name.gpu")" -v title="$title" -v bar="$bar" \
        'BEGIN { printf "%-28s %10.4g %10.4g %8.3f  %s\n", title, a, b, a ? b / a : 0, bar }'
done
