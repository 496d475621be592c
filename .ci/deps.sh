#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what memwall is built and tested with, by the package manager that is there.
#   deps.sh --probe                      status 0 if nothing is missing
#   deps.sh apt="…" dnf="…" …            install the list of the manager found
set -u

probe() {
    for tool in gcc pkg-config gnuplot; do
        command -v "$tool" >/dev/null 2>&1 || return 1
    done
    pkg-config --exists gsl hwloc jansson nettle cmocka || return 1
    echo '#include <csv.h>
#include <glpk.h>
#include <numa.h>
#include <svm.h>
int main(void){return 0;}' | gcc -x c - -I/usr/include/libsvm -o /dev/null -lcsv -lglpk -lnuma -lsvm 2>/dev/null
}

[ "${1:-}" = --probe ] && { probe; exit; }
probe && exit 0

for arg; do
    manager=${arg%%=*} list=${arg#*=}
    case $manager in
    apt) bin=apt-get ;;
    *) bin=$manager ;;
    esac
    command -v $bin >/dev/null 2>&1 || continue
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    echo "memwall: installing with $bin: $list" >&2
    export DEBIAN_FRONTEND=noninteractive
    case $manager in
    apt) $sudo apt-get update -qq >/dev/null && $sudo apt-get install -y -qq --no-install-recommends $list >/dev/null ;;
    dnf) $sudo dnf install -y -q $list ;;
    pacman) $sudo pacman -S --needed --noconfirm $list ;;
    zypper) $sudo zypper -n install $list ;;
    apk) $sudo apk add $list ;;
    esac || { echo "memwall: $bin could not install the packages above" >&2; exit 1; }
    probe && exit 0
    echo "memwall: something is still missing after the installation" >&2
    exit 1
done
echo "memwall: no known package manager; install by hand: gcc make pkg-config GSL hwloc libnuma jansson libcsv nettle GLPK libsvm cmocka gnuplot" >&2
exit 1
