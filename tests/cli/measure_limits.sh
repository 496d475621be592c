# SPDX-License-Identifier: GPL-3.0-or-later
# Measuring where something is short or comes in between: memory, a place to write, a signal. Always a clear message, the
# documented status, and nothing left behind.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

# limited KIB COMMAND…: with that much address space
limited() { (ulimit -v "$1" && shift && exec "$@"); }
# An instrumented program needs terabytes of address space.
case $(basename "$(dirname "$memwall")") in
san-*) skip 'address space limits' 'an instrumented program needs more' ;;
*)
    for probe in stream latency loaded cache bandwidth; do
        limited 200000 "$memwall" measure $probe --max-time 1 >out.txt 2>err.txt </dev/null
        status=$?
        err=$(cat err.txt)
        case $status in
        0) ok "$probe with 200 MB of address space takes what there is" ;;
        1) says "$probe with 200 MB of address space says what it needs" 'memory|cannot reserve|address space' ;;
        77) says "$probe with 200 MB of address space says why not" 'memory|address space|second core' ;;
        *) not_ok "$probe with 200 MB of address space" "status $status" "$err" ;;
        esac
    done
    fails 77 'stream that cannot have its arrays' limited 200000 "$memwall" measure stream --array 1GiB --cores 1
    says 'names the limit' 'MiB'
    check 'flops needs no memory' limited 200000 "$memwall" measure flops --cores 1 --runs 2
    ;;
esac

# a time that can't be held is told before the start, with what would fit; one that can is not
for probe in stream loaded; do
    [ $probe = stream ] || [ "$(nproc)" -ge 2 ] || continue
    check "$probe in no time" "$memwall" measure $probe --llc 1MiB --max-time 0.001
    says "$probe says before that it can't be" "can't be held: what is left of it is .* the least that gives each row a value takes about [0-9.e+]+ s here; what would fit: .*--max-time [0-9]+$"
    fails 1 "$probe says it once" grep -q 'not the .* asked for' <<<"$err"
done
check 'stream in half an hour' "$memwall" measure stream --llc 1MiB --cores 1 --runs 2 --kernel copy --max-time 1800
fails 1 'says nothing of it' grep -q "can't be held" <<<"$err"

# the second core count can't be had: what was measured before is kept, the rest named
cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
fails 1 'a later core count fails' env HWLOC_SYNTHETIC="pack:1 core:2 pu:1(indexes=$cpu,4095)" HWLOC_THISSYSTEM=1 \
    "$memwall" measure flops --cores 1,2 --runs 2
prints 'its rows are there' '^1,'
says 'the rest is named' 'none on these numbers of cores: 2$'

# a last level that can't be so doesn't size the scan
check 'cache beside a last level of a TiB' env HWLOC_SYNTHETIC="pack:1 l3:1(size=1099511627776) core:1 pu:1(indexes=$cpu)" \
    HWLOC_THISSYSTEM=1 "$memwall" measure cache --dry-run
says 'scans 128 MiB at most' 'working sets up to ([1-9]?[0-9]|1[01][0-9]|12[0-8]) MiB'

fails 1 'a folder that is not there' "$memwall" measure flops --cores 1 --runs 2 -o missing/out.csv
says 'is named' "cannot .*'missing/out.csv'.*No such file"
fails 1 'a full disk' bash -c "exec '$memwall' measure flops --cores 1 --runs 2 >/dev/full"
says 'is told' 'No space left'
check 'a reader that goes away' bash -c "'$memwall' measure flops --cores 1 --runs 2 | head -n 1"

# interrupted SIGNAL SECONDS COMMAND…: sends the signal after that time; status in $status
interrupted() {
    local signal=$1 after=$2 pid
    shift 2
    "$@" >out.txt 2>err.txt </dev/null &
    pid=$!
    sleep "$after"
    kill -"$signal" $pid 2>/dev/null
    wait $pid
    status=$?
    out=$(cat out.txt) err=$(cat err.txt)
}
for probe in bandwidth flops; do
    small=; [ $probe = flops ] || small='--llc 2MiB'
    for after in 3 9 27; do # until a row is complete, on however busy a machine
        interrupted INT $after "$memwall" measure $probe $small --cores 1 --runs 1000 --max-time 60 -o $probe.csv
        ! grep -qE '^1,' $probe.csv 2>/dev/null || break
    done
    if [ $status = 130 ]; then ok "$probe: an interrupt ends with 130"; else not_ok "$probe: an interrupt ends with 130" "$status" "$err"; fi
    says "$probe: and says so" 'interrupted'
    if grep -qE '^1,.*,[0-9.e+]+' $probe.csv 2>/dev/null; then ok "$probe: what was complete is kept"; else not_ok "$probe: what was complete is kept" "$(ls -la)"; fi
done
interrupted TERM 1.5 "$memwall" measure cache --max-time 60 -o cache.csv
if [ $status = 130 ]; then ok 'cache: a termination ends with 130'; else not_ok 'cache: a termination ends with 130' "$status" "$err"; fi
if [ ! -e cache.csv ]; then ok 'cache: half a scan is no result'; else not_ok 'cache: half a scan is no result' "$(cat cache.csv)"; fi
left=$(ls | grep -vE '^(out|err)\.txt$|^(bandwidth|flops)\.csv$')
if [ -z "$left" ]; then ok 'no file is left behind'; else not_ok 'no file is left behind' "$left"; fi

# an order to stop while memory is touched for the first time: obeyed long before that would have ended
"$memwall" measure stream --max-time 50 -o "$tmp/s.csv" 2>/dev/null & pid=$!
sleep .4; kill -TERM $pid; start=$SECONDS; wait $pid
got=$?
if [ $got = 130 ] && [ $((SECONDS - start)) -le 10 ]; then ok 'SIGTERM ends a stream that begins'; else not_ok 'SIGTERM ends a stream that begins' "status $got after $((SECONDS - start)) s"; fi
