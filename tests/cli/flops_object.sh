# SPDX-License-Identifier: GPL-3.0-or-later
# The arithmetic kernels as the compiler made them: as many multiply-adds as the rate counts, nothing else in the loop.
. "$(dirname "$0")/../tap.sh"
command -v objdump >/dev/null || { echo '# SKIP objdump is missing'; exit 77; }

# loop FUNCTION: mnemonics and operands from the target of the backward jump to the jump
loop() {
    objdump -d --no-show-raw-insn --disassemble="$1" "$memwall" |
        awk -F'\t' '/^ +[0-9a-f]+:/ {
            sub(/^ +/, "", $1); sub(/:.*/, "", $1); line[++n] = $2; at[$1] = n
            if ($2 ~ /^(j[a-z]+|b\.[a-z]+|cbnz) /) {
                split($2, words, " +"); target = words[2]; sub(/.*,/, "", target)
                if (target in at) { for (i = at[target]; i <= n; i++) print line[i]; exit }
            }
        }'
}

# counts FUNCTION PATTERN NUMBER REST: NUMBER multiply-adds, at most REST other instructions
counts() {
    local body all fma
    body=$(loop "$1")
    all=$(grep -c . <<<"$body")
    fma=$(grep -cE "$2" <<<"$body")
    if [ "$fma" = "$3" ] && [ $((all - fma)) -le "$4" ]; then
        ok "$1: $fma multiply-adds, $((all - fma)) other instructions"
    else
        not_ok "$1: $3 of /$2/ and at most $4 others" "found $fma and $((all - fma))" "$body"
    fi
}

if [ "$(uname -m)" = x86_64 ]; then
    # 8 chains x (a and b) x 4 times; 12 chains for AVX-512, which has 32 registers
    for precision in 32:s 64:d; do
        bits=${precision%:*} letter=${precision#*:}
        counts scalar_fma_fp$bits "^vfmadd[123]+s$letter +%xmm[0-9]+,%xmm" 64 3
        counts avx2_fma_fp$bits "^vfmadd[123]+p$letter +%ymm[0-9]+,%ymm" 64 3
        counts avx512_fma_fp$bits "^vfmadd[123]+p$letter +%zmm[0-9]+,%zmm" 96 3
        counts plain_fp$bits "^muls$letter +%xmm" 64 67
        counts sse2_fp$bits "^mulp$letter +%xmm" 64 67
    done
elif [ "$(uname -m)" = aarch64 ]; then
    for bits in 32 64; do
        counts scalar_fma_fp$bits '^fmadd' 96 3
        counts neon_fma_fp$bits '^fml[as]' 120 3
    done
else
    echo "# SKIP no rule for $(uname -m)"
    exit 77
fi
