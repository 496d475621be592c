#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Event counters of a real kernel, with a right answer: an AArch64 machine under emulation, whose instructions each take 1 ns
# of its clock (-icount shift=0), so that cycles and instructions are exact. Its kernel is taken from Debian's archive
# (60 MB, kept below build/); skipped where that, the cross compiler or qemu is missing, unless CI=true installs them.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
B=build/vm-aarch64
give_up() { echo "# SKIP $1"; exit 77; }
have_tools() { command -v aarch64-linux-gnu-gcc && command -v qemu-system-aarch64 && command -v cpio; } >/dev/null
if ! have_tools && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    (
        flock 9
        export DEBIAN_FRONTEND=noninteractive
        have_tools || { apt-get update -qq && apt-get install -y -qq --no-install-recommends \
            gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm cpio; }
    ) 9>"${TMPDIR:-/tmp}/memwall-vm-install" >"$tmp/install.log" 2>&1 || sed 's/^/# /' "$tmp/install.log" | tail -n 5
fi
have_tools || give_up 'gcc-aarch64-linux-gnu, qemu-system-aarch64 or cpio is missing'

# The newest kernel for arm64, by a package list of its own.
fetch_kernel() {
    local apt=$tmp/apt name
    command -v apt-get >/dev/null || return
    mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial "$tmp/kernel" $B
    : >"$apt/status"
    local options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
        -o "Dir::State::status=$apt/status" -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache")
    apt-get "${options[@]}" update || return
    name=$(apt-cache "${options[@]}" depends linux-image-arm64 | sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
    [ -n "$name" ] && (cd "$tmp/kernel" && apt-get "${options[@]}" download "$name" && dpkg-deb --fsys-tarfile ./*.deb | tar -x ./boot) &&
        mv "$tmp"/kernel/boot/vmlinuz-* $B/vmlinuz
}
[ -e $B/vmlinuz ] || fetch_kernel >"$tmp/fetch.log" 2>&1 || { sed 's/^/# /' "$tmp/fetch.log" | tail -n 5; give_up 'no kernel for arm64 could be had (offline?)'; }

mkdir "$tmp/root"
check 'the guest builds' aarch64-linux-gnu-gcc -std=gnu11 -D_GNU_SOURCE -I. -O1 -static -o "$tmp/root/init" \
    tests/vm/counters_guest.c measure/run/events.c data/error.c
[ $failed = 0 ] || exit 0
mkdir "$tmp/root/dev" && mknod "$tmp/root/dev/console" c 5 1 2>/dev/null || give_up 'a console for the guest can be made by root only'
(cd "$tmp/root" && find . | cpio -o -H newc 2>/dev/null | gzip) >"$tmp/initrd.gz"
timeout 200 qemu-system-aarch64 -M virt -cpu max -accel tcg -icount shift=0,sleep=off -m 512M -smp 1 -kernel $B/vmlinuz -initrd "$tmp/initrd.gz" \
    -append 'console=ttyAMA0 quiet panic=-1' -nographic -no-reboot </dev/null >"$tmp/console" 2>&1
if grep -q 'end of counting' "$tmp/console"; then ok 'the guest boots and counts'; else not_ok 'the guest boots and counts' "$(tail -n 20 "$tmp/console")"; exit 0; fi
sed 's/^/# /' "$tmp/console" | grep turns
# field NAME N: of the N-th line
field() { grep turns "$tmp/console" | tr -d '\r' | sed -n "$2p" | sed -n "s/.* $1 \([0-9.]*\).*/\1/p"; }
near() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a > .999 * b && a < 1.001 * b) }' && ok "$1" || not_ok "$1" "$2, not $3"; }
near 'ten million turns more are twenty million instructions' $(($(field instructions 2) - $(field instructions 1))) 20000000
near 'and twenty million again' $(($(field instructions 3) - $(field instructions 2))) 20000000
cycles=$(($(field cycles 3) - $(field cycles 1)))
if [ "$cycles" -gt 1000000 ]; then ok "cycles are counted: $cycles"; else not_ok 'cycles are counted' "$cycles"; fi
if [ "$(field share 1)" = 1.0000 ]; then ok 'all the time'; else not_ok 'all the time' "$(field share 1)"; fi
