#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two claims of Furtunato et al. (IEEE Access 8, 2020, section V) on every set of ../shared/data: that the variable-latency law has a
# lower squared error of speedup than Amdahl's, and that learners need ten times the measurements. Prints Markdown.
set -u
cd "$(dirname "$0")/.." || exit 1
memwall=${MEMWALL:-build/release/memwall}
data=../shared/data
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -d "$data/parsec-speedup" ] || { echo 'bench/compare.sh: no ../shared/data here' >&2; exit 77; }

mse() { # LAW FILE OPTIONS…
    local law=$1 file=$2
    shift 2
    "$memwall" fit "$file" --law "$law" --loss speedup-mse --memory-freq 2.133 "$@" -o "$tmp/m.json" --force >/dev/null 2>&1 &&
        sed -n 's/.*"mse_speedup": *\([0-9.e+-]*\).*/\1/p' "$tmp/m.json" | head -n 1
}

echo '## Squared error of speedup, the law fitted to all points of a set'
echo
echo '| set | Amdahl | variable latency | lower by |'
echo '|---|---|---|---|'
grep -vE '^(#|$)' "$data/parsec-speedup/usable.txt" | tr -d '\r' >"$tmp/usable"
while read -r set input _; do
    file=$data/parsec-speedup/$set.csv
    [ -f "$file" ] || continue
    a=$(mse amdahl "$file" --where "input=$input") v=$(mse vls "$file" --where "input=$input")
    [ -n "$a" ] && [ -n "$v" ] || continue
    echo "$set $input $a $v"
done <"$tmp/usable" >"$tmp/mse"
awk '{ printf "| %s, input %s | %.4g | %.4g | %.1f %% |\n", $1, $2, $3, $4, 100 * (1 - $4 / $3); s += 1 - $4 / $3; n++; if ($4 < $3) l++ }
    END { printf "\nlower on %d of %d sets, on average by %.1f %%\n", l, n, 100 * s / n }' "$tmp/mse"

echo
echo '## Points that learners need for the error that the mixture has with ten'
echo
echo '| program | mixture, 10 | kernel ridge | Gaussian process | SVR | tree | forest |'
echo '|---|---|---|---|---|---|---|'
for file in "$data"/parsec-power/*.csv; do
    "$memwall" compare "$file" --memory-freq 2.133 --train 10,20,40,80,160 --repeats "${REPEATS:-5}" --csv 2>/dev/null >"$tmp/c.csv" || continue
    awk -F, -v name="$(basename "$file" .csv)" '/^[a-z]/ && !/^method/ { if ($1 == "mixture" && $2 == 10) want = $3
            e[$1, $2] = $3; size[$2] }
        END { printf "| %s | %.1f %%", name, want; split("kernel-ridge gaussian-process svr tree forest", m, " ")
            split("10 20 40 80 160", n, " ")
            for (i = 1; i <= 5; i++) { needed = "> 160"; for (k = 5; k >= 1; k--) if (((m[i], n[k]) in e) && e[m[i], n[k]] <= want) needed = n[k]; printf " | %s", needed }
            print " |" }' "$tmp/c.csv"
done
