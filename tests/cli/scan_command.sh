#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How a scan runs its command: the first run that fails, expressions, units, commands before and after.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
scan() { "$memwall" scan --cores 1 --idle 0 --force -o x.csv "$@"; }
rows() { grep -v '^#' x.csv | tail -n +2 | wc -l; }
# times NAME SECONDS: of all rows
times() { if grep -v '^#' x.csv | awk -F, -v t="$2" 'NR > 1 && $4 != t { exit 1 }'; then ok "$1"; else not_ok "$1" "$(grep -v '^#' x.csv)"; fi; }

# a first run that fails ends it
fails 1 'a command that fails' scan --runs 50 -- sh -c 'echo reading; printf "no such \033[31minput\a\n" >&2; exit 3'
says 'its status' '1 core, run 1 failed: exit status 3'
says 'its last lines' '^reading'
says 'without what would move a terminal' '^no such \?\[31minput\?$'
says 'once' 'the first run failed \(exit status 3\), so nothing more is run'
if [ "$(rows)" = 1 ]; then ok 'after one run'; else not_ok 'after one run' "$(cat x.csv)"; fi
fails 1 'only the last lines' scan --runs 5 -- sh -c 'seq 1000; exit 1'
if [ "$(grep -cE '^[0-9]+$' <<<"$err")" = 8 ]; then ok 'eight of them'; else not_ok 'eight of them' "$err"; fi
fails 1 'an expression that finds nothing' scan --runs 50 --time-regexp 'Time: ([0-9.]+)' -- echo 'time 5'
says 'is said' 'the expression found nothing in what it printed'
says 'with what was printed' '^time 5$'
fails 1 'one that finds no number' scan --runs 50 --time-regexp 'Time: ([^ ]+)' -- echo 'Time: 12,5 s'
says 'says what it found' "the expression found '12,5', which is no time \(write it with a decimal point\)"
if [ "$(rows)" = 1 ]; then ok 'after one run'; else not_ok 'after one run'; fi
fails 1 'a time of zero' scan --runs 50 --time-regexp 'Time: ([^ ]+)' -- echo 'Time: 0'
says 'is none' "found '0', which is no time above 0"
check 'a later one does not' scan --runs 4 -- sh -c '[ ! -e failed ] && [ -e once ] && touch failed && exit 1; touch once; :'
if [ "$(rows)" = 4 ]; then ok 'all runs are done'; else not_ok 'all runs are done' "$(cat x.csv)"; fi
fails 1 'a time limit does not either' scan --runs 2 --timeout .2 -- sleep 5
if [ "$(rows)" = 2 ]; then ok 'both runs are done'; else not_ok 'both runs are done' "$(cat x.csv)"; fi

# expressions and units
while IFS='|' read -r expression name instead; do
    fails 2 "$expression" scan --time-regexp "$expression" -- sh -c 'touch ran'
    says "$expression: by name" "have no '$name'"
    [ -z "$instead" ] || says "$expression: what instead" "hint: .*$instead"
done <<'LIST'
Time: (\d+)|\\d|\[0-9\]
Time: ([\d.]+)|\\d|0-9
Time:\t([0-9.]+)|\\t|the tab itself
(?:time): ([0-9]+)|\(\?:|first group
(?i)time: ([0-9]+)|\(\?i|
.*?([0-9.]+)|\*\?|what the text between cannot hold
\K[0-9]+|\\K|
LIST
if [ ! -e ran ]; then ok 'before anything is run'; else not_ok 'before anything is run'; fi
for expression in 'T\.=([0-9.]+)' '[]T].=([[:digit:].]+)' 'T\W=([0-9.]+)' 'x?T.=\s*([0-9.]+)' 'T[\.]=([0-9.]+)'; do
    check "$expression" scan --runs 1 --time-regexp "$expression" -- echo 'T.=5'
done
check 'milliseconds' scan --runs 1 --unit ms --time-regexp 'T=([0-9.]+)' -- echo 'T=250'
times 'are a quarter of a second' 0.25
check 'a unit that is written' scan --runs 1 --unit ms --time-regexp 'T=(.*)' -- echo 'T=2min'
times 'holds' 120
fails 2 'a unit without an expression' scan --unit ms -- true
fails 2 'a unit that is none' scan --unit parsec --time-regexp 'T=(.*)' -- true
check 'milliseconds taken for seconds' scan --runs 1 --time-regexp 'T=([0-9.]+)' -- echo 'T=250'
says 'are warned of' 'it printed a time of 250 s in a run of .*--unit'
check 'output shown beside an expression' scan --runs 1 --show-output --time-regexp 'T=([0-9.]+)' -- echo 'T=250'
says 'is shown' '^T=250'
check 'and beside a check' scan --runs 1 --show-output --check 'grep -q T' -- echo 'T=250'
says 'is shown' '^T=250'
mkdir full
if mount -t tmpfs -o size=8k none full 2>/dev/null; then
    fails 1 'no room for the output' env TMPDIR="$tmp/full" "$memwall" scan --cores 1 --runs 3 --idle 0 --force -o x.csv --time-regexp 'T=([0-9]+)' -- sh -c 'seq 10000; echo T=5'
    says 'is said' 'could not be kept: No space left'
    says 'with the remedy' 'hint: TMPDIR'
    umount full
else
    skip 'no room for the output' 'no tmpfs may be mounted here'
fi

# before and after
check 'commands around the runs' scan --runs 3 --warmup 2 --setup 'echo setup >>log; printf "#!/bin/sh\necho run >>log\n" >prog; chmod +x prog' \
    --prepare 'echo prepare {cores} >>log' --cleanup 'echo cleanup >>log; rm prog' -- ./prog
if [ "$(tr '\n' ' ' <log)" = "setup $(for _ in 1 2 3 4 5; do printf 'prepare 1 run '; done)cleanup " ]; then ok 'in their order'; else not_ok 'in their order' "$(cat log)"; fi
if [ "$(rows)" = 3 ]; then ok 'warm-up runs are not kept'; else not_ok 'warm-up runs are not kept'; fi
fails 1 'a setup that fails' scan --setup 'echo why >&2; exit 7' --cleanup 'touch cleaned' -- touch ran
says 'is named' "^memwall scan: --setup '.*' failed: exit status 7"
says 'with what it complained of' '^why'
if [ ! -e ran ] && [ -e cleaned ]; then ok 'nothing is run, and it is cleaned up'; else not_ok 'nothing is run, and it is cleaned up'; fi
rm -f cleaned
env --default-signal=INT "$memwall" scan --cores 1 --runs 50 --idle 0 --force -o x.csv --cleanup 'touch cleaned' -- sleep .2 2>/dev/null & pid=$!
for _ in $(seq 100); do if [ "$(rows 2>/dev/null)" -ge 1 ] 2>/dev/null; then break; fi; sleep .05; done
kill -TERM $pid; wait $pid
if [ $? = 130 ] && [ -e cleaned ]; then ok 'cleaned up after an interrupt'; else not_ok 'cleaned up after an interrupt'; fi
check 'a dry run' scan --dry-run --setup 'touch ran' --cleanup 'touch ran' -- true
if [ ! -e ran ]; then ok 'runs none of it'; else not_ok 'runs none of it'; fi
