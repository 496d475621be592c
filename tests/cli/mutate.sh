#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The short form of `make mutate`: its rules find faults in every room, and every room names the tests that should notice them.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
command -v python3 >/dev/null || { echo '# SKIP no python3'; exit 77; }
check 'the rules' python3 tests/mutate.py --list
rooms=$(grep -cvE '^(#|$)' tests/mutate.rooms)
if [ "$(awk '$1 >= 20' <<<"$out" | wc -l)" = "$rooms" ]; then ok 'faults in every room'; else not_ok 'faults in every room' "$out"; fi
unnamed=$(git ls-files 'data/*.c' 'model/*.c' 'fit/*.c' 'advise/*.c' 'measure/*.c' 'library/*.c' 'plots/*.c' 'cli/*.c' | xargs -n1 dirname | sort -u | while read -r room; do
    grep -qE "^$room( |/|\$)" tests/mutate.rooms || echo "$room"
done | grep -vxE 'cli|cli/measure|measure/(batch|gpu|gpu/kernels|probe/kernels|process)' | tr '\n' ' ')
if [ -z "$unnamed" ]; then ok 'every room has its tests named'; else not_ok 'every room has its tests named' "$unnamed"; fi
