#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The demo, in its short form: here, and where something is missing. Each case names the steps that must have a result; any other
# may say in a line why it has none, and none may fail. MEMWALL_DEMO=long (make check-demo): the cases that need root and time.
. "$(dirname "$0")/../tap.sh"
long=${MEMWALL_DEMO:-short}
cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
base=(machine scan fit predict)

# demo NAME STEP… -- COMMAND…: the demo behind COMMAND (env, taskset …) ends in 0, the steps have their results
demo() {
    local name=$1 steps=() log=$tmp/demo.log got
    shift
    while [ "$1" != -- ]; do steps+=("$1"); shift; done
    shift
    mkdir -p "$tmp/a folder"
    "$@" "$root/examples/demo.sh" --short "$memwall" "${cg:-$root/build/release/examples/cg}" "$tmp/a folder/demo" >"$log" 2>&1 </dev/null
    got=$?
    if [ $got = 0 ]; then ok "$name: ends in 0"; else not_ok "$name: ends in 0" "status $got" "$(tail -n 60 "$log")"; fi
    for step in "${steps[@]}"; do
        if awk -v step="\$ memwall $step " '
            /^\$ / { if (seen && !bad) good = 1; seen = index($0 " ", step) == 1; bad = 0 }
            /^-- / { bad = 1 }
            END { exit !(good || (seen && !bad)) }' "$log"; then
            ok "$name: $step"
        else
            not_ok "$name: $step" "$(grep -E '^(\$|--|==)' "$log")"
        fi
    done
    chmod -R u+w "$tmp/a folder"; rm -rf "$tmp/a folder"
}

german=(env -u LC_ALL LANG=de_DE.UTF-8)
if ! locale -a 2>/dev/null | grep -qi 'de_DE.utf-\?8' && [ -d /usr/share/i18n/locales ]; then
    localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" >/dev/null 2>&1 && german+=("LOCPATH=$tmp")
fi
command -v gnuplot >/dev/null && pictures=(plot) || pictures=()
[ "$(nproc)" = 1 ] || choice=(diagnose recommend)
demo 'here, in a folder with blanks, in German' "${base[@]}" "${choice[@]}" "${pictures[@]}" 'measure stream' 'measure latency' -- "${german[@]}"
demo 'one CPU, caches unknown' "${base[@]}" 'measure stream' -- env HWLOC_SYNTHETIC='pack:1 core:1 pu:1' HWLOC_THISSYSTEM=1 taskset -c "$cpu"
demo 'a last level larger than memory' "${base[@]}" 'measure stream' -- env HWLOC_SYNTHETIC='pack:1 l3:1(size=4TB) core:1 pu:1' HWLOC_THISSYSTEM=1

# gnuplot with the terminal dumb alone: pictures in text there are, others say why not
if gnuplot=$(command -v gnuplot); then
    mkdir "$tmp/bin"
    cat >"$tmp/bin/gnuplot" <<W
#!/bin/sh
script=\$(cat "\$@")
case \$script in "set terminal svg"* | "set terminal png"* | "set terminal pdf"*) echo 'unknown or ambiguous terminal type' >&2; exit 1 ;; esac
printf '%s\n' "\$script" | '$gnuplot'
W
    chmod +x "$tmp/bin/gnuplot"
    demo 'a gnuplot of dumb terminals' "${base[@]}" plot -- env "PATH=$tmp/bin:$PATH"
fi

# 300 cores can't run here: what would be done
many=(env HWLOC_SYNTHETIC='pack:2 l3:4(size=32MB) core:37 pu:1' HWLOC_THISSYSTEM=1)
check '296 cores in two packages: machine' "${many[@]}" "$memwall" machine
check '296 cores: a scan planned' "${many[@]}" "$memwall" scan --dry-run --cores all -- true
prints 'of all of them' '296'
check '296 cores: bandwidth planned' "${many[@]}" "$memwall" measure stream --dry-run
prints 'on all of them' '^296 cores: '

if [ "$long" != long ]; then
    skip 'little memory, half a core, a read-only /sys, no root' 'make check-demo tries them'
    exit 0
fi

# cgroup CONTROLLER FILE VALUE…: $group with these settings, by version 1 or 2; fails where it can't be had
cgroup() {
    local controller=$1 mount
    shift
    for mount in /sys/fs/cgroup/$controller /sys/fs/cgroup; do
        group=$mount/memwall-demo-$$
        mkdir "$group" 2>/dev/null || continue
        while [ $# -ge 2 ]; do
            [ ! -e "$group/$1" ] || echo "$2" >"$group/$1" || { rmdir "$group"; return 1; }
            shift 2
        done
        [ -e "$group/cgroup.procs" ] && return
        rmdir "$group"
    done
    return 1
}
within() { sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$@"; } # GROUP COMMAND…
leave() { for _ in 1 2 3 4 5; do rmdir "$group" 2>/dev/null && return; sleep .2; done; }

if cgroup memory memory.limit_in_bytes 512M memory.max 512M 2>/dev/null && [ -e "$group/memory.max" -o -e "$group/memory.limit_in_bytes" ]; then
    demo '512 MiB of memory' "${base[@]}" 'measure latency' -- within "$group"
    leave
else
    skip '512 MiB of memory' 'no cgroup can be made here'
fi
if cgroup cpu cpu.cfs_period_us 100000 cpu.cfs_quota_us 50000 cpu.max '50000 100000' 2>/dev/null && [ -e "$group/cpu.max" -o -e "$group/cpu.cfs_quota_us" ]; then
    demo 'half a core' "${base[@]}" -- within "$group"
    leave
else
    skip 'half a core' 'no cgroup can be made here'
fi
if unshare -m mount -o remount,ro,bind /sys 2>/dev/null; then
    demo 'a read-only /sys' "${base[@]}" 'measure stream' -- unshare -m sh -c 'mount -o remount,ro,bind /sys && exec "$@"' sh
else
    skip 'a read-only /sys' 'mounts need root'
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir -p "$tmp/open/examples" "$tmp/open/data"
    cp "$root/examples/demo.sh" "$tmp/open/examples" && cp -r "$root/data/examples" "$tmp/open/data"
    cp "$memwall" "$tmp/open/memwall" && cp "$root/build/release/examples/cg" "$tmp/open/cg"
    chmod 711 "$tmp" && chmod -R a+rX "$tmp/open" && install -d -o 65534 "$tmp/nobody" "$tmp/nobody/run"
    check 'no root: ends in 0' setpriv --reuid=65534 --regid=65534 --clear-groups env "MEMWALL_RUN_DIR=$tmp/nobody/run" "HOME=$tmp/nobody" \
        "$tmp/open/examples/demo.sh" --short "$tmp/open/memwall" "$tmp/open/cg" "$tmp/nobody/demo"
    for made in cg.csv cg.json stream.csv latency.csv cg-predicted.csv; do
        check "no root: $made" test -s "$tmp/nobody/demo/$made"
    done
else
    skip 'no root' 'this is no root that could become nobody'
fi
