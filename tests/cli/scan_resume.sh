#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGKILL at random moments, then --resume, until the scan is complete: each configuration has each repetition once.
# MEMWALL_KILLS: so many kills (default 30; the long form is 200).
. "$(dirname "$0")/../tap.sh"
kills=${MEMWALL_KILLS:-30}
RANDOM=${MEMWALL_SEED:-7}
file=$tmp/runs.csv
scan=("$memwall" scan --cores 1 --input 'a,b "c"' --runs 12 -o "$file" --resume -- sleep 0.01)

# complete FILE RUNS: each repetition 1 … RUNS once, nothing else
complete() { grep -v '^#' "$1" | awk -F, -v runs="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "repetition") back = NF - i; next } { seen[$(NF - back)]++; n++ } END { for (r = 1; r <= runs; r++) if (seen[r] != 1) exit 1; exit n != runs }'; }

done_kills=0 bad= rounds=0
while [ $done_kills -lt "$kills" ]; do
    rm -f "$file"
    rounds=$((rounds + 1))
    while :; do
        "${scan[@]}" 2>"$tmp/said" &
        pid=$!
        # 0 to 0.2 s: before the head is written, between rows, in the middle of a run, after the last row
        sleep "0.$(printf '%03d' $((RANDOM % 200)))"
        kill -9 $pid 2>/dev/null && done_kills=$((done_kills + 1))
        wait $pid
        got=$?
        [ $got = 0 ] && break
        [ $got = 137 ] || { bad="$bad status $got: $(cat "$tmp/said");"; break; }
        if [ $done_kills -ge "$kills" ]; then "${scan[@]}" || bad="$bad last resume;"; break; fi
    done 2>/dev/null
    complete "$file" 12 || bad="$bad round $rounds: $(grep -v '^#' "$file");"
done 2>/dev/null
if [ -z "$bad" ]; then ok "$done_kills kills in $rounds scans: every run once"; else not_ok "kills: every run once" "$bad"; fi

# a complete file: nothing is run, nothing is changed
before=$(cat "$file")
check 'a complete file' "${scan[@]}"
if [ "$(cat "$file")" = "$before" ]; then ok 'it is left alone'; else not_ok 'it is left alone'; fi

# a torn last line, an empty file, another file, other options
printf '%s' "${before%????????}" >"$file"
check 'a torn last line' "${scan[@]}"
check 'its run is done again' complete "$file" 12
: >"$file"
check 'an empty file' "${scan[@]}"
check 'is begun' complete "$file" 12
fails 2 'other options' "$memwall" scan --cores 1 --input 'a,b "c"' --runs 11 -o "$file" --resume -- sleep 0.01
says 'the option is named' "begun with runs '12', not '11'"
fails 2 'another command' "$memwall" scan --cores 1 --input 'a,b "c"' --runs 12 -o "$file" --resume -- sleep 0.02
fails 2 'another seed' "$memwall" scan --seed 2 --cores 1 --input 'a,b "c"' --runs 12 -o "$file" --resume -- sleep 0.01
printf 'cores,time\n1,2\n' >"$tmp/other.csv"
fails 3 'a file of something else' "$memwall" scan --cores 1 -o "$tmp/other.csv" --resume -- true
if [ "$(cat "$tmp/other.csv")" = $'cores,time\n1,2' ]; then ok 'is left alone'; else not_ok 'is left alone' "$(cat "$tmp/other.csv")"; fi
fails 1 'no --resume, no --force' "$memwall" scan --cores 1 -o "$file" -- true
says 'both are named' 'resume.*force'
fails 2 'resume without a file' "$memwall" scan --cores 1 --resume -- true

# with a precision the end depends on the rows: resumed, it is the same
rm -f "$file"
precise=("$memwall" scan --cores 1 --precision 30% --min-runs 5 --max-runs 9 -o "$file" --resume)
check 'until a precision' "${precise[@]}" -- sleep 0.01
rows=$(grep -vc '^#' "$file")
check 'again' "${precise[@]}" -- sleep 0.01
if [ "$(grep -vc '^#' "$file")" = "$rows" ] && [ "$rows" -ge 6 ] && [ "$rows" -le 10 ]; then ok 'nothing to add'; else not_ok 'nothing to add' "$rows"; fi

# --max-time ends early with status 0, --resume goes on
rm -f "$file"
check 'max-time' "$memwall" scan --cores 1 --runs 6 --max-time 1 -o "$file" -- sleep 0.4
says 'says how far it came' 'time of --max-time is over: [1-5] runs done, [1-5] to go'
check 'goes on' "$memwall" scan --cores 1 --runs 6 --resume -o "$file" -- sleep 0.4
check 'to the end' complete "$file" 6

# cut anywhere: what is whole is kept, the rest done again; without its whole head it is nobody's scan and left alone
# MEMWALL_TORN: so many cuts (default 15)
torn=("$memwall" scan --cores 1 --runs 4 --idle 0 -o "$file" --resume -- true)
rm -f "$file"
check 'a file to be torn' "${torn[@]}"
whole=$(cat "$file"; echo x) whole=${whole%x}
head_size=$(grep -E '^(#|workload)' "$file" | wc -c) size=$(wc -c <"$file") bad=
for ((i = 0; i < ${MEMWALL_TORN:-15}; i++)); do
    at=$((RANDOM % size))
    printf '%s' "${whole:0:at}" >"$file"
    before=$(cat "$file")
    "${torn[@]}" 2>"$tmp/said"
    got=$?
    if [ $at -ge "$head_size" ] || [ $at = 0 ]; then
        [ $got = 0 ] && complete "$file" 4 || bad="$bad $at($got): $(cat "$tmp/said")"
        lost=$(printf '%s' "${whole:0:at}" | sed '$d' | grep -cvxFf "$file")
        [ "$lost" = 0 ] || bad="$bad $at: $lost whole lines are lost"
    elif [ $got != 3 ] && [ $got != 2 ] || [ "$(cat "$file")" != "$before" ]; then
        bad="$bad $at($got): $(cat "$tmp/said")"
    fi
done
if [ -z "$bad" ]; then ok "torn anywhere: nothing is lost"; else not_ok 'torn anywhere: nothing is lost' "$bad"; fi
