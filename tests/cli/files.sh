#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files that are not memwall's to destroy: another file under --resume, links, modes, full disks, pipes, state files.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
scan() { "$memwall" scan --cores 1 --runs 1 --idle 0 "$@" -- true; }
# same NAME FILE TEXT
same() { if [ "$(cat "$2")" = "$3" ]; then ok "$1"; else not_ok "$1" "$(cat "$2")"; fi; }
within() { local s=$SECONDS limit=$1 name=$2; shift 2; "$@"; if [ $((SECONDS - s)) -le "$limit" ]; then ok "$name"; else not_ok "$name" "$((SECONDS - s)) s"; fi; }

# --resume
text=$'important line 1\nimportant line 2, no newline'
printf '%s' "$text" >notes.txt
fails 3 'resume with a file that is no scan' scan --resume -o notes.txt # case resume-destroys
same 'leaves it as it is' notes.txt "$text"
printf '# a comment' >notes.txt
fails 3 'resume with half a line' scan --resume -o notes.txt
same 'leaves that too' notes.txt '# a comment'
mkfifo pipe
fails 2 'resume with a pipe' scan --resume -o pipe
check 'a scan' scan -o r.csv
rows=$(cat r.csv)
fails 2 'resume with other options' "$memwall" scan --cores 1 --runs 2 --idle 0 --resume -o r.csv -- true
same 'leaves the scan as it is' r.csv "$rows"

# outputs through links, and their modes
printf 'cores,time_s\n1,8\n2,4.5\n4,2.9\n8,2.2\n' >t.csv
check 'a model' "$memwall" fit t.csv -o m.json
echo old >target && chmod 640 target && ln -s target link
check 'through a link' "$memwall" predict m.json --csv --force -o link
if [ -L link ] && grep -q '^cores' target; then ok 'its target is written, the link stays'; else not_ok 'through a link' "$(ls -l)"; fi
if [ "$(stat -c %a target)" = 640 ]; then ok 'with the mode that the file had'; else not_ok 'mode' "$(stat -c %a target)"; fi
ln -s nowhere dangling
fails 1 'through a link to nothing' "$memwall" predict m.json --csv -o dangling
says 'is said' 'leads nowhere'
(umask 027; "$memwall" predict m.json --csv -o new.csv)
if [ "$(stat -c %a new.csv)" = 640 ]; then ok 'a new file obeys umask'; else not_ok 'a new file obeys umask' "$(stat -c %a new.csv)"; fi
if ! ls | grep -q part; then ok 'nothing is left beside'; else not_ok 'nothing is left beside' "$(ls)"; fi
# a name beside the output that somebody else laid a link under (case part-symlink)
echo victim >victim
bash -c 'ln -s victim "a.csv.part$BASHPID"; exec "$1" predict m.json --csv -o a.csv' x "$memwall"
same 'a planted link is not followed' victim victim
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 --clear-groups "$memwall" --version >/dev/null 2>&1; then
    chmod 755 "$tmp" && mkdir closed && chmod 555 closed && echo 1 >readonly.csv && chmod 644 m.json
    fails 1 'a folder that may not be written' setpriv --reuid 65534 --clear-groups "$memwall" predict m.json -o closed/x.csv
    says 'is said' 'Permission denied'
    if grep -q force <<<"$err"; then not_ok 'without --force for a remedy' "$err"; else ok 'without --force for a remedy'; fi
    fails 1 'a scan there' setpriv --reuid 65534 --clear-groups env MEMWALL_RUN_DIR= "$memwall" scan --no-lock --cores 1 --runs 1 --idle 0 -o closed/x.csv -- true
    if grep -qE 'force|resume' <<<"$err"; then not_ok 'the same' "$err"; else ok 'the same'; fi
else
    skip 'a folder that may not be written' 'needs root'
fi

# full disks
fails 1 'a full device' "$memwall" predict m.json --csv -o /dev/full
says 'is said' 'No space left'
mkdir full
if mount -t tmpfs -o size=64k none full 2>/dev/null; then
    check 'a scan on a small disk' scan -o full/r.csv
    before=$(cat full/r.csv)
    cp r.csv full/begun.csv && grep -v '^true,' r.csv >full/begun.csv
    dd if=/dev/zero of=full/fill bs=1k count=100 2>/dev/null
    fails 1 'no room for a model' "$memwall" fit t.csv --force -o full/r.csv
    says 'is said' 'No space left'
    same 'the old file is whole' full/r.csv "$before"
    head -c $((4096 - $(stat -c %s full/begun.csv) % 4096 - 20)) /dev/zero | tr '\0' '#' >pad
    { cat pad; echo; } >>full/begun.csv # twenty bytes are left of its last page
    kept=$(cat full/begun.csv)
    fails 1 'no room for a row' scan --resume -o full/begun.csv
    says 'is said' "cannot write '.*No space left"
    same 'no half of a row stays' full/begun.csv "$kept"
    rm full/fill
    check 'and with room it goes on' scan --resume -o full/begun.csv
    if [ "$(tail -n 1 full/begun.csv | cut -c1-5)" = true, ]; then ok 'with its row'; else not_ok 'with its row' "$(tail -n 2 full/begun.csv)"; fi
    umount full
else
    skip 'a full disk' 'no tmpfs may be mounted here'
fi

# pipes: without a reader, with one, with one that has stopped reading
within 4 'a pipe that nobody reads ends soon' fails 1 'a pipe that nobody reads' scan --force -o pipe
says 'is said' 'nobody reads the pipe'
check 'restore is not held up' "$memwall" restore
cat pipe >read.csv &
check 'a pipe that is read' scan --force -o pipe
wait $!
if grep -q '^workload' read.csv && grep -q '^true,' read.csv; then ok 'gets head and rows'; else not_ok 'gets head and rows' "$(cat read.csv)"; fi
(exec 9<pipe; sleep 20) & reader=$!
"$memwall" scan --cores 1 --runs 100000 --idle 0 --force -o pipe -- true 2>/dev/null & pid=$!
sleep 3; kill -TERM $pid
within 4 'a reader that does not read: ended by SIGTERM' wait $pid
kill $reader 2>/dev/null
{ timeout -s TERM 1 "$memwall" scan --replay pipe -o x.csv; } 2>/dev/null
if [ $? = 124 ]; then ok 'a table that never comes: ended by SIGTERM'; else not_ok 'a table that never comes'; fi

# a state file that is damaged or somebody else's: nothing is written, least of all outside the tree
make_tree=$root/tests/machines/make_tree.sh
sys=sys/devices/system/cpu
tree() { rm -rf tree; "$make_tree" acpi-cpufreq tree 2; mkdir -p tree/run/memwall; settings=$(cd tree && grep -r . $sys/cpufreq | sort); }
# refused NAME LINE…: as lines of a state file of this boot
refused() {
    local name=$1
    shift
    tree
    { printf 'memwall-state 1\nboot %s\nprocess 1\n' "$(cat tree/proc/sys/kernel/random/boot_id)"; printf '%s\n' "$@"; } >tree/run/memwall/state
    fails 3 "$name" "$memwall" restore --root "$tmp/tree"
    says "$name: the line is named" "state:[0-9]+: "
    if [ "$(cd tree && grep -r . $sys/cpufreq | sort)" = "$settings" ] && [ "$(cat victim)" = victim ]; then ok "$name: nothing is written"; else not_ok "$name: nothing is written"; fi
}
good='policy 0 schedutil 800000 2400000 -'
refused 'a switch outside' "$good" 'boost /../victim 0' # case state-out-of-tree
refused 'an unknown switch' "boost /$sys/cpufreq/policy0/scaling_governor 0"
refused 'a value that is none' "boost /$sys/cpufreq/boost 7"
refused 'an unknown governor' 'policy 0 rocket 800000 2400000 -'
refused 'limits the wrong way round' 'policy 0 schedutil 2400000 800000 -'
refused 'no number' 'policy 0 schedutil 800000 2400000 ../x'
refused 'garbage behind good lines' "$good" 'hello'
refused 'more on a line than belongs there' "$good extra"
tree
rm -f "tree/$sys/cpufreq/boost" && ln -s "$tmp/victim" "tree/$sys/cpufreq/boost"
printf 'memwall-state 1\nboot %s\nboost /%s/cpufreq/boost 0\n' "$(cat tree/proc/sys/kernel/random/boot_id)" "$sys" >tree/run/memwall/state
fails 1 'a switch that links out of the tree' "$memwall" restore --root "$tmp/tree"
same 'is not followed' victim victim
tree
printf 'memwall-state 1\nboot %s\nprocess 1\n%s\n' "$(cat tree/proc/sys/kernel/random/boot_id)" "$good" >tree/run/memwall/state
check 'a good one' "$memwall" restore --root "$tmp/tree"
prints 'is taken' 'policy0: governor schedutil'
