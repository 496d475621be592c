# SPDX-License-Identifier: GPL-3.0-or-later
# Virtual machines for tests: source it in place of tap.sh (it sources that). No KVM is used, so a boot takes 6-10 s.
#
#   . "$(dirname "$0")/vm.sh"
#   vm_module acpi-cpufreq cpufreq_userspace   # kernel modules to load before the script, dependencies are found
#   vm_acpi tests/vm/acpi-cpufreq.asl          # an ACPI table to compile and add
#   vm_program build/release/tests/x           # a program with its shared libraries, in the guest's PATH
#   vm_file FILE                               # a file for the guest's /data
#   vm_append='memmap=64K$0x10000000'          # more words for the kernel command line
#   vm_run NAME -cpu Nehalem -smp 4 <<'GUEST'  # options of qemu; the script below runs as root in busybox sh
#   check 'version' memwall --version
#   prints 'names itself' '^memwall'
#   GUEST
#
# In the guest `ok`, `not_ok`, `skip`, `check`, `fails`, `says` and `prints` work as in tap.sh (as do $out and $err);
# their lines are counted among those of the script on the host. memwall is always there. A guest that does not come to
# the end of its script is a failure of its own, with the kernel's last words. $vm_log keeps what the guest printed.
# Several vm_run in one script share programs, modules and tables.
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
vm_append= vm_log=$tmp/guest.log
vm_tree=$tmp/guest
vm_modules= vm_options=()
vm_memory=${VM_MEMORY:-768M}

vm_missing() {
    local tool
    for tool in qemu-system-x86_64 busybox cpio iasl; do
        command -v $tool >/dev/null || { echo "$tool"; return; }
    done
    PATH=$PATH:/sbin:/usr/sbin command -v modprobe >/dev/null || { echo modprobe; return; }
    [ -n "$(vm_kernel)" ] || echo 'a readable kernel with its modules'
}

# The newest kernel that can be read and has its modules beside it.
vm_kernel() {
    local image
    for image in $(ls -v /boot/vmlinuz-* 2>/dev/null); do
        [ -r "$image" ] && [ -d "/lib/modules/${image#/boot/vmlinuz-}" ] && echo "$image"
    done | tail -n 1
}

vm_install() {
    local kernel=linux-image-amd64
    apt-cache show $kernel >/dev/null 2>&1 || kernel=linux-image-generic
    (
        flock 9
        [ -z "$(vm_missing)" ] && exit
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq && apt-get install -y -qq --no-install-recommends \
            qemu-system-x86 $kernel busybox-static cpio acpica-tools kmod
    ) 9>"${TMPDIR:-/tmp}/memwall-vm-install" >"$tmp/install.log" 2>&1
}

[ "$(uname -m)" = x86_64 ] || { echo '# SKIP virtual machines are x86-64 here'; exit 77; }
if [ -n "$(vm_missing)" ] && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    vm_install || sed 's/^/# /' "$tmp/install.log" | tail -n 5
fi
if [ -n "$(vm_missing)" ]; then
    echo "# SKIP no virtual machine: $(vm_missing) is missing (qemu-system-x86 linux-image-amd64 busybox-static cpio acpica-tools kmod)"
    exit 77
fi
[ "${1:-}" = --install ] && exit # tests/run.sh, before anything is timed
vm_image=$(vm_kernel)
vm_release=${vm_image#/boot/vmlinuz-}
mkdir -p "$vm_tree"/{bin,lib,modules,data,dev,proc,sys,tmp}

# Programs keep the paths of their loader and libraries, so that they run unchanged.
vm_program() {
    local program library
    for program; do
        cp -L "$program" "$vm_tree/bin/"
        for library in $(ldd "$program" 2>/dev/null | grep -oE '/[^ ]+'); do
            mkdir -p "$vm_tree$(dirname "$library")"
            [ -e "$vm_tree$library" ] || cp -L "$library" "$vm_tree$library"
        done
    done
}

vm_file() { cp -rL "$@" "$vm_tree/data/"; }

vm_module() {
    local name path target
    for name; do
        while read -r _ path _; do
            target=$(basename "$path"); target=${target%.ko*}.ko
            case $path in
            *.zst) zstd -dcq "$path" ;;
            *.xz) xz -dc "$path" ;;
            *) cat "$path" ;;
            esac >"$vm_tree/modules/$target"
            case " $vm_modules " in *" $target "*) ;; *) vm_modules="$vm_modules $target" ;; esac
        done < <(PATH=$PATH:/sbin:/usr/sbin modprobe -S "$vm_release" --show-depends "$name" | grep '^insmod')
    done
}

vm_acpi() {
    local table
    for table; do
        iasl -p "$tmp/$(basename "$table" .asl)" "$table" >"$tmp/iasl.log" 2>&1 ||
            { not_ok "iasl $table" "$(cat "$tmp/iasl.log")"; exit 1; }
        vm_options+=(-acpitable "file=$tmp/$(basename "$table" .asl).aml")
    done
}

vm_init() {
    cat >"$vm_tree/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp LC_ALL=C
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
stty -F /dev/ttyS1 raw -echo 2>/dev/null
for module in $(cat /modules/order); do insmod /modules/$module || echo "insmod $module failed" >/dev/console; done
sh /script >/dev/ttyS1 2>&1 </dev/null
sync
poweroff -f
INIT
    cat >"$vm_tree/script" <<'TAP'
out= err=
ok() { echo "ok $1"; }
skip() { echo "ok $1 # SKIP $2"; }
not_ok() { echo "not ok $1"; shift; printf '%s\n' "$@" | sed 's/^/# /'; }
fails() {
    local want=$1 name=$2 got
    shift 2
    "$@" >/tmp/.out 2>/tmp/.err </dev/null
    got=$?
    out=$(cat /tmp/.out) err=$(cat /tmp/.err)
    if [ $got = "$want" ]; then ok "$name"; else not_ok "$name" "status $got, not $want: $*" "$out" "$err"; fi
}
check() { fails 0 "$@"; }
says() { if echo "$err" | grep -qE -- "$2"; then ok "$1"; else not_ok "$1" "standard error lacks /$2/:" "$err"; fi; }
prints() { if echo "$out" | grep -qE -- "$2"; then ok "$1"; else not_ok "$1" "standard output lacks /$2/:" "$out"; fi; }
TAP
    cat >>"$vm_tree/script"
    echo 'echo guest-finished' >>"$vm_tree/script"
    chmod +x "$vm_tree/init"
    echo "$vm_modules" >"$vm_tree/modules/order"
}

# Numbers of the guest's lines go on from the host's.
vm_report() {
    local line finished=
    while IFS= read -r line; do
        case $line in
        'ok '*) ok "$vm_name: ${line#ok }" ;;
        'not ok '*) not_ok "$vm_name: ${line#not ok }" ;;
        guest-finished) finished=1 ;;
        *) echo "# ${line#\# }" ;;
        esac
    done <"$vm_log"
    [ -n "$finished" ] || not_ok "$vm_name: the guest came to the end of its script" "$(tail -n 20 "$tmp/console")"
}

vm_run() {
    vm_name=$1
    shift
    vm_init
    vm_program "$(command -v busybox)" "$memwall"
    (cd "$vm_tree" && find . | cpio -o -H newc --quiet | gzip -1) >"$tmp/initramfs.gz"
    : >"$vm_log"
    timeout -k 5 "${VM_TIMEOUT:-400}" qemu-system-x86_64 -accel "${vm_accel:-tcg,thread=multi}" -m "$vm_memory" \
        -kernel "$vm_image" -initrd "$tmp/initramfs.gz" -append "console=ttyS0 quiet panic=-1 $vm_append" \
        -display none -nodefaults -no-reboot -serial "file:$tmp/console" -serial "file:$vm_log" \
        "${vm_options[@]}" "$@" >"$tmp/qemu.log" 2>&1 || { cat "$tmp/qemu.log" >>"$tmp/console"; }
    vm_report
}
