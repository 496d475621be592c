#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what memwall is built and tested with, by the package manager that is there.
#   deps.sh --probe                      status 0 if nothing is missing
#   deps.sh --require                    names what a build lacks, installs nothing
#   deps.sh apt="…" dnf="…" …            install the list of the manager found
set -u

compiler=${CC:-gcc}

# has HEADER LIBRARY: whether a program with it links
has() {
    printf '#include <%s>\nint main(void){return 0;}\n' "$1" | $compiler -x c - -o /dev/null "$2" 2>/dev/null
}

# What a build cannot do without, a name a line.
missing() {
    command -v "${compiler%% *}" >/dev/null 2>&1 || echo "$compiler"
    if command -v pkg-config >/dev/null 2>&1; then
        for package in gsl hwloc jansson nettle; do
            pkg-config --exists $package || echo $package
        done
    else
        echo pkg-config
    fi
    has csv.h -lcsv || echo libcsv
    has numa.h -lnuma || echo libnuma
}

# What it does less without.
missing_optional() {
    has glpk.h -lglpk || echo 'GLPK (schedule)'
    has svm.h -lsvm || has libsvm/svm.h -lsvm || echo 'libsvm (one learner of compare)'
    command -v gnuplot >/dev/null 2>&1 || echo 'gnuplot (plot, report)'
}

probe() {
    [ -z "$(missing)$(missing_optional)" ] && pkg-config --exists cmocka && command -v python3 >/dev/null 2>&1
}

case ${1:-} in
--probe) probe; exit ;;
--require)
    without=$(missing | paste -sd ' ')
    [ -z "$without" ] && exit 0
    echo "memwall: missing to build: $without" >&2
    echo "hint: make deps installs it, with the package manager that is here" >&2
    exit 1
    ;;
esac
probe && exit 0

for arg; do
    manager=${arg%%=*} list=${arg#*=}
    case $manager in
    apt) bin=apt-get ;;
    *) bin=$manager ;;
    esac
    command -v $bin >/dev/null 2>&1 || continue
    case $manager in
    apt) install="apt-get install -y --no-install-recommends $list" ;;
    dnf) install="dnf install -y -q $list" ;;
    pacman) install="pacman -S --needed --noconfirm $list" ;;
    zypper) install="zypper -n install $list" ;;
    apk) install="apk add $list" ;;
    esac
    sudo=
    if [ "$(id -u)" != 0 ]; then # a password is never asked for: nobody may be there
        sudo='sudo -n'
        $sudo true 2>/dev/null || {
            printf 'memwall: packages are missing and installing them takes root. Whoever has it runs:\n    %s\n' "$install" >&2
            exit 1
        }
    fi
    echo "memwall: installing with $bin: $list" >&2
    export DEBIAN_FRONTEND=noninteractive
    { [ $manager != apt ] || $sudo apt-get update -qq >/dev/null; } && $sudo $install >/dev/null </dev/null ||
        { echo "memwall: $bin could not install the packages above" >&2; exit 1; }
    probe && exit 0
    echo "memwall: something is still missing after the installation" >&2
    exit 1
done
echo "memwall: no known package manager; install by hand: gcc make pkg-config GSL hwloc libnuma jansson libcsv nettle GLPK libsvm cmocka gnuplot python3" >&2
exit 1
