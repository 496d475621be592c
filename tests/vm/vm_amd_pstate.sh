#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A scan under the real kernel's amd-pstate (passive): a range without a table, four policies, boost.
. "$(dirname "$0")/vm.sh"
${CC:-gcc} -O1 -o "$tmp/lawful" "$root/tests/machines/lawful.c" -lm || exit 77
vm_module cpufreq_userspace
vm_acpi "$root/tests/vm/amd-pstate.asl"
vm_program "$tmp/lawful"
vm_append='amd_pstate=passive memmap=64K$0x10000000'
vm_run amd-pstate -cpu EPYC-Rome -smp 4 <<'GUEST'
cd /tmp
cpufreq=/sys/devices/system/cpu/cpufreq
state() { cat $cpufreq/policy*/scaling_governor $cpufreq/policy*/scaling_min_freq $cpufreq/policy*/scaling_max_freq $cpufreq/boost $cpufreq/policy*/boost 2>/dev/null | tr '\n' ' '; }
before=$(state)
same() { now=$(state); if [ "$now" = "$before" ]; then ok "$1"; else not_ok "$1" "$before" "$now"; fi; }
echo "# $(ls $cpufreq | tr '\n' ' ') $(cat $cpufreq/policy0/scaling_driver) $(cat $cpufreq/policy0/cpuinfo_min_freq) $(cat $cpufreq/policy0/cpuinfo_max_freq)"

check 'all: what a range comes to' memwall scan --cores 1 --freq all --dry-run -- true
prints 'by steps of 100 MHz' '^# scan_freq: .*,1.2,1.3,1.4'
cat >see.sh <<'SEE'
echo $1 $(cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor /sys/devices/system/cpu/cpufreq/policy*/scaling_setspeed) >>/tmp/seen
exec lawful "" $1 .95 .4 .03 .2 .2 sleep
SEE
check 'scan: four frequencies, 1, 2 and 4 cores' memwall scan --cores 1,2,4 --freq min,1.2,1.8,2.4 --runs 1 --order listed -o r.csv -- sh see.sh '{cores}'
says 'the missing effect is named' 'CPU [0-9,-]+ ran at [0-9.]+ (to [0-9.]+ )?GHz, not at 1.2 GHz'
[ $(grep -c '^sh,' r.csv) = 12 ] && ok 'twelve rows' || not_ok 'twelve rows' "$(cat r.csv)"
for khz in 1200000 1800000 2400000; do
    [ $(grep -c "^4 userspace userspace userspace userspace $khz $khz $khz $khz\$" seen) = 1 ] || not_ok "four policies at $khz" "$(cat seen)"
done
ok 'each run saw its policies set'
same 'restored at the end'
if [ -e $cpufreq/boost ]; then
    check 'boost off' memwall scan --cores 2 --freq 1.2 --boost off --runs 1 --force -o r.csv -- sh -c "cat $cpufreq/boost >/tmp/boost"
    [ "$(cat boost)" = 0 ] && ok 'it was off during the run' || not_ok 'it was off during the run' "$(cat boost)"
    same 'boost is as before'
else
    skip 'boost off' 'no switch for boost'
fi
memwall scan --cores 4 --freq 1.2 --runs 50 --force -o r.csv -- sleep .2 2>said &
pid=$!
n=0; until [ "$(cat $cpufreq/policy3/scaling_governor)" = userspace ] || [ $n = 100 ]; do sleep .1; n=$((n + 1)); done
kill -KILL $pid; wait $pid
check 'restore after SIGKILL' memwall restore
same 'as before'
for signal in INT TERM; do
    memwall scan --cores 1 --freq 1.2 --runs 50 --force -o r.csv -- sleep .2 2>said &
    pid=$!
    n=0; until [ -e /run/memwall/state ] || [ $n = 100 ]; do sleep .1; n=$((n + 1)); done
    kill -$signal $pid; wait $pid; got=$?
    [ $got = 130 ] && ok "SIG$signal: status 130" || not_ok "SIG$signal: status 130" "$got $(cat said)"
    same "SIG$signal: restored"
done
rmmod cpufreq_userspace
check 'without the governor userspace' memwall scan --cores 1,4 --freq 1.2,2.4 --runs 1 --order listed --force -o r.csv -- \
    sh -c "cat $cpufreq/policy0/scaling_min_freq $cpufreq/policy0/scaling_max_freq >>/tmp/limits"
[ "$(tr '\n' ' ' <limits)" = '1200000 1200000 1200000 1200000 2400000 2400000 2400000 2400000 ' ] && ok 'the limits pin' || not_ok 'the limits pin' "$(cat limits)"
same 'the limits are as before'
GUEST
