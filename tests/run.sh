#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs test programs and scripts that print TAP, two at a time; ends in "N passed, N failed, N skipped".
#   tests/run.sh [-w WRAPPER] FILE…      WRAPPER goes before each program ("valgrind -q")
set -u
cd "$(dirname "$0")/.." || exit 1
wrapper=
[ "${1:-}" = -w ] && { wrapper=$2; shift 2; }
logs=${TEST_LOGS:-build/test-logs}
mkdir -p "$logs"
export CMOCKA_MESSAGE_OUTPUT=TAP MEMWALL=${MEMWALL:-$PWD/build/release/memwall} wrapper logs LC_ALL=C.UTF-8

run_one() {
    local file=$1 name log status
    name=${file#build/}; name=${name//\//_}
    log=$logs/$name.log
    case $file in
    *.sh) timeout "${TEST_TIMEOUT:-300}" bash "$file" >"$log" 2>&1 ;;
    *) timeout "${TEST_TIMEOUT:-300}" $wrapper "$file" >"$log" 2>&1 ;;
    esac
    status=$?
    local pass fail skip
    skip=$(grep -cE '^(not )?ok .*# [Ss][Kk][Ii][Pp]' "$log") # cmocka's older versions write "not ok" of what they skip
    pass=$(grep -E '^ok ' "$log" | grep -vciE '# skip')
    fail=$(grep -E '^not ok ' "$log" | grep -vciE '# skip')
    if [ $status = 77 ]; then
        skip=$((skip + 1))
    elif [ $status != 0 ] && [ "$fail" = 0 ]; then
        fail=1
        echo "not ok - $file ended with status $status" >>"$log"
    elif [ $((pass + fail + skip)) = 0 ]; then
        fail=1
        echo "not ok - $file ran no test" >>"$log"
    fi
    echo "$pass $fail $skip" >"$log.count"
    printf '%-44s %4d passed %3d failed %3d skipped  (%d s)\n' "${file##*/}" "$pass" "$fail" "$skip" $((SECONDS))
    [ "$fail" = 0 ] || { grep -vE '^ok ' "$log" | tail -n "${TEST_TAIL:-40}" | sed 's/^/    /'; }
    grep -hE '^(not )?ok .*# [Ss][Kk][Ii][Pp]' "$log" | sed 's/^/    /'
    return 0
}
export -f run_one

# In CI the scripts install what they need (`SCRIPT --install`) before anything is timed: a slow network is no failed test.
if [ "${CI:-}" = true ]; then
    for file in $(printf '%s\n' "$@" | grep -m 1 '^tests/arm/') $(printf '%s\n' "$@" | grep -m 1 '^tests/vm/'); do
        timeout "${INSTALL_TIMEOUT:-600}" bash "$file" --install >/dev/null 2>&1 </dev/null
    done
fi

rm -f "$logs"/*.count
printf '%s\n' "$@" | xargs -P "${TEST_JOBS:-2}" -I{} bash -c 'SECONDS=0; run_one "$1"' _ {}
cat "$logs"/*.count 2>/dev/null |
    awk '{p+=$1; f+=$2; s+=$3} END {printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 || p == 0}'
