# SPDX-License-Identifier: GPL-3.0-or-later
# The effective frequency on a processor whose frequency is known: each instruction takes 2^N ns of the guest's clock,
# whatever the host does, and 256 of the 258 in the loop are the additions that are counted. (The timer tick takes two per
# cent of the time, but the best window has none in it.)
. "$(dirname "$0")/vm.sh"
vm_accel=tcg

# clock N GHZ
clock() {
    vm_run "2^$1 ns an instruction" -icount "shift=$1,sleep=off" -cpu Nehalem -smp 1 <<GUEST
check 'machine' memwall machine --json
measured=\$(echo "\$out" | grep -A 1 '"clock_ghz"' | sed -n 's/.*\[1, *\([0-9.]*\)\].*/\1/p')
if echo "\$measured" | awk '{ exit !(\$1 > $2 * 0.995 && \$1 < $2 * 1.005) }'; then
    ok "effective frequency \$measured GHz is $2 within half a per cent"
else
    not_ok "effective frequency is $2 within half a per cent" "\$out"
fi
GUEST
}
clock 0 .9922
clock 1 .4961
clock 2 .2481
