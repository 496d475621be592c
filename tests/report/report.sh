#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memwall report in a browser: several widths, light and dark. REPORT_LONG=1 (make check-report) installs Chromium where it is
# missing; without it the pictures alone are looked at.
. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
command -v gnuplot >/dev/null && command -v python3 >/dev/null || { echo '# SKIP gnuplot or python3 is missing'; exit 77; }
cd "$tmp" || exit 1
if ! command -v chromium >/dev/null && [ "${REPORT_LONG:-}" = 1 ] && [ "$(id -u)" = 0 ]; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=120 --no-install-recommends chromium; } >"$tmp/apt.log" 2>&1 </dev/null
fi

# the commonest table, one with all there is, work that grows, a rate with its own unit, speedups alone, a name that is markup
{ echo '# freq_driver: none'; echo "# scan_command: ./a.out '{cores}' '<b>'"; echo 'cores,repetition,time_s,cpu_s'
  for r in 1 2 3; do printf '1,%s,10.0%s,10\n2,%s,5.0%s,10\n' $r $r $r $r; done; } >two.csv
cp "$root/data/examples/canneal.csv" all.csv
{ echo '# scan_weak: yes'; echo cores,time_s; printf '1,10\n2,10.1\n4,10.4\n8,10.9\n'; } >weak.csv
{ echo 'workload,cores,ns/day'; for p in 1 2 4 8; do awk -v p=$p 'BEGIN { print "<i>&a,run," p "," 2.5 / (.1 + .9 / p) }' | cut -d, -f1,3,4; done; } >rate.csv
printf 'cores,freq_ghz,speedup\n2,2,1.8\n4,2,3\n8,2,4.3\n2,1,1.85\n4,1,3.1\n8,1,4.7\n' >speedups.csv
{ echo '# rate_unit: <b onload="alert(1)">&x'; echo 'workload,cores,repetition,time_s,rate,cpu_s,exit_status'
  for r in 1 2; do printf 'p,1,%s,0.25,4,1,0\np,2,%s,0.13,7.7,1,0\n' $r $r; done; } >markup.csv
for name in two all weak rate speedups markup; do
    map=()
    [ $name = rate ] && map=(--map rate=ns/day)
    check "$name: fitted" "$memwall" fit $name.csv "${map[@]}" -o $name.json --force
    check "$name: report" "$memwall" report $name.json -o $name.html --force
    check "$name: SVG well-formed, named apart, each with an alternative text and a caption" python3 "$here/page.py" $name.html w-$name.html
done
lacks() { if grep -qE "$3" "$2"; then not_ok "$1" "$(grep -oE ".{0,60}$3.{0,60}" "$2" | head -n 3)"; else ok "$1"; fi; }
has() { if grep -qE "$3" "$2"; then ok "$1"; else not_ok "$1" "lacks /$3/" "$(head -c 3000 "$2")"; fi; }
lacks 'a unit is no markup' markup.html '<b onload'
has 'it begins with the answer' two.html '<p class=answer>[0-9.]+x on 2 cores \([0-9]+ %\): it scales\. Run it on 2\.'
has 'the contents are answers' all.html '<a href=#run>Where to run it</a>: 24 cores at 2\.4 GHz for time'
has 'the line is the command' two.html "taskset -c 0-1 ./a.out 2 '&lt;b&gt;'|./a.out '2' '&lt;b&gt;'"
lacks 'no parameters that two points can not tell' two.html 'not identifiable|id=law'
lacks 'no energy, no heat map, no reason for either' two.html 'No picture|heat map|energy \(J\)'
check 'with --verbose' "$memwall" report two.json -o verbose.html --verbose
has 'the reasons are there' verbose.html 'No picture of heatmap'
has 'a rate is drawn in its unit' rate.html '>ns/day<'
has 'and listed in it' rate.html '<th class=n>ns/day</th>'
lacks 'not in seconds' rate.html 'time \(s\)'
has 'the legend names the dots' all.html '>measured<'
has 'readings are titles' two.html '<title>2 cores: (1\.99|2)[0-9.]* times one core</title>'
lacks 'nothing asks for a script' all.html 'onmouse|<script'
has 'it prints' all.html '@media print'

command -v chromium >/dev/null || { skip 'in a browser' 'chromium is not here (make check-report installs it)'; exit 0; }
look() { # PAGE SCHEME: what the page finds of itself, and what the browser complains of
    local scheme=1
    [ "$2" = dark ] && scheme=0
    timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --enable-logging=stderr \
        --blink-settings=preferredColorScheme=$scheme --virtual-time-budget=5000 --dump-dom "file://$tmp/$1" 2>log >seen </dev/null
}
pages="two all"
[ "${REPORT_LONG:-}" = 1 ] && pages="two all weak rate speedups"
for name in $pages; do
    for scheme in light dark; do
        look w-$name.html $scheme
        if grep -q ">$scheme" seen; then ok "$name, $scheme: drawn"; else not_ok "$name, $scheme: drawn" "$(tail -n 5 seen log)"; fi
        good=$(grep -cE '^[0-9]+: over 0 empty 0 tall 0 blank 0 dots [1-9][0-9]* .*answer true' seen)
        if [ "$good" = 3 ]; then ok "$name, $scheme: nothing beyond 360, 768 and 1280 pixels, no blank row"; else not_ok "$name, $scheme: widths" "$(cat seen)"; fi
        if grep -q CONSOLE log; then not_ok "$name, $scheme: no error of the console" "$(grep CONSOLE log)"; else ok "$name, $scheme: no error of the console"; fi
    done
    if grep -q 'background rgb(24, 24, 24)' seen; then ok "$name: dark is dark"; else not_ok "$name: dark is dark" "$(cat seen)"; fi
done
timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --print-to-pdf="$tmp/p.pdf" "file://$tmp/all.html" >/dev/null 2>&1 </dev/null
if [ "$(head -c 4 p.pdf 2>/dev/null)" = %PDF ]; then ok 'it prints to PDF'; else not_ok 'it prints to PDF'; fi
