#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# CPU quotas of a real kernel's control groups: cpu.max on the own group and on one above, a mask, what a run beyond it tells.
. "$(dirname "$0")/vm.sh"
vm_run 'cpu.max' -smp 4 <<'GUEST'
mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup || skip 'control groups' 'no cgroup2 in this kernel'
cd /sys/fs/cgroup
echo '+cpu' >cgroup.subtree_control
mkdir -p above/inner
echo '+cpu' >above/cgroup.subtree_control
# inside GROUP COMMAND…: in that group
cat >/bin/inside <<'S'
#!/bin/sh
echo $$ >/sys/fs/cgroup/$1/cgroup.procs || exit 99
shift
exec "$@"
S
chmod +x /bin/inside
cd /tmp
check 'no quota' inside above/inner memwall machine
case $out in *quota*) not_ok 'none is said' "$out" ;; *) ok 'none is said' ;; esac

echo '150000 100000' >/sys/fs/cgroup/above/cpu.max
check 'a quota of the group above' inside above/inner memwall machine
prints 'is said' '1\.5 .*(CPU|processor)'
check 'as JSON' inside above/inner memwall machine --json
prints 'with its number' '"cpu_limit": 1\.5'
check 'a scan plans no more' inside above/inner memwall scan --dry-run -o d.csv -- true
case $out$err in *'4 cores'*) not_ok 'than the quota gives' "$out" "$err" ;; *) ok 'than the quota gives' ;; esac

echo '50000 100000' >/sys/fs/cgroup/above/inner/cpu.max
check 'the narrower of two' inside above/inner memwall machine --json
prints 'counts' '"cpu_limit": 0\.5'

cat >burn.sh <<'S'
i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done
S
check 'a run within it' inside above/inner memwall scan --cores 1 --runs 1 --idle 0 --force -o r.csv -- sh burn.sh
if grep -q '^# cpu_limit: 0.5' r.csv; then ok 'has it in its record'; else not_ok 'has it in its record' "$(cat r.csv)"; fi
throttled=$(awk -F, '!/^#/ && !c { for (i = 1; i <= NF; i++) if ($i == "throttled_s") c = i; next } !/^#/ { print $c }' r.csv)
if echo "$throttled" | awk '{ exit !($1 > 0) }'; then ok "and for how long it was held back: $throttled s"; else not_ok 'and for how long it was held back' "$(cat r.csv)"; fi
check 'beyond it' inside above/inner memwall scan --cores 4 --runs 1 --idle 0 --force -o r.csv -- true
says 'is warned of' 'quota|0\.5 '
GUEST
