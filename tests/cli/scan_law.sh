#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From end to end with a known answer: a program that obeys the law at the frequency that the tree says is scanned over
# cores and frequencies, and the fit finds its parameters; with noise and outliers; with a frequency that never reached
# the other cores; with a daemon that changes it back.
. "$(dirname "$0")/../tap.sh"
${CC:-gcc} -O1 -shared -fPIC -o "$tmp/shim.so" "$root/tests/machines/kernel_shim.c" -ldl -pthread &&
    ${CC:-gcc} -O1 -o "$tmp/lawful" "$root/tests/machines/lawful.c" -lm || { echo '# SKIP no compiler'; exit 77; }
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
tree=$tmp/tree runs=$tmp/runs.csv model=$tmp/model.json
f=.99 k=.6 m1=.06 m2=.3 # the memory wall stands between 8 and 16 cores: all four can be told
"$root/tests/machines/make_tree.sh" acpi-cpufreq "$tree" 24
scan() { env SHIM_ROOT="$tree" LD_PRELOAD="$tmp/shim.so" "$memwall" scan --root "$tree" --force -o "$runs" --memory-freq 2.133 --time-regexp 'time: ([0-9.e+-]+) s' "$@"; }
lawful=("$tmp/lawful" "$tree" '{cores}' $f $k $m1 $m2 100)
# param NAME: value low high status
param() { awk -v name="\"$1\":" '$1 == name && /{/ { at = 1 } at && /"(value|low|high)":/ { v[$1] = $2 + 0 } at && /"status":/ { s = $0 } at && /}/ { gsub(/.*": "|".*/, "", s); print v["\"value\":"], v["\"low\":"], v["\"high\":"], s; exit }' "$model"; }
# recovered NAME TRUTH TOLERANCE
recovered() {
    set -- "$1" "$2" "$3" $(param "$1")
    if awk -v t="$2" -v tol="$3" -v v="$4" 'BEGIN { exit !(v > t * (1 - tol) && v < t * (1 + tol)) }'; then
        ok "$1 = $2: found $4 ($5 to $6, $7)"
    else
        not_ok "$1 = $2 within $3" "found $4 ($5 to $6, $7)"
    fi
}

grid=(--cores 1,2,4,8,12,16,24 --freq 0.8,1.2,1.8,2.4)
check 'scan' scan "${grid[@]}" --runs 1 -- "${lawful[@]}"
check 'times are the law' awk -F, '!/^#/ && $2 == 1 && $3 == 2.4 { t = $5 } END { phi = 2.4 / 2.133; exit !(t > .9999 * 100 * (1 + .6 * phi * .36) / 2.4 && t < 1.0001 * 100 * (1 + .6 * phi * .36) / 2.4) }' "$runs"
check 'fit' "$memwall" fit "$runs" --force -o "$model"
recovered f $f .0002
recovered k $k .01
recovered m1 $m1 .01
recovered m2 $m2 .01

check 'scan with noise and outliers' scan "${grid[@]}" --runs 3 -- "${lawful[@]}" print .01
check 'fit of it' "$memwall" fit "$runs" --force -o "$model"
recovered f $f .01
recovered k $k .2
recovered m1 $m1 .1
recovered m2 $m2 .2

# 1.8 GHz never reaches the other cores, and nobody says so but what they run at
check 'a frequency that stays with the first core' env SHIM_STUCK=1800000 SHIM_ROOT="$tree" LD_PRELOAD="$tmp/shim.so" "$memwall" scan --root "$tree" \
    --force -o "$runs" --memory-freq 2.133 --time-regexp 'time: ([0-9.e+-]+) s' "${grid[@]}" --runs 1 -- "${lawful[@]}"
says 'is named with its cores' '24 cores at 1.8 GHz: CPU 1-23 ran at'
says 'and counted' '6 rows are marked'
check 'fit' "$memwall" fit "$runs" --force -o "$model"
says 'the fit says so too' 'effective|did not reach|frequency'
recovered f $f .01
