#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Control characters in names, cells and models never reach a terminal, an SVG or a page.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
esc=$'\033' name=$'evil\033]0;owned\a\033[31m.csv'
printf 'workload,cores,freq_ghz,time_s\n' >"$name"
for p in 1 2 4 8; do for f in 1 2; do awk -v p=$p -v f=$f -v w="w${esc}[2J<b>&" 'BEGIN { print w "," p "," f "," 1 + 8 / p / f }' >>"$name"; done; done
# clean NAME FILE: no control characters but those of a text
clean() { if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$2"; then not_ok "$1" "$(head -c 2000 "$2" | cat -v)"; else ok "$1"; fi; }
"$memwall" fit "$name" -o m.json >out 2>err
clean 'what a fit says' err
"$memwall" fit "$name-not-there" >out 2>err
clean 'a name that is not there' err
"$memwall" "pre${esc}dict" >out 2>err
clean 'a command that is none' err
check 'a report' "$memwall" report m.json -o r.html
clean 'a page' r.html
if grep -q '<b>&' r.html; then not_ok 'the page escapes' "$(grep -n '<b>&' r.html)"; else ok 'the page escapes'; fi
sed 's/"name": "amdahl"/"name": "<b>\&"/; s/"settle": "[^"]*"/"settle": "<b>\&"/' m.json >names.json
check 'a model with names that are markup' "$memwall" report names.json -o names.html
if ! grep -q '<b>&' names.html && grep -q '&lt;b&gt;&amp;' names.html; then ok 'the page escapes them too'; else not_ok 'the page escapes them too' "$(grep -n 'b>' names.html)"; fi
check 'a picture' "$memwall" plot m.json -o p.svg
clean 'an SVG' p.svg
if command -v script >/dev/null; then
    for command in 'diagnose m.json' 'predict m.json' 'recommend m.json' 'fit m2.csv' "fit $(printf '%q' "$name")"; do
        cp "$name" m2.csv
        script -qec "$memwall $command" /dev/null </dev/null 2>&1 | tr -d '\r' | sed "s/$esc\[[0-2]m//g; s/$esc\[K//g" >out
        clean "on a terminal: ${command%% *}" out
    done
    script -qec "NO_COLOR= TERM=xterm $memwall help predict" /dev/null </dev/null >out
    if grep -q "$esc\[1m" out; then ok 'bold is still bold'; else skip 'bold is still bold' 'no colour on this terminal'; fi
else
    skip 'on a terminal' 'no script(1)'
fi
