#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels cross-built for AArch64 and run under qemu-user: right results, not speed.
. "$(dirname "$0")/../tap.sh"
cross=aarch64-linux-gnu-gcc
command -v $cross >/dev/null || { skip 'AArch64' 'no aarch64-linux-gnu-gcc (gcc-aarch64-linux-gnu)'; exit 77; }
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || { skip 'AArch64' 'no qemu-aarch64 (qemu-user)'; exit 77; }
cd "$root" || exit 1
flags=$(sed -n 's/^KERNEL_FLAGS := //p' Makefile)

cat >"$tmp/run.c" <<'C'
#include "measure/probe/kernels/chain.h"
#include "measure/probe/kernels/chase.h"
#include "measure/probe/kernels/stream_isa.h"
#include "measure/probe/reference.h"

#include <stdio.h>
#include <stdlib.h>

#define N (9 * 4096 + 64)

static int check(const struct mw_stream_isa *isa, mw_stream_fn kernel, enum mw_op op, double *arrays[3])
{
    struct mw_reference reference;
    mw_reference_start(&reference);
    mw_reference_fill(&reference, arrays[0], arrays[1], arrays[2], N);
    double sum = kernel(arrays[0], arrays[1], arrays[2], mw_reference_factor(&reference, op), N);
    mw_reference_apply(&reference, op);
    int good = mw_op_infos[op].target || mw_reference_check_sum(&reference, op, sum, N);
    for (int i = 0; i < 3; i++)
        good = good && mw_reference_check(&reference, "abc"[i], arrays[i], N);
    printf("%s %s %s\n", good ? "good" : "bad", isa->name, mw_op_infos[op].name);
    return !good;
}

int main(void)
{
    double *arrays[3];
    int bad = 0;
    for (int i = 0; i < 3; i++)
        arrays[i] = aligned_alloc(64, N * sizeof(double));
    for (const struct mw_stream_isa *const *isa = mw_stream_isas; *isa; isa++)
        for (unsigned op = 0; op < MW_OP_COUNT; op++) {
            if ((*isa)->plain[op])
                bad += check(*isa, (*isa)->plain[op], op, arrays);
            if ((*isa)->nt[op])
                bad += check(*isa, (*isa)->nt[op], op, arrays);
        }
    void *ring[16], *p[MW_CHASE_CHAINS_MAX];
    for (unsigned i = 0; i < 16; i++)
        ring[i] = &ring[(i + 1) % 16];
    for (unsigned chains = 1; chains <= MW_CHASE_CHAINS_MAX; chains++) {
        for (unsigned c = 0; c < chains; c++)
            p[c] = &ring[c];
        mw_kernel_chase(p, chains, 20);
        for (unsigned c = 0; c < chains; c++)
            bad += p[c] != &ring[(c + 20) % 16];
    }
    bad += mw_kernel_add_chain(5, 2, 3) != 5 + 2 * 3 * MW_CHAIN_BLOCK;
    return bad != 0;
}
C
# shellcheck disable=SC2086
check 'cross-built without a warning' $cross -std=gnu11 -D_GNU_SOURCE -I. $flags -Wall -Wextra -Werror -static -o "$tmp/run" "$tmp/run.c" \
    measure/probe/kernels/*.c measure/probe/reference.c -lm
[ -x "$tmp/run" ] || exit 1
check 'all kernels give what the reference says' "$emulator" "$tmp/run"
prints 'neon' '^good neon triad$'
prints 'eight pages side by side' '^good neon-8pages read$'
code=$(aarch64-linux-gnu-objdump -d "$tmp/run")
body() { awk -v f="<$1>:" '$2 == f {on=1; next} /^$/ {on=0} on' <<<"$code"; }
if body neon_triad_nt | grep -q stnp; then ok 'non-temporal stores are stnp'; else not_ok 'non-temporal stores are stnp' "$(body neon_triad_nt)"; fi
if ! body neon_copy | grep -qE 'stnp|memcpy'; then ok 'copy is a loop of ordinary stores'; else not_ok 'copy is a loop of ordinary stores' "$(body neon_copy)"; fi
n=$(body mw_kernel_add_chain | grep -cE 'add[[:space:]]+x')
if [ "$n" -ge 256 ]; then ok 'the chain has 256 dependent additions'; else not_ok 'the chain has 256 dependent additions' "$n"; fi
