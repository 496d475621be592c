#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The short form of `make mutate`: its rules find faults in every room; in CI two of them are made in a small room, and noticed.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
command -v python3 >/dev/null || { echo '# SKIP no python3'; exit 77; }
check 'the rules' python3 tests/mutate.py --list
rooms=$(grep -cvE '^(#|$)' tests/mutate.rooms)
if [ "$(awk '$1 >= 20' <<<"$out" | wc -l)" = "$rooms" ]; then ok 'faults in every room'; else not_ok 'faults in every room' "$out"; fi
unnamed=$(git ls-files 'data/*.c' 'model/*.c' 'fit/*.c' 'advise/*.c' 'measure/*.c' 'library/*.c' 'plots/*.c' 'cli/*.c' | xargs -n1 dirname | sort -u | while read -r room; do
    grep -qE "^$room[ /]" tests/mutate.rooms || echo "$room"
done | grep -vxE 'cli|cli/measure|measure/(batch|gpu|gpu/kernels|probe/kernels)' | tr '\n' ' ')
if [ -z "$unnamed" ]; then ok 'every room has its tests named'; else not_ok 'every room has its tests named' "$unnamed"; fi
if [ "${CI:-}" = true ]; then
    export TMPDIR=$tmp
    check 'two faults in the order of runs' python3 tests/mutate.py --only measure/run/sequence.c --count 2 --seed 2 --least 50
    prints 'are noticed' '^noticed .*sequence\.c'
else
    skip 'two faults in the order of runs' 'built from nothing: in CI only (CI=true), and by make mutate'
fi
