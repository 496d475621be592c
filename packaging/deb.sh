#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#   deb.sh build VERSION   the packages, from the archive of `make dist`, into build/deb
#   deb.sh check VERSION   lintian on them; then a minimal Debian in which they are installed and their tests run
set -eu
cd "$(dirname "$0")/.."
version=$2
folder=build/deb
tree=$folder/memwall-$version
maintainer=$(sed -n "s/^Maintainer: //p" packaging/debian/control)

need() {
    for tool; do
        command -v "$tool" >/dev/null || { echo "make deb: $tool is missing: apt-get install build-essential debhelper devscripts lintian debootstrap" >&2; exit 1; }
    done
}

# What CHANGELOG.md says of its newest version, a line each.
changes() {
    [ ! -f CHANGELOG.md ] || awk '/^## /{n++; next} n == 1 && /^[-*] /{sub(/^[-*] /, ""); print}' CHANGELOG.md
}

changelog() {
    local date line
    date=$(git log -1 --format=%aD 2>/dev/null || date -R)
    printf 'memwall (%s-1) unstable; urgency=medium\n\n' "$version"
    { changes | grep . || echo 'New version.'; } | while read -r line; do
        fold -s -w 74 <<<"$line" | sed '1s/^/  * /; 1!s/^/    /; s/ *$//'
    done
    printf '\n -- %s  %s\n' "$maintainer" "$date"
}

build() {
    need dpkg-buildpackage dh
    rm -rf "$folder" && mkdir -p "$folder"
    cp "build/memwall-$version.tar.gz" "$folder/memwall_$version.orig.tar.gz"
    tar -C "$folder" -xzf "$folder/memwall_$version.orig.tar.gz"
    cp -r packaging/debian "$tree/debian"
    changelog >"$tree/debian/changelog"
    (cd "$tree" && dpkg-buildpackage -us -uc --jobs="$(nproc)") >"$folder/build.log" 2>&1 ||
        { tail -n 30 "$folder/build.log" >&2; exit 1; }
    ls "$folder"/*.deb
}

# A Debian of its own: the packages must bring all that they need.
in_clean_debian() {
    clean=$(mktemp -d)
    trap 'umount -R "$clean/proc" "$clean/sys" "$clean/dev" 2>/dev/null || true; rm -rf --one-file-system "$clean"' EXIT
    debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$clean" >"$folder/debootstrap.log"
    rm -f "$clean/etc/apt/sources.list"
    cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$clean/etc/apt/" 2>/dev/null || true
    cp /etc/resolv.conf "$clean/etc/" 2>/dev/null || true
    mkdir "$clean/packages"
    cp "$folder"/*.deb "$clean/packages"
    cp -r packaging/debian/tests "$clean/tests"
    mount -t proc proc "$clean/proc" && mount --rbind /sys "$clean/sys" && mount --make-rslave "$clean/sys" && mount --bind /dev "$clean/dev"
    chroot "$clean" sh -ec '
        export DEBIAN_FRONTEND=noninteractive AUTOPKGTEST_TMP=/tmp
        apt-get update -qq >/dev/null
        apt-get install -y -qq --no-install-recommends /packages/memwall_*.deb >/dev/null
        sh /tests/command
        apt-get install -y -qq --no-install-recommends /packages/*.deb gcc libc6-dev pkg-config >/dev/null
        sh /tests/library
        apt-get purge -y -qq memwall libmemwall0 libmemwall-dev >/dev/null
        ! find /usr -name "*memwall*" | grep .'
}

check() {
    need lintian debootstrap
    lintian --fail-on error,warning "$folder"/*.changes
    in_clean_debian
    echo "the packages install, work and go in a clean Debian"
}

"$1"
