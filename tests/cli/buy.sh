#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../tap.sh"
profiles=$root/data/profiles

cell() { grep -v '^#' <<<"$out" | awk -F, -v row="$1" -v col="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == col) c = i } NR == row + 1 { print $c }'; }
near() { if awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN { d = a - b; exit !(a != "" && d <= t && d >= -t) }'; then ok "$1"; else not_ok "$1" "$2, not $3 within $4"; fi; }

"$memwall" fit "$root/data/examples/xeon-bt.csv" --force -o "$tmp/a.json" >/dev/null 2>&1 || exit 1
check "a fleet" "$memwall" predict "$tmp/a.json" --machine "$profiles/xeon-e5-2630v4.json" \
    --target "$profiles/opteron-6100-4s.json,$profiles/thunderx-48.json" --cores 1,max
says "a range and how often such an answer is right" 'times as fast as here on all its cores; in earlier tests'
says "which two points to rent" 'run 24 and 48 cores'
says "a chance for each" "chance to be the fastest of all, on all cores: 'thunderx-48'"
if [ "$(grep -cv '^#' <<<"$out")" = 5 ]; then ok "exactly the grid asked for"; else not_ok "exactly the grid asked for" "$out"; fi
near "time on one core by the clocks" "$(cell 1 time_s)" "$(awk 'BEGIN { print 900.41 * 3.1 / 2.1 }')" 20
check "json" "$memwall" predict "$tmp/a.json" --json --target "$profiles/thunderx-48.json" --cores 48
prints "its schema" 'memwall-targets/1'
prints "its chance" 'chance_fastest'

# a machine like this one in everything gives this machine's curve
sed 's/"clock_ghz": .*/"clock_ghz": [[1, 2.2], [10, 2.2]],/' "$profiles/xeon-e5-2630v4.json" >"$tmp/twin.json"
check "a twin" "$memwall" predict "$tmp/a.json" --machine "$tmp/twin.json" --target "$tmp/twin.json" --cores 10
near "runs as here" "$(cell 1 time_s)" 136.76 .1
check "hyper-threads by the gain seen here" "$memwall" predict "$tmp/a.json" --machine "$tmp/twin.json" --target "$tmp/twin.json" --cores 20
near "as here" "$(cell 1 time_s)" 123.63 .2
fails 2 "more threads than there are" "$memwall" predict "$tmp/a.json" --target "$tmp/twin.json" --cores 21
says "says how many" '20 hardware threads'
fails 2 "hyper-threads without a gain" "$memwall" predict "$tmp/a.json" --target "$profiles/xeon-e5-2630v4.json" --cores 20
says "asks for the machine" '\-\-machine'
check "footprint" "$memwall" predict "$tmp/a.json" --target <(sed 's/"sockets"/"mem_bytes": 1000000000, "sockets"/' "$tmp/twin.json") --footprint 2GiB --cores 4
says "too large for it" 'needs more memory'

# runs on the target take over
printf 'cores,time_s\n1,1900\n2,990\n24,101\n48,76\n' >"$tmp/b.csv"
check "runs there" "$memwall" predict "$tmp/a.json" --target "$profiles/opteron-6100-4s.json" --target-runs "$tmp/b.csv" --cores 24,48
near "measured is what was measured" "$(cell 2 time_s)" 76 .01
near "between them, a + b/p" "$(printf 'cores,time_s\n24,102\n48,52\n' >"$tmp/two.csv"; out=$("$memwall" predict "$tmp/a.json" --target "$profiles/opteron-6100-4s.json" --target-runs "$tmp/two.csv" --cores 1,12 2>/dev/null); cell 2 time_s)" 202 .1
{ echo cores,time_s; for p in 1 2 4 8 16 24 36; do awk -v p=$p 'BEGIN { print p "," 20 + 1200 / p }'; done; } >"$tmp/many.csv"
check "many runs there are fitted" "$memwall" predict "$tmp/a.json" --target "$profiles/opteron-6100-4s.json" --target-runs "$tmp/many.csv" --cores 12,48
near "between" "$(cell 1 time_s)" 120 4
near "beyond" "$(cell 2 time_s)" 45 5
printf 'cores,time_s\n1,1900\n2,1890\n' >"$tmp/odd.csv"
check "another program" "$memwall" predict "$tmp/a.json" --target "$profiles/opteron-6100-4s.json" --target-runs "$tmp/odd.csv" --cores 4
says "the alarm" 'seem not to run the same work'
fails 2 "more runs than targets" "$memwall" predict "$tmp/a.json" --target "$tmp/twin.json" --target-runs "$tmp/b.csv,$tmp/b.csv"
fails 2 "runs without a target" "$memwall" predict "$tmp/a.json" --target-runs "$tmp/b.csv"
echo '{"memwall_machine": 1, "name": "x"}' >"$tmp/nocores.json"
fails 3 "a profile without cores" "$memwall" predict "$tmp/a.json" --target "$tmp/nocores.json"
says "names the key" "'cores' is missing"

# what if
"$memwall" fit "$root/data/examples/canneal.csv" --force -o "$tmp/c.json" >/dev/null 2>&1 || exit 1
check "memory latency .7" "$memwall" predict "$tmp/c.json" --what-if memory-latency=0.7
prints "read between the runs around 1.68 GHz" 'between your own runs at 1\.6 and 1\.7 GHz, as of 1\.68 GHz'
prints "with bounds" 'it cannot leave'
check "bandwidth alone" "$memwall" predict "$tmp/c.json" --what-if memory-bandwidth=2
prints "no single figure" 'no single figure'
check "unchanged memory" "$memwall" predict "$tmp/c.json" --json --what-if memory-latency=1
"$memwall" fit "$root/data/examples/swaptions.csv" --force -o "$tmp/w.json" >/dev/null 2>&1 || exit 1
check "memory of a program without any" "$memwall" predict "$tmp/w.json" --json --what-if memory-latency=0.7
if awk -F'[:,]' '/"(now|time|time_high|bound_high)_s"/{v[$1]=$2} END{exit !(v["   \"time_s\""]<=v["   \"bound_high_s\""] && v["   \"time_high_s\""]<=v["   \"bound_high_s\""] && v["   \"time_s\""]>0)}' <<<"$out"; then
    ok "is within its bounds"
else not_ok "is within its bounds" "$out"; fi
check "its bandwidth" "$memwall" predict "$tmp/w.json" --what-if memory-bandwidth=2
prints "gains no more than its share" 'between 1\.[7-9][0-9]*e-06 s and 1\.9[0-9]e-06 s.*at most [0-9]+ % of the time does not depend'
check "runs at that frequency" "$memwall" predict "$tmp/c.json" --what-if memory-latency=0.75
prints "are named alone" 'from your own runs at 1\.8 GHz'
check "fewer cores" "$memwall" predict "$tmp/c.json" --what-if cores=12
prints "have an interval" 's \(([0-9.e-]+)-[0-9.e-]+\) instead'
if grep -qE ' ([0-9.]+e-07) s \(\1-' <<<"$out"; then not_ok "of some width" "$out"; else ok "of some width"; fi
fails 2 "half a core" "$memwall" predict "$tmp/c.json" --what-if cores=2.5
check "more cores" "$memwall" predict "$tmp/c.json" --what-if cores=64
prints "both kinds of memory" 'with memory as it is; if its bandwidth grew'
fails 2 "over four times the cores" "$memwall" predict "$tmp/c.json" --what-if cores=97
says "says the most" 'at most 96'
fails 2 "an unknown key" "$memwall" predict "$tmp/c.json" --what-if memory-latncy=1
says "suggests" "did you mean 'memory-latency'"
fails 2 "no number" "$memwall" predict "$tmp/c.json" --what-if cores=x
check "one frequency" "$memwall" predict "$tmp/a.json" --what-if memory-latency=0.7
prints "gives bounds only" 'one frequency only'
fails 2 "one question at a time" "$memwall" predict "$tmp/a.json" --what-if cores=20 --target "$tmp/twin.json"
