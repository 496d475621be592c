#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A scan under the real kernel's acpi-cpufreq: four frequencies, two policies of two CPUs each. The emulated processor
# does not run slower, so the scan has to say that no frequency took effect.
. "$(dirname "$0")/vm.sh"
${CC:-gcc} -O1 -o "$tmp/lawful" "$root/tests/machines/lawful.c" -lm || exit 77
vm_module acpi-cpufreq cpufreq_userspace
vm_acpi "$root/tests/vm/acpi-cpufreq.asl"
vm_program "$tmp/lawful"
vm_run acpi-cpufreq -cpu Nehalem -smp 4 <<'GUEST'
cd /tmp
cpufreq=/sys/devices/system/cpu/cpufreq
state() { cat $cpufreq/policy*/scaling_governor $cpufreq/policy*/scaling_min_freq $cpufreq/policy*/scaling_max_freq $cpufreq/boost 2>/dev/null | tr '\n' ' '; }
before=$(state)
same() { now=$(state); if [ "$now" = "$before" ]; then ok "$1"; else not_ok "$1" "$before" "$now"; fi; }
echo "# $(ls $cpufreq | tr '\n' ' ') $(cat $cpufreq/policy0/scaling_driver)"

# what each run sees: cores, then governor and speed of both policies
cat >see.sh <<'SEE'
echo $1 $(cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor /sys/devices/system/cpu/cpufreq/policy*/scaling_setspeed) >>/tmp/seen
exec lawful "" $1 .95 .4 .03 .2 .2 sleep
SEE
check 'scan: all frequencies, 1, 2 and 4 cores' memwall scan --cores 1,2,4 --freq all --runs 1 --order listed -o r.csv -- sh see.sh '{cores}'
says 'the missing effect is named' 'CPU [0-9,-]+ ran at [0-9.]+ (to [0-9.]+ )?GHz, not at 0.8 GHz'
says 'rows are counted' '1[0-2] rows are marked'
[ $(grep -c '^sh,' r.csv) = 12 ] && ok 'twelve rows' || not_ok 'twelve rows' "$(cat r.csv)"
for f in 0.8 1.2 1.8 2.4; do
    khz=$(awk "BEGIN { print $f * 1000000 }")
    [ $(grep -c "^4 userspace userspace $khz $khz\$" seen) = 1 ] || not_ok "both policies at $f GHz" "$(cat seen)"
    [ $(grep -c "^[12] userspace [a-z]* $khz " seen) = 2 ] || not_ok "the first policy at $f GHz" "$(cat seen)"
done
ok 'each run saw its policies set'
same 'restored at the end'

# every frequency rises or falls through limits that a user has set
echo 1200000 >$cpufreq/policy0/scaling_max_freq
before=$(state)
check 'above the limit of a user' memwall scan --cores 1 --freq 2.4,0.8 --runs 1 --force -o r.csv -- sh -c "cat $cpufreq/policy0/scaling_setspeed >&2"
same 'the limit is there again'
echo 2400000 >$cpufreq/policy0/scaling_max_freq
before=$(state)

fails 2 'a frequency that is not in the table' memwall scan --cores 1 --freq 1.3 -- true
says 'the nearest is named' 'nearest is 1.2 GHz'
check 'dry run' memwall scan --cores 4 --freq 1.2 --dry-run -- true
prints 'a write of it' 'write 1200000 to /sys/devices/system/cpu/cpufreq/policy2/scaling_setspeed'
same 'a dry run writes nothing'

for signal in INT TERM HUP; do
    memwall scan --cores 1 --freq 0.8 --runs 50 --force -o r.csv -- sleep .2 2>said &
    pid=$!
    n=0; until [ -e /run/memwall/state ] || [ $n = 100 ]; do sleep .1; n=$((n + 1)); done
    kill -$signal $pid; wait $pid; got=$?
    [ $got = 130 ] && ok "SIG$signal: status 130" || not_ok "SIG$signal: status 130" "$got $(cat said)"
    same "SIG$signal: restored"
done

memwall scan --cores 4 --freq 0.8 --runs 50 --force -o r.csv -- sleep .2 2>said &
pid=$!
n=0; until [ "$(cat $cpufreq/policy2/scaling_governor)" = userspace ] || [ $n = 100 ]; do sleep .1; n=$((n + 1)); done
fails 1 'a second scan is refused' memwall scan --cores 1 --freq 2.4 -- true
says 'by whom' "another memwall \(process $pid\)"
kill -KILL $pid; wait $pid
[ "$(state)" != "$before" ] && ok 'SIGKILL leaves it changed' || not_ok 'SIGKILL leaves it changed' "$(state)"
check 'restore' memwall restore
prints 'says what it put back' 'policy2: governor'
same 'SIGKILL and restore: as before'

mkdir -p /etc
echo 'root:x:0:0::/:/bin/sh
user:x:1000:1000::/tmp:/bin/sh' >/etc/passwd
fails 1 'an ordinary user' su -s /bin/sh -c 'memwall scan --cores 1 --freq 1.2 -- true' user
says 'gets the remedy' 'hint: setting frequencies needs root'
check 'an ordinary user over cores only' su -s /bin/sh -c 'memwall scan --cores 1 --runs 1 -- true' user
as_user() { su -s /bin/sh -c "$1" user; }
memwall scan --cores 1 --runs 1 --idle 0 --force -o r.csv -- sh -c 'touch go; while [ -e go ]; do sleep .1; done' 2>said &
n=0; until [ -e go ] || [ $n = 100 ]; do sleep .1; n=$((n + 1)); done
check 'who sets nothing stops no other user' as_user 'memwall scan --cores 1 --runs 1 -- true'
rm go; wait $!
memwall scan --cores 1 --freq 0.8 --runs 1 --idle 0 --force -o r.csv -- sh -c 'touch go; while [ -e go ]; do sleep .1; done' 2>said &
n=0; until [ -e go ] || [ $n = 100 ]; do sleep .1; n=$((n + 1)); done
fails 1 'who sets a frequency stops all' as_user 'memwall scan --cores 1 --runs 1 -- true'
says 'and is named' "another memwall \(process $!\)"
fails 2 'no frequency without the lock' memwall scan --cores 1 --freq 0.8 --no-lock -- true
rm go; wait $!
same 'as before after both'
mount -o remount,ro /sys
fails 1 'read-only /sys' memwall scan --cores 1 --freq 1.2 --force -o r.csv -- true
says 'gets the remedy' 'hint: /sys is mounted read-only'
mount -o remount,rw /sys
same 'as before after all of it'
rmmod cpufreq_userspace
check 'without the governor userspace' memwall scan --cores 1,4 --freq 0.8,2.4 --runs 1 --order listed --force -o r.csv -- \
    sh -c "cat $cpufreq/policy0/scaling_min_freq $cpufreq/policy0/scaling_max_freq >>/tmp/limits"
[ "$(tr '\n' ' ' <limits)" = '800000 800000 800000 800000 2400000 2400000 2400000 2400000 ' ] && ok 'the limits pin' || not_ok 'the limits pin' "$(cat limits)"
same 'the limits are as before'
echo 0 >/sys/devices/system/cpu/cpu3/online
check 'a CPU offline' memwall scan --cores 3 --freq 1.8 --runs 1 --force -o r.csv -- true
echo 1 >/sys/devices/system/cpu/cpu3/online
GUEST
