#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Scans over a graphics processor's clock and over their number, on generated trees: what is set is what the program sees,
# and everything is as before afterwards, after a kill too.
. "$(dirname "$0")/../tap.sh"
tree=$tmp/tree

# card N DRIVER FILE=VALUE…: a card of the tree
card() {
    local folder=$tree/sys/class/drm/card$1 setting
    mkdir -p "$folder/device"
    ln -s "../../../../bus/pci/drivers/$2" "$folder/device/driver"
    for setting in "${@:3}"; do
        mkdir -p "$(dirname "$folder/${setting%%=*}")"
        printf '%b\n' "${setting#*=}" >"$folder/${setting%%=*}"
    done
}
# new: a fresh machine without cards
new() { rm -rf "$tree"; "$root/tests/machines/make_tree.sh" acpi-cpufreq "$tree"; }
intel() { card 0 i915 gt_RPn_freq_mhz=300 gt_RP0_freq_mhz=1100 gt_min_freq_mhz=300 gt_max_freq_mhz=1100 gt_boost_freq_mhz=1100; }
clock() { (cd "$tree/sys/class/drm" && grep -r . card0 --include='gt_m*' --include=gt_boost* --include=m*_freq --include='power_dpm*' | sort); }
as_before() { if [ "$(clock)" = "$said" ]; then ok "$1"; else not_ok "$1" "$(clock)"; fi; }
scan() { "$memwall" scan --root "$tree" --force -o "$tmp/r.csv" --cores 1 --runs 1 --order listed --idle 0 "$@"; }
# column NAME: of the rows written
column() { grep -v '^#' "$tmp/r.csv" | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { printf "%s ", $at }'; }

new; intel; said=$(clock)
check 'i915: two clocks' scan --gpu-freq 0.3,1.1 -- sh -c "cat '$tree/sys/class/drm/card0/gt_min_freq_mhz' '$tree/sys/class/drm/card0/gt_max_freq_mhz' >>'$tmp/seen'"
if [ "$(tr '\n' ' ' <"$tmp/seen")" = '300 300 1100 1100 ' ]; then ok 'the program runs at each'; else not_ok 'the program runs at each' "$(cat "$tmp/seen")"; fi
as_before 'i915 is as before'
if [ "$(column gpu_freq_ghz)" = '0.3 1.1 ' ]; then ok 'they are in the rows'; else not_ok 'they are in the rows' "$(cat "$tmp/r.csv")"; fi
fails 2 'a clock that is not offered' scan --gpu-freq 0.31 -- true
says 'says what is' 'not offered, 0.3 to 1.1 GHz'
check 'a plan writes nothing' scan --dry-run --gpu-freq 0.3,max -- true
prints 'and names the clocks' '^1 core, GPU at 1.1 GHz'
as_before 'nothing was written'
fails 1 'a program that fails' scan --gpu-freq 0.5 -- false
as_before 'is as before all the same'

# killed between setting and putting back
"$memwall" scan --root "$tree" --force -o "$tmp/r.csv" --cores 1 --runs 1 --idle 0 --gpu-freq 0.5 -- sleep 20 2>/dev/null &
pid=$!
for _ in $(seq 100); do [ "$(cat "$tree/sys/class/drm/card0/gt_max_freq_mhz")" = 500 ] && break; sleep 0.1; done
kill -KILL $pid; wait $pid 2>/dev/null
check 'restore after a kill' "$memwall" restore --root "$tree"
prints 'says what it put back' 'gt_max_freq_mhz: 1100'
as_before 'and did'
mkdir -p "$tree/run/memwall"
printf 'memwall-gpu-state 1\nset /etc/passwd x\n' >"$tree/run/memwall/gpu-state"
fails 3 'a state file of something else' "$memwall" restore --root "$tree"
says 'is refused' 'no setting of this graphics processor'

new; card 0 xe device/tile0/gt0/freq0/rpn_freq=200 device/tile0/gt0/freq0/rp0_freq=1000 device/tile0/gt0/freq0/min_freq=200 device/tile0/gt0/freq0/max_freq=1000
said=$(clock)
check 'xe' scan --gpu-freq min -- true
as_before 'xe is as before'
new; card 0 amdgpu 'device/pp_dpm_sclk=0: 500Mhz\n1: 1200Mhz *' device/power_dpm_force_performance_level=auto
said=$(clock)
"$memwall" scan --root "$tree" --force -o "$tmp/r.csv" --cores 1 --runs 1 --idle 0 --gpu-freq 1.2 -- true 2>"$tmp/amd.err"
as_before 'amdgpu is as before'

new
fails 77 'no card' scan --gpu-freq max -- true
fails 77 'no number to change' scan --gpus 1 -- true
intel; card 1 i915
fails 77 'which of two clocks' scan --gpu-freq max -- true
check 'one and two of them' scan --gpus 1,2 -- sh -c "echo \"\$CUDA_VISIBLE_DEVICES \$ROCR_VISIBLE_DEVICES\" >>'$tmp/visible'"
if [ "$(cat "$tmp/visible")" = $'0 0\n0,1 0,1' ]; then ok 'the program sees as many'; else not_ok 'the program sees as many' "$(cat "$tmp/visible")"; fi
if [ "$(column gpus)" = '1 2 ' ]; then ok 'their numbers are in the rows'; else not_ok 'their numbers are in the rows' "$(cat "$tmp/r.csv")"; fi
check 'a complete scan is resumed' "$memwall" scan --root "$tree" -o "$tmp/r.csv" --cores 1 --runs 1 --order listed --idle 0 --gpus 1,2 --resume -- sh -c "echo \"\$CUDA_VISIBLE_DEVICES \$ROCR_VISIBLE_DEVICES\" >>'$tmp/visible'"
if [ "$(wc -l <"$tmp/visible")" = 2 ]; then ok 'without a further run'; else not_ok 'without a further run' "$(cat "$tmp/visible")"; fi
fails 2 'more than there are' scan --gpus 3 -- true
fails 2 'one axis at a time' scan --gpus 1 --gpu-freq max -- true
