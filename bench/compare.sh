#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two claims of Furtunato et al. (IEEE Access 8, 2020, section V) on the sets of ../shared/data: that the variable-latency law has a
# lower squared error of speedup than Amdahl's on every program, by 41.92 % on average, and that learners need ten times the
# measurements. Prints the tables of docs/comparison.md.
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
left_out() { # FILE TRAIN OPTIONS…: errors of both laws at points that were not trained on
    local file=$1 train=$2
    shift 2
    "$memwall" compare "$file" --memory-freq 2.133 --train "$train" --repeats "${REPEATS:-5}" --csv "$@" 2>/dev/null |
        awk -F, '$1 == "amdahl" { a = $3 } $1 == "vls" { v = $3 } $1 == "mixture" { m = $3 } END { if (a) print a, v, m }'
}
one() { # PROGRAM SET FILE TRAIN OPTIONS…
    local program=$1 set=$2 file=$3 train=$4 a v l
    shift 4
    a=$(mse amdahl "$file" "$@") v=$(mse vls "$file" "$@")
    [ -n "$a" ] && [ -n "$v" ] || return
    l=$(left_out "$file" "$train" "$@")
    echo "$program $set $a $v ${l:-- - -}"
}
sets() { # every set once: program, name, file, training points, options
    local set input file name
    grep -vE '^(#|$)' "$data/parsec-speedup/usable.txt" | tr -d '\r' | while read -r set input _; do
        file=$data/parsec-speedup/$set.csv
        [ -f "$file" ] && echo "${set%%_*}" "$set/$input" "$file" 20 --where "input=$input"
    done
    for file in "$data"/parsec-power/*.csv; do name=$(basename "$file" .csv); echo "$name" "power/$name" "$file" 20; done
    for file in "$data"/multicores/*.csv; do
        name=$(basename "$file" .csv)
        [ "$(grep -c '^[0-9]' "$file")" -ge 8 ] && echo "${name##*-}" "multicores/$name" "$file" 4
    done
}
sets >"$tmp/sets"
while read -r words; do
    # shellcheck disable=SC2086 # words of one set
    one $words
done <"$tmp/sets" >"$tmp/mse"

echo '## Squared error of speedup, and errors at points left out'
echo
echo '| set | Amdahl, mse | variable latency, mse | lower by | left out: Amdahl | variable latency | mixture |'
echo '|---|---|---|---|---|---|---|'
awk '{ printf "| %s | %.4g | %.4g | %.1f %% | %s | %s | %s |\n", $2, $3, $4, ($3 > 0 ? 100 * (1 - $4 / $3) : 0), $5, $6, $7 }' "$tmp/mse"
echo
echo '| kind of set | sets | lower mse | by, on average | half of them by at least | fewer errors left out |'
echo '|---|---|---|---|---|---|'
awk '{ k = $2 ~ /^power/ ? "parsec-power" : $2 ~ /^multicores/ ? "multicores (one frequency)" : "parsec-speedup"
        n[k]++; g = ($3 > 0 ? 100 * (1 - $4 / $3) : 0); gain[k, n[k]] = g; s[k] += g; l[k] += (g > .5)
        if ($5 != "-") { t[k]++; better[k] += $6 < $5 } }
    END { for (k in n) { for (i = 1; i <= n[k]; i++) for (j = i + 1; j <= n[k]; j++) if (gain[k, j] < gain[k, i]) { x = gain[k, i]; gain[k, i] = gain[k, j]; gain[k, j] = x }
        printf "| %s | %d | %d | %.1f %% | %.1f %% | %d of %d |\n", k, n[k], l[k], s[k] / n[k], gain[k, int(n[k] / 2) + 1], better[k], t[k] } }' "$tmp/mse" | sort
echo
echo '(lower: by more than half a percent)'

echo
echo '## Points that learners need for the error that ten give'
echo
echo '| program | best law, 10 | mixture, 10 | kernel ridge | Gaussian process | SVR | tree | forest |'
echo '|---|---|---|---|---|---|---|---|'
grep -E ' power/' "$tmp/sets" | while read -r program _ file _; do
    "$memwall" compare "$file" --memory-freq 2.133 --train 10,20,40,80,100,160 --repeats "${REPEATS:-5}" --csv 2>/dev/null >"$tmp/c.csv" || continue
    awk -F, -v name="$program" '/^[a-z]/ && !/^method/ { e[$1, $2] = $3; learner = $1 ~ /^(kernel|gaussian|svr|tree|forest)/
            if ($2 == 10 && $1 == "mixture") want = $3; if ($2 == 10 && !learner && $1 != "mixture" && (!law || $3 < law)) law = $3 }
        END { printf "| %s | %.1f %% | %.1f %%", name, law, want; split("kernel-ridge gaussian-process svr tree forest", m, " ")
            split("10 20 40 80 100 160", n, " ")
            for (i = 1; i <= 5; i++) { needed = "> 160"; for (k = 6; k >= 1; k--) if (((m[i], n[k]) in e) && e[m[i], n[k]] <= want) needed = n[k]; printf " | %s", needed }
            print " |" }' "$tmp/c.csv"
done | tee "$tmp/needed"
echo
awk -F'|' 'function many(x) { return x ~ />/ || x + 0 >= 100 } { for (i = 5; i <= 9; i++) { n++; ten += many($i) } }
    END { printf "a learner needs ten times the points or more in %d of %d pairs\n", ten, n }' "$tmp/needed"
