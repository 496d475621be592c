# SPDX-License-Identifier: GPL-3.0-or-later
# For shell tests: source it, then `check NAME COMMAND…`, `fails STATUS NAME COMMAND…`, `skip NAME WHY`; it ends the
# script with the right status by itself. $tmp is a folder that goes away, $out and $err hold the last command's output.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
shared=$root/../shared/data
memwall=${MEMWALL:-$root/build/release/memwall}
tmp=$(mktemp -d)
# a lock and a state file of their own: no other test and no other memwall of this machine stops one, nor is stopped by it
export MEMWALL_RUN_DIR=$tmp/.run
mkdir "$MEMWALL_RUN_DIR"
count=0
failed=0
out= err=
finish() {
    status=$?
    rm -rf "$tmp"
    [ $status = 0 ] || [ $status = 77 ] || exit $status
    echo "1..$count"
    [ $failed = 0 ] || exit 1
    exit $status
}
trap finish EXIT

ok() { count=$((count + 1)); echo "ok $count $1"; }
not_ok() {
    count=$((count + 1)); failed=$((failed + 1)); echo "not ok $count $1"
    shift
    printf '%s\n' "$@" | sed 's/^/# /'
}
skip() { count=$((count + 1)); echo "ok $count $1 # SKIP $2"; }

# check NAME COMMAND…: status 0
check() { fails 0 "$@"; }

# fails STATUS NAME COMMAND…: that status, and never a crash; standard output in $out, standard error in $err
fails() {
    local want=$1 name=$2 got
    shift 2
    "$@" >"$tmp/.out" 2>"$tmp/.err" </dev/null
    got=$?
    out=$(cat "$tmp/.out") err=$(cat "$tmp/.err")
    if [ $got = "$want" ]; then ok "$name"; else not_ok "$name" "status $got, not $want: $*" "$out" "$err"; fi
}

# says NAME PATTERN: the last command's standard error (or output, for `prints`) matches an extended expression
says() { if grep -qE -- "$2" <<<"$err"; then ok "$1"; else not_ok "$1" "standard error lacks /$2/:" "$err"; fi; }
prints() { if grep -qE -- "$2" <<<"$out"; then ok "$1"; else not_ok "$1" "standard output lacks /$2/:" "$out"; fi; }
