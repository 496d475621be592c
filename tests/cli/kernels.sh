#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The object code of the kernels is what their names say: copy is no call of memcpy, -nt stores are non-temporal.
. "$(dirname "$0")/../tap.sh"
objects=$(dirname "$memwall")/measure/probe/kernels
command -v objdump >/dev/null || { skip 'object code' 'no objdump'; exit 77; }
[ -e "$objects/stream_scalar.o" ] || { skip 'object code' 'the object files are not beside the program'; exit 77; }
case $memwall in *san-*) skip 'object code' 'instrumented'; exit 77 ;; esac

code() { objdump -d --no-show-raw-insn "$objects/$1.o" | awk -v f="<$2>:" '$2 == f {on=1; next} /^$/ {on=0} on'; }
# has NAME FILE FUNCTION PATTERN; lacks likewise
has() { if code "$2" "$3" | grep -qE "$4"; then ok "$1"; else not_ok "$1" "$(code "$2" "$3")"; fi; }
lacks() {
    local text; text=$(code "$2" "$3")
    if [ -n "$text" ] && ! grep -qE "$4" <<<"$text"; then ok "$1"; else not_ok "$1" "$text"; fi
}
for file in "$objects"/stream_*.o; do
    bad=$(objdump -dr --no-show-raw-insn "$file" | grep -E 'mem(cpy|move|set)')
    name=${file##*/}
    if [ -z "$bad" ]; then ok "no memcpy, memmove or memset in $name"; else not_ok "no memcpy, memmove or memset in $name" "$bad"; fi
done
case $(uname -m) in
x86_64)
    for isa in sse2:xmm avx2:ymm avx512:zmm; do
        register=${isa#*:} isa=${isa%:*}
        for op in copy scale add triad fill update; do
            has "$isa $op stores $register" stream_$isa ${isa}_$op "mova?[pd]+[sd] +%$register|vmovap[sd] %$register"
            lacks "$isa $op has ordinary stores only" stream_$isa ${isa}_$op 'movnt'
            has "$isa ${op}_nt stores past the caches" stream_$isa ${isa}_${op}_nt "movntp[sd] +%$register|movntdq +%$register"
            has "$isa ${op}_nt_paged stores past the caches" stream_$isa ${isa}_${op}_nt_paged "movntp[sd] +%$register|movntdq +%$register"
            has "$isa ${op}_nt ends with a fence" stream_$isa ${isa}_${op}_nt 'sfence'
        done
        for op in read dot; do lacks "$isa $op stores nothing in its loop" stream_$isa ${isa}_$op 'movnt|mov[a-z]+ +%[xyz]mm[0-9]+,.*\((%rdi|%rsi|%rdx)'; done
        for op in add triad dot; do lacks "$isa $op fuses nothing" stream_$isa ${isa}_$op 'fmadd'; done
    done
    adds=$(code chain mw_kernel_add_chain | grep -cE 'add +%r[a-z0-9]+,%r')
    ;;
aarch64)
    for op in copy scale add triad fill update; do
        has "neon ${op}_nt stores pairs past the caches" stream_neon neon_${op}_nt 'stnp'
        lacks "neon $op has ordinary stores only" stream_neon neon_$op 'stnp'
    done
    adds=$(code chain mw_kernel_add_chain | grep -cE 'add\s+x[0-9]+, x[0-9]+, x')
    ;;
*) adds=256 ;;
esac
if [ "$adds" -ge 256 ]; then ok 'the chain has 256 dependent additions'; else not_ok 'the chain has 256 dependent additions' "$adds"; fi
