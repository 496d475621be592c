#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Energy beside time, from generated meters that the program itself moves.
. "$(dirname "$0")/../tap.sh"
chmod 755 "$tmp"
tree=$tmp/tree cap=$tmp/tree/sys/class/powercap file=$tmp/r.csv
zone() { mkdir -p "$cap/$1"; echo "$2" >"$cap/$1/name"; echo "$3" >"$cap/$1/energy_uj"; [ -z "${4:-}" ] || echo "$4" >"$cap/$1/max_energy_range_uj"; }
new() { rm -rf "$tree"; "$root/tests/machines/make_tree.sh" acpi-cpufreq "$tree"; }
# set ZONE MICROJOULES: at once, as a counter moves; set sleep SECONDS
cat >"$tmp/set" <<SET
#!/bin/sh
while [ \$# -gt 0 ]; do
    case \$1 in sleep) sleep \$2 ;; *) echo "\$2" >"$cap/\$1/new" && mv "$cap/\$1/new" "$cap/\$1/energy_uj" ;; esac
    shift 2
done
SET
chmod +x "$tmp/set"
scan() { "$memwall" scan --root "$tree" --cores 1 --runs 1 --idle 0 --force -o "$file" "$@"; }
energy() { awk -F, -v want="$1" '/^#/ { next } $2 == "cores" { for (i = 1; i <= NF; i++) if ($i == "energy_j") c = i } $2 == 1 { got = $c; exit !(c && (want == "" ? got == "" : got > want * .999999 && got < want * 1.000001)) }' "$file"; }

new
zone intel-rapl:0 package-0 1000000 262143328850
zone intel-rapl:0:0 core 1000000 262143328850
zone intel-rapl:0:1 dram 1000000 65712999613
zone intel-rapl:1 psys 1000000 262143328850
zone intel-rapl-mmio:0 package-0 1000000 262143328850
check 'a package with its memory' scan -- "$tmp/set" intel-rapl:0 1500000 intel-rapl:0:0 1400000 intel-rapl:0:1 1100000 intel-rapl:1 9000000 intel-rapl-mmio:0 1500000 sleep .03
check 'cores, psys and the copy are not added' energy 0.6
if grep -q '^# energy: RAPL by powercap: package-0 + package-0 dram$' "$file"; then ok 'what it includes is recorded'; else not_ok 'what it includes' "$(grep '^# energy' "$file")"; fi
check 'no move: missing' scan -- sleep .03
says 'no move: said' 'no energy: package-0 did not move'
check 'no move: an empty cell' energy ''
check 'impossible: missing' scan -- "$tmp/set" intel-rapl:0 200000000000 intel-rapl:0:1 1200000 sleep .03
check 'impossible: an empty cell' energy ''
new
zone intel-rapl:0 psys 1000000 262143328850
check 'psys alone' scan -- "$tmp/set" intel-rapl:0 3000000 sleep .03
check 'is taken' energy 2
new
zone intel-rapl:0 package-0 900000 1000000
zone intel-rapl:1 package-1 100000 500000
check 'one wrap' scan -- "$tmp/set" intel-rapl:0 100000 intel-rapl:1 200000 sleep .03
check 'each by its own range' energy 0.3
check 'wraps between start and end' scan -- "$tmp/set" intel-rapl:0 600000 sleep .4 intel-rapl:0 200000 sleep .4 intel-rapl:0 800000 intel-rapl:1 400000 sleep .4 intel-rapl:0 300000 intel-rapl:1 100000 sleep .4
check 'are all counted' energy 2.6
new
zone intel-rapl:0 package-0 900000
check 'a wrap of an unknown range' scan -- "$tmp/set" intel-rapl:0 100000 sleep .03
says 'said' 'package-0 wrapped, and its range cannot be read'
check 'is missing' energy ''
check 'no wrap of an unknown range' scan -- "$tmp/set" intel-rapl:0 400000 sleep .03
check 'is energy' energy 0.3
check 'a domain that vanishes' scan -- sh -c "rm $cap/intel-rapl:0/energy_uj; sleep .03"
says 'said' 'package-0 cannot be read any more'
check 'is missing' energy ''

new
zone intel-rapl:0 package-0-die-0 123000000 262143328850
zone intel-rapl:1 package-0-die-1 123000000 262143328850
check 'two dies with one counter' scan -- "$tmp/set" intel-rapl:0 128000000 intel-rapl:1 128000000 sleep .03
says 'is said' "package-0-die-1 shows another's counter"
check 'are counted once' energy 5
new
zone intel-rapl:0 package-0 123000000 262143328850
zone intel-rapl:1 package-1 123000000 262143328850
check 'two packages that begin alike' scan -- "$tmp/set" intel-rapl:0 128000000 intel-rapl:1 131000000 sleep .03
check 'are two' energy 13

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 --clear-groups "$memwall" --version >/dev/null 2>&1; then
    new
    zone intel-rapl:0 package-0 900000 1000000
    chmod 400 "$cap/intel-rapl:0/energy_uj"
    check 'not readable' setpriv --reuid 65534 --clear-groups "$memwall" scan --root "$tree" --cores 1 --runs 1 -- true
    says 'the remedy' 'no energies: .*may be read by root only'
    if grep -q '^workload.*energy_j' <<<"$out"; then not_ok 'no column'; else ok 'no column'; fi
else
    skip 'not readable' 'needs root to become another user'
fi

new
mkdir -p "$tree/sys/cray/pm_counters"
echo '1000 J 5 us' >"$tree/sys/cray/pm_counters/energy"
check 'pm_counters' scan -- sh -c "echo '1250 J 6 us' >$tree/sys/cray/pm_counters/energy; sleep 1.05"
check 'the node' energy 250
check 'too short: missing' scan -- true # below a second, however busy the machine
says 'too short: said' 'shorter than ten updates'
check 'too short: an empty cell' energy ''
new
hwmon=$tree/sys/class/hwmon/hwmon2
mkdir -p "$hwmon"
echo ina3221 >"$hwmon/name"
for rail in '1 VDD_IN 8000000' '2 VDD_CPU 5000000'; do
    set -- $rail
    echo "$2" >"$hwmon/power$1_label"
    echo "$3" >"$hwmon/power$1_input"
done
check 'a board' scan -- sleep 1.2
check 'its input rail, integrated' awk -F, '!/^#/ && $2 == 1 { exit !($6 > 7.8 * $4 && $6 < 12 * $4) }' "$file"
new
check 'a command for each run' scan --energy-command 'echo 12.5 J' -- true
check 'its number' energy 12.5
echo 100 >"$tmp/count"
check 'a command that counts' scan --energy-command "c=\$((\$(cat $tmp/count) + 7)); echo \$c >$tmp/count; echo energy \$c" -- true
check 'the difference' energy 7
fails 1 'a command that fails' scan --energy-command false -- true
says 'said' "'false' failed or printed no number"
check 'kilojoules' scan --energy-kind run --energy-command 'echo 12.5 kJ' -- true
check 'are joules' energy 12500
check 'a name with a number' scan --energy-command 'echo pkg0 55.1 J' -- true
check 'is a name' energy 55.1
fails 1 'a decimal comma' scan --energy-command 'echo 12,5 J' -- true
says 'is refused' "printed '12,5 J': '12,5' is no number: write a decimal point"
fails 1 'watts' scan --energy-command 'echo 55 W' -- true
fails 1 'two numbers' scan --energy-command 'echo 5 6' -- true
# a counter that only the run moves: not the last run's energy
echo 1000 >"$tmp/count"
check 'a counter that stands still at rest' scan --energy-command "cat $tmp/count" -- sh -c "echo 1007 >$tmp/count"
says 'is not taken for a run' 'no energy: .*stood still at rest.*--energy-kind'
check 'its energy is missing' energy ''
echo 1000 >"$tmp/count"
check 'told that it is one' scan --energy-kind counter --energy-command "cat $tmp/count" -- sh -c "echo 1007 >$tmp/count"
check 'the difference' energy 7
check 'one that did not move' scan --energy-kind counter --energy-command "cat $tmp/count" -- true
says 'said' 'counter did not move'
echo 1000 >"$tmp/count"
check 'what falls' scan --energy-command "cat $tmp/count" -- sh -c "echo 7 >$tmp/count"
check 'is the energy of the run' energy 7
echo 123456789 >"$tmp/count"
check 'what no run takes' scan --energy-command "cat $tmp/count" -- true
says 'is refused' 'more than a run of .* takes'
check 'its energy is missing' energy ''
# a command that hangs: by its time limit, by signals
seconds=$SECONDS
fails 1 'a command that hangs' scan --timeout 1 --energy-command 'sleep 300' -- true
says 'is said' 'timed out after 1 s'
scan_pid() { "$memwall" scan --root "$tree" --cores 1 --runs 1 --idle 0 --force -o "$file" "$@" 2>/dev/null & pid=$!; }
for when in 'sleep 300' "[ -e $tmp/hang ] && sleep 300; touch $tmp/hang; echo 5"; do
    scan_pid --energy-command "$when" -- true
    sleep 2; kill -TERM $pid; wait $pid
    if [ $? = 130 ]; then ok 'SIGTERM ends it'; else not_ok 'SIGTERM ends it'; fi
done
if [ $((SECONDS - seconds)) -lt 20 ]; then ok 'soon'; else not_ok 'soon' "$((SECONDS - seconds)) s"; fi
new
zone intel-rapl:0 psys 1000000 262143328850
(i=1; while [ $i -lt 2000 ]; do "$tmp/set" intel-rapl:0 $((1000000 + 400000 * i)) sleep .02; i=$((i + 1)); done) 2>/dev/null &
check 'idle power' "$memwall" scan --root "$tree" --cores 1 --runs 1 --idle 0.4 --force -o "$file" -- sleep .1
kill $! 2>/dev/null
check 'before and after' awk '/^# idle_power_(before|after)_w: / { n++; if ($3 <= 0 || $3 > 40) exit 1 } END { exit n != 2 }' "$file"
