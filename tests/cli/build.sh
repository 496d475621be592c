#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A build leaves the system alone, names what is missing, and does without GLPK and libsvm.
. "$(dirname "$0")/../tap.sh"
cd "$root" || exit 1
[ "$memwall" = "$root/build/release/memwall" ] || { echo '# SKIP the build is tested as make does it'; exit 77; }
eval "args=($(cat build/release/make-args))"
compiler=gcc
for arg in "${args[@]}"; do [ "${arg%%=*}" != CC ] || compiler=${arg#CC=}; done

mkdir "$tmp/bin"
for manager in apt-get apt dnf pacman zypper apk sudo; do
    printf '#!/bin/sh\ntouch %s/called\n' "$tmp" >"$tmp/bin/$manager"
done
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/pkg-config"
chmod +x "$tmp/bin"/*
for target in all install; do
    fails 2 "make $target without GSL" env PATH="$tmp/bin:$PATH" make -s B="$tmp/b" DESTDIR="$tmp/d" $target
    says "make $target names it" 'missing to build: gsl'
    says "make $target says what would help" 'hint: make deps'
done
if [ ! -e "$tmp/called" ]; then ok 'no package manager is called'; else not_ok 'no package manager is called'; fi
plan=$(make -n B="$tmp/b" install 2>/dev/null; make -n B="$tmp/b" 2>/dev/null)
if grep -qE 'apt-get|deps\.sh .*apt=' <<<"$plan"; then not_ok 'nor planned to be'; else ok 'nor planned to be'; fi

plan=$(make -n B="$tmp/b" install DESTDIR=/stage prefix=/opt/m libdir=/opt/m/lib64 mandir=/man CC=cc-of-mine CFLAGS=-Owell 2>/dev/null)
for path in /stage/opt/m/bin/memwall /stage/opt/m/lib64/pkgconfig /stage/man/man1 /stage/opt/m/include/memwall; do
    if grep -q -- "$path" <<<"$plan"; then ok "install to $path"; else not_ok "install to $path"; fi
done
plan=$(make -n B="$tmp/b" build-all CC=cc-of-mine CFLAGS=-Owell CPPFLAGS=-DMINE LDFLAGS=-Wl,--mine 2>/dev/null)
if grep -q '^cc-of-mine .*-DMINE.*-Owell.* data/units.c$' <<<"$plan"; then ok 'CC, CPPFLAGS and CFLAGS are the caller'\''s'; else not_ok 'CC, CPPFLAGS and CFLAGS are the caller'\''s'; fi
if grep -q '^cc-of-mine .*-Wl,--mine.* -o .*/memwall ' <<<"$plan"; then ok 'LDFLAGS too'; else not_ok 'LDFLAGS too'; fi

# The two files that know of the optional libraries, built as where these are missing, before the rest as it is.
# shellcheck disable=SC2086
without() { $compiler -std=gnu11 -D_GNU_SOURCE -I. -fopenmp -O1 -Wall -Wextra -Werror "$@"; }
check 'without GLPK' without -DMW_WITHOUT_GLPK -c -o "$tmp/knapsack.o" advise/schedule/knapsack.c
check 'without libsvm' without -DMW_WITHOUT_SVM -c -o "$tmp/learn_svr.o" fit/compare/learn_svr.c
# shellcheck disable=SC2046
check 'linked without both' without -o "$tmp/memwall" build/release/cli/main.o "$tmp/knapsack.o" "$tmp/learn_svr.o" \
    build/release/libinner.a build/release/libcore.a $(pkg-config --libs gsl hwloc jansson) -lcsv -lnettle -lnuma -ldl -lm
cat >"$tmp/jobs.json" <<'EOF'
{"cores": 4, "jobs": [{"name": "a", "options": [{"cores": 2, "time_s": 3, "energy_j": 5}]}]}
EOF
fails 77 'schedule without GLPK' "$tmp/memwall" schedule "$tmp/jobs.json"
says 'schedule says so' 'without GLPK'
says 'schedule says what to do' 'hint: .*libglpk-dev'
awk 'BEGIN { print "cores,time_s"; for (p = 1; p <= 16; p++) print p "," 1 + 9 / p }' >"$tmp/runs.csv"
check 'compare without libsvm' "$tmp/memwall" compare "$tmp/runs.csv" --train 8 --repeats 1
says 'compare says so' 'without libsvm'
if grep -q '^tree' <<<"$out" && ! grep -q '^svr' <<<"$out"; then ok 'the others are compared'; else not_ok 'the others are compared' "$out"; fi
fails 77 'plot without gnuplot' env PATH=/nonexistent "$memwall" plot "$tmp/runs.csv" -o "$tmp/x.svg"
says 'plot says what to install' 'gnuplot'

# the source archive: the same bytes again, from a clone elsewhere and with another umask, and complete
if git -C "$root" rev-parse -q --verify HEAD >/dev/null 2>&1; then
    check 'make dist' make -s "${args[@]}" dist DIST="$tmp/a.tar.gz"
    git -c safe.directory='*' clone -q "$root" "$tmp/clone" 2>/dev/null
    check 'of a clone' sh -c "umask 077; sleep 1; make -s -C '$tmp/clone' dist DIST='$tmp/b.tar.gz' CC='${CC:-gcc}'"
    check 'is the same to the byte' cmp "$tmp/a.tar.gz" "$tmp/b.tar.gz"
    if [ "$(tar -tzf "$tmp/a.tar.gz" | grep -v '/$' | sed 's,^[^/]*/,,' | sort)" = "$(git -C "$root" ls-tree -r --name-only HEAD | sort)" ]; then ok 'all of the commit'; else not_ok 'all of the commit'; fi
    tar -C "$tmp" -xzf "$tmp/a.tar.gz"
    check 'and what it says can be made of it' make -n -C "$tmp"/memwall-*/ build-all
else
    skip 'the source archive' 'this is no repository'
fi
