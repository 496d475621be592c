#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The installed library: its headers alone and together in C and C++, what it exports and needs, the examples built and run.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
[ "$memwall" = "$root/build/release/memwall" ] || { echo '# SKIP the library is tested as make builds it'; exit 77; }

eval "args=($(cat build/release/make-args))"
to=$tmp/root
check 'make install' make -s install "${args[@]}" DESTDIR="$to"
prefix=$to/usr/local lib=$to/usr/local/lib include=$to/usr/local/include
export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$to LD_LIBRARY_PATH=$lib
headers=$(cd "$include" && find . -name '*.h' | sed 's#^\./##' | sort)
wanted=$(printf '%s\n' memwall/{dataset,diagnose,error,fit,memwall,model,predict,recommend,tune}.h)
[ ! -e "$lib/libmemwall-schedule.so" ] || wanted=$(printf '%s\n' "$wanted" memwall/schedule.h | sort)
if [ "$headers" = "$wanted" ]; then ok 'the headers of the interface and no other'; else not_ok 'the headers of the interface and no other' "$headers"; fi

# compiled LANGUAGE COMPILER STANDARD: every header alone, then all twice over
compiled() {
    local name="headers in $3 by $2" header bad=
    command -v "$2" >/dev/null || { skip "$name" 'no such compiler'; return; }
    for header in $headers; do
        echo "#include <$header>" >"$tmp/alone.h.$1"
        "$2" -x "$1" -std="$3" -pedantic-errors -Wall -Wextra -Werror -I"$include" -fsyntax-only "$tmp/alone.h.$1" \
            2>"$tmp/alone.err" || bad="$bad $header: $(head -n 3 "$tmp/alone.err")"
    done
    for header in $headers $headers; do echo "#include <$header>"; done >"$tmp/all.$1"
    "$2" -x "$1" -std="$3" -pedantic-errors -Wall -Wextra -Werror -I"$include" -fsyntax-only "$tmp/all.$1" \
        2>"$tmp/alone.err" || bad="$bad together: $(head -n 3 "$tmp/alone.err")"
    if [ -z "$bad" ]; then ok "$name"; else not_ok "$name" "$bad"; fi
}
compiled c gcc c11
compiled c clang c11
compiled c++ g++ c++17
compiled c++ clang++ c++17

# exports NAME: what the map of a library lists is what it exports, and what the headers declare
exports() {
    local map=library/$1.map listed shared static declared
    listed=$(sed -n 's/^ *\(mw_[a-z_0-9]*\);/\1/p' "$map" | sort)
    shared=$(nm -D --defined-only "$lib/$1.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
    static=$(nm -g --defined-only "$lib/$1.a" | awk 'NF > 2 { print $3 }' | sort)
    declared=$(cat "$2" | tr '\n' ' ' | grep -oE 'MW_API [^;]*;' | grep -oE 'mw_[a-z_0-9]+\(' | tr -d '(' | sort)
    if [ "$listed" = "$shared" ]; then ok "$1.so exports its map"; else not_ok "$1.so exports its map" "$(diff <(echo "$listed") <(echo "$shared"))"; fi
    if [ "$listed" = "$static" ]; then ok "$1.a gives no more"; else not_ok "$1.a gives no more" "$(diff <(echo "$listed") <(echo "$static"))"; fi
    if [ "$listed" = "$declared" ]; then ok "$1: the headers declare its map"; else not_ok "$1: the headers declare its map" "$(diff <(echo "$listed") <(echo "$declared"))"; fi
}
cat $(ls memwall/*.h | grep -v schedule.h) >"$tmp/interface.h"
exports libmemwall "$tmp/interface.h"
needed() { readelf -d "$lib/$1" | sed -n 's/.*(NEEDED).*\[lib\([a-z]*\)[.0-9-]*so.*/\1/p' | grep -vxE 'c|m|mvec|gomp|omp|pthread|dl|gcc_s|ld' | sort | tr '\n' ' '; }
got=$(needed libmemwall.so.0)
if [ "$got" = 'csv gsl jansson nettle ' ]; then ok 'libmemwall needs GSL, jansson and what reads tables'; else not_ok 'libmemwall needs GSL, jansson and what reads tables' "$got"; fi
if [ -e "$lib/libmemwall-schedule.so" ]; then
    exports libmemwall-schedule memwall/schedule.h
    got=$(needed libmemwall-schedule.so.0)
    if [ "$got" = 'glpk ' ]; then ok 'GLPK where schedule is'; else not_ok 'GLPK where schedule is' "$got"; fi
else
    skip 'GLPK where schedule is' 'built without GLPK'
fi

"$memwall" fit data/examples/swaptions.csv -o "$tmp/model.json" >/dev/null 2>&1
want=$("$memwall" predict "$tmp/model.json" --cores 16 --freq 2 --csv 2>/dev/null | grep -v '^#')
# shellcheck disable=SC2046
check 'predict.c' gcc -Wall -Werror -o "$tmp/predict" examples/predict.c $(pkg-config --cflags --libs memwall)
check 'predict.c: run' "$tmp/predict" "$tmp/model.json" 16 2
prints 'predict.c: seconds and their interval' '^[0-9.e-]+ s \([0-9.e-]+ to [0-9.e-]+\)$'
value=${out%% *}
if awk -v v="$value" -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_s") c = i } NR == 2 { d = $c / v - 1; exit !(c && d < 1e-4 && d > -1e-4) }' <<<"$want"; then
    ok 'predict.c: as memwall predict'; else not_ok 'predict.c: as memwall predict' "$value" "$want"; fi
fails 1 'predict.c: no model' "$tmp/predict" data/examples/swaptions.csv 16 2
# shellcheck disable=SC2046
check 'predict.c, linked statically' gcc -o "$tmp/static" examples/predict.c $(pkg-config --cflags memwall) "$lib/libmemwall.a" \
    $(pkg-config --libs --static memwall | tr ' ' '\n' | grep -v '^-lmemwall$')
check 'predict.c, linked statically: run' env -u LD_LIBRARY_PATH "$tmp/static" "$tmp/model.json" 16 2
if command -v g++ >/dev/null; then
    # shellcheck disable=SC2046
    check 'recommend.cpp' g++ -std=c++17 -Wall -Wextra -Werror -o "$tmp/recommend" examples/recommend.cpp $(pkg-config --cflags --libs memwall)
    check 'recommend.cpp: run' "$tmp/recommend" data/examples/swaptions.csv
    prints 'recommend.cpp: a configuration' '^[0-9]+ cores at [0-9.]+ GHz: [0-9.e+-]+ s, sure to [0-9.]+ %$'
else
    skip 'recommend.cpp' 'no C++ compiler'
fi
if command -v python3 >/dev/null; then
    check 'diagnose.py' python3 examples/diagnose.py "$tmp/model.json"
    verdict=$("$memwall" diagnose --json "$tmp/model.json" 2>/dev/null | sed -n 's/^ *"verdict": "\(.*\)",$/\1/p')
    prints 'diagnose.py: as memwall diagnose' "^${verdict:-none}, [01]\\.[0-9]+ sure"
    fails 1 'diagnose.py: no model' python3 examples/diagnose.py data/examples/swaptions.csv
else
    skip 'diagnose.py' 'no python3'
fi
check 'the installed program' "$prefix/bin/memwall" --version
check 'make uninstall' make -s uninstall "${args[@]}" DESTDIR="$to"
left=$(find "$to" -type f -o -type l)
if [ -z "$left" ]; then ok 'nothing is left'; else not_ok 'nothing is left' "$left"; fi
