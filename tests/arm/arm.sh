# SPDX-License-Identifier: GPL-3.0-or-later
# AArch64 without a machine: everything cross-built by Debian's compiler against the libraries of the arm64 architecture,
# the unit tests of data, model, fit and the kernels run under qemu-user (correctness, not speed), and the program itself.
# The libraries are unpacked below build/aarch64; nothing is installed and no architecture is added to the system. The two
# tools are installed in CI (CI=true, root); elsewhere the test is skipped without them. --install: that and no more.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
B=build/aarch64
sysroot=$root/$B/sysroot
packages="libc6-dev libgomp1 $(sed -n 's/^DEPS_APT *:=//p' deps.mk | grep -oE '[a-z0-9+-]+-dev')"
give_up() { echo "# SKIP $1"; exit 77; }

[ "$(uname -m)" = aarch64 ] && give_up 'this machine is AArch64: the ordinary tests are these'
have_tools() { command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64; } >/dev/null
if ! have_tools && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    (
        flock 9
        export DEBIAN_FRONTEND=noninteractive
        have_tools || { apt-get update -qq && apt-get install -y -qq --no-install-recommends \
            gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user; }
    ) 9>"${TMPDIR:-/tmp}/memwall-vm-install" >"$tmp/install.log" 2>&1 || sed 's/^/# /' "$tmp/install.log" | tail -n 5
fi
have_tools || give_up 'no AArch64 here: gcc-aarch64-linux-gnu or qemu-user is missing'
command -v apt-get >/dev/null || give_up 'no AArch64 libraries: they are taken by apt-get, which is missing'

# A package list of its own for arm64, resolved against nothing, so that every library comes with what it needs.
fetch_sysroot() {
    local apt=$tmp/apt deb
    # shellcheck disable=SC2086
    mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial "$sysroot.new"
    : >"$apt/status"
    local options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
        -o "Dir::State::status=$apt/status" -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache")
    apt-get "${options[@]}" update &&
        apt-get "${options[@]}" -y --no-install-recommends --download-only install $packages || return
    for deb in "$apt"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$sysroot.new" --exclude='./usr/share/*' --exclude='./dev/*' || return
    done
    # links to /lib/… mean the sysroot's: else the linker passes libm.so over for the archive, which lacks a symbol
    find "$sysroot.new" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
        ln -sfn "$sysroot$target" "$link"
    done
    echo "$packages" >"$sysroot.new/packages"
    mv "$sysroot.new" "$sysroot"
}
if [ ! -d "$sysroot" ] || [ "$(cat "$sysroot/packages" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$sysroot"
    rm -rf "$sysroot.new"
    fetch_sysroot >"$tmp/fetch.log" 2>&1 || { rm -rf "$sysroot.new"; sed 's/^/# /' "$tmp/fetch.log" | tail -n 5
        give_up 'the AArch64 libraries could not be had (offline, or this archive has none)'; }
fi

[ "${1:-}" = --install ] && exit

lib=$sysroot/usr/lib/aarch64-linux-gnu
compiler="aarch64-linux-gnu-gcc --sysroot=$sysroot -B$lib -L$lib -Wl,-rpath-link,$lib:$sysroot/lib/aarch64-linux-gnu:$lib/blas:$lib/lapack"
command -v ccache >/dev/null && compiler="ccache $compiler"
# What includes nothing but data, model, fit and the parts of measure that need no machine; three of fit, and the
# simulated memory, take minutes under emulation and are left to the ordinary suite, since the whole fit is compared below.
unit_tests=$(grep -LE '#include "(advise|cli|plots)/|#include "measure/(probe/(arena|latency|loaded|stream)|machine/topology|freq/cpufreq|run/schedule)' tests/unit/test_*.c |
    xargs -n 1 basename | sed 's/\.c$//' | grep -vE '^test_(mixture|search|mechanism|cache|library)$')
export PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$sysroot
check 'everything builds for AArch64' nice make -s -j2 B=$B "CC=$compiler" WERROR=1 V=0 \
    $B/memwall $(for t in $unit_tests; do echo $B/tests/$t; done)
[ $failed = 0 ] || exit 0

run() { QEMU_LD_PREFIX=$sysroot qemu-aarch64 -E "LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack" "$@"; }
for t in $unit_tests; do
    check "$t under qemu-aarch64" timeout 240 nice qemu-aarch64 -L "$sysroot" -E "LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack" $B/tests/$t
done

# A law fitted to a published set by both programs: the search takes other roads where a last bit differs, and ends there.
fitted() { sed -n 's/.*"rmse_log_time": *\([0-9.e-]*\).*/\1/p' "$1"; }
"$memwall" fit data/examples/xeon-bt.csv --law vls -o "$tmp/here.json" 2>/dev/null >&2
check 'a law is fitted' run $B/memwall fit data/examples/xeon-bt.csv --law vls -o "$tmp/there.json"
here=$(fitted "$tmp/here.json") there=$(fitted "$tmp/there.json")
if awk -v a="$here" -v b="$there" 'BEGIN { exit !(a > 0 && b / a > 1 - 1e-6 && b / a < 1 + 1e-6) }'; then
    ok "as well as here: $there"
else
    not_ok 'as well as here' "$there, not $here"
fi
check 'the program runs' run $B/memwall --version
check 'the program measures arithmetic' run $B/memwall measure flops --cores 1 --runs 2
prints 'by NEON' ',fp64,neon-fma,[0-9.e+]+,'
prints 'and single precision' ',fp32,neon-fma,[0-9.e+]+,'
fma=$(aarch64-linux-gnu-objdump -d --no-show-raw-insn --disassemble=neon_fma_fp64 $B/measure/probe/kernels/flops.o |
    grep -cE '\sfml[as]\s+v[0-9]+\.2d, v[0-9]+\.2d, v[0-9]+\.(2d|d\[0\])')
if [ "$fma" = 120 ]; then ok 'the NEON kernel has 120 multiply-adds'; else not_ok 'the NEON kernel has 120 multiply-adds' "$fma"; fi
check 'the program measures bandwidth' run $B/memwall measure bandwidth --llc 1MiB --cores 1 --max-time 2
prints 'and has its rows' '1,[^,]*,[^,]*,read,'
check 'stream' run $B/memwall measure stream --llc 1MiB --cores 1 --kernel copy,triad,triad-nt,read --runs 2
for kernel in copy triad triad-nt read; do prints "$kernel is valid" "^1,[^,]*,[^,]*,$kernel,[0-9]+,[^,]+,[^,]+,[^,]+,[^,]+,1,"; done
prints 'by NEON or plain code' ',(neon|scalar)'
check 'latency' run $B/memwall measure latency --size 16KiB,256KiB --runs 2 --max-time 5
prints 'of two sets' '^1,[^,]*,[^,]*,262144,[0-9.e+]+,'
check 'cache' run $B/memwall measure cache --llc 1MiB --max-time 10 --curve "$tmp/curve.csv"
prints 'with its rows' '^1,[^,]*,[^,]*,memory,latency_ns,'
check 'and its curves' grep -q '^size,2048,' "$tmp/curve.csv"
if [ "$(nproc)" -ge 2 ]; then
    check 'loaded' run $B/memwall measure loaded --llc 1MiB --runs 2 --max-time 10
    prints 'has an idle point' '^[0-9]+,[^,]*,[^,]*,[0-9.e+]+,0,100,,'
fi
